"""Adds warnings on channels on which no other warning would arrive before the deadline.

A warning is normally stored when the time before a deadline has fallen to a number of hours that the guest
has chosen, called a step (`facts.py`). Because of quiet hours or a daily digest, such a warning can arrive
too late. In a short turn, there may be no such warning, since only steps shorter than the turn count. So each
channel has a last call: the time before which a warning must be stored so that it is sent before the
deadline. If the channel has no warning shortly before its last call, a last warning is stored for this
channel alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from datetime import time as hour_of_day
from typing import NamedTuple
from zoneinfo import ZoneInfo

from robosite.notices.models import Channel, Delivery, Kind, Wishes
from robosite.notices.outbox import SOON, after_quiet, is_quiet, wishes_of, zone_of

MARGIN = timedelta(minutes=30)
"""The length of the period, ending at a last call, in which the last warning is stored.

The period is longer than the interval at which the sender runs. In a short turn, the period can begin earlier
(`plan_of`).
"""
LEAD = timedelta(hours=72)
"""The maximum time before a deadline at which a last warning may be stored."""
SHORTEST = 1.0
"""The minimum length, in hours, of a turn that gets a last warning."""
MOMENT = timedelta(microseconds=1)
DAYS = 4
"""The number of daily digests, counted back from a deadline, that `_last_digest` tries.

Whatever the quiet hours are, at least one of these digests is sent before the deadline.
"""


class Plan(NamedTuple):
    """The period in which a last warning before a deadline is stored for a channel that has had none.

    The period begins at `start` (inclusive) and ends at `call` (exclusive). A warning that is stored at
    `call` or later can arrive after the deadline.
    """

    start: datetime
    call: datetime

    def includes(self, now: datetime) -> bool:
        return self.start <= now < self.call


def plan_of(channel: Channel, steps: Sequence[int], deadline: datetime, hours: float) -> Plan | None:
    """Returns the period in which the last warning before a deadline is to be stored for a channel, or None.

    `steps` are the numbers of hours before a deadline at which the guest wants to be warned. `hours` is the
    length of the turn. The period begins MARGIN before `last_call`, the time when a warning would come too
    late. Returns None if `steps` is empty, if the channel does not send warnings, or if the turn is shorter
    than SHORTEST.
    """
    if not steps or hours < SHORTEST or Kind.DEADLINE not in channel.tells:
        return None
    call = last_call(channel.when, wishes_of(channel.guest), zone_of(channel.guest), deadline)
    start = call - MARGIN
    if not any(step < hours for step in steps):
        start = min(start, deadline - timedelta(hours=hours) / 2)
    return Plan(start, call)


def last_call(when: str, wishes: Wishes, zone: ZoneInfo, deadline: datetime) -> datetime:
    """Returns the time before which a notice must be stored so that it is sent before a deadline.

    `when` is the channel's schedule (`Channel.When`): at once, soon, or daily. `wishes` has the quiet hours
    and the hour of the digest, in the time zone `zone`.
    """
    if when == Channel.When.DAILY:
        return _last_digest(wishes, zone, deadline)
    sent = deadline
    while is_quiet(wishes, zone, sent - MOMENT):
        sent = _hour_before(sent, zone)
    return sent - SOON if when == Channel.When.SOON else sent


def _hour_before(at: datetime, zone: ZoneInfo) -> datetime:
    """Returns the last full hour before a time, by the clocks of this zone."""
    here = at.astimezone(zone)
    past = timedelta(minutes=here.minute, seconds=here.second, microseconds=here.microsecond)
    return at - (past or timedelta(hours=1))


def _last_digest(wishes: Wishes, zone: ZoneInfo, deadline: datetime) -> datetime:
    """Returns the time of the last daily digest that is sent before a deadline."""
    last_day = deadline.astimezone(zone).date()
    for days in range(DAYS):
        at = datetime.combine(last_day - timedelta(days=days), hour_of_day(wishes.digest_hour), zone)
        if after_quiet(wishes, zone, at).astimezone(UTC) < deadline:
            break
    return at.astimezone(UTC)


def is_warned(channel: Channel, seat: int, turn: str, deadline: datetime) -> bool:
    """Returns True if a channel has sent, or will send before the deadline, a warning about a seat's turn."""
    warnings = Delivery.objects.filter(channel=channel, notice__seat=seat, notice__kind=Kind.DEADLINE)
    return warnings.filter(notice__fact__startswith=f"{turn} ", parcel__due_at__lt=deadline).exists()
