"""The outbox: decides when and over which channels notices are sent; stores parcels in their transaction."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from datetime import time as hour_of_day
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices.models import ALWAYS, Channel, Delivery, Kind, Notice, Parcel, Wishes
from robosite.people.models import Guest
from robosite.people.zones import zone_named
from robosite.web.transactions import lock_rows

SOON = timedelta(minutes=5)
"""The delay of a notice on a channel with the schedule “soon”."""
WALKED_AWAY = timedelta(minutes=30)
"""The delay of a turn's notice to a guest who sees it on an open page, and needs it only after leaving."""
SPACED = timedelta(hours=6)
"""The least time between two notices of requests for seats in the same match, on one channel."""
WARNING = timedelta(days=7)
"""The time from a warning that a match or league will be deleted to the deletion."""
KEPT_FOR = timedelta(days=60)
"""The time for which closed parcels and notices are kept."""


def zone_of(guest: Guest) -> ZoneInfo:
    return zone_named(guest.zone)


def wishes_of(guest: Guest) -> Wishes:
    found: Wishes | None = getattr(guest, "wishes", None)
    return found or Wishes(guest=guest, steps=[24, 3])


def due(channel: Channel, now: datetime) -> datetime:
    """The time when a notice of something that happens at `now` is to be sent on this channel."""
    return due_by(channel.when, wishes_of(channel.guest), zone_of(channel.guest), now)


def due_by(when: str, wishes: Wishes, zone: ZoneInfo, now: datetime) -> datetime:
    """The time when a notice of `now` is sent by a schedule (`Channel.When`), never within quiet hours."""
    if when == Channel.When.DAILY:
        now = _next(now, wishes.digest_hour, zone)
    elif when == Channel.When.SOON:
        now += SOON
    return after_quiet(wishes, zone, now)


def after_quiet(wishes: Wishes, zone: ZoneInfo, at: datetime) -> datetime:
    """The time `at` or, if that is within the guest's quiet hours, their end."""
    end = wishes.quiet_until
    return _next(at, end, zone) if end is not None and is_quiet(wishes, zone, at) else at


def is_quiet(wishes: Wishes, zone: ZoneInfo, at: datetime) -> bool:
    first, end = wishes.quiet_from, wishes.quiet_until
    if first is None or end is None or first == end:
        return False
    hour = at.astimezone(zone).hour
    return first <= hour < end if first < end else hour >= first or hour < end


def _next(at: datetime, hour: int, zone: ZoneInfo) -> datetime:
    day = at.astimezone(zone).date()
    while (then := datetime.combine(day, hour_of_day(hour), zone)) <= at:
        day += timedelta(days=1)
    return then


def put(match: Match, notices: Iterable[Notice], looking_on: Collection[int] = ()) -> None:
    """Queues new notices on their guests' channels; for guests `looking_on`, those of a turn come later."""
    by_guest: dict[int, list[Notice]] = {}
    for notice in notices:
        by_guest.setdefault(notice.guest_id, []).append(notice)
    now = timezone.now()
    channels = Channel.objects.filter(guest__in=by_guest, on=True).defer("secret")
    for channel in channels.select_related("guest__wishes"):
        if not channel.sends:
            continue
        for notice in by_guest[channel.guest_id]:
            if notice.only_by not in (None, channel.pk):
                continue
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
    """The time to send a request for a lost seat, without regard to quiet hours: SPACED after the last."""
    asked = Notice.objects.filter(match=match, kind=Kind.ASKED)
    parcels = Parcel.objects.filter(channel=channel, state=Parcel.State.SENT, deliveries__notice__in=asked)
    last = parcels.order_by("-closed_at").values_list("closed_at", flat=True).first()
    return max(now, last + SPACED) if last else now


