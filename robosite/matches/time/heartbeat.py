"""The site's heartbeat: the present time, which the clock stores every few seconds.

If the last beat is more than SILENCE ago, the site was down; that time is given back, once, before anything
is decided by time (docs/reliability.md). All processes of the machine follow the time of the beat
(`web/trusted_time.py`), also while its clock is wrong. A beat ahead of a process's clock is replaced only
when it has not changed for SILENCE: an hour between two machines' clocks is given back only once.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, NamedTuple

from django.contrib.sessions.models import Session
from django.core.signals import request_started
from django.db import DatabaseError, transaction
from django.db.backends.signals import connection_created
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.dispatch import receiver

from robosite.matches.live import push
from robosite.matches.locks import lock_all
from robosite.matches.models import LISTED_FOR, Match
from robosite.matches.site_models import Asking, Heartbeat
from robosite.matches.time import evenings
from robosite.matches.time.timekeeping import give_back
from robosite.people import sent_forms
from robosite.people.models import SentForm, Ticket
from robosite.web.transactions import lock_rows
from robosite.web.trusted_time import BOOT, LEAST_PATIENCE, TOLERANCE, trusted

SILENCE = timedelta(minutes=5)
"""The time without a beat after which the site counts as having been down."""


class Moved(NamedTuple):
    """Rows whose time a downtime moves: those whose `column` is later than `kept_for` before the downtime."""

    rows: Callable[[], QuerySet[Any]]
    column: str
    kept_for: timedelta = timedelta()


moved_rows = [
    Moved(Ticket.objects.all, "expires_at"),
    Moved(Session.objects.all, "expire_date"),
    Moved(SentForm.objects.all, "made_at", sent_forms.KEPT_FOR),
    Moved(lambda: Asking.objects.filter(answer=Asking.Answer.OPEN), "asked_at", Asking.LAPSES),
]
"""Rows whose time is moved when the time of a downtime is given back."""
moves_before: list[Callable[[datetime, datetime], None]] = []
"""Functions that postpone times after a downtime; called before matches are locked, as they lock rows."""


def beat(now: datetime, *, alive: bool) -> timedelta:
    """Stores that the site is up at `now`; after a downtime, postpones deadlines by its length; returns that.

    Without `alive`, which only the clock passes, `now` is stored only after a downtime. With it, always,
    unless a stored beat that is ahead still changes; a leap of the machine's clock that has lasted is then
    believed, and counts as a downtime, a negative one if the clock went back.
    """
    last = Heartbeat.objects.filter(pk=1).first()
    if last is None:
        Heartbeat.objects.get_or_create(pk=1, defaults={"at": now, **_by_which_clock(now)})
        return timedelta()
    by = _follow(last)
    agreed = last.agreed_at is None or now + by - last.agreed_at > LEAST_PATIENCE
    if alive and trusted.has_lasted and agreed:
        by += trusted.believe()
    now += by
    if now - last.at > SILENCE or (alive and by < -SILENCE and now < last.at):
        return _catch_up(now)
    if alive and (now >= last.at or _is_left_over(last.at)):  # unless another clock has beaten since
        Heartbeat.objects.filter(pk=1, at=last.at).update(at=now, **_by_which_clock(now))
    return timedelta()


def _by_which_clock(now: datetime) -> dict[str, Any]:
    agreed = {} if trusted.leap else {"agreed_at": now}
    return {"boot": BOOT, "booted_at": trusted.booted_at, **agreed}


def _follow(last: Heartbeat) -> timedelta:
    """Makes this process go by the time of the machine's process that beat `last`; returns the change."""
    if BOOT and last.boot == BOOT and last.booted_at:
        is_other = abs(last.booted_at - trusted.booted_at) > TOLERANCE
        return trusted.set(last.booted_at) if is_other else timedelta()
    if trusted.leap and trusted.agrees_with(last.at):  # another machine's clock has leapt as this one's
        return trusted.believe()
    return timedelta()


