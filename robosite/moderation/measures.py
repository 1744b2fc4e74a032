"""Takes and lifts moderators' measures, explains them to guests, and finds measures that forbid an action."""

import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.api.models import NamedProgram
from robosite.engine.prepared import Prepared
from robosite.leagues import flow as leagues
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.live import push
from robosite.matches.locks import all_locked
from robosite.matches.models import Hold, Match, Seat, held_by
from robosite.moderation import traces
from robosite.moderation.models import Measure, Report, TakenName, measures_in_force
from robosite.people.look_alikes import is_reserved, skeletons
from robosite.people.models import Guest, GuestFlag
from robosite.people.restrictions import Action, Restriction
from robosite.talk.models import Message
from robosite.trail.entries import note, subject_of
from robosite.web.addresses import CONNECTION, Network, parse_network
from robosite.web.transactions import lock_rows

Kind = Measure.Kind

LIFTED = (Kind.WARN, Kind.RENAME, Kind.HIDE, Kind.MUTE, Kind.UNLIST, Kind.BAN)
WIDEST = {4: 8, 6: 16}
"""The shortest prefix length of an address range that may be banned, by IP version (4 or 6)."""
ALL_FROM_ONE = "If all visitors seem to come from it, set TRUSTED_PROXIES."

SAYS: dict[str, Callable[[], str]] = {
    Kind.WARN: lambda: _("A moderator has warned you."),
    Kind.RENAME: lambda: _("A moderator has given you another name."),
    Kind.HIDE: lambda: _("A moderator has hidden one of your messages."),
    Kind.MUTE: lambda: _("You can’t write messages for now."),
    Kind.UNLIST: lambda: _("A moderator has taken your match off the list of open tables."),
    Kind.CLOSE: lambda: _("A moderator has closed one of your matches. There’s no winner."),
    Kind.REVOKE: lambda: _("A moderator has closed the link to one of your seats: it no longer works."),
    Kind.BAN: lambda: _(
        "You can’t create or join matches, write messages or send reports for now. You can look at "
        "your matches, and finish the ones in which you have a seat."
    ),
}


class ImpossibleMeasure(Exception):
    """Raised if a measure cannot be taken or lifted; the message tells the moderator why."""


def take(
    kind: str,
    by: User | None,
    *,
    report: Report | None = None,
    guest: Guest | None = None,
    seat: Seat | None = None,
    match: Match | None = None,
    message: Message | None = None,
    network: str = "",
    reason: str = Report.Reason.OTHER,
    why: str = "",
    ends_at: datetime | None = None,
    name: str = "",
    address_too: bool = False,
    own_address: str = "",
) -> Measure:
    """Takes a measure and returns it; closes its report, if any, and adds to the audit trail.

    What is not given is taken from the report. `why` is told to the guest; `ends_at` None is without end;
    `address_too` also bans the guest's last address, unless it is `own_address`, the moderator's. Raises
    ImpossibleMeasure.
    """
    subjects = {"guest": guest, "seat": seat, "match": match, "message": message}
    measure = Measure(
        kind=kind, network=network, report=report, reason=reason, why=why, by=by, made_at=timezone.now()
    )
    _name_subjects(measure, **subjects)
    with transaction.atomic():
        DOES[kind](measure, name)
        if address_too and kind == Kind.BAN:
            _ban_address(measure, own_address)
        measure.ends_at = ends_at if measure.lasting else None
        measure.save()
        _conclude(measure)
    return measure


def _name_subjects(measure: Measure, **given: Any) -> None:
    report = measure.report
    for kind, subject in given.items():
        setattr(measure, kind, subject or (getattr(report, kind) if report else None))
    if measure.seat and not measure.seat.taken:
        measure.seat = None
    measure.match = measure.match or (measure.seat.match if measure.seat else None)


def _conclude(measure: Measure) -> None:
    if measure.guest:
        measure.guest.set_flag(GuestFlag.MEASURES)
    report = measure.report
    if report:
        close(report, Report.Status.DEALT)
    facts = {"report": report.number if report else None, "until": measure.ends_at}
    if measure.code:
        facts["address_too"] = True
    note(measure.by, f"measure-{measure.kind}", subject_of(measure), about=_about(measure), **facts)


