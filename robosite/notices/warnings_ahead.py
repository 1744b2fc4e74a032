"""Adds warnings on channels on which no other warning would arrive before the deadline.

The reason can be quiet hours, a daily digest, or a turn that is not longer than any step. `facts.py` stores
warnings at the steps that a guest has chosen. Each channel also has a last call: the latest time at which a
warning can be stored and still be sent before the deadline. If the channel has no warning by then, a last
warning is stored for this channel alone.
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
"""The time before a last call from which its warning is stored, since the sender runs at intervals."""
LEAD = timedelta(hours=72)
"""The time before a deadline from which a last warning may be stored."""
SHORTEST = 1.0
"""The minimum length, in hours, of a turn that gets a last warning."""
MOMENT = timedelta(microseconds=1)
DAYS = 4
"""The number of daily digests that are searched for the last one before a deadline.

One of them is sent before the deadline, whatever the quiet hours are.
"""


class Plan(NamedTuple):
    """The period in which a last warning is stored, if the channel has had no warning before.

    It begins at `start` and ends at `call`, the latest time at which the warning can be stored and still
    arrive before the deadline.
    """

    start: datetime
    call: datetime

    def includes(self, now: datetime) -> bool:
        return self.start <= now < self.call


def plan_of(channel: Channel, steps: Sequence[int], deadline: datetime, hours: float) -> Plan | None:
    """Returns the plan for the last warning of a deadline on a channel; None if there is to be none.

    There is none if the owner wants no warnings on the channel, or if the turn is shorter than SHORTEST,
    since its players are present anyway. `hours` is the length of the turn. If no step is shorter than the
    turn, the plan begins at the latest when half of the turn is over.
    """
    if not steps or hours < SHORTEST or Kind.DEADLINE not in channel.tells:
        return None
    call = last_call(channel.when, wishes_of(channel.guest), zone_of(channel.guest), deadline)
    start = call - MARGIN
    if not any(step < hours for step in steps):
        start = min(start, deadline - timedelta(hours=hours) / 2)
    return Plan(start, call)


def last_call(when: str, wishes: Wishes, zone: ZoneInfo, deadline: datetime) -> datetime:
    """Returns the latest time at which a notice must be stored to be sent before a deadline.

    `when` is the channel's schedule: at once, soon, or daily.
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
    """Tell whether the channel sends a warning for a seat's turn before the deadline.

    `seat` is the seat's primary key, `turn` the identifier of the turn in facts (`facts.turn_of`).
    """
    warnings = Delivery.objects.filter(channel=channel, notice__seat=seat, notice__kind=Kind.DEADLINE)
    return warnings.filter(notice__fact__startswith=f"{turn} ", parcel__due_at__lt=deadline).exists()
