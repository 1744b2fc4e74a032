"""Pauses by agreement; and holidays: days on which the clocks that wait for a guest stand still.

Each guest has HOLIDAY_DAYS days in a calendar year of their own zone; an early end gives the rest back.
The clocks of their matches are set anew after a change, a match a step: the request does the first steps, the
clock (`clock.py`) the rest. A deadline that comes before its match's step first sets the clock as of the
change (`overdue.apply_deadlines`).
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.locks import lock_all
from robosite.matches.models import Hold, Match, MatchFlag, Seat, held_by
from robosite.matches.site_models import Holiday, Recount
from robosite.matches.time.calendar import DAY, midnight
from robosite.people.models import Guest
from robosite.people.personal_data import Part
from robosite.web.transactions import lock_rows

FAR = 366
"""The most days from today to the last day of a holiday."""
AT_ONCE = 3
"""The most matches whose clocks one request sets anew."""


def coming(guest: Guest, now: datetime) -> QuerySet[Holiday]:
    return guest.holidays.filter(ends__gt=now).order_by("begins")


def days_left(guest: Guest, year: int) -> int:
    return settings.HOLIDAY_DAYS - len(_days(guest.holidays.all(), year))


def begin(guest: Guest, *, first: date, last: date, zone: ZoneInfo, now: datetime) -> None:
    """Stores a holiday from `first` to `last` inclusive, from `now` if `first` is today; raises Refused."""
    today = now.astimezone(zone).date()
    first = max(first, today)
    if last < first:
        raise flow.Refused("The last day of a holiday must be after the first, and not in the past.")
    if (last - today).days > FAR:
        raise flow.Refused("That’s more than a year away. Enter it when it’s nearer.")
    begins = now if first == today else midnight(first, zone)
    taken = Holiday(guest=guest, first=first, last=last, begins=begins, ends=midnight(last + DAY, zone))
    note_in_matches(guest)  # before anything follows from it: clocks look for holidays only where it is noted
    with clocks_of(guest):
        holidays = list(guest.holidays.all())
        if any(other.ends > now and other.first <= last and first <= other.last for other in holidays):
            raise flow.Refused("You already have a holiday then. End that one first.")
        for year in range(first.year, last.year + 1):
            spent = len(_days([*holidays, taken], year))
            if spent > settings.HOLIDAY_DAYS:
                left = settings.HOLIDAY_DAYS - len(_days(holidays, year))
                raise flow.Refused(
                    "That’s too long. Days of holiday left in {year}: {left}.", left=left, year=year
                )
        taken.save()
    note_in_matches(guest)  # who sat down meanwhile was not asked for this one


def note_in_matches(*guests: Guest) -> None:
    """Sets MatchFlag.HOLIDAYS on the guests' unfinished matches; `sittings.give_hold` does on later ones."""
    with transaction.atomic():
        held = Match.objects.filter(pk__in=Hold.objects.filter(guest__in=guests).values("seat__match"))
        pks = lock_all(held.filter(status__in=flow.GOING_ON))
        Match.objects.filter(pk__in=pks).update(flags=F("flags").bitor(MatchFlag.HOLIDAYS))


def end(guest: Guest, pk: int, zone: ZoneInfo, now: datetime) -> None:
    """Ends the guest's holiday now, or deletes it if it has not begun."""
    with clocks_of(guest):
        holiday = coming(guest, now).filter(pk=pk).first()
        if holiday is None:
            return
        if holiday.begins > now:
            holiday.delete()
        else:
            holiday.ends, holiday.last = now, now.astimezone(zone).date()
            holiday.save()


def away(match: Match, now: datetime) -> dict[Letter, date]:
    """The seats whose players are on holiday now, with the holiday's last day (the latest of several)."""
    found: dict[Letter, date] = {}
    if not match.may_have(MatchFlag.HOLIDAYS):
        return found
    holidays = Holiday.objects.filter(guest__holds__seat__match=match, begins__lte=now, ends__gt=now)
    for letter, last in holidays.order_by("last").values_list("guest__holds__seat__letter", "last"):
        found[Letter(letter)] = last
    return found