def lift(measure: Measure, by: User | None) -> None:
    """Lifts a measure, as far as it can be undone, and closes objections; raises ImpossibleMeasure."""
    if measure.lifted_at or (measure.lasting and not measure.is_in_force):
        raise ImpossibleMeasure("This measure has already ended.")
    if measure.kind not in LIFTED:
        raise ImpossibleMeasure(f"This cannot be undone: {measure.get_kind_display()}.")
    with transaction.atomic():
        if measure.kind == Kind.UNLIST and measure.match:
            arbiter.list_again(measure.match)  # this locks the match, so it comes before all other locks
        present = lock_rows(Measure.objects.filter(pk=measure.pk)).get()
        if present.lifted_at:  # another request was quicker
            raise ImpossibleMeasure("This measure has already ended.")
        measure.lifted_at = timezone.now()
        measure.save(update_fields=["lifted_at"])
        if measure.kind == Kind.HIDE:
            _show(measure, hidden=False)
        if measure.kind == Kind.RENAME:
            measure.taken_names.all().delete()
        for objection in measure.objections.filter(status=Report.Status.OPEN):
            close(objection, Report.Status.DEALT)
        note(by, "measure-lift", subject_of(measure))


def close(report: Report, status: Report.Status) -> None:
    """Closes a report, and all open reports about the same thing, with the given status."""
    waiting = Report.objects.filter(status=Report.Status.OPEN)
    about = waiting.filter(subject=report.subject) | waiting.filter(pk=report.pk)
    about.update(status=status, closed_at=timezone.now())
    report.refresh_from_db()


def dismiss(report: Report, by: User | None) -> None:
    """Closes all open reports of the same subject as dismissed, or as dealt with if a measure stands."""
    with transaction.atomic():
        close(report, Report.Status.DISMISSED)
        same = Report.objects.filter(subject=report.subject, measures__lifted_at=None)
        same.exclude(measures=None).update(status=Report.Status.DEALT)
        report.refresh_from_db()
        note(by, "report-dismiss", subject_of(report))


def close_or_reopen(report: Report, by: User | None, *, open_: bool) -> None:
    """Closes all open reports about the same thing as dealt with; with `open_`, reopens this report alone."""
    with transaction.atomic():
        if open_:
            report.status, report.closed_at = Report.Status.OPEN, None
            report.save(update_fields=["status", "closed_at"])
        else:
            close(report, Report.Status.DEALT)
        note(by, "report-reopen" if open_ else "report-dealt", subject_of(report))


def _about(measure: Measure) -> list[str]:
    """The subjects of a measure for the trail, as keys such as “guest:12”, without names."""
    keys = {"guest": measure.guest_id, "seat": measure.seat_id, "message": measure.message_id}
    subjects = [f"{kind}:{key}" for kind, key in keys.items() if key]
    if measure.match:
        subjects.append(f"match:{measure.match.key}")
    return subjects


# The effect of each kind


def _needs_guest(measure: Measure, name: str = "") -> None:
    if measure.guest is None:
        raise ImpossibleMeasure(
            "No browser is known that could be told of this: the seat belongs to a program."
        )


def _ban(measure: Measure, name: str) -> None:
    if measure.network:
        measure.network = str(range_of(measure.network))
    else:
        _needs_guest(measure)


def _ban_address(measure: Measure, own: str) -> None:
    trace = traces.trace_of(measure.guest)
    if trace is None:
        raise ImpossibleMeasure("The address of this guest is no longer known: ban the guest alone.")
    if trace.code == traces.code_of(trace.salt, own):
        raise ImpossibleMeasure(f"This guest comes from your own address. {ALL_FROM_ONE}")
    measure.salt, measure.code = trace.salt, trace.code