def _parcel(channel: Channel, match: Match, then: datetime, *, gathers: bool) -> Parcel:
    """The waiting parcel, or a new one: about `match`, due by `then`; or (`gathers`) a digest due then."""
    waits = Parcel.objects.filter(
        channel=channel, what=Parcel.What.NOTICES, state=Parcel.State.WAITS, tries=0
    )
    waits = waits.filter(match=None, due_at=then) if gathers else waits.filter(match=match, due_at__lte=then)
    about = None if gathers else match
    return lock_rows(waits).first() or Parcel.objects.create(channel=channel, match=about, due_at=then)


def tell_once(
    guests: QuerySet[Guest],
    *,
    match: Match | None = None,
    league: League | None = None,
    what: Parcel.What = Parcel.What.LAPSES,
) -> None:
    """Queues a message of this kind on each channel of these guests, unless it has had one lately."""
    now = timezone.now()
    about = Parcel.objects.filter(what=what, match=match, league=league)
    lately = about.filter(channel=OuterRef("pk"), due_at__gt=now - 2 * WARNING)
    channels = Channel.objects.filter(~Exists(lately), guest__in=guests.values("pk"), on=True)
    for channel in channels.select_related("guest__wishes"):
        if channel.sends:
            Parcel.objects.create(
                channel=channel, what=what, match=match, league=league, due_at=due(channel, now)
            )


def told_lately(to: str, since: timedelta) -> Exists:
    """The condition that a row's deletion was announced less than `since` ago; `to`: "match" or "league"."""
    told = Parcel.objects.filter(what=Parcel.What.LAPSES, due_at__gt=timezone.now() - since)
    return Exists(told.filter(**{to: OuterRef("pk")}))


def test(channel: Channel) -> None:
    """Queues a test message for a channel; if one is already waiting, makes it due now instead."""
    waits = channel.parcels.filter(what=Parcel.What.TEST, state=Parcel.State.WAITS)
    if not waits.update(due_at=timezone.now()):
        Parcel.objects.create(channel=channel, what=Parcel.What.TEST, due_at=timezone.now())


def retries(guest: Guest) -> dict[int, datetime]:
    failed = Parcel.objects.filter(channel__guest=guest, state=Parcel.State.WAITS, tries__gt=0)
    return dict(failed.order_by().values_list("channel").annotate(Min("due_at")))


def waiting() -> dict[str, float]:
    """For `/metrics`: the numbers of waiting parcels that are "due" now, and "later"."""
    parcels = Parcel.objects.filter(state=Parcel.State.WAITS)
    due = parcels.filter(due_at__lte=timezone.now()).count()
    return {"due": due, "later": parcels.count() - due}


def oldest_due() -> dict[str, float]:
    """For `/metrics`: how many seconds ago the oldest waiting parcel became due, or 0."""
    now = timezone.now()
    waits = Parcel.objects.filter(state=Parcel.State.WAITS, due_at__lte=now)
    first = waits.order_by("due_at").values_list("due_at", flat=True).first()
    return {"": (now - first).total_seconds() if first else 0}


def given_up() -> dict[str, float]:
    """For `/metrics`: the number of parcels given up in the last day, by kind of channel."""
    lately = timezone.now() - timedelta(days=1)
    gone = Parcel.objects.filter(state=Parcel.State.GIVEN_UP, closed_at__gt=lately)
    return dict(gone.order_by().values_list("channel__kind").annotate(Count("pk")))


def tidy() -> None:
    """Deletes parcels that were closed more than KEPT_FOR ago, and old notices (`notices_before`)."""
    long_ago = timezone.now() - KEPT_FOR
    parcels_before(long_ago).delete()
    notices_before(long_ago).delete()


def parcels_before(then: datetime) -> QuerySet[Parcel]:
    return Parcel.objects.filter(closed_at__lt=then)


def notices_before(then: datetime) -> QuerySet[Notice]:
    """The notices that were done before `then`, and old notices of matches that have ended."""
    going_on = Exists(Match.objects.filter(pk=OuterRef("match"), status__in=flow.GOING_ON))
    past = Q(noted_at__lt=then) & ~going_on
    return Notice.objects.filter(Q(done_at__lt=then) | past)
