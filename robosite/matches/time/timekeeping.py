"""The clock of a match: set for each turn, stopped by pauses and holidays, and set again after them.

`due` is when something follows from time alone: the deadline, then the end of one more whole period, and so
on. While the clock stands still, it is None, and `left` is the time left. `evenings.py` sets both where turns
are played at one hour of the day. With time reserves (`reserves.py`), `due` is when the next seat that owes
an order is late, after the turn's time and its own reserve; after the last, one period follows another.
Sealing deducts what the seat has spent; sealing once more costs nothing. A seat that reopens its order, or
owes it anew since it passed to somebody else, spends again, or is late at once if it was before. At a
take-back, the seat that asked pays for the turn under way, all others get that back; earlier turns stay paid.
When the key to a sealed order is lost, the turn begins anew and gives back all that it has cost. A pause
stops both; at its end at least LEAST_AFTER_PAUSE is left, at the reserves' expense, or the whole turn if a
seat was late. When a match is called off, or over, what was spent until then is deducted.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from games.core import Seat as Letter
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.matches.site_models import Holiday
from robosite.matches.time import evenings
from robosite.matches.time.calendar import DAY, Calendar, Span, first_of, limited, read_spans, written
from robosite.matches.time.reserves import Reserves, mark
from robosite.people.models import Guest
from robosite.people.zones import zone_named

HOUR = timedelta(hours=1)
LEAST_AFTER_PAUSE = HOUR
"""The least time left when a pause ends, unless a whole period is shorter."""
OFTEN = 2
"""The number of deadlines missed in a row by one seat from which on a match is due at most once a week."""

Owing = Callable[[], Collection[Letter]]


class Allowance(NamedTuple):
    """A limit on holidays that postpone deadlines: `most` for each seat after `since`, with those `taken`."""

    since: datetime
    most: timedelta
    taken: Mapping[str, list[Span]]


allowances: list[Callable[[Match], Allowance | None]] = []
"""Functions that return the limit on holidays in a match, or None if they set no limit."""


def period(match: Match) -> timedelta:
    """The time allowed for a turn, in which weekends off and holidays do not count."""
    return timedelta(hours=match.deadline_hours or 0)


def handover(match: Match, seat: Seat, wait: timedelta, now: datetime) -> datetime:
    """The time when a requested seat passes, if the time to object to it begins at `now`."""
    away = Holiday.objects.filter(guest__holds__seat=seat, ends__gt=now).values_list("begins", "ends")
    counts = Calendar(zone_named(match.zone), match.weekends_off, tuple(away))
    return counts.later(now, wait)


def is_away(match: Match, seat: Seat, now: datetime) -> bool:
    """Returns True if the match is paused, or if a guest who holds the seat is on holiday at `now`."""
    away = Holiday.objects.filter(guest__holds__seat=seat, begins__lte=now, ends__gt=now)
    return match.paused or away.exists()


def holidays_until(now: datetime, guests: Iterable[Guest | int]) -> list[list[str]]:
    """The holidays that these guests have had within a year before `now`, as JSON data."""
    rows = Holiday.objects.filter(guest__in=guests, begins__lt=now, ends__gt=now - 366 * DAY)
    return written((begins, min(ends, now)) for begins, ends in rows.values_list("begins", "ends"))


def reserves_of(match: Match) -> Reserves:
    """The seats' time reserves in the present turn; stored ones of an earlier turn are carried over."""
    whole = timedelta(hours=match.reserve_hours)
    found = Reserves.read(whole, match.reserves) if match.reserves else Reserves(whole)
    turn = mark(match.turn, match.taken_back)
    if found.turn != turn:
        found.begin_turn(turn)
    return found


def deadline_of(match: Match, seat: str) -> datetime | None:
    """The time when a seat that owes an order is late; None if the clock is stopped."""
    if not match.reserve_hours:
        return match.deadline
    return reserves_of(match).of(Letter(seat)).deadline


def reserves_left(match: Match, seats: Iterable[Letter]) -> dict[Letter, timedelta]:
    """The time reserve that each of these seats has left; before the match begins, the whole one."""
    found = reserves_of(match)
    return {letter: found.of(letter).rest for letter in seats}


def deadlines_of(match: Match, owing: Collection[Letter]) -> dict[Letter, datetime]:
    """The times when each of these seats is late; all of them must owe an order."""
    moments = {letter: deadline_of(match, letter) for letter in owing}
    return {letter: at for letter, at in moments.items() if at}


def hours_of(match: Match, seat: str) -> float:
    """The hours of time that count until this seat is late in the present turn; 0 without a deadline."""
    hours = match.deadline_hours or 0
    if not match.reserve_hours:
        return hours
    return hours + reserves_of(match).of(Letter(seat)).left / HOUR


def late_seats(match: Match, owing: Collection[Letter]) -> list[Letter]:
    if not match.overdue:
        return []
    if not match.reserve_hours:
        return list(owing)
    found = reserves_of(match)
    return [letter for letter in owing if found.of(letter).is_late]


