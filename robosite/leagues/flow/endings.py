"""Functions that note how a match of a league was decided, and end the matches of a place that leaves.

Callers must have locked the league and its matches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db.models import QuerySet
from django.utils import timezone

from games.core import finishing_order
from robosite.leagues.models import Fixture, League, Place, seating
from robosite.leagues.table import Decided
from robosite.matches.flow import arbiter
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match

FINISHED = (Match.Status.OVER, Match.Status.ABORTED)


def note_endings(league: League) -> None:
    finished = league.fixtures.filter(decided="", match__status__in=FINISHED).select_related("match")
    for fixture in finished.order_by("match"):
        note_ending(fixture)
        fixture.save(update_fields=["decided", "forfeit", "finish"])


def note_ending(fixture: Fixture, decided: str = "") -> None:
    """Writes into a row of the schedule how its match was decided; does not save the row.

    `decided` is the value for `Fixture.decided`, or "" to derive the value from the match. For a match with
    more than two seats that was not called off, the row also gets the seats that were given up. If the league
    scores by finishing order, the row also gets that order.
    """
    match = fixture.match
    assert match
    fixture.decided = decided or _how(match)
    if fixture.league.table_seats == 2 or match.status == Match.Status.ABORTED:
        return
    give_seats_up(fixture, arbiter.absent_from(match))
    if not decided:
        fixture.decided = Decided.PLAY if len(fixture.still_there) > 1 else Decided.DEFAULT
    if fixture.league.scoring == League.Scoring.FINISH:
        fixture.finish = written_order(finishing_order(states_of(match)[0], turns_of(match)))


def written_order(order: Iterable[Collection[str]]) -> str:
    """Converts groups of seat letters in finishing order into text such as `B/AC/D` (A and C are level)."""
    return "/".join("".join(sorted(group)) for group in order)


def _how(match: Match) -> str:
    """Returns how a finished match was decided, as a value for `Fixture.decided`.

    If the match was called off, the value is NOBODY if the players had missed their deadlines, and VOID if a
    moderator called the match off. For any other match, the value is DEFAULT if a player was absent,
    otherwise PLAY.
    """
    if match.status == Match.Status.ABORTED:
        return Decided.NOBODY if match.overdue else Fixture.VOID
    return Decided.DEFAULT if arbiter.absent_from(match) else Decided.PLAY


def by_match(fixture: Fixture) -> int:
    return fixture.match_id or 0


def unfinished(league: League, place: Place) -> QuerySet[Fixture]:
    return league.fixtures.filter(seating(place), decided="")


def mark_left(league: League, place: Place, *, removed: bool = False) -> None:
    """Marks a participant as having left a league, and gives up their seats in all unfinished matches.

    In a match with two seats, the opponent wins. A larger match goes on if at least two other players are
    still in it. Matches that have ended keep their results. `removed` is True if the organiser removed the
    player.
    """
    fixtures = list(unfinished(league, place).select_related("match"))
    place.left_at, place.removed = timezone.now(), removed
    place.save(update_fields=["left_at", "removed"])
    for fixture in sorted(fixtures, key=by_match):
        own = fixture.seat_of(place)
        if league.table_seats > 2:
            _leave_table(fixture, own)
        elif fixture.match is None:
            fixture.decided, fixture.forfeit = Decided.DEFAULT, own
        else:
            gave_up = arbiter.resign_for(fixture.match, own)
            fixture.decided = Decided.DEFAULT if gave_up else _how(fixture.match)
        fixture.save(update_fields=["decided", "forfeit", "finish"])


def _leave_table(fixture: Fixture, own: str) -> None:
    """Gives up the seat with the letter `own` in a match with more than two seats; does not save the fixture.

    A seat that was already put out in play is not given up. If the match is then over, or has not begun and
    fewer than two seats are left, also writes into the fixture how the match was decided.
    """
    if fixture.match is None:
        give_seats_up(fixture, {own})
        if len(fixture.still_there) < 2:
            fixture.decided = Decided.DEFAULT
        return
    gave_up = arbiter.resign_for(fixture.match, own)
    give_seats_up(fixture, {own} if gave_up else {own} & arbiter.absent_from(fixture.match))
    fixture.match.refresh_from_db()
    if fixture.match.status in FINISHED:
        note_ending(fixture)


def give_seats_up(fixture: Fixture, letters: Collection[str]) -> None:
    fixture.forfeit = "".join(letter for letter in fixture.seats if letter in {*fixture.forfeit, *letters})
