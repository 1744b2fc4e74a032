"""The clock of a match: set for each turn, held while it is paused or somebody is on holiday, and set again.

`due` is the moment at which something follows from time alone, None while the clock stands still: the
deadline at first; once that has passed, the end of one whole period more, and so on. `left` is what is left
while it stands still. All of this happens inside `flow.locked_match`, which saves the match. Where turns are
played at one hour of the day, `evenings.py` sets both.

Where seats have a reserve of time (`reserves.py`), `due` is the moment at which the next of those who owe is
late, after the time for the turn and its own reserve; one period follows another once nobody who owes has
time left. What is done about reserves when

- an order is **sealed**: what the seat has spent is taken off, and its clock stands. Sealing once more costs
  nothing.
- a sealed order is **reopened**, or owed anew since the seat passed to somebody else: from then on it spends
  again, and not for the time in between; a seat that was late already in this turn is late at once.
- a turn is **taken back**: the seat that asked for it pays for the time that it has spent since; all others
  get back what they spent in the turn that is dropped. What earlier turns have cost stays spent.
- the key to a sealed order is **lost**: the turn begins anew, and gives back all that it has cost.
- a **pause** begins: turn and reserves stand still. When it ends with less than an hour left, there is an
  hour, which is given back to the reserves; if somebody was late, a whole new turn's time begins, and what
  was spent before stays spent.
- a match is **called off**, or over: nothing is spent any more; what was spent until then is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from games.core import Seat as Letter
from robosite.matches.models import Holiday, Match, MatchFlag, Seat
from robosite.matches.time import evenings
from robosite.matches.time.calendar import DAY, Calendar, Span, first_of, limited
from robosite.matches.time.reserves import Reserves, mark
from robosite.people.zones import zone_named

HOUR = timedelta(hours=1)
AT_LEAST = HOUR
"""The least time left when a pause ends, so that nobody is surprised (or a whole period)."""
OFTEN = 2
"""The number of whole periods that are looked at one by one; after them, a match that still waits is looked
at once a week."""

Owing = Callable[[], Collection[Letter]]
"""Gives the seats that owe an order now; called only where that matters."""


class Allowance(NamedTuple):
    """The holidays of each seat that stop a match's clock: from a moment on, and no more than `most`."""

    since: datetime
    most: timedelta


_allowances: list[Callable[[Match], Allowance | None]] = []


def register_allowance(of_match: Callable[[Match], Allowance | None]) -> None:
    """Asks `of_match` for the allowance of a match with a holiday; None if it knows of none."""
    if of_match not in _allowances:
        _allowances.append(of_match)


def period(match: Match) -> timedelta:
    """The time allowed for a turn, in time that counts."""
    return timedelta(hours=match.deadline_hours or 0)


def handover(match: Match, seat: Seat, now: datetime) -> datetime:
    """The time at which a seat that somebody asks for may pass: after the table's time for a turn, at least a
    day.

    Holidays of those who sit there do not count, nor weekends off.
    """
    away = Holiday.objects.filter(guest__holds__seat=seat, ends__gt=now).values_list("begins", "ends")
    counts = Calendar(zone_named(match.zone), match.weekends_off, tuple(away))
    return counts.later(now, max(DAY, period(match)))


def is_away(match: Match, seat: Seat, now: datetime) -> bool:
    """Tell whether nobody can be expected to look after a seat now: on holiday, or in a pause."""
    away = Holiday.objects.filter(guest__holds__seat=seat, begins__lte=now, ends__gt=now)
    return match.paused or away.exists()


def reserves_of(match: Match) -> Reserves:
    """The reserves in the present turn. What was noted of another turn is taken off, and that is all."""
    whole = timedelta(hours=match.reserve_hours)
    found = Reserves.read(whole, match.reserves) if match.reserves else Reserves(whole)
    turn = mark(match.turn, match.taken_back)
    if found.turn != turn:
        found.begin_turn(turn)
    return found


def deadline_of(match: Match, seat: str) -> datetime | None:
    """The moment at which a seat that owes an order is late; None while the clock stands still."""
    if not match.reserve_hours:
        return match.deadline
    return reserves_of(match).of(Letter(seat)).deadline


