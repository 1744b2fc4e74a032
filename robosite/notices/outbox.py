"""The outbox: each notice's channel and time, its sender, and its outcome.

Rows are written in the transaction of the change. A sender claims a parcel with a lease, sends it, and notes
the outcome; a sender that dies in between has it sent once more, with the same number.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from datetime import time as hour_of_day
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import F, Min, Q, QuerySet
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Hold, Match
from robosite.notices.dealt import is_done
from robosite.notices.models import ALWAYS, Channel, Delivery, Kind, Notice, Parcel, Wishes
from robosite.people.models import Guest
from robosite.people.zones import zone_named
from robosite.rows import lock_rows

log = logging.getLogger("robosite")

SOON = timedelta(minutes=5)
WALKED_AWAY = timedelta(minutes=30)
"""Whoever has brought a turn about looks at it, and needs to be told only if he has left without playing."""
SPACED = timedelta(hours=6)
"""So long after it was told that a seat of a table is asked for, it is told of that table again."""
BACKOFF = (60, 300, 1800, 7200, 21600)
"""Seconds until the next try after each failed one; then it is given up."""
TIRED = 20
"""So many failures in a row switch a channel off."""
KEPT = timedelta(days=60)
GUESTS = 1000
"""Among so many guests for whom something is due the next one is chosen."""
LOOKED_AT = 20
"""So many of them, and of their parcels, are looked at at a time."""
ANY = Q()


def zone_of(guest: Guest) -> ZoneInfo:
    """The guest's own time zone, or the site's."""
    return zone_named(guest.zone)


def wishes_of(guest: Guest) -> Wishes:
    """The guest's wishes, or the usual ones."""
    found: Wishes | None = getattr(guest, "wishes", None)
    return found or Wishes(guest=guest, steps=[24, 3])


# When


def due(channel: Channel, now: datetime) -> datetime:
    """When something that happens now is due by this channel."""
    wishes, zone = wishes_of(channel.guest), zone_of(channel.guest)
    if channel.when == Channel.When.DAILY:
        now = _next(now, wishes.digest_hour, zone)
    elif channel.when == Channel.When.SOON:
        now += SOON
    return after_quiet(wishes, zone, now)


def after_quiet(wishes: Wishes, zone: ZoneInfo, at: datetime) -> datetime:
    """The same time, or the end of the quiet hours that it falls into."""
    first, end = wishes.quiet_from, wishes.quiet_until
    if first is None or end is None or first == end:
        return at
    hour = at.astimezone(zone).hour
    quiet = first <= hour < end if first < end else hour >= first or hour < end
    return _next(at, end, zone) if quiet else at


def _next(at: datetime, hour: int, zone: ZoneInfo) -> datetime:
    """The next time after `at` at which clocks in that zone show the full hour."""
    day = at.astimezone(zone).date()
    while (then := datetime.combine(day, hour_of_day(hour), zone)) <= at:
        day += timedelta(days=1)
    return then


# In


def put(match: Match, notices: Iterable[Notice], looking_on: Collection[int] = ()) -> None:
    """New notices of a match on their way, each by every channel that its guest wants it by.

    `looking_on`: the guests (by primary key) who see by themselves that it is their turn.
    """
    by_guest: dict[int, list[Notice]] = {}
    for notice in notices:
        by_guest.setdefault(notice.guest_id, []).append(notice)
    now = timezone.now()
    channels = Channel.objects.filter(guest__in=by_guest, on=True).defer("secret")
    for channel in channels.select_related("guest__wishes"):
        if not channel.sends:
            continue
        for notice in by_guest[channel.guest_id]:
            if notice.kind in ALWAYS:
                then = _of_seats(channel, match, now) if notice.kind == Kind.ASKED else now
                then = after_quiet(wishes_of(channel.guest), zone_of(channel.guest), then)
                parcel = _parcel(channel, match, then, gathers=False)
            elif notice.kind not in channel.tells:
                continue
            else:
                own = notice.kind == Kind.TURN and notice.guest_id in looking_on
                told_from = now + WALKED_AWAY if own else now
                then = due(channel, told_from)
                parcel = _parcel(channel, match, then, gathers=then > told_from + SOON)
            new = Delivery(notice=notice, channel=channel, parcel=parcel)
            Delivery.objects.bulk_create([new], ignore_conflicts=True)


