"""The one lock of a match. Every change of its standing goes through `locked_match`.

Changes that leave the standing as it is (messages, notes, a missing key, guests who are merged) lock the same
row by `locks.py`.

`locked_match` locks the match's row (on SQLite the IMMEDIATE transaction is the lock), brings the match up to
date, lets the block write, and commits; only then is the change pushed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.dispatch import Signal
from django.utils import timezone

from robosite.matches import key_check, locks
from robosite.matches.flow.handover import hand_over_due
from robosite.matches.flow.overdue import apply_deadlines, settle_clock
from robosite.matches.flow.standing import letters_to_act
from robosite.matches.live import push
from robosite.matches.models import Match
from robosite.matches.time import heartbeat, timekeeping
from robosite.web.signals import send_to_all

log = logging.getLogger("robosite")

happened = Signal()
"""Sent inside the transaction of every change of a match, with the `match`; listeners read the facts.

A listener that fails changes nothing of the match: whatever it leaves out must follow from the facts later.
"""


@contextmanager
def locked_match(match: Match) -> Iterator[Match]:
    """The match, locked and fresh, in a transaction; the change is pushed after the commit if there was one.

    Changes that the block makes to the match are saved with its new version (`mark_changed`). Raises
    KeyMissing where SEAL_KEYS are those of another site.
    """
    key_check.require()
    now = timezone.now()
    if match.deadline_hours is not None:
        give_time_back(now)
    with locks.locked(match.pk) as fresh:
        before = fresh.version
        hand_over_due(fresh, now)
        apply_deadlines(fresh, now)
        yield fresh
        if fresh.version != before:
            save(fresh)
    _copy(fresh, match)


def _copy(fresh: Match, match: Match) -> None:
    """Brings the caller's match up to what was committed, without another look at its row or its turns."""
    for column in Match._meta.concrete_fields:
        setattr(match, column.attname, getattr(fresh, column.attname))
    match.forget_seats()
    match.replayed = fresh.replayed


def give_time_back(now: datetime, *, alive: bool = False) -> None:
    """Gives players back the time during which the site was down until now, if it was. `alive`: the clock
    asks."""
    gap = heartbeat.beat(now, alive=alive)
    if gap:
        log.warning("the site was down for %s: so much time is given back to all who are to play", gap)


def save(match: Match) -> None:
    """Saves a changed match: other parts of the site are notified before the commit, open pages after it."""
    settle_clock(match, timezone.now())
    match.to_act = letters_to_act(match)
    match.save(force_update=True)
    push.changed(match)
    send_to_all(happened, Match, match.key, match=match)


def apply_due(match: Match) -> Match:
    """Applies to a match what has followed from time alone: so looking at an overdue match moves it on."""
    now = timezone.now()
    if timekeeping.is_due(match, now) or (match.handover_at and match.handover_at <= now):
        with locked_match(match):
            pass
    return match
