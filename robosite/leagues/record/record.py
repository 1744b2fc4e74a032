"""The record of a league as JSON data, and a check that computes everything in a record anew.

The check covers the lots, the schedule, every match, the points, the tie-breaks and the strengths.
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from typing import Any, cast

from pydantic_core import to_json

from games import GAMES
from games.core import DRAW, RESIGN, SEATS, finishing_order
from games.record import replay
from robosite.leagues.arithmetic import bracket, designs, strength
from robosite.leagues.arithmetic.bracket import CupMatch, Stage, bracket_of
from robosite.leagues.arithmetic.pairing import MOST_LEGS_OF_PROGRAMS, lot_of, schedule_of
from robosite.leagues.arithmetic.table import ENOUGH_SEALS, Decided, Left, Result, left_as
from robosite.leagues.arithmetic.table_data import cup_table, result_at, table_data
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import League, Place
from robosite.leagues.record import season_record
from robosite.matches.flow import Refused
from robosite.matches.models import Match
from robosite.matches.records import record_of
from robosite.share.pictures.drawn_files import find, store
from robosite.web import later
from robosite.web.written_names import FORGOTTEN

FORMAT = "robosite-league/1"
CUP = "cup"
TERMS = ("name", "game", "rules", "options", "legs")
"""The keys of the league's terms that every record has."""
IN_A_STEP = 8
"""The number of matches in a step of making a record: before each step, others' requests are answered."""


def league_record(league: League) -> dict[str, Any]:
    """Returns the record of a league as JSON data; raises Refused if it is not over, or has never started."""
    _check_is_over(league)
    steps = _record_in_steps(league)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(dict[str, Any], end.value)


def record_text(league: League) -> str:
    """Returns a league's record as JSON text, made once and kept as a file; may raise Refused or Later."""
    _check_is_over(league)
    name = f"{league.key}/record/{_version(league)}"
    kept = find(name, drawn=False)

    def keep_in_steps() -> Iterator[None]:
        record = yield from _record_in_steps(league)
        yield
        store(name, zlib.compress(to_json(record)), drawn=False)

    if kept is None:
        later.do_in_steps(keep_in_steps())
        kept = find(name, drawn=False)
    if kept is None:  # the folder cannot be written
        return to_json(league_record(league)).decode()
    return zlib.decompress(kept).decode()


def _check_is_over(league: League) -> None:
    if league.status != League.Status.OVER or not league.started_at or league.unsettled:
        raise Refused("The file of a league is here once the league is over.")


def _version(league: League) -> str:
    """Returns a hash of all that may still change in the record of a league that is over, such as names."""
    places = [
        (one.number, _recorded_name(one), one.removed, one.left_at)
        for one in league.places.filter(gone=False)
    ]
    facts = FORMAT, strength.SCALE, league.name, league.version, places
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _record_in_steps(league: League) -> Generator[None, None, dict[str, Any]]:
    standings = standings_of(league)
    record = {
        "format": FORMAT,
        "league": league.key,
        "name": league.name,
        "game": league.game_slug,
        "rules": league.rules,
        "options": league.given_options,
        "legs": league.legs,
        **_table_terms(league),
        **season_record.season_terms(league),
        **({"scale": strength.SCALE} if any(place.player for place in standings.places) else {}),
        "nonce": league.nonce,
        "lot": lot_of(league.nonce),
        "places": [_place(standings, place) for place in standings.places],
        "schedule": [_pairing(standings, at) for at in range(len(standings.fixtures))],
    }
    yield
    record["matches"] = yield from _matches_in_steps(standings)
    record["table"] = standings.table
    yield
    return {**record, "digest": digest_of(record)}


def _table_terms(league: League) -> dict[str, Any]:
    if league.kind.knocks_out:
        return {"competition": CUP}
    if league.table_seats == 2:
        return {}
    return {"table_seats": league.table_seats, "scoring": league.scoring}


def _place(standings: Standings, place: Place) -> dict[str, Any]:
    return {
        "place": place.number,
        "number": standings.lot_numbers[place.number],
        "name": _recorded_name(place),
        "removed": place.removed,
        "left": standings.left(place),
        **({"came": place.came and place.came._asdict()} if standings.league.previous_sizes else {}),
        **({"bot": place.player} if place.player else {}),
    }


def _pairing(standings: Standings, at: int) -> dict[str, Any]:
    fixture, result = standings.fixtures[at], standings.results[at]
    return {
        **standings.league.kind.position(standings, at),
        "seats": standings.seats_of(fixture),
        "match": fixture.match.key if fixture.match else None,
        "forfeit": fixture.forfeit or None,
        "decided": result.decided,
    }