def _of_seats(channel: Channel, match: Match, now: datetime) -> datetime:
    """When a channel tells that a seat of this table is asked for: not twice in six hours.

    A stranger can ask and withdraw as often as he likes; a later notice is looked at again before.
    """
    asked = Notice.objects.filter(match=match, kind=Kind.ASKED)
    told = Parcel.objects.filter(channel=channel, state=Parcel.State.SENT, deliveries__notice__in=asked)
    last = told.order_by("-closed_at").values_list("closed_at", flat=True).first()
    return max(now, last + SPACED) if last else now


def _parcel(channel: Channel, match: Match, then: datetime, *, gathers: bool) -> Parcel:
    """One that waits still and goes at the same time, or about the same match by then; else a new one."""
    waits = Parcel.objects.filter(
        channel=channel, what=Parcel.What.NOTICES, state=Parcel.State.WAITS, tries=0
    )
    waits = waits.filter(match=None, due_at=then) if gathers else waits.filter(match=match, due_at__lte=then)
    about = None if gathers else match
    return lock_rows(waits).first() or Parcel.objects.create(channel=channel, match=about, due_at=then)


def test(channel: Channel) -> None:
    """Something to see whether a channel works; one at a time."""
    waits = channel.parcels.filter(what=Parcel.What.TEST, state=Parcel.State.WAITS)
    if not waits.exists():
        Parcel.objects.create(channel=channel, what=Parcel.What.TEST, due_at=timezone.now())


def withdraw(match: Match, notices: Iterable[Notice]) -> None:
    """Replaces the pushes of these notices; parcels that wait are looked at again before they are sent."""
    pushed = Delivery.objects.filter(
        notice__in=list(notices),
        parcel__state=Parcel.State.SENT,
        channel__kind=Channel.Kind.PUSH,
        channel__on=True,
    )
    for channel in set(pushed.values_list("channel", flat=True)):
        Parcel.objects.create(channel_id=channel, match=match, what=Parcel.What.DONE, due_at=timezone.now())


# Out


