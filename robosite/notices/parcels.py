"""The sending of parcels and letters: a sender claims one for a while, sends it, and stores the outcome.

If a sender dies before that, the parcel is sent once more, with the same `Parcel.number`, so that the
receiver can recognize the repetition. If the next sender dies too, it is given up.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Min, Q, QuerySet
from django.dispatch import receiver
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Hold
from robosite.notices.kinds import FACTS
from robosite.notices.models import Channel, Kind, Notice, Parcel
from robosite.notices.outbox import after_quiet, wishes_of, zone_of
from robosite.notices.subscriptions import forget_subscription, is_left
from robosite.people.letters import LIFETIMES, confirmed
from robosite.people.models import Guest, GuestFlag, Letter, Ticket
from robosite.web.transactions import lock_rows

log = logging.getLogger("robosite")

BACKOFF = (60, 300, 1800, 7200, 21600)
"""Seconds from each failed attempt to the next one. After one more failure, the parcel is given up."""
OF_A_TEST = BACKOFF[:2]
"""The backoff of a test, for whose outcome the channel's owner waits on the page."""
OF_A_LETTER = (10, 30, 60, 120)
"""The backoff of a letter, which is tried again while its link works: after the fourth, always in 120 s."""
MOST_IN_A_ROW = 3
"""The number of mailboxes refused in a row at which the site's own mail server is taken to be at fault."""
IN_A_ROW = timedelta(days=1)
"""The greatest age of refusals that count as refusals in a row."""
TIRED = 20
"""The number of failures in a row after which a channel other than mail is switched off."""
GUESTS = 1000
"""The most guests with due parcels among whom the next guest is chosen."""
LOOKED_AT = 20
"""The most guests, and parcels of each guest, that are tried in one search for a parcel."""
OF_THE_OPEN = (Parcel.What.INVITED, Parcel.What.LAPSES, Parcel.What.SEASON)
"""The values of `Parcel.what` that are sent only while their match or league has not begun."""
ANY = Q()


@dataclass(frozen=True, slots=True)
class Claimed:
    """A parcel that its sender alone may send, until `parcel.claimed_until`, with its open notices."""

    parcel: Parcel
    channel: Channel
    notices: list[Notice]


@dataclass(frozen=True, slots=True)
class SendOutcome:
    """The outcome of sending: `fault` is a word for what failed, or "".

    `final`: another attempt is useless. `gone`: the address will never accept anything again. `later` is how
    many seconds the receiving server asks to wait. `message` is the number of a message that can be edited.
    """

    fault: str = ""
    final: bool = False
    gone: bool = False
    later: int = 0
    message: str = ""


def unclaimed(now: datetime) -> Q:
    """A condition for rows that no sender has claimed, or whose sender has died."""
    return Q(claimed_until=None) | Q(claimed_until__lt=now)


def lease(row: Parcel | Letter, now: datetime) -> None:
    row.claimed_until = now + timedelta(seconds=settings.SENDER_LEASE)
    row.tries += 1


def put_off(
    row: Parcel | Letter,
    outcome: SendOutcome,
    backoff: Sequence[int],
    now: datetime,
    *,
    at_most: int,
    goes_on: bool = False,
) -> bool:
    """Sets the time of the next attempt; False if that is useless or (unless `goes_on`) `backoff` is over."""
    if outcome.final or outcome.gone or (row.tries > len(backoff) and not goes_on):
        return False
    wait = max(backoff[min(row.tries, len(backoff)) - 1], min(outcome.later, at_most))
    row.due_at = now + timedelta(seconds=wait)
    return True


def claim_parcel(
    of: Q = ANY,
    *,
    after: Callable[[int], int] = lambda _guest: 0,
    after_lane: Callable[[int | None], int] = lambda _lane: 0,
    may: Callable[[int, int], bool] = lambda _guest, _channel: True,
) -> Claimed | None:
    """Claims the next parcel that is due; None if there is none.

    Only parcels that match `of` and `may(guest, channel)`, given by primary key, are considered, sorted by
    `after_lane(lane)` (`people/shares.py: lane_of`), `after(guest)`, then the time at which they became due.
    Parcels that need not be sent any more are closed on the way; notices to a guest who has quiet hours are
    put off.
    """
    now = timezone.now()
    due_now = Parcel.objects.filter(of, unclaimed(now), state=Parcel.State.WAITS, due_at__lte=now)
    lanes = due_now.order_by("match__lane").values_list("match__lane", flat=True).distinct()
    for lane in sorted(lanes, key=after_lane):
        in_lane = due_now.filter(match__lane=lane)
        by_guest = in_lane.order_by().values_list("channel__guest").annotate(first=Min("due_at"))
        guests = [guest for guest, _first in by_guest.order_by("first", "channel__guest")[:GUESTS]]
        for guest in sorted(guests, key=after)[:LOOKED_AT]:
            own = in_lane.filter(channel__guest=guest).order_by("due_at", "pk")
            for pk, channel in list(own.values_list("pk", "channel")[:LOOKED_AT]):
                if may(guest, channel) and (claimed := _claim(pk, now)):
                    return claimed
    return None


def letters() -> QuerySet[Letter]:
    """The letters that are still to be sent, and whose links still work."""
    waiting = Letter.objects.filter(closed_at=None, ticket__expires_at__gt=timezone.now())
    return waiting.exclude(ticket__email="").select_related("ticket")


def oldest_letter() -> dict[str, float]:
    """For `/metrics`: how many seconds the oldest letter has waited to be sent, or 0."""
    first = letters().order_by("pk").first()
    if first is None:
        return {"": 0}
    written_at = first.ticket.expires_at - LIFETIMES[Ticket.Kind(first.ticket.kind)]
    return {"": (timezone.now() - written_at).total_seconds()}


