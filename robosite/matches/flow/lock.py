"""The lock of a match, inside which its standing (seats, orders, clock) is changed: `locked_match`.

On SQLite the IMMEDIATE transaction is the lock. What does not affect the standing (messages, notes, merged
guests) locks the same row with `locks.py`; so do new matches and rematches, and orders whose key is lost.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.dispatch import Signal
from django.utils import timezone

from robosite.matches import key_check, locks
from robosite.matches.flow.lost_seats import hand_over_due
from robosite.matches.flow.origins import forget_origins
from robosite.matches.flow.overdue import apply_deadlines, settle_clock
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.standing import letters_to_act
from robosite.matches.live import push
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.matches.time import heartbeat, timekeeping
from robosite.web.transactions import send_to_all

log = logging.getLogger("robosite")

happened = Signal()
"""A signal that a `match` has changed, sent inside the transaction of every change.

Receivers read the facts from the database. Their errors do not stop the change, so they must be able to catch
up.
"""


@contextmanager
def locked_match(match: Match) -> Iterator[Match]:
    """Locks a match's row in a transaction and yields the match, reloaded, with all that is due applied.

    After the block it is saved if its version has risen (`mark_changed`), and copied to the caller's `match`;
    open pages hear of it after the commit. Raises KeyMissing if SEAL_KEYS lack a key that the database needs.
    """
    key_check.require()
    if match.deadline_hours is not None:
        give_time_back(timezone.now())
    now = timezone.now()
    with locks.locked(match.pk) as fresh:
        before = fresh.version
        hand_over_due(fresh, now)
        apply_deadlines(fresh, now)
        yield fresh
        if fresh.version != before:
            save(fresh)
    _copy(fresh, match)


@contextmanager
def locked_seat(seat: Seat) -> Iterator[Match]:
    """Locks a seat's match as `locked_match` does; raises SeatLost if `seat` may not act any more."""
    with locked_match(seat.match) as match:
        confirm_seat(seat)
        yield match


def _copy(fresh: Match, match: Match) -> None:
    for column in Match._meta.concrete_fields:
        setattr(match, column.attname, getattr(fresh, column.attname))
    match.forget_seats()
    match.replayed = fresh.replayed


def give_time_back(now: datetime, *, alive: bool = False) -> None:
    """Extends deadlines by the length of a downtime of the site that has lasted until `now`, if any."""
    gap = heartbeat.beat(now, alive=alive)
    if gap:
        log.warning("the site was down for %s: so much time is given back to all who are to play", gap)


def save(match: Match) -> None:
    """Saves a match with new deadline and `to_act`, notifies pages, sends `happened`; call it in the lock."""
    settle_clock(match, timezone.now())
    match.to_act = letters_to_act(match)
    if match.listed_from or match.may_have(MatchFlag.STRANGERS):
        forget_origins(match)
    match.save(force_update=True)
    push.changed(match)
    send_to_all(happened, Match, match.key, match=match)


def apply_due(match: Match) -> Match:
    """Applies to a match the deadlines and seat hand-overs whose time has come; returns the same match."""
    now = timezone.now()
    if timekeeping.is_due(match, now) or (match.handover_at and match.handover_at <= now):
        with locked_match(match):
            pass
    return match