def export(guest: Guest, request: object = None) -> list[dict[str, Any]] | None:
    return [dict(row) for row in guest.holidays.order_by("first").values("first", "last")] or None


def _days(holidays: Iterable[Holiday], year: int) -> set[date]:
    return {
        day
        for holiday in holidays
        for n in range((holiday.last - holiday.first).days + 1)
        if (day := holiday.first + n * DAY).year == year
    }


@contextmanager
def clocks_of(guest: Guest) -> Iterator[None]:
    """Context manager: locks a guest's row to change their holidays, then recomputes the first deadlines."""
    flow.give_time_back(timezone.now())
    now = timezone.now()
    with transaction.atomic():
        lock_rows(Guest.objects.all()).get(pk=guest.pk)  # two at once would each find the days free
        yield
        note_recount(guest, now)
    for _ in range(AT_ONCE):
        if not set_next(guest):
            break


def note_recount(guest: Guest, at: datetime) -> None:
    """Stores that the deadlines in all the guest's matches must be recomputed, as of the time `at`."""
    recount, is_new = lock_rows(Recount.objects.all()).get_or_create(guest=guest, defaults={"at": at})
    if not is_new:
        recount.after = 0
        recount.save(update_fields=["after"])


def set_next(guest: Guest) -> bool:
    """Recomputes the deadlines of the next match in the guest's Recount; returns True if there was one."""
    recount = Recount.objects.filter(guest=guest).first()
    if recount is None:
        return False
    same = Recount.objects.filter(pk=recount.pk, after=recount.after)
    matches = Match.objects.filter(held_by(guest, "seats__"), deadline_hours__isnull=False)
    match = matches.filter(status=Match.Status.PLAYING, pk__gt=recount.after).order_by("pk").first()
    if match is None:
        same.delete()
        return False
    with flow.locked_match(match) as locked:
        locked.set_flag(MatchFlag.HOLIDAYS)
        flow.mark_changed(locked)
    same.update(after=match.pk)
    return True


def set_some() -> bool:
    """Recomputes deadlines of one match, for the guest with the oldest Recount; True if there was any."""
    recount = Recount.objects.select_related("guest").order_by("at").first()
    if recount:
        set_next(recount.guest)
    return recount is not None


PART = Part(export=export)


def ask_pause(seat: Seat, *, agrees: bool = False) -> None:
    """Asks for a pause; with `agrees`, raises Refused unless another seat asks for one.

    The clock of a match stands still while each person still in it wants a pause.
    """
    with flow.locked_match(seat.match) as match:
        _check_may_pause(match, seat)
        if match.may_have(MatchFlag.BINDING):
            raise flow.Refused(
                "This match counts in a competition, so it can’t be paused. Holidays still stop the clock."
            )
        if match.deadline_hours is None:
            raise flow.Refused("This match has no time limit: take all the time you need.")
        if agrees and not match.seats.filter(wants_pause=True).exclude(pk=seat.pk).exists():
            raise flow.Refused("No one is offering that now. Look at the match again.")
        if not seat.wants_pause:
            seat.wants_pause = True
            seat.save(update_fields=["wants_pause"])
            flow.mark_changed(match)


def play_on(seat: Seat) -> None:
    """Ends a pause, or withdraws all requests for one; Refused if the match has ended or the seat is out."""
    with flow.locked_match(seat.match) as match:
        _check_may_pause(match, seat)
        if match.seats.filter(wants_pause=True).update(wants_pause=False):
            flow.mark_changed(match)


def _check_may_pause(match: Match, seat: Seat) -> None:
    flow.confirm_seat(seat)
    if match.status != Match.Status.PLAYING:
        raise flow.Refused("This match has stopped.")
    if seat not in flow.standing_of(match).seats_of_people:
        raise flow.Refused("You’re out of this match.")
