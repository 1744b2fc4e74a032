"""The site's heartbeat: the present time, which the clock stores every few seconds.

If the last beat is more than SILENCE (5 minutes) ago, the site was down, and nobody could play. The time
since that beat is given back to every match, once, before any deadline is applied: by the clock, or by the
first request that locks a match with a deadline.

A beat that is ahead of a process's clock is replaced only when it has not changed for SILENCE. Therefore, if
the clocks of two processes are an hour apart, that hour is given back only once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from time import monotonic

from django.db import transaction
from django.db.models import F, Q

from robosite.matches.live import push
from robosite.matches.locks import lock_all
from robosite.matches.models import Asking, Heartbeat, Match
from robosite.matches.time import evenings
from robosite.matches.time.timekeeping import give_back
from robosite.web.locking import lock_rows

SILENCE = timedelta(minutes=5)
"""The time without a beat after which the site counts as having been down."""


def beat(now: datetime, *, alive: bool) -> timedelta:
    """Stores that the site is up at `now`; if it was down, first gives players back the time.

    Returns the length of the downtime, or zero. Without `alive`, `now` is stored only after a downtime, or if
    no beat is stored. With `alive`, which only the clock passes, `now` is always stored, except if the stored
    beat is ahead of `now` and is not left over (`_is_left_over`).
    """
    last = Heartbeat.objects.filter(pk=1).values_list("at", flat=True).first()
    if last is None:
        Heartbeat.objects.get_or_create(pk=1, defaults={"at": now})
    elif now - last > SILENCE:
        return _catch_up(now)
    elif alive and (now >= last or _is_left_over(last)):  # unless another clock has beaten since
        Heartbeat.objects.filter(pk=1, at=last).update(at=now)
    return timedelta()


_ahead: dict[datetime, float] = {}
"""The last beat that was ahead of this process's clock, and the `monotonic` time of its discovery."""


def _is_left_over(beat: datetime) -> bool:
    """Returns True if the stored `beat` is in this process's future and has not changed for SILENCE.

    The clock that stored the beat was then wrong, and has been corrected.
    """
    if beat not in _ahead:
        _ahead.clear()
        _ahead[beat] = monotonic()
    return monotonic() - _ahead[beat] > SILENCE.total_seconds()


def _catch_up(now: datetime) -> timedelta:
    with transaction.atomic():
        last = lock_rows(Heartbeat.objects.all()).get(pk=1)
        if now - last.at <= SILENCE:
            return timedelta()  # somebody else was here first
        _give_back(last.at, now)
        gap, last.at = now - last.at, now
        last.save()
        push.all_changed()
        return gap


def _give_back(since: datetime, now: datetime) -> None:
    """Moves deadlines so that players have as much time left at `now` as they had at `since`.

    The times at which seats are handed over are moved, too. If turns are played at one hour of the day, `due`
    and `deadline` stay if `due` is more than `evenings.least` after `now`.
    """
    gap = now - since
    going, passing = Match.objects.filter(due__gt=since), Match.objects.exclude(handover_at=None)
    lock_all(going | passing)
    at_hours = Q(reveal_at__isnull=False)
    special = Q(weekends_off=True) | ~Q(breaks=[]) | Q(reserve_hours__gt=0) | at_hours
    ahead = at_hours & Q(due__gt=now + evenings.least())
    for match in going.filter(special).exclude(ahead).order_by("pk"):
        give_back(match, since, now)
        match.version += 1
        match.save()
    plain = going.exclude(special)
    moved = {"due": F("due") + gap, "version": F("version") + 1, "changed_at": now}
    plain.filter(overdue=True).update(**moved)
    plain.filter(overdue=False).update(**moved, deadline=F("deadline") + gap)
    Asking.objects.filter(seat__match__in=passing, answer=Asking.Answer.YES).update(due=F("due") + gap)
    passing.update(handover_at=F("handover_at") + gap)
