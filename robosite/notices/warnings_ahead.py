"""Adds warnings on channels on which no other warning would arrive before the deadline.

A warning is normally stored when the time left has fallen to a number of hours that the guest has chosen, a
step (`facts.py`). Because of quiet hours or a daily digest, it can arrive too late, and a short turn may have
no step. So each channel has a last call, before which a warning must be stored to be sent in time: if there
is none shortly before it, a last warning is stored for this channel alone.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from datetime import time as hour_of_day
from typing import NamedTuple
from zoneinfo import ZoneInfo

from robosite.notices.models import Channel, Delivery, Kind, Wishes
from robosite.notices.outbox import SOON, after_quiet, is_quiet, wishes_of, zone_of

MARGIN = timedelta(minutes=30)
"""The period before a last call in which the last warning is stored; longer than the sender's interval."""
LEAD = timedelta(hours=72)
"""The longest time before a deadline at which a last warning may be stored."""
SHORTEST = 1.0
"""The least hours of a turn that gets a last warning."""
MOMENT = timedelta(microseconds=1)
DAYS = 4
"""The number of last digests before a deadline that are tried; with any quiet hours, one is in time."""


class Plan(NamedTuple):
    """The period (without `call`) in which a last warning is stored for a channel that has had none."""

    start: datetime
    call: datetime

    def includes(self, now: datetime) -> bool:
        return self.start <= now < self.call


def plan_of(channel: Channel, steps: Sequence[int], deadline: datetime, hours: float) -> Plan | None:
    """The period for a channel's last warning; None if it sends none, or if the turn has too few `hours`."""
    if not steps or hours < SHORTEST or Kind.DEADLINE not in channel.tells:
        return None
    call = last_call(channel.when, wishes_of(channel.guest), zone_of(channel.guest), deadline)
    start = call - MARGIN
    if not any(step < hours for step in steps):
        start = min(start, deadline - timedelta(hours=hours) / 2)
    return Plan(start, call)


def last_call(when: str, wishes: Wishes, zone: ZoneInfo, deadline: datetime) -> datetime:
    """The time before which a notice must be stored so that it is sent before a deadline."""
    if when == Channel.When.DAILY:
        return _last_digest(wishes, zone, deadline)
    sent = deadline
    while is_quiet(wishes, zone, sent - MOMENT):
        here = sent.astimezone(zone)
        past = timedelta(minutes=here.minute, seconds=here.second, microseconds=here.microsecond)
        sent -= past or timedelta(hours=1)  # to the last full hour before
    return sent - SOON if when == Channel.When.SOON else sent


def _last_digest(wishes: Wishes, zone: ZoneInfo, deadline: datetime) -> datetime:
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
