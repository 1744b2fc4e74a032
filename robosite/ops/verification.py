"""Verifies stored data: replays all matches, computes the pairings of all started leagues, and compares."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from games.core import DRAW, RESIGN, IllegalOption, IllegalOrder, check_turn, finishing_order, play_turn
from games.core import Seat as Letter
from games.record import seal as seal_of
from robosite.leagues.arithmetic.pairing import schedule_of
from robosite.leagues.flow import written_order
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import Fixture, League
from robosite.leagues.next_season import final_rows
from robosite.matches.flow import replies
from robosite.matches.history import secret_binding, states_of, turns_of
from robosite.matches.models import Match, MatchFlag, Program, Replies, TakenBack
from robosite.matches.seals import KeyMissing, decrypt_secret
from robosite.matches.time.timekeeping import reserves_of

AT_A_TIME = 50
"""The number of matches that are read at once. Only one of them at a time is in memory as a game."""


@dataclass
class Found:
    """Counts of a check of all stored matches; `lost` are secrets that no key decrypts."""

    over: int = 0
    others: int = 0
    turns: int = 0
    seals: int = 0
    lost: int = 0
    faults: int = 0


def faults(found: Found) -> Iterator[str]:
    """Yields a sentence for each fault, and counts in `found`; a match changed meanwhile is checked anew."""
    for match in _each():
        wrong = list(_faults_of(match, seen := Found()))
        if wrong:
            again = Match.objects.filter(pk=match.pk).first()
            if again is None:
                continue
            if again.version != match.version:
                wrong = list(_faults_of(again, seen := Found()))
        found.over += match.status == Match.Status.OVER
        found.others += match.status != Match.Status.OVER
        found.turns += seen.turns
        found.seals += seen.seals
        found.lost += seen.lost
        found.faults += len(wrong)
        yield from (f"{match.game_slug} {match.key}: {fault}" for fault in wrong)


def _each() -> Iterator[Match]:
    last = 0
    while some := list(Match.objects.filter(pk__gt=last).order_by("pk")[:AT_A_TIME]):
        yield from some
        last = some[-1].pk


def _faults_of(match: Match, seen: Found) -> Iterator[str]:
    turns: dict[int, dict[Letter, str]] = {}
    hidden = False
    for program in Program.objects.filter(seat__match=match).select_related("seat").iterator():
        order, nonce = program.order, program.nonce
        at = f"turn {program.turn + 1}, seat {program.seat.letter}"
        if program.secret is not None and not program.order:  # a resignation's row may have an old draft
            try:
                binding = secret_binding(match, program.turn, program.seat.letter)
                order, nonce = decrypt_secret(binding, program.secret)
            except KeyMissing:  # a lost secret that was given up stays, so that its page can report it
                seen.lost += program.sealed
                hidden |= program.sealed and program.turn < match.turn
                continue
        if program.sealed:
            seen.seals += 1
            if (
                seal_of(match.key, program.turn, program.seat.letter, nonce=nonce, order=order)
                != program.seal
            ):
                yield f"{at}: the seal does not open to this order"
            if program.secret is not None and match.status == Match.Status.OVER and program.turn < match.turn:
                yield f"{at}: is still secret, though the match is over"
        if program.turn < match.turn and (program.sealed or program.order):
            if not program.sealed and order not in (RESIGN, DRAW):
                yield f"{at}: was played without a seal"
            turns.setdefault(program.turn, {})[program.seat.at] = order
    for gone in TakenBack.objects.filter(seat__match=match).select_related("seat"):
        seen.seals += 1
        if seal_of(match.key, gone.turn, gone.seat.letter, nonce=gone.nonce, order=gone.order) != gone.seal:
            yield f"turn {gone.turn + 1}, seat {gone.seat.letter}, taken back: the seal does not open to it"
    yield from _wrong_reserves(match)
    yield from _wrong_replies(match, seen)
    if not hidden:  # otherwise orders are missing, so nobody can replay it
        yield from _replayed(match, turns, seen)


def _wrong_reserves(match: Match) -> Iterator[str]:
    found = reserves_of(match)
    for letter, seat in found.seats.items():
        if not timedelta() <= seat.spent <= seat.left <= found.whole:
            yield f"seat {letter}: its time reserve cannot be {seat.rest} of {found.whole}"


def _wrong_replies(match: Match, seen: Found) -> Iterator[str]:
    if not match.may_have(MatchFlag.REPLIES):
        return
    for row in Replies.objects.filter(seat__match=match).exclude(secret=None).select_related("seat"):
        row.seat.match = match
        try:
            fits = replies.is_playable(row)
        except KeyMissing:
            seen.lost += 1
            continue
        if not fits:
            yield f"turn {row.turn + 1}, seat {row.seat.letter}: its replies cannot be played"


def _replayed(match: Match, turns: dict[int, dict[Letter, str]], seen: Found) -> Iterator[str]:
    try:
        state = match.game.state.start(match.options, match.seats.count(), match.setup)
    except (IllegalOption, LookupError, ValueError) as fault:
        yield f"cannot be laid out: {fault}"
        return
    for number in range(match.turn):
        orders = turns.get(number, {})
        try:
            check_turn(state, orders)
        except IllegalOrder as fault:
            yield f"turn {number + 1}{f', seat {fault.seat}' if fault.seat else ''}: {fault}"
            return
        *_, state = play_turn(state, orders)
        seen.turns += 1
    reached = state.outcome()
    if match.status == Match.Status.OVER:
        if (reached and reached.as_json()) != match.outcome_json:
            stored = match.outcome_json
            yield f"the outcome is {reached and reached.as_json()}, and {stored} is stored"
    elif reached and match.status != Match.Status.ABORTED:
        yield f"is over with {reached.as_json()}, and goes on all the same"


def league_faults() -> Iterator[str]:
    """Yields a sentence for every contradiction between the lots, schedule and matches of started leagues."""
    for league in League.objects.exclude(started_at=None).order_by("pk").iterator():
        yield from (f"league {league.key}: {fault}" for fault in _faults_of_league(league))


def _faults_of_league(league: League) -> Iterator[str]:
    standings = standings_of(league)
    if league.kind.knocks_out:
        yield from _faults_of_cup(standings)
        return
    schedule = schedule_of(standings.divisions, league.legs, league.table_seats)
    found = Counter(
        (one.division, one.round, tuple(standings.seats_of(one).values())) for one in standings.fixtures
    )
    if found != Counter(schedule):
        yield "the pairings are not those of its lots"
    yield from _faults_of_season(standings)
    yield from _going_on(standings)
    for fixture in standings.fixtures:
        placed = league.scoring == League.Scoring.FINISH and fixture.decided not in ("", Fixture.VOID)
        match = fixture.match
        if placed and match and match.status == Match.Status.OVER:
            finish = written_order(finishing_order(states_of(match)[0], turns_of(match)))
            if fixture.finish != finish:
                yield f"match {match.key}: players were put out in another order than is stored"


def _faults_of_season(standings: Standings) -> Iterator[str]:
    """Compares the stored sizes of divisions and rows of players with the results of the season before."""
    before = standings.league.previous
    if before is None:
        return
    earlier = standings_of(before)
    rows = final_rows(earlier)
    if standings.league.previous_sizes != [len(division) for division in earlier.divisions]:
        yield "the sizes of the divisions of the season before are not those that are stored"
    for one in standings.places:
        if one.came != rows.get(one.number):
            yield f"place {one.number} comes from another row of the season before than is stored"


def _faults_of_cup(standings: Standings) -> Iterator[str]:
    """Yields a cup's faults, such as a match that goes on though decided; not one that is due but missing."""
    league, given, due = standings.league, standings.cup_matches, standings.bracket.matches
    if given != [one for one in due if one in set(given)]:
        yield "the matches are not those of its bracket"
    if league.status == League.Status.OVER and not league.closed and standings.bracket.winner is None:
        yield "it is over, though no tie has decided it"
    yield from _going_on(standings)


def _going_on(standings: Standings) -> Iterator[str]:
    for fixture in standings.fixtures:
        if fixture.decided and fixture.match and fixture.match.status == Match.Status.PLAYING:
            yield f"match {fixture.match.key} goes on, though it was decided"
