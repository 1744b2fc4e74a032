"""Series of matches: best of three or five in which players change sides, and pairs played at once.

Each match stores in `Match.series` how the series stood before the match, in these entries:

- `of`: the maximum number of matches, 0 for rematches without end.
- `number`: the match's number, from 1.
- `points`: the points of each player, by the seat that the player has in this match.
- `pair`: True if two matches are played at once.

A match that is called off does not count: the next match has the same number and points.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from games import newest
from games.core import Seat as Letter
from games.core import seat_letters
from robosite.matches import locks
from robosite.matches.flow.lock import save
from robosite.matches.flow.sittings import Taken, give_hold, name_kept, sit_bot_down, sit_down
from robosite.matches.flow.turn import begin_if_full
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.people.models import Guest
from robosite.people.restrictions import Action, restriction_on
from robosite.web.link_secrets import first_secret
from robosite.web.transactions import lock_rows

KINDS: dict[str, dict[str, Any]] = {"3": {"of": 3}, "5": {"of": 5}, "pair": {"of": 2, "pair": True}}
"""The kinds of series that a match's creator may choose: parts of `Match.series`."""


class Score(NamedTuple):
    """The score of a series, as seen from one of its matches; `played` is the number of matches counted."""

    of: int
    pair: bool
    number: int
    played: int
    points: dict[Letter, float]

    @property
    def decided(self) -> bool:
        """Returns True if no further match can change who wins."""
        left = self.of - self.played
        best, *others = sorted(self.points.values(), reverse=True)
        return bool(self.of) and (left <= 0 or (not self.pair and best - others[0] > left))

    @property
    def winners(self) -> list[Letter]:
        best = max(self.points.values())
        return [seat for seat, points in self.points.items() if points > best - 1e-9]


def first_series_entry(kind: str) -> dict[str, Any] | None:
    return {**KINDS[kind], "number": 1, "points": {}} if kind else None


def next_seat(seat: str, seats: int, by: int = 1) -> Letter:
    """The seat that the player of `seat` gets in the next match; everybody moves one seat further."""
    letters = seat_letters(seats)
    return letters[(letters.index(Letter(seat)) + by) % seats]


def seats_moved(match: Match) -> int:
    """The number of seats that everybody moves on by from one match to its rematch."""
    return 0 if match.may_have(MatchFlag.SAME_SEATS) else 1


def score_of(match: Match) -> Score | None:
    """The score of the match's series, with this match and the other of a pair if they have outcomes."""
    facts = match.series
    if not facts:
        return None
    count = match.seats.count()
    points = {seat: float(facts["points"].get(seat, 0)) for seat in seat_letters(count)}
    pair, played = bool(facts.get("pair")), 0 if facts.get("pair") else facts["number"] - 1
    results = [(match, 0)]
    if pair and (other := other_of_pair(match)):
        results.append((other, -1 if facts["number"] == 1 else 1))
    for one, by in results:
        if one.outcome:
            played += 1
            for seat, share in one.outcome.scores.items():
                points[next_seat(seat, count, by)] += share
    return Score(facts["of"], pair, facts["number"], played, points)


def other_of_pair(match: Match) -> Match | None:
    if match.series["number"] == 1:
        return Match.objects.filter(rematch_of=match).first()
    return match.rematch_of


def is_under_way(match: Match) -> bool:
    """Returns True if the match belongs to a series of limited length that goes on after this match."""
    score = score_of(match)
    if score is None or not score.of:
        return False
    return score.number == 1 if score.pair else not score.decided


def facts_of_next(match: Match) -> dict[str, Any] | None:
    """The value of `Match.series` for the match that follows one that has ended, or the first of a pair.

    A match that was called off hands on its number and points. After the last of a series, one of the same
    kind begins anew; after a match in no series, one of rematches without end. Otherwise the number rises.
    """
    count = match.seats.count()

    def moved(points: Mapping[Any, float]) -> dict[Letter, float]:
        return {next_seat(seat, count): share for seat, share in points.items()}

    if match.status == Match.Status.ABORTED:
        return {**match.series, "points": moved(match.series["points"])} if match.series else None
    score = score_of(match)
    if score is None:
        return {"of": 0, "number": 2, "points": moved(match.outcome.scores if match.outcome else {})}
    kind = {key: match.series[key] for key in ("of", "pair") if key in match.series}
    if score.of and not is_under_way(match):
        return {**kind, "number": 1, "points": {}}
    return {**kind, "number": score.number + 1, "points": moved({} if score.pair else score.points)}


