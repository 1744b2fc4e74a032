"""The clock of a match: set for each turn, held while it is paused or somebody is on holiday, and set again.

`due` is the moment at which something follows from time alone, None while the clock stands still: the
deadline at first; once that has passed, the end of one whole period more, and so on. `left` is what is left
while it stands still. All of this happens inside `flow.locked_match`, which saves the match.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta

from django.conf import settings

from games.core import Seat as Letter
from robosite.matches.models import Holiday, Match, MatchExtra, Seat
from robosite.matches.time.deadlines import DAY, Calendar, Span, limited
from robosite.people.zones import zone_named

AT_LEAST = timedelta(hours=1)
"""The least time left when a pause ends, so that nobody is surprised (or a whole period)."""
OFTEN = 2
"""How many whole periods are looked at one by one; a match that still waits is looked at once a week."""

Owing = Callable[[], Collection[Letter]]
"""Gives the seats that owe an order now; called only where that matters."""


def period(match: Match) -> timedelta:
    """How long a turn may take, in time that counts."""
    return timedelta(hours=match.deadline_hours or 0)


def handover(match: Match, seat: Seat, now: datetime) -> datetime:
    """When a seat that somebody asks for may pass: after the table's time for a turn, and a day at least.

    Holidays of those who sit there do not count, nor weekends off.
    """
    away = Holiday.objects.filter(guest__holds__seat=seat, ends__gt=now).values_list("begins", "ends")
    counts = Calendar(zone_named(match.zone), match.weekends_off, tuple(away))
    return counts.later(now, max(DAY, period(match)))


def is_away(match: Match, seat: Seat, now: datetime) -> bool:
    """Whether nobody can be expected to look after a seat now: on holiday, or in a pause."""
    away = Holiday.objects.filter(guest__holds__seat=seat, begins__lte=now, ends__gt=now)
    return match.paused or away.exists()


def begin_turn(match: Match) -> None:
    """A new turn has its whole time; the clock goes once the match is saved (`settle`)."""
    match.overdue, match.deadline, match.due = False, None, None
    match.left = period(match) if match.deadline_hours is not None else None


def is_due(match: Match, now: datetime) -> bool:
    return match.status == Match.Status.PLAYING and match.due is not None and match.due <= now


def pass_deadline(match: Match, seats: Iterable[Seat]) -> None:
    """The deadline, or one more period after it, is over: sets when to look again at these seats."""
    assert match.due
    missed = max((seat.missed for seat in seats), default=0)
    wait = period(match) if missed < OFTEN else max(period(match), 7 * DAY)
    match.due = calendar(match).later(match.due, wait)


def settle(match: Match, now: datetime, owing: Owing, *, pausing: bool) -> None:
    """Sets the clock by how the match stands now. It went by `breaks` until now, and goes by new ones."""
    if match.status != Match.Status.PLAYING:
        match.deadline = match.due = match.left = None
        match.paused, match.breaks = False, []
        return
    if match.deadline_hours is None:
        return
    breaks = _holidays(match, now, owing)
    if match.due and (pausing or breaks != [span for span in _breaks(match) if span[1] > now]):
        match.left = calendar(match).counted(now, match.due)
        match.due = None
    if pausing and not match.paused:
        _pause(match)
    elif match.paused and not pausing:
        match.left = max(match.left or timedelta(), min(period(match), AT_LEAST))
    match.paused = pausing
    match.breaks = [[begins.isoformat(), ends.isoformat()] for begins, ends in breaks]
    if match.left is not None and not pausing:
        match.due = calendar(match).later(now, match.left)
        match.left = None
        if not match.overdue:
            match.deadline = match.due


def _pause(match: Match) -> None:
    """Gives a whole new period if a pause is agreed on after the deadline."""
    if match.overdue:
        match.left, match.overdue = period(match), False
    match.deadline = None


def calendar(match: Match) -> Calendar:
    """Which time counts at the match, as its clock was set."""
    return Calendar(zone_named(match.zone), match.weekends_off, tuple(_breaks(match)))


def _breaks(match: Match) -> list[Span]:
    return [(datetime.fromisoformat(begins), datetime.fromisoformat(ends)) for begins, ends in match.breaks]


def _holidays(match: Match, now: datetime, owing: Owing) -> list[Span]:
    """The holidays, not over yet, of those who owe something.

    A player with several browsers has a holiday for the seat in each; the seat has so many days a year.
    """
    if not match.may_have(MatchExtra.HOLIDAYS):
        return []
    holidays = Holiday.objects.filter(guest__holds__seat__match=match, ends__gt=now - 366 * DAY)
    rows = list(holidays.values_list("guest__holds__seat__letter", "begins", "ends"))
    if all(ends <= now for _, _, ends in rows):
        return []
    most = (settings.HOLIDAY_DAYS + 1) * DAY  # days of several zones
    found: list[Span] = []
    for letter in owing():
        found += limited([(begins, ends) for at, begins, ends in rows if at == letter], most)
    return sorted(span for span in found if span[1] > now)