def _rename(measure: Measure, name: str) -> None:
    """Renames guest, seats and messages that use an old name, and bars those. Raises ImpossibleMeasure."""
    if measure.seat and measure.guest is None:
        holders = Guest.objects.filter(pk__in=Hold.objects.filter(seat=measure.seat).values("guest"))[:2]
        measure.guest = holders[0] if len(holders) == 1 else None
    seats = {measure.seat.pk: measure.seat} if measure.seat and not measure.seat.is_bot else {}
    old = {seat.name for seat in seats.values()} | ({measure.guest.name} if measure.guest else set())
    old |= {measure.message.name} if measure.message else set()
    if measure.guest:
        held = Seat.objects.filter(held_by(measure.guest), name__in=old).select_related("match")
        seats |= {seat.pk: seat for seat in held}
    if not seats and not measure.guest:
        raise ImpossibleMeasure("Nobody sits there who could be given another name.")
    flow.give_time_back(timezone.now())  # before any lock, since it takes locks of its own
    leagues.rename_places(old, name, guest=measure.guest, seats=seats)  # leagues are locked before matches
    with all_locked({seat.match_id for seat in seats.values()}):
        given = [arbiter.rename(seat, name) for seat in seats.values()]
    for pk, called in zip(seats, given, strict=True):
        Message.objects.filter(seat=pk, name__in=old).update(name=called)
    if measure.guest:
        called = name or (given[0] if given else "Player")
        Message.objects.filter(guest=measure.guest, name__in=old).update(name=called)
        program = NamedProgram.objects.filter(guest=measure.guest).first()
        unnamed = f"Program {program.pk}" if program else ""
        Guest.objects.filter(pk=measure.guest.pk, name__in=old).update(name=name or unnamed)
    measure.save()
    tables = {seat.match_id for seat in seats.values()} | ({measure.match.pk} if measure.match else set())
    bar_names(measure, old - {name}, tables)


def _hide(measure: Measure, name: str) -> None:
    if measure.message is None:
        raise ImpossibleMeasure("This report is not about a message.")
    _show(measure, hidden=True)


def _show(measure: Measure, *, hidden: bool) -> None:
    message = measure.message
    if message is None:
        return
    Message.objects.filter(pk=message.pk).update(hidden=hidden)
    if message.match is None:
        return
    heard = message.match.seats.all() if message.to_all else [one.seat for one in message.recipients.all()]
    push.said(message.match, message.pk, [seat.letter for seat in heard], watchers=message.watchers)


def _unlist(measure: Measure, name: str) -> None:
    match = _match(measure)
    if not match.listed:
        raise ImpossibleMeasure("This match is not on the list of open tables.")
    arbiter.unlist(match)
    measure.guest = _host(match) or measure.guest


def _close(measure: Measure, name: str) -> None:
    match = _match(measure)
    try:
        flow.close(match)
    except flow.Refused as refusal:
        raise ImpossibleMeasure(str(refusal)) from None
    measure.guest = measure.guest or _host(match)


def may_revoke(seat: Seat | None) -> bool:
    """Returns True if the seat, or its place in a league, has a link, or a guest holds the seat."""
    place = leagues.place_of(seat) if seat else None
    return seat is not None and bool(seat.link_hash or (place and place.link_hash) or seat.holds.exists())


def _revoke(measure: Measure, name: str) -> None:
    seat = measure.seat
    if seat is None or not may_revoke(seat):
        raise ImpossibleMeasure("There is no seat here that has a link.")
    holders = [hold.guest for hold in seat.holds.select_related("guest").order_by("pk")]
    if measure.guest not in holders:
        measure.guest = holders[0] if holders else None
    if not leagues.revoke(seat):
        arbiter.revoke(seat)


def _match(measure: Measure) -> Match:
    if measure.match is None:
        raise ImpossibleMeasure("The match no longer exists.")
    return measure.match


def _host(match: Match) -> Guest | None:
    hold = Hold.objects.filter(seat__match=match, seat__host=True).select_related("guest").first()
    return hold.guest if hold else None


DOES: dict[str, Callable[[Measure, str], None]] = {
    Kind.WARN: _needs_guest,
    Kind.RENAME: _rename,
    Kind.HIDE: _hide,
    Kind.MUTE: _needs_guest,
    Kind.UNLIST: _unlist,
    Kind.CLOSE: _close,
    Kind.REVOKE: _revoke,
    Kind.BAN: _ban,
}


# Names that were taken away


def bar_names(measure: Measure, names: Iterable[str], matches: Iterable[int]) -> None:
    """Bars names, unless reserved for all, in these matches (primary keys) and for the measure's guest."""
    codes = {code for name in names if name and not is_reserved(name) for code in _codes(name)}
    rows = [TakenName(measure=measure, match_id=match, code=code) for match in set(matches) for code in codes]
    if measure.guest:
        rows += [TakenName(measure=measure, guest=measure.guest, code=code) for code in codes]
    TakenName.objects.bulk_create(rows)


