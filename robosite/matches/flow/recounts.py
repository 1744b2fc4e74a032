"""Recounts: the clocks of a guest's matches are set anew after their holidays change, one match in each step.

The request that makes the change does the first steps, the clock (`clock.py`) the rest. A deadline that comes
before its match's step first sets the clock as of the change (`overdue.apply_deadlines`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Match, MatchFlag, Recount, held_by
from robosite.people.models import Guest
from robosite.web.locking import lock_rows

AT_ONCE = 3
"""The most matches whose clocks one request sets anew."""


@contextmanager
def clocks_of(guest: Guest) -> Iterator[None]:
    """Context manager to change a guest's holidays, with their row locked; then clocks are set anew."""
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
    """Recomputes the next match of a guest, by whichever process; False if none is left."""
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
    """Recomputes one match, for the guest whose holidays changed first; False if nothing is left to do."""
    recount = Recount.objects.select_related("guest").order_by("at").first()
    if recount:
        set_next(recount.guest)
    return recount is not None