def _matches_in_steps(standings: Standings) -> Generator[None, None, list[dict[str, Any]]]:
    """Returns the records of the matches, without those called off, which could reveal secrets."""
    records = []
    for at, fixture in enumerate(standings.fixtures):
        if at % IN_A_STEP == 0:
            yield
        match = Match.objects.prefetch_related("seats").filter(pk=fixture.match_id or 0).first()
        if match is None:
            continue
        try:
            record = record_of(match)
        except Refused:
            continue
        names = {letter: _recorded_name(standings.by_key[pk]) for letter, pk in fixture.seats.items()}
        records.append({**record, "names": names})
    return records


def _recorded_name(place: Place) -> str:
    """Returns the name of a participant for the league's record; "" if their data were erased."""
    return "" if place.name == FORGOTTEN else place.name


def digest_of(record: Mapping[str, Any]) -> str:
    """Returns the SHA-256, in hex, of a league's record without its digest."""
    rest = {key: value for key, value in record.items() if key != "digest"}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# The check

KEYS = {*TERMS, "format", "league", "nonce", "lot", "places", "schedule", "matches", "table", "digest"}
"""The keys that every record has."""


class _Broken(Exception):
    """Raised for a fault after which the rest of a record cannot be checked; the message describes it."""


def faults_of(data: Any) -> Iterator[str]:
    """Yields a sentence for each fault of a league's record, up to one after which nothing can be checked."""
    try:
        yield from _faults(data)
    except _Broken as fault:
        yield str(fault)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as fault:
        yield f"The record is not of the right shape: {type(fault).__name__} {fault}"


def _faults(data: Any) -> Iterator[str]:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _Broken(f"“format” is not {FORMAT!r}.")
    seats = data.get("table_seats", 2)
    knocks_out = data.get("competition") == CUP
    keys = KEYS | ({"competition"} if knocks_out else set() if seats == 2 else {"table_seats", "scoring"})
    if "season" in data:
        keys = keys | season_record.KEYS
    if bots := _bots(data):
        keys = keys | {"scale"}
        if data.get("scale") not in strength.STRENGTHS:
            raise _Broken("Its bots have strengths on a scale that this version does not know.")
    if differing := sorted(data.keys() ^ keys):
        yield f"Keys that are missing, or should not be there: {', '.join(differing)}."
    if data["digest"] != digest_of(data):
        yield "The digest is not that of the record: something was changed."
    if data["lot"] != lot_of(data["nonce"]):
        yield "The lot is not the SHA-256 of the nonce."
    if not isinstance(data["legs"], int) or not 1 <= data["legs"] <= MOST_LEGS_OF_PROGRAMS:
        raise _Broken("“legs” is not a number of legs.")
    if seats != 2 and (type(seats) is not int or seats not in designs.SIZES):
        raise _Broken("“table_seats” is not a number of seats.")
    if data.get("scoring", "shares") not in set(League.Scoring):
        raise _Broken("“scoring” is none that there is.")
    places = [place["place"] for place in data["places"]]
    if len(set(places)) != len(places) or not all(type(place) is int for place in places):
        raise _Broken("The places are not numbers that differ from each other.")
    divisions = season_record.recorded_divisions(data, seats)
    order = [place for division in divisions for place in division]
    for place in data["places"]:
        if place["number"] != order.index(place["place"]) + 1:
            yield f"Place {place['place']}: its number is not the one that was drawn."
    if knocks_out:
        yield from _bot_faults(data, bots)
        yield from _cup_faults(data, places, bots)
        return
    yield from _schedule_faults(data, divisions, seats)
    yield from _bot_faults(data, bots)
    yield from _result_faults(data, divisions, bots)


def _bots(data: Any) -> dict[int, str]:
    return {place["place"]: place["bot"] for place in data["places"] if "bot" in place}


def _bot_faults(data: Any, bots: Mapping[int, str]) -> Iterator[str]:
    """Yields a sentence for each match in which a bot has an order that the bot's program did not choose."""
    records = {record["match"]: record for record in data["matches"]}
    for pairing in data["schedule"]:
        record = records.get(pairing["match"], {"seals": []})
        for letter, place in pairing["seats"].items():
            chosen = [turn[letter].get("by") for turn in record.get("seals", []) if turn.get(letter)]
            if place in bots and any(by != bots[place] for by in chosen):
                yield f"Place {place}: “bot” is {bots[place]!r}, but other orders were played there."