def believe() -> None:
    """Makes all processes of this machine go by its clock from the next beat on, since its host says so."""
    trusted.believe()
    Heartbeat.objects.filter(pk=1).update(boot=BOOT, booted_at=trusted.booted_at)


def follow() -> None:
    """Makes this process, which has just begun, go by the time of the last beat.

    If the machine was started anew since, and its clock shows quite another time, time goes on from the beat
    until the clock believes this machine's clock.
    """
    last = Heartbeat.objects.filter(pk=1).first()
    if last is None:
        return
    _follow(last)
    if last.boot and last.boot != BOOT and not trusted.agrees_with(last.at):
        trusted.set(last.at - timedelta(seconds=monotonic()))


@receiver(connection_created)
def follow_at_first(connection: Any, **_signal: Any) -> None:
    """Signal receiver: follows the time of the last beat when this process first opens the database."""
    if not _first:
        return
    _first.clear()
    try:
        follow()
    except DatabaseError:
        return  # the tables are not made yet


_first = [True]


@receiver(request_started)
def follow_in_doubt(**_signal: Any) -> None:
    """Signal receiver: before a request, follows the last beat if this machine's clock has leapt."""
    if trusted.leap:
        last = Heartbeat.objects.filter(pk=1).first()
        if last:
            _follow(last)


_ahead: dict[datetime, float] = {}
"""The last beat that was ahead of this process's clock, and the `monotonic` time of its discovery."""


def _is_left_over(beat: datetime) -> bool:
    """Returns True if the stored `beat` is ahead and has not changed for SILENCE: its clock was wrong."""
    if beat not in _ahead:
        _ahead.clear()
        _ahead[beat] = monotonic()
    return monotonic() - _ahead[beat] > SILENCE.total_seconds()


def _catch_up(now: datetime) -> timedelta:
    with transaction.atomic():
        last = lock_rows(Heartbeat.objects.all()).get(pk=1)
        gap = now - last.at
        if abs(gap) <= SILENCE:
            return timedelta()  # somebody else was here first
        _give_back(last.at, now)
        Heartbeat.objects.filter(pk=1).update(at=now, **_by_which_clock(now))
        push.all_changed()
        return gap


def _give_back(since: datetime, now: datetime) -> None:
    """Moves all deadlines and other due times, so that as much time is left at `now` as there was at `since`.

    A deadline at a fixed hour of the day moves later only if it comes within `evenings.least` from now.
    """
    gap = now - since
    for move in moves_before:
        move(since, now)
    going, passing = Match.objects.filter(due__gt=since), Match.objects.exclude(handover_at=None)
    listed = Match.objects.filter(status=Match.Status.OPEN, listed=True)
    lock_all(going | passing | listed)
    at_hours = Q(reveal_at__isnull=False)
    special = Q(weekends_off=True) | ~Q(breaks=[]) | Q(reserve_hours__gt=0) | at_hours
    ahead = at_hours & Q(due__gt=now + evenings.least())
    special_ones = going.filter(special).exclude(ahead) if gap > timedelta() else going.filter(special)
    for match in special_ones.order_by("pk"):
        give_back(match, since, now)
        match.version += 1
        match.save()
    plain = going.exclude(special)
    moved = {"due": F("due") + gap, "version": F("version") + 1, "changed_at": now}
    plain.filter(overdue=True).update(**moved)
    plain.filter(overdue=False).update(**moved, deadline=F("deadline") + gap)
    Asking.objects.filter(seat__match__in=passing, answer=Asking.Answer.YES).update(due=F("due") + gap)
    passing.update(handover_at=F("handover_at") + gap)
    listed_at = Coalesce("listed_at", "created_at")
    listed = listed.annotate(since=listed_at).filter(since__gt=since - LISTED_FOR)
    listed.update(listed_at=listed_at + gap, version=F("version") + 1)
    for rows, column, kept_for in moved_rows:
        rows().filter(**{f"{column}__gt": since - kept_for}).update(**{column: F(column) + gap})
