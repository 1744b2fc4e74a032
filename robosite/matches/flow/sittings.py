"""The right to act for a seat: sitting down, holds, links, and the check of this right inside the lock."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from random import SystemRandom

from django.utils import timezone

from robosite.engine.prepared import Prepared
from robosite.matches import locks, reading
from robosite.matches.flow.errors import GuestGone, Refused, SeatLost
from robosite.matches.live import push
from robosite.matches.models import FormerHold, Hold, Match, MatchFlag, Replies, Seat
from robosite.matches.time import timekeeping
from robosite.people.models import Guest
from robosite.people.names import clean_name, kept_name, robot_name
from robosite.web.link_secrets import hash_secret, new_secret
from robosite.web.transactions import lock_rows

chance = SystemRandom()
_locked_guest = Prepared(lambda pk: lock_rows(Guest.objects.filter(pk=pk), no_key=True), int)


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat that was just taken, with the secret of its link; the database has only the secret's hash."""

    seat: Seat
    secret: str


def confirm_seat(seat: Seat, seats: Iterable[Seat] | None = None) -> None:
    """Reloads `seat` from the database; raises SeatLost if the caller may no longer play for the seat.

    Call it inside the match's lock, before anything is written for the seat. If its `sitting` has changed,
    the link or hold by which the request was admitted must still be valid. `seats`: the match's, just read.
    """
    if seats is None:
        fresh = reading.fresh_seat.first(seat.pk)
    else:
        fresh = next((one for one in seats if one.pk == seat.pk), None)
    if fresh is None or not fresh.taken or (fresh.sitting != seat.sitting and not _still_let_in(seat, fresh)):
        raise SeatLost
    for column in Seat._meta.concrete_fields:
        setattr(seat, column.attname, getattr(fresh, column.attname))


def _still_let_in(seat: Seat, fresh: Seat) -> bool:
    if seat.hold is None:
        return bool(seat.link_hash) and fresh.link_hash == seat.link_hash
    return Hold.objects.filter(pk=seat.hold.pk, guest=seat.hold.guest_id, seat=seat).exists()


def check_sits_once(match: Match, guest: Guest | None, kind: str) -> None:
    """Raises Refused if a program of the API would get a second seat in the match."""
    if kind == Seat.Kind.PROGRAM and Hold.objects.filter(guest=guest, seat__match=match).exists():
        raise Refused("This bot is already in this match.")


def name_at(match: Match, name: str, guest: Guest | None, others: Iterable[str] = ()) -> str:
    """The name that a guest wants in this match, checked and normalized; call it inside the lock."""
    if guest:
        guest = present_guest(guest)
    return clean_name(name, others, guest=guest, table=match.pk)


def name_kept(match: Match, seat: Seat, name: str, guest: Guest | None, others: Iterable[str] = ()) -> str:
    """The name for `seat`: `name` from elsewhere if allowed, else like “Player A”. Call it in the lock."""
    if guest:
        guest = present_guest(guest)
    return kept_name(name, seat.letter, others, guest=guest, table=match.pk)


def sit_down(
    match: Match,
    seat: Seat,
    name: str,
    guest: Guest | None,
    *,
    host: bool = False,
    kind: str = Seat.Kind.HUMAN,
    secret: str = "",
) -> Taken:
    """Gives the seat to a new player, with a new secret link. Call it inside the match's lock.

    If a person sits down, clears `opened_at` and `opened_by` of the match, for the caller to save.
    """
    secret = secret or new_secret()
    seat.name, seat.host, seat.kind, seat.taken_at = name, host, kind, timezone.now()
    seat.save()
    reseat(seat, link_hash=hash_secret(secret))
    if kind == Seat.Kind.HUMAN:
        match.opened_at, match.opened_by = None, ""  # whoever opened the link sits now, or comes again
    if guest:
        give_hold(match, seat, guest)
    return Taken(seat, secret)


def reseat(seat: Seat, *, link_hash: str, keep: Collection[int] = ()) -> None:
    """Changes a seat's link and ends all holds on it except those of guests in `keep` (primary keys).

    An offer to hand the seat over ends. If the seat is taken, guests whose holds end become former holders,
    and their holidays stay with the seat. Call it inside the match's lock.
    """
    before, seat.sitting, seat.link_hash, seat.offer_hash = seat.sitting, seat.sitting + 1, link_hash, ""
    seat.save(update_fields=["sitting", "link_hash", "offer_hash"])
    holds = Hold.every.filter(seat=seat)
    holds.filter(sitting=before, guest__in=keep).update(sitting=seat.sitting)
    lost = holds.exclude(sitting=seat.sitting)
    if seat.taken_at:
        guests = list(lost.filter(sitting=before).values_list("guest", flat=True))
        for guest in guests:
            FormerHold.objects.get_or_create(seat=seat, guest_id=guest, sat_at=seat.taken_at)
        if taken := timekeeping.holidays_until(timezone.now(), guests):
            seat.holidays_taken = [*(seat.holidays_taken or ()), *taken]
            seat.save(update_fields=["holidays_taken"])
    lost.delete()