def _result_faults(data: Any, divisions: list[list[int]], bots: Mapping[int, str]) -> Iterator[str]:
    results, faults = _results(data)
    yield from faults
    for place in data["places"]:
        if place["left"] is not None and place["left"] != left_as(place["place"], results):
            yield f"Place {place['place']}: it was left, but not as {place['left']!r}."
    yield from _removed_faults(data)
    gone = [place["place"] for place in data["places"] if place["left"] is not None]
    table = table_data(divisions, results, gone, _names(data), fixed=_fixed(data, bots))
    yield from _table_faults(data["table"], table)


def _fixed(data: Any, bots: Mapping[int, str]) -> dict[int, float]:
    game = GAMES[data["game"]][data["rules"]]
    if not bots:
        return {}
    terms = game, data["options"], data.get("table_seats", 2)
    return strength.fixed_points(*terms, bots, scale=data["scale"])


def _cup_faults(data: Any, places: list[int], bots: Mapping[int, str]) -> Iterator[str]:
    if not bracket.LEAST <= len(places) <= bracket.MOST or data["legs"] != 1:
        raise _Broken("A cup has another number of places, and no legs.")
    results, faults = _results(data)
    yield from faults
    stages = [Stage[one["stage"].upper()] for one in data["schedule"]]
    given = [
        CupMatch(one["round"], one["tie"], stage, (one["seats"]["A"], one["seats"]["B"]))
        for one, stage in zip(data["schedule"], stages, strict=True)
    ]
    found = bracket_of(data["nonce"], places, dict(zip(given, results, strict=True)))
    fits = given == found.matches
    if found.winner is None:  # a moderator may have closed it
        due = [one for one in found.matches if one in set(given)]
        fits = given == due and any(one.void for one in results)
    if not fits or [tuple(one["seats"]) for one in data["schedule"]] != [("A", "B")] * len(given):
        yield "The matches are not those of the bracket."
    for place in data["places"]:
        if place["left"] not in (None, Left.DEFAULTED):
            yield f"Place {place['place']}: it was left, but not as {place['left']!r}."
    yield from _removed_faults(data)
    table = cup_table(found, results, _names(data), fixed=_fixed(data, bots))
    yield from _table_faults(data["table"], table)


def _names(data: Any) -> dict[int, str]:
    return {place["place"]: place["name"] for place in data["places"]}


def _results(data: Any) -> tuple[list[Result], list[str]]:
    records = {record["match"]: record for record in data["matches"]}
    faults: list[str] = []
    scheduled = [one["match"] for one in data["schedule"] if one["match"] in records]
    if [record["match"] for record in data["matches"]] != scheduled:
        faults.append("The matches are not those of the schedule.")
    results, names = [], _names(data)
    for pairing in data["schedule"]:
        result, wrong = _result(data, pairing, records.get(pairing["match"]), names)
        results.append(result)
        faults += wrong
    return results, faults


def _schedule_faults(data: Any, divisions: list[list[int]], seats: int) -> Iterator[str]:
    schedule = schedule_of(divisions, data["legs"], seats)
    letters = SEATS[:seats]
    expected = [(one.division, one.round, dict(zip(letters, one.seats, strict=True))) for one in schedule]
    given = [(one["division"], one["round"], one["seats"]) for one in data["schedule"]]
    if given != expected:
        yield "The schedule is not the one that belongs to these numbers."


def _result(data: Any, pairing: Any, record: Any, names: Mapping[int, str]) -> tuple[Result, list[str]]:
    seats, decided = pairing["seats"], pairing["decided"]
    what = f"Round {pairing['round']}, places {' and '.join(map(str, seats.values()))}"
    forfeit, of_two = pairing["forfeit"] or "", len(seats) == 2
    void = Result(tuple(seats.values()), void=True)
    if not set(forfeit) <= seats.keys() or list(forfeit) != sorted(set(forfeit)):
        return void, [f"{what}: “forfeit” is not a list of its seats."]
    by_finish = data.get("scoring") == League.Scoring.FINISH
    known: dict[str, Any] = {"forfeit": forfeit, "by_finish": by_finish}
    if pairing["match"] is None and decided in (Decided.DEFAULT, Decided.LAST_DAY):
        result = result_at(seats, decided, has_match=False, scores=None, **known)
        return result, [f"{what}: {fault}" for fault in _undone_faults(data, pairing, forfeit)]
    if of_two and pairing["forfeit"] is not None:
        return void, [f"{what}: a seat is forfeit, but there is a match."]
    if record is None and decided == Decided.NOBODY:
        return result_at(seats, decided, has_match=True, scores=None, **known), []
    if record is None:
        return void, [] if decided is None else [f"{what}: there is no such match."]
    own_names = {letter: names.get(place) for letter, place in seats.items()}
    faults = [f"{what}: {fault}" for fault in _record_faults(data, record, own_names)]
    shown = replay(record, told=False)
    if shown.fault:
        return void, [*faults, f"{what}: {shown.fault}"]
    if shown.outcome is None:
        if decided == Decided.NOBODY:
            return result_at(seats, decided, has_match=True, scores=None, **known), faults
        if decided is not None:
            faults.append(f"{what}: its match has no result.")
        return void, faults
    if decided not in (Decided.PLAY, Decided.DEFAULT, Decided.LAST_DAY):
        return void, [*faults, f"{what}: it was decided, but not as it says."]
    faults += [f"{what}: {fault}" for fault in _ending_faults(record, pairing, forfeit)]
    finish = finishing_order(shown.states[0], record["turns"]) if by_finish else []
    scores = {str(letter): share for letter, share in shown.outcome.scores.items()}
    known |= {"finish": finish, "early": _is_early(record)}
    return result_at(seats, decided, has_match=True, scores=scores, **known), faults