def begin_turn(match: Match, *, refund: bool = False) -> None:
    """Gives the present turn its whole time, once the match is saved; with `refund`, also its reserves."""
    match.overdue, match.deadline, match.due, match.open_since = False, None, None, None
    match.left = period(match) if match.turn_hours is not None else None
    if match.reserve_hours:
        found = reserves_of(match)
        found.begin_turn(found.turn, refund=refund)
        match.reserves = found.as_json()


def end_turn(match: Match, now: datetime, *, refunded: Collection[Letter] = ()) -> None:
    """Deducts what the seats, but for those in `refunded`, have spent in this turn, before it changes."""
    if not match.reserve_hours or _remaining(match, now) is None:
        return
    found = reserves_of(match)
    found.note_owing((), found.until - (_remaining(match, now) or timedelta()))
    for letter in refunded:
        found.of(letter).spent = timedelta()
    match.reserves = found.as_json()


def _remaining(match: Match, now: datetime) -> timedelta | None:
    """The time that counts until the match's `due`; None if the clock is not set."""
    if match.due is None:
        return match.left
    return calendar(match).counted(now, match.due)


def is_due(match: Match, now: datetime) -> bool:
    return match.status == Match.Status.PLAYING and match.due is not None and match.due <= now


def pass_deadline(match: Match, seats: Iterable[Seat], owing: Collection[Letter]) -> set[Letter]:
    """Sets the match's next `due` after the present one has passed; returns the seats that are late now.

    `due` is first the deadline, then the end of one period after another. Late are all of `owing`; with
    reserves, those whose reserve is spent now, or again all if all were late before.
    """
    assert match.due
    if match.reveal_at:
        evenings.advance_to_next_hour(match)
        return set(owing)
    missed = max((seat.missed for seat in seats), default=0)
    wait = period(match) if missed < OFTEN else max(period(match), 7 * DAY)
    late = set(owing)
    if match.reserve_hours:
        found = reserves_of(match)
        found.note_owing(owing, found.until)
        coming = found.next_late()
        late = found.mark_late(match.due) if coming is not None else late
        following = found.next_late()
        wait = wait if following is None else following - found.until
        found.until += wait
        match.reserves = found.as_json()
    match.due = calendar(match).later(match.due, wait)
    return late


def give_back(match: Match, since: datetime, now: datetime) -> None:
    """Moves deadlines so that as much time is left at `now` as was left at `since`, when a downtime began."""
    assert match.due
    if match.reveal_at:
        evenings.give_back(match, since, now)
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
    """Sets the match's clock (`deadline`, `due`) from its state at `now`; with `pausing`, stops the clock.

    If the match is not running, clears the clock and deducts from the reserves what was spent in this turn.
    The holidays of the players in `owing()` go to `match.breaks`; before `now`, its old value counts.
    """
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
    if match.due and (pausing or breaks != [span for span in read_spans(match.breaks) if span[1] > now]):
        match.left = calendar(match).counted(now, match.due)
        match.due = None
    if pausing and not match.paused:
        _pause(match, now)
    elif match.paused and not pausing:
        match.left = max(match.left or timedelta(), min(period(match), LEAST_AFTER_PAUSE))
    found = None
    if match.reserve_hours and _remaining(match, now) is not None:
        found = _set_by_reserves(match, now, owing())
    match.paused = pausing
    match.breaks = written(breaks)
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
    if match.overdue:
        end_turn(match, now)
        begin_turn(match)
    match.deadline = None


def _set_by_reserves(match: Match, now: datetime, owing: Collection[Letter]) -> Reserves:
    """Sets the clock to the moment at which the next seat is late; returns the reserves, now being spent."""
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
    """Stores when each seat is late, and the next deadline; `offset` is the reserves' offset of `now`."""
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
    return Calendar(zone_named(match.zone), match.weekends_off, tuple(read_spans(match.breaks)))


def _holidays(match: Match, now: datetime, owing: Owing) -> list[Span]:
    """The present and future holidays of the players who owe an order, sorted by time.

    Those of all guests who hold a seat or have held it (`Seat.holidays_taken`) count together: at most
    HOLIDAY_DAYS + 1 days a calendar year, since zones differ; a competition may allow fewer.
    """
    if not match.may_have(MatchFlag.HOLIDAYS):
        return []
    holidays = Holiday.objects.filter(guest__holds__seat__match=match, ends__gt=now - 366 * DAY)
    rows = list(holidays.values_list("guest__holds__seat__letter", "begins", "ends"))
    if all(ends <= now for _, _, ends in rows):
        return []
    taken = dict(match.seats.values_list("letter", "holidays_taken"))
    most = (settings.HOLIDAY_DAYS + 1) * DAY  # days of several zones
    allowed = next(filter(None, (of_match(match) for of_match in allowances)), None)
    found: list[Span] = []
    for letter in owing():
        own = read_spans(taken[letter]) + [(begins, ends) for at, begins, ends in rows if at == letter]
        if allowed:
            found += first_of([*own, *allowed.taken.get(letter, ())], allowed.since, allowed.most)
        else:
            found += limited(own, most)
    return sorted(span for span in found if span[1] > now)