def give_hold(match: Match, seat: Seat, guest: Guest, *, seen_turn: int = 0) -> Guest:
    """Gives a hold to a guest, or the one they merged into, who is returned. Call it in the match's lock."""
    guest = present_guest(guest)
    Hold.every.update_or_create(
        seat=seat,
        guest=guest,
        defaults={"sitting": seat.sitting},
        create_defaults={"sitting": seat.sitting, "seen_turn": seen_turn},
    )
    push.seated(guest.pk, seat.pk)
    if guest.holidays.filter(ends__gt=timezone.now()).exists():
        match.set_flag(MatchFlag.HOLIDAYS)
    return guest


def move_holds(gone: Guest, guest: Guest) -> None:
    """Moves all holds of `gone` to `guest`, since both are one person.

    Locks the matches in order of primary keys, then both guests, so `gone` gets no seat meanwhile.
    """
    keys: set[int] = set()
    while missing := set(Hold.every.filter(guest=gone).values_list("seat__match", flat=True)) - keys:
        keys |= missing
        with locks.all_locked(keys):
            list(lock_rows(Guest.objects.filter(pk__in=(gone.pk, guest.pk)), no_key=True))
            _move_some(gone, guest, keys)


def _move_some(gone: Guest, guest: Guest, keys: set[int]) -> None:
    moving = Hold.every.filter(guest=gone, seat__match__in=keys)
    for seat in moving.values_list("seat", flat=True):
        push.seated(guest.pk, seat)
    own = {hold.seat_id: hold for hold in Hold.every.filter(guest=guest, seat__match__in=keys)}
    both = [(hold, own[hold.seat_id]) for hold in moving.filter(seat__in=own)]
    for hold, other in both:
        other.sitting = max(other.sitting, hold.sitting)  # an older sitting's hold counts for nothing
        other.seen_turn = max(other.seen_turn, hold.seen_turn)
    Hold.every.bulk_update([other for _hold, other in both], ["sitting", "seen_turn"])
    moving.filter(seat__in=own).delete()
    moving.update(guest=guest)


def note_addressed(seats: Iterable[Seat]) -> None:
    first = [seat.pk for seat in seats if not seat.addressed]
    if first:
        Seat.objects.filter(pk__in=first).update(addressed=True)


def present_guest(guest: Guest) -> Guest:
    """Locks the row of a guest, or of the one they merged into; raises GuestGone if that was erased."""
    found = _locked_guest.first(guest.pk)
    if found is not None and found.became_id:
        found = _locked_guest.first(found.became_id)
    if found is None or found.leaving_at:
        raise GuestGone(f"guest {guest.pk} was forgotten meanwhile")
    return found


def present_guests(guests: Collection[int]) -> dict[int, int]:
    """Locks guests and those they merged into; returns present primary keys by given ones, unless erased."""
    became = dict(Guest.objects.filter(pk__in=guests).values_list("pk", "became"))
    rows = lock_rows(Guest.objects.filter(pk__in={*became, *became.values()} - {None}), no_key=True)
    found = {guest.pk: guest for guest in rows}
    now = {pk: guest.became_id or pk for pk, guest in found.items() if pk in became}
    return {pk: one for pk, one in now.items() if one in found and not found[one].leaving_at}


def sit_bot_down(match: Match, at: str, player: str, name: str = "") -> None:
    """Seats a bot on the seat `at`, without a link, so that nobody can act for it; call it in the lock."""
    seat = match.seats.get(letter=at)
    others = [other.name for other in match.seats.all() if other.taken]
    seat.name = name or robot_name(others, chance)
    seat.kind, seat.player, seat.taken_at = Seat.Kind.BOT, player, timezone.now()
    seat.save()
    reseat(seat, link_hash="")


def vacate(seat: Seat) -> None:
    """Frees the seat before the start, without name, programs, requests; call it inside the lock."""
    seat.taken_at = None  # before `reseat`, so that nobody who held the seat may ask for it first
    seat.holidays_taken = None
    reseat(seat, link_hash="")
    seat.askings.all().delete()
    seat.programs.all().delete()
    Replies.objects.filter(seat=seat).delete()
    seat.name, seat.host, seat.draw_turn = "", False, None
    seat.kind, seat.player, seat.passed_at, seat.passed_turn = Seat.Kind.HUMAN, "", None, None
    seat.stranger_from = ""
    seat.save()