def reserves_left(match: Match, seats: Iterable[Letter]) -> dict[Letter, timedelta]:
    """The reserve that each of these seats has left; the whole one before the match begins."""
    found = reserves_of(match)
    return {letter: found.of(letter).rest for letter in seats}


def deadlines_of(match: Match, owing: Collection[Letter]) -> dict[Letter, datetime]:
    """The moment at which each of the seats that owe an order is late, as far as the clock goes."""
    moments = {letter: deadline_of(match, letter) for letter in owing}
    return {letter: at for letter, at in moments.items() if at}


def hours_of(match: Match, seat: str) -> float:
    """The hours that count from a turn's beginning until this seat is late."""
    hours = match.deadline_hours or 0
    if not match.reserve_hours:
        return hours
    return hours + reserves_of(match).of(Letter(seat)).left / HOUR


def late_seats(match: Match, owing: Collection[Letter]) -> list[Letter]:
    """The late seats among those that owe an order."""
    if not match.overdue:
        return []
    if not match.reserve_hours:
        return list(owing)
    found = reserves_of(match)
    return [letter for letter in owing if found.of(letter).is_late]


def begin_turn(match: Match, *, refund: bool = False) -> None:
    """A new turn has its whole time; the clock goes once the match is saved (`settle`).

    `refund`: the turn begins anew, and gives back what it has cost of the reserves.
    """
    match.overdue, match.deadline, match.due, match.open_since = False, None, None, None
    match.left = period(match) if match.turn_hours is not None else None
    if match.reserve_hours:
        found = reserves_of(match)
        found.begin_turn(found.turn, refund=refund)
        match.reserves = found.as_json()


def end_turn(match: Match, now: datetime, *, refunded: Collection[Letter] = ()) -> None:
    """Takes off what the seats have spent until now; called while the match still stands in that turn.

    `refunded` get back what they have spent in it.
    """
    if not match.reserve_hours or _remaining(match, now) is None:
        return
    found = reserves_of(match)
    found.note_owing((), found.until - (_remaining(match, now) or timedelta()))
    for letter in refunded:
        found.of(letter).spent = timedelta()
    match.reserves = found.as_json()


def _remaining(match: Match, now: datetime) -> timedelta | None:
    """The time that counts until the clock rings; None if it is not set."""
    if match.due is None:
        return match.left
    return calendar(match).counted(now, match.due)


def is_due(match: Match, now: datetime) -> bool:
    return match.status == Match.Status.PLAYING and match.due is not None and match.due <= now


def pass_deadline(match: Match, seats: Iterable[Seat], owing: Collection[Letter]) -> set[Letter]:
    """The deadline, or one more period after it, is over: sets when to look again at these seats.

    Returns those of the seats that owe an order which have missed it now: all of them, or where there are
    reserves the seats whose reserve is gone.
    """
    assert match.due
    if match.reveal_at:
        evenings.pass_hour(match)
        return set(owing)
    missed = max((seat.missed for seat in seats), default=0)
    wait = period(match) if missed < OFTEN else max(period(match), 7 * DAY)
    late = set(owing)
    if match.reserve_hours:
        found = reserves_of(match)
        found.note_owing(owing, found.until)
        coming = found.next_late()
        late = found.ring(match.due) if coming is not None else late
        following = found.next_late()
        wait = wait if following is None else following - found.until
        found.until += wait
        match.reserves = found.as_json()
    match.due = calendar(match).later(match.due, wait)
    return late


def give_back(match: Match, since: datetime, now: datetime) -> None:
    """The site was down `since` then: the clock has as much left now as it had at that moment."""
    assert match.due
    if match.reveal_at:
        evenings.give_back(match, now)
        return
    counts = calendar(match)
    left = counts.counted(since, match.due)
    match.due = counts.later(now, left)
    if match.reserve_hours:
        found = reserves_of(match)
        _note_deadlines(match, found, now, found.until - left)
    elif not match.overdue:
        match.deadline = match.due