def terms_of_next(match: Match) -> dict[str, Any]:
    """The terms that a rematch takes over, besides the game and its options, as fields of Match."""
    terms = ("deadline_hours", "reserve_hours", "reveal_at", "late", "weekends_off", "zone", "watched")
    kept_flags = match.flags & (MatchFlag.STRANGERS | MatchFlag.KEPT_SEATS)
    return {"flags": kept_flags, "rematch_of": match, **{term: getattr(match, term) for term in terms}}


def may_follow(match: Match) -> bool:
    """Returns True if the match can have a rematch: it is over, or called off with all seats taken."""
    if match.status == Match.Status.OVER:
        return True
    called_off = match.status == Match.Status.ABORTED and not match.imported
    return (
        called_off and not (match.series or {}).get("pair") and all(seat.taken for seat in match.seats.all())
    )


def leave_series(match: Match) -> None:
    """Takes a match out of its series, unless it is the first of it. The match is not saved."""
    if match.series and match.series["number"] > 1:
        match.series = None


def begin(match: Match) -> None:
    """Begins the match, and with it the second of a pair, if all seats are taken; call it inside the lock."""
    begin_if_full(match)
    first = match.series and match.series.get("pair") and match.series["number"] == 1
    if first and match.status != Match.Status.OPEN and other_of_pair(match) is None:
        create_next_match(match)


def matches_created_by_rematch(before: Match) -> int:
    pair = (before.series or {}).get("pair")
    return 2 if pair and (facts_of_next(before) or {}).get("number") == 1 else 1


def create_next_match(before: Match) -> dict[Letter, Taken] | None:
    """Creates the next match of the series, with all players seated and with the same setup.

    Call it inside the lock of `before`. Returns the seats of all players but bots, by letter; None, and
    creates nothing, if no guest may play any more for one of them: for example, they are banned.
    """
    seats = list(Seat.objects.filter(match=before).order_by("letter"))
    holders = _holders(before)
    if any(not seat.is_bot and not holders[seat.pk] for seat in seats):
        return None
    game = newest(before.game_slug)
    following = Match.objects.create(
        game_slug=game.slug,
        rules=game.rules,
        given_options=before.given_options,
        series=facts_of_next(before),
        lane=before.lane,
        setup=before.setup,
        **terms_of_next(before),
    )
    with locks.inside(following.pk):  # nobody else can see it yet
        rows = {seat.letter: Seat(match=following, letter=seat.letter) for seat in seats}
        Seat.objects.bulk_create(rows.values())
        taken = {}
        for seat in seats:
            to = next_seat(seat.letter, len(seats))
            if seat.is_bot:
                sit_bot_down(following, to, seat.player, seat.name)
                continue
            taken[to] = _seat_again(seat, rows[to], [one.name for one in rows.values() if one.name])
            for guest in holders[seat.pk]:
                give_hold(following, rows[to], guest)
        begin_if_full(following)
        save(following)
    return taken


def _seat_again(before: Seat, seat: Seat, others: list[str]) -> Taken:
    name = name_kept(seat.match, seat, before.name, None, others)
    secret = first_secret(seat.match.key, seat.letter)
    return sit_down(seat.match, seat, name, None, host=before.host, kind=before.kind, secret=secret)


def _holders(match: Match) -> defaultdict[int, list[Guest]]:
    """The guests who hold the seats and may play, by seat; locks their rows in the order of primary keys."""
    holds = list(Hold.objects.filter(seat__match=match).order_by("pk").values_list("seat", "guest"))
    guests = {
        one.pk: one for one in lock_rows(Guest.objects.filter(pk__in={pk for _, pk in holds}), no_key=True)
    }
    found: defaultdict[int, list[Guest]] = defaultdict(list)
    for seat, pk in holds:
        if pk not in guests or restriction_on(Action.PLAY, guests[pk], ""):
            continue
        if not guests[pk].leaving_at:
            found[seat].append(guests[pk])
    return found