def claim_letter() -> Letter | None:
    """Claims the next letter that is due, fewer attempts first; None if there is none."""
    now = timezone.now()
    due = letters().filter(unclaimed(now), due_at__lte=now)
    for pk in list(due.order_by("tries", "due_at").values_list("pk", flat=True)[:LOOKED_AT]):
        with transaction.atomic():
            if letter := lock_rows(due.filter(pk=pk)).first():
                lease(letter, now)
                letter.save(update_fields=["claimed_until", "tries"])
                return letter
    return None


def _claim(pk: int, now: datetime) -> Claimed | None:
    with transaction.atomic():
        waiting = Parcel.objects.filter(unclaimed(now), pk=pk, state=Parcel.State.WAITS)
        parcel = lock_rows(waiting.select_related("channel__guest__wishes", "match", "league")).first()
        return _take(parcel, now) if parcel else None


def _take(parcel: Parcel, now: datetime) -> Claimed | None:
    channel = parcel.channel
    if is_left(channel):
        channel.delete()  # with its parcels
        return None
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
    about = parcel.league or parcel.match
    is_open = about is not None and about.status == about.Status.OPEN
    if parcel.what == Parcel.What.DONE or (parcel.what in OF_THE_OPEN and not is_open):
        _close(parcel, Parcel.State.WITHDRAWN)
        return None
    notices = open_notices(parcel) if parcel.what == Parcel.What.NOTICES else []
    if parcel.what == Parcel.What.NOTICES and not notices:
        _close(parcel, Parcel.State.WITHDRAWN)
        return None
    lease(parcel, now)
    parcel.unclear += 1
    parcel.save(update_fields=["claimed_until", "tries", "unclear"])
    return Claimed(parcel, channel, notices)


def _close(parcel: Parcel, state: str) -> None:
    parcel.state, parcel.closed_at = state, timezone.now()
    parcel.save(update_fields=["state", "closed_at"])


def open_notices(parcel: Parcel) -> list[Notice]:
    """The notices still to be sent: not done, and their guest holds the seat (but for PASSED)."""
    notices: list[Notice] = []
    standings: dict[int, flow.Standing] = {}
    waiting = Notice.objects.filter(deliveries__parcel=parcel).select_related("match", "seat")
    for notice in waiting.order_by("pk"):
        match = notice.match
        notice.guest = parcel.channel.guest
        if match.pk not in standings:
            standings[match.pk] = flow.standing_of(match)
        held = Hold.objects.filter(seat=notice.seat_id, guest=notice.guest_id).exists()
        is_done = FACTS[Kind(notice.kind)].is_done
        if (held or notice.kind == Kind.PASSED) and not is_done(match, standings[match.pk], notice):
            notices.append(notice)
    return notices


def note_outcome(claimed: Claimed | Letter, outcome: SendOutcome) -> None:
    """Stores the outcome of sending; switches off a channel that is gone, or (no mail) TIRED."""
    if isinstance(claimed, Letter):
        _note_of_letter(claimed, outcome)
        return
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
            if outcome.fault == "mailbox" and _refuses_everybody(claimed.channel, now):
                outcome = SendOutcome("server")
            channel.update(failed_at=now, fault=outcome.fault[:40], failures=F("failures") + 1)
            waits = OF_A_TEST if parcel.what == Parcel.What.TEST else BACKOFF
            if not put_off(parcel, outcome, waits, now, at_most=86_400):
                parcel.state, parcel.closed_at = Parcel.State.GIVEN_UP, now
            tired = Q(failures__gte=TIRED) & ~Q(kind=Channel.Kind.MAIL)
            if channel.filter(Q() if outcome.gone else tired).update(on=False):
                claimed.channel.guest.set_flag(GuestFlag.NOTICES_LOST)
            if outcome.gone and claimed.channel.kind == Channel.Kind.PUSH:
                forget_subscription(claimed.channel)
        parcel.save()


def _note_of_letter(letter: Letter, outcome: SendOutcome) -> None:
    now = timezone.now()
    with transaction.atomic():
        for present in lock_rows(Letter.objects.filter(pk=letter.pk, closed_at=None)):
            present.claimed_until, present.fault = None, outcome.fault
            again = outcome.fault and put_off(present, outcome, OF_A_LETTER, now, at_most=600, goes_on=True)
            if not again:
                present.closed_at = now
            present.save(update_fields=["claimed_until", "fault", "closed_at", "due_at"])


def _refuses_everybody(channel: Channel, now: datetime) -> bool:
    """Returns True if the mail server has now refused MOST_IN_A_ROW mailboxes, one after the other.

    Then the earlier refusals become faults of the server, and their channels are switched on again.
    """
    mails = Channel.objects.filter(kind=Channel.Kind.MAIL)
    taken = mails.aggregate(last=Max("succeeded_at"))["last"]
    since = max(taken, now - IN_A_ROW) if taken else now - IN_A_ROW
    refused = mails.filter(fault__in=("mailbox", "server"), failed_at__gt=since).exclude(pk=channel.pk)
    if refused.count() < MOST_IN_A_ROW - 1:
        return False
    log.error(
        "the mail server says of several mailboxes in a row that they are not there: is it set up right?"
    )
    refused.filter(fault="mailbox").update(fault="server", on=True)
    return True


@receiver(confirmed)
def listen_confirmed(sender: object, guest: Guest, **_signal: object) -> None:
    """Signal receiver: switches a guest's mails on again after the guest has confirmed an address."""
    mails = Channel.objects.filter(guest=guest, kind=Channel.Kind.MAIL, on=False, fault="mailbox")
    mails.update(on=True, fault="", failures=0)