def is_taken_away(name: str, guest: Guest | None, table: int | None) -> bool:
    where = Q()
    if guest and guest.may_have(GuestFlag.MEASURES):
        where |= Q(guest=guest)
    if table:
        where |= Q(match=table)
    return bool(where) and TakenName.objects.filter(where, code__in=_codes(name)).exists()


def _codes(name: str) -> set[str]:
    return {hashlib.sha256(one.encode()).hexdigest() for one in skeletons(name)}


# Measures in force


def range_of(text: str) -> Network:
    """Parses an address or CIDR range (IPv6: at least a /56); raises ImpossibleMeasure, also if too wide."""
    network = parse_network(text)
    if network is None:
        raise ImpossibleMeasure("Type an address or a range such as 203.0.113.0/24 or 2001:db8::/48.")
    network = _counted(network)
    if network.prefixlen < WIDEST[network.version]:
        raise ImpossibleMeasure(f"{network} is too wide a range: /{WIDEST[network.version]} is the widest.")
    return network


def covers(network: str, address: str) -> bool:
    """Returns True if the range `network` contains `address`, which is a result of `limits.address`."""
    wide, one = parse_network(network), parse_network(address)
    if wide is None or one is None or wide.version != one.version:
        return False
    return one.subnet_of(_counted(wide))  # type: ignore[arg-type]


def _counted(network: Network) -> Network:
    if network.version == 6 and network.prefixlen > CONNECTION:
        return network.supernet(new_prefix=CONNECTION)
    return network


def comes_from(measure: Measure, address: str) -> bool:
    """Returns True if a measure covers the address, a result of `limits.address`."""
    if measure.network:
        return covers(measure.network, address)
    salt = measure.salt
    return salt is not None and traces.is_kept(salt) and measure.code == traces.code_of(salt, address)


_about_addresses = Prepared(
    lambda now: measures_in_force(now).exclude(network="", salt=None).select_related("salt"), datetime
)


def restriction_of(
    action: Action, guest: Guest | None, address: str, seat: int | None = None
) -> Restriction | None:
    """The restriction that ends last of those that forbid the action to guest, address or seat; or None."""
    now, kinds = timezone.now(), [Kind.BAN, Kind.MUTE] if action == Action.SAY else [Kind.BAN]
    found: dict[int, tuple[Measure, bool]] = {}
    if seat or (guest and guest.may_have(GuestFlag.MEASURES)):
        who = Q(guest=guest) if guest else Q(pk=None)
        if seat:
            who |= Q(guest__in=Hold.objects.filter(seat=seat).values("guest"))
        found = {one.pk: (one, True) for one in measures_in_force(now, kind__in=kinds).filter(who)}
    for one in _about_addresses.rows(now):
        if one.kind in kinds and one.pk not in found and comes_from(one, address):
            found[one.pk] = one, False
    if not found:
        return None
    longest, is_subject = max(
        found.values(), key=lambda one: (one[0].ends_at is None, one[0].ends_at or one[0].made_at, one[0].pk)
    )
    return Restriction(
        SAYS[longest.kind](), sentence_of(longest, is_subject), longest.ends_at, longest.get_absolute_url()
    )


def sentence_of(measure: Measure, is_subject: bool = True) -> str:
    """The reason (unless OTHER) and the moderator's words; neither for others at the guest's address."""
    if not is_subject and not measure.network:
        return _("Someone on your network is banned.")
    reason = f"{measure.get_reason_display()}." if measure.reason != Report.Reason.OTHER else ""
    return "\n".join(filter(None, (reason, measure.why)))


def unread(guest: Guest) -> list[Measure]:
    """A guest's measures that are not confirmed as read, oldest first, without those that are over."""
    if not guest.may_have(GuestFlag.MEASURES):
        return []
    rows = Measure.objects.filter(guest=guest, read_at=None).order_by("pk")
    return [one for one in rows if one.is_in_force or not one.lasting]


PERIODS = (
    ("1", "a day"),
    ("3", "3 days"),
    ("7", "a week"),
    ("30", "a month"),
    ("90", "3 months"),
    ("", "for good"),
)
"""The durations that moderators can choose: pairs of a number of days ("" for no end) and a label."""


def until(days: str) -> datetime | None:
    return timezone.now() + timedelta(days=int(days)) if days else None