def settle(match: Match, now: datetime, owing: Owing, *, pausing: bool) -> None:
    """Sets the clock by the match's standing now. Until `now` the old `breaks` counted, then new ones do."""
    if match.status != Match.Status.PLAYING:
        end_turn(match, now)
        match.deadline = match.due = match.left = None
        match.paused, match.breaks = False, []
        return
    if match.deadline_hours is None:
        return
    breaks = _holidays(match, now, owing)
    if match.reveal_at:
        evenings.settle(match, now, breaks, pausing=pausing, is_owed=bool(owing()))
        return
    if match.due and (pausing or breaks != [span for span in _breaks(match) if span[1] > now]):
        match.left = calendar(match).counted(now, match.due)
        match.due = None
    if pausing and not match.paused:
        _pause(match, now)
    elif match.paused and not pausing:
        match.left = max(match.left or timedelta(), min(period(match), AT_LEAST))
    found = None
    if match.reserve_hours and _remaining(match, now) is not None:
        found = _set_by_reserves(match, now, owing())
    match.paused = pausing
    match.breaks = [[begins.isoformat(), ends.isoformat()] for begins, ends in breaks]
    if match.left is not None and not pausing:
        match.due = calendar(match).later(now, match.left)
        match.left = None
        if not match.overdue:
            match.deadline = match.due
    if found:
        left = _remaining(match, now)
        assert left is not None
        _note_deadlines(match, found, now, found.until - left)


def _pause(match: Match, now: datetime) -> None:
    """Stops the clock for a pause; if the deadline had passed, gives a whole new period."""
    if match.overdue:
        end_turn(match, now)
        begin_turn(match)
    match.deadline = None


def _set_by_reserves(match: Match, now: datetime, owing: Collection[Letter]) -> Reserves:
    """Has the clock ring when the next of those who owe now is late; the reserves as they stand then."""
    found, left = reserves_of(match), _remaining(match, now)
    assert left is not None
    offset = found.until - left
    had_time = found.next_late() is not None
    found.note_owing(owing, offset)
    rings = found.next_late()
    if rings is None and had_time:  # all who still owe are late: from now on by periods
        rings = offset + period(match)
    if rings is not None and rings != found.until:
        match.left, match.due, found.until = rings - offset, None, rings
    match.overdue = any(found.of(letter).is_late for letter in owing)
    return found


def _note_deadlines(match: Match, found: Reserves, now: datetime, offset: timedelta) -> None:
    """Notes the moment at which each seat is late, and from which reserves are spent."""
    counts = calendar(match)
    for seat in found.seats.values():
        if seat.ends is not None and not seat.is_late:
            seat.deadline = counts.later(match.due, seat.ends - found.until) if match.due else None
    if offset < timedelta():
        found.begins = counts.later(now, -offset) if match.due else None
    known = [seat.deadline for seat in found.seats.values() if seat.since is not None and seat.deadline]
    match.deadline = min(known, default=None)
    match.reserves = found.as_json()


def calendar(match: Match) -> Calendar:
    """The calendar by which the match's clock was set."""
    return Calendar(zone_named(match.zone), match.weekends_off, tuple(_breaks(match)))


def _breaks(match: Match) -> list[Span]:
    return [(datetime.fromisoformat(begins), datetime.fromisoformat(ends)) for begins, ends in match.breaks]


def _holidays(match: Match, now: datetime, owing: Owing) -> list[Span]:
    """The holidays, not over yet, of those who owe an order, in order of time.

    A player with several browsers may have a holiday in each; together the seat has HOLIDAY_DAYS a year, and
    one day more for differences between zones. A competition may allow fewer (`register_allowance`).
    """
    if not match.may_have(MatchFlag.HOLIDAYS):
        return []
    holidays = Holiday.objects.filter(guest__holds__seat__match=match, ends__gt=now - 366 * DAY)
    rows = list(holidays.values_list("guest__holds__seat__letter", "begins", "ends"))
    if all(ends <= now for _, _, ends in rows):
        return []
    most = (settings.HOLIDAY_DAYS + 1) * DAY  # days of several zones
    allowed = next(filter(None, (of_match(match) for of_match in _allowances)), None)
    found: list[Span] = []
    for letter in owing():
        own = limited([(begins, ends) for at, begins, ends in rows if at == letter], most)
        found += first_of(own, allowed.since, allowed.most) if allowed else own
    return sorted(span for span in found if span[1] > now)