def _is_early(record: Any) -> bool:
    """Returns True if not all who played the last turn had sealed ENOUGH_SEALS times."""
    sealed = Counter(letter for turn in record.get("seals", []) for letter in turn)
    gone = {letter for turn in record["turns"][:-1] for letter, order in turn.items() if order == RESIGN}
    return any(sealed[letter] < ENOUGH_SEALS for letter in record["seats"] if letter not in gone)


def _undone_faults(data: Any, pairing: Any, forfeit: str) -> Iterator[str]:
    decided, there = pairing["decided"], len(pairing["seats"]) - len(forfeit)
    left = {place["place"] for place in data["places"] if place["left"] is not None}
    here = {pairing["seats"][letter] for letter in forfeit} <= left
    if not here or (decided == Decided.DEFAULT and there > 1):
        yield "it was decided without a match, but nobody had left."
    elif decided == Decided.LAST_DAY and (there < 2 or (forfeit and len(pairing["seats"]) == 2)):
        yield "it was decided without a match on the last day, but somebody had left."


def _ending_faults(record: Any, pairing: Any, forfeit: str) -> Iterator[str]:
    """Yields the contradictions between an entry of the schedule and the record of its match."""
    decided, turns = pairing["decided"], record["turns"]
    last = set(turns[-1].values()) if turns else set()
    if len(pairing["seats"]) > 2:
        resigned = {letter for turn in turns for letter, order in turn.items() if order == RESIGN}
        drawn = {letter for letter, order in (turns[-1] if turns else {}).items() if order == DRAW}
        if not set(forfeit) <= resigned | (drawn if decided == Decided.LAST_DAY else set()):
            yield "a seat is said to have been given up, but did not resign."
        there = len(pairing["seats"]) - len(forfeit)
        if decided != Decided.LAST_DAY and (decided == Decided.DEFAULT) != (there < 2):
            yield "it was played out, or by default, but not as it says."
        needed = {RESIGN, DRAW} if decided == Decided.LAST_DAY else None
    else:
        needed = {Decided.DEFAULT: {RESIGN}, Decided.LAST_DAY: {RESIGN, DRAW}}.get(Decided(decided))
    if needed and not needed & last:
        yield "its last turn does not end it by default or on the last day."


def _record_faults(data: Any, record: Any, names: Mapping[str, Any]) -> Iterator[str]:
    if {key: record[key] for key in ("game", "rules", "options")} != {
        key: data[key] for key in ("game", "rules", "options")
    }:
        yield "its match is not of the league's game and options."
    if record["names"] != names or list(record["seats"]) != list(names):
        yield "its match has other names."
    if "seals" not in record:
        yield "its match has no seals."


def _removed_faults(data: Any) -> Iterator[str]:
    for place in data["places"]:
        if place.get("removed", False) not in (False, place["left"] is not None):
            yield f"Place {place['place']}: it was removed, but not left."


def _table_faults(given: Any, computed: Any) -> Iterator[str]:
    expected, found = json.loads(json.dumps(computed)), False
    if given == expected:
        return
    for number, (one, other) in enumerate(zip(given["divisions"], expected["divisions"], strict=False), 1):
        for row, right in zip(one["rows"], other["rows"], strict=False):
            for column in sorted(row.keys() | right.keys()):
                if row.get(column) != right.get(column):
                    found = True
                    yield (
                        f"Table of division {number}, place {right['place']}: “{column}” is"
                        f" {row.get(column)!r}, and should be {right.get(column)!r}."
                    )
    if not found:
        yield "The table is not that of the results."
