"""Setting the clocks of a guest's matches anew after a change of their holidays, one match a step.

A request takes the first steps, the clock the rest. Meanwhile no deadline passes that the change holds off: a
match whose time is up is first set as it would have been at the change (`overdue.apply_deadlines`).
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
"""The number of matches whose clocks one request sets."""


@contextmanager
def clocks_of(guest: Guest) -> Iterator[None]:
    """Encloses a change of a guest's holidays: notes that clocks must be set anew, and sets the first."""
    now = timezone.now()
    flow.give_time_back(now)
    with transaction.atomic():
        lock_rows(Guest.objects.all()).get(pk=guest.pk)  # two at once would each find the days free
        yield
        note_recount(guest, now)
    for _ in range(AT_ONCE):
        if not set_next(guest):
            break


def note_recount(guest: Guest, at: datetime) -> None:
    """Notes that all clocks of the guest must be set anew, as from `at`, or an earlier unfinished change."""
    recount, is_new = lock_rows(Recount.objects.all()).get_or_create(guest=guest, defaults={"at": at})
    if not is_new:
        recount.after = 0
        recount.save(update_fields=["after"])


def set_next(guest: Guest) -> bool:
    """Sets the clock of a guest's next match; False if none is left.

    Two processes may set the same clock twice, which changes nothing. The match is locked before anything
    else, as everywhere; if the holidays change meanwhile, it begins again with the first match.
    """
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
    """Sets one more clock for the guest who has waited longest; False if nobody waits."""
    recount = Recount.objects.select_related("guest").order_by("at").first()
    if recount:
        set_next(recount.guest)
    return recount is not None