@dataclass(frozen=True, slots=True)
class Claimed:
    """A parcel that is ours to send until the lease ends, with the notices that are still to be told."""

    parcel: Parcel
    channel: Channel
    notices: list[Notice]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of sending: a fault in one word ("" if it went), for ever or for now.

    `gone`: the address takes nothing any more, ever. `later`: seconds that the other side asks for.
    """

    fault: str = ""
    final: bool = False
    gone: bool = False
    later: int = 0


def claim(
    of: Q = ANY,
    *,
    after: Callable[[int], int] = lambda _guest: 0,
    may: Callable[[int, int], bool] = lambda _guest, _channel: True,
) -> Claimed | None:
    """The next parcel that is due, claimed, or None. A parcel that has nothing to tell any more is closed.

    Of those of which `of` is true, and `may` of guest and channel (by primary key): the guest comes first of
    whom `after` says least, then the one who has waited longest.
    """
    now = timezone.now()
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    due_now = Parcel.objects.filter(of, free, state=Parcel.State.WAITS, due_at__lte=now)
    by_guest = due_now.order_by().values_list("channel__guest").annotate(first=Min("due_at"))
    guests = [guest for guest, _first in by_guest.order_by("first", "channel__guest")[:GUESTS]]
    for guest in sorted(guests, key=after)[:LOOKED_AT]:
        own = due_now.filter(channel__guest=guest).order_by("due_at", "pk")
        for pk, channel in list(own.values_list("pk", "channel")[:LOOKED_AT]):
            if may(guest, channel) and (claimed := _claim(pk, now)):
                return claimed
    return None


def _claim(pk: int, now: datetime) -> Claimed | None:
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    with transaction.atomic():
        waiting = Parcel.objects.filter(free, pk=pk, state=Parcel.State.WAITS)
        parcel = lock_rows(waiting.select_related("channel__guest__wishes", "match")).first()
        return _take(parcel, now) if parcel else None


def _take(parcel: Parcel, now: datetime) -> Claimed | None:
    channel = parcel.channel
    if not channel.on and parcel.what != Parcel.What.TEST:
        _close(parcel, Parcel.State.WITHDRAWN)
        return None
    if parcel.unclear >= 2:
        _close(parcel, Parcel.State.GIVEN_UP)
        return None
    if parcel.what == Parcel.What.NOTICES:
        later = after_quiet(wishes_of(channel.guest), zone_of(channel.guest), now)
        if later > now:
            parcel.due_at = later
            parcel.save(update_fields=["due_at"])
            return None
    if parcel.what == Parcel.What.DONE and _tells_more(parcel):
        _close(parcel, Parcel.State.WITHDRAWN)
        return None
    notices = still_to_tell(parcel) if parcel.what == Parcel.What.NOTICES else []
    if parcel.what == Parcel.What.NOTICES and not notices:
        _close(parcel, Parcel.State.WITHDRAWN)
        return None
    parcel.claimed_until = now + timedelta(seconds=settings.SENDER_LEASE)
    parcel.tries += 1
    parcel.unclear += 1
    parcel.save(update_fields=["claimed_until", "tries", "unclear"])
    return Claimed(parcel, channel, notices)


def _tells_more(parcel: Parcel) -> bool:
    """Whether something else of the match is told by the same channel, in whose place nothing must come."""
    told = Delivery.objects.filter(channel=parcel.channel, notice__match=parcel.match, notice__done_at=None)
    return told.exclude(notice__kind=Kind.MESSAGE).exists()


def _close(parcel: Parcel, state: str) -> None:
    parcel.state, parcel.closed_at = state, timezone.now()
    parcel.save(update_fields=["state", "closed_at"])


def still_to_tell(parcel: Parcel) -> list[Notice]:
    """The notices of a parcel that are not dealt with, and whose guest still holds the seat."""
    told: list[Notice] = []
    standings: dict[int, flow.Standing] = {}
    waiting = Notice.objects.filter(deliveries__parcel=parcel).select_related("match", "seat")
    for notice in waiting.order_by("pk"):
        match = notice.match
        notice.guest = parcel.channel.guest
        if match.pk not in standings:
            standings[match.pk] = flow.standing_of(match)
        held = Hold.objects.filter(seat=notice.seat_id, guest=notice.guest_id).exists()
        if (held or notice.kind == Kind.PASSED) and not is_done(match, standings[match.pk], notice):
            told.append(notice)
    return told


def note(claimed: Claimed, outcome: Outcome) -> None:
    """Notes the outcome: sent, to be tried again later, or given up."""
    now, channel = timezone.now(), Channel.objects.filter(pk=claimed.channel.pk)
    with transaction.atomic():
        parcel = lock_rows(Parcel.objects.filter(pk=claimed.parcel.pk)).first()
        if parcel is None or parcel.state != Parcel.State.WAITS:
            return
        parcel.unclear, parcel.claimed_until = 0, None
        if not outcome.fault:
            parcel.state, parcel.closed_at = Parcel.State.SENT, now
            channel.update(succeeded_at=now, fault="", failures=0)
        else:
            channel.update(failed_at=now, fault=outcome.fault[:40], failures=F("failures") + 1)
            again = not (outcome.final or outcome.gone) and parcel.tries <= len(BACKOFF)
            if again and parcel.what == Parcel.What.NOTICES:
                wait = max(BACKOFF[parcel.tries - 1], min(outcome.later, 86_400))
                parcel.due_at = now + timedelta(seconds=wait)
            else:
                parcel.state, parcel.closed_at = Parcel.State.GIVEN_UP, now
            tired = Q(failures__gte=TIRED) & ~Q(kind=Channel.Kind.MAIL)
            channel.filter(Q() if outcome.gone else tired).update(on=False)
        parcel.save()


def waiting() -> dict[str, float]:
    """How many parcels wait, for `/metrics`."""
    parcels = Parcel.objects.filter(state=Parcel.State.WAITS)
    due = parcels.filter(due_at__lte=timezone.now()).count()
    return {"due": due, "later": parcels.count() - due}


def tidy() -> None:
    """Deletes parcels that were closed long ago."""
    long_ago = timezone.now() - KEPT
    parcels_before(long_ago).delete()
    notices_before(long_ago).delete()


def parcels_before(then: datetime) -> QuerySet[Parcel]:
    """The parcels that were sent or given up before a time."""
    return Parcel.objects.filter(closed_at__lt=then)


def notices_before(then: datetime) -> QuerySet[Notice]:
    """The notices dealt with before a time, or noted before it in a match that is over."""
    past = Q(noted_at__lt=then) & ~Q(match__status__in=flow.GOING_ON)
    return Notice.objects.filter(Q(done_at__lt=then) | past)
