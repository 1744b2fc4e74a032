"""The clock of a match whose turns are played at one hour of the day, and at no other (the evening reveal).

`due` is the next moment of that hour at which the turn may be played, `deadline` the one at which seats that
owe an order are late. They differ if the turn will have been open for less than `least()` at `due`: then it
is played if everybody has sealed, and otherwise nobody is late yet. Pauses, holidays of players who owe,
and downtime put both off.
`deadline_hours` is the average time from one hour to the next. `open_since` is the moment since which
everybody could seal: the turn's beginning, the end of a pause or downtime, or when `due` became earlier
because somebody on holiday sealed after all.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from robosite.matches.models import Match
from robosite.matches.time.calendar import Span, read_spans, written
from robosite.matches.time.reveal_hours import RevealHour

MOMENT = timedelta(microseconds=1)


def least() -> timedelta:
    """The least time for which a turn must have been open before any seat can be late in it."""
    return timedelta(hours=settings.MIN_DEADLINE_HOURS)


def terms_of(time: str, zone: str, days: Iterable[int]) -> dict[str, Any]:
    """The fields of a match whose turns are played at `time`, such as “20:00”, on these days of the week."""
    reveal_at = {"time": time, "zone": zone, "days": sorted(days)}
    hours = 24 * 7 / len(RevealHour.read(reveal_at).days)  # the average from one reveal to the next
    return {"reveal_at": reveal_at, "deadline_hours": hours, "reserve_hours": 0, "zone": zone}


def hour_of(match: Match) -> RevealHour:
    return RevealHour.read(match.reveal_at)


def hour_applies(match: Match, *, is_owed: bool) -> bool:
    """Returns True if, now that the match's `due` has come, the turn is played or seats become late."""
    assert match.due
    if hour_of(match).from_(match.due) != match.due:
        return False
    return not is_owed or match.overdue or match.deadline is None or match.deadline <= match.due


def advance_to_next_hour(match: Match) -> None:
    assert match.due
    match.due = hour_of(match).after(match.due, read_spans(match.breaks))


def settle(match: Match, now: datetime, breaks: Sequence[Span], *, pausing: bool, is_owed: bool) -> None:
    """Sets `due` and `deadline` from the present state, unless `due` has come; to None if `pausing`."""
    resumed, match.paused, match.left = match.paused and not pausing, pausing, None
    match.breaks = written(breaks)
    if pausing:
        match.due, match.deadline, match.overdue = None, None, False
        return
    if match.due and match.due <= now:
        return  # the hour has come while this change was made: the turn is played next
    if resumed or not match.open_since:
        match.open_since = now
    before, match.due = match.due, hour_of(match).after(max(now, match.open_since), breaks)
    if before and match.due < before:
        match.open_since = now
    match.overdue = match.overdue and is_owed
    _set_deadline(match, breaks)


def give_back(match: Match, since: datetime, now: datetime) -> None:
    """Moves `due` and `deadline` past a downtime that lasted from `since` until `now`."""
    assert match.due
    match.open_since = now
    coming = hour_of(match).after(now, read_spans(match.breaks))
    match.due = max(match.due, coming) if now > since else coming
    _set_deadline(match, read_spans(match.breaks))


def _set_deadline(match: Match, breaks: Sequence[Span]) -> None:
    assert match.due and match.open_since
    if not match.overdue:
        enough = match.open_since + least() - MOMENT
        match.deadline = max(match.due, hour_of(match).after(enough, breaks))
