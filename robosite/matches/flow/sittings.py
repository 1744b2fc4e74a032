"""The right to act for a seat: sitting down, holds, links, and the check of this right inside the lock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from random import SystemRandom

from django.utils import timezone

from robosite.engine.prepared import Prepared
from robosite.matches import locks, reading
from robosite.matches.flow.errors import GuestGone, Refused, SeatLost
from robosite.matches.link_secrets import hash_secret, new_secret
from robosite.matches.live import push
from robosite.matches.models import FormerHold, Hold, Match, MatchFlag, Replies, Seat
from robosite.people.models import Guest
from robosite.people.names import clean_name, kept_name, robot_name
from robosite.web.locking import lock_rows

chance = SystemRandom()
_locked_guest = Prepared(lambda pk: lock_rows(Guest.objects.filter(pk=pk), no_key=True), int)


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat that was just taken, with the secret of its link; the database has only the secret's hash."""

    seat: Seat
    secret: str


def confirm_seat(seat: Seat, seats: Iterable[Seat] | None = None) -> None:
    """Reloads `seat` from the database; raises SeatLost if the caller may no longer play for the seat.

    Must be called inside the match's lock, before anything is written for the seat. The caller may play if
    the seat still has the same `sitting` (a number that rises with each new player or link). Otherwise, the
    link or hold (`Seat.hold`) by which the request was admitted must still be valid. `seats` are the match's
    seats, if the caller has just read them.
    """
    fresh = (
        reading.fresh_seat(seat.pk) if seats is None else next((s for s in seats if s.pk == seat.pk), None)
    )
    if fresh is None or not fresh.taken or (fresh.sitting != seat.sitting and not _still_let_in(seat, fresh)):
        raise SeatLost
    for column in Seat._meta.concrete_fields:
        setattr(seat, column.attname, getattr(fresh, column.attname))


def _still_let_in(seat: Seat, fresh: Seat) -> bool:
    if seat.hold is None:
        return bool(seat.link_hash) and fresh.link_hash == seat.link_hash
    return Hold.objects.filter(pk=seat.hold.pk, guest=seat.hold.guest_id, seat=seat).exists()


def check_sits_once(match: Match, guest: Guest | None, kind: str) -> None:
    """Raises Refused if a program of the API would get a second seat in the match.

    `kind` is the kind of the new seat (`Seat.Kind`). If it is not PROGRAM, nothing is checked, since people
    may have several seats in a match. Must be called inside the match's lock.
    """
    if kind == Seat.Kind.PROGRAM and Hold.objects.filter(guest=guest, seat__match=match).exists():
        raise Refused("This program sits at this table already.")


def name_at(match: Match, name: str, guest: Guest | None, others: Iterable[str] = ()) -> str:
    """Checks the name that a guest wants in this match, and returns the name in normalized form.

    `others` are the other names in the match. Raises RefusedName if the name is not allowed. Must be called
    inside the match's lock.
    """
    if guest:
        guest = present_guest(guest)
    return clean_name(name, others, guest=guest, table=match.pk)


def name_kept(match: Match, seat: Seat, name: str, guest: Guest | None, others: Iterable[str] = ()) -> str:
    """Returns the name on `seat` of a player who is called `name` in another match or a competition.

    The result is `name`, or a name given by the site if `name` is refused in this match. `others` are the
    names of the other players in the match. Must be called inside the match's lock.
    """
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
    """Gives the seat to a new player, with a new secret link. Must be called inside the match's lock.

    `guest` may then play for the seat, unless it is None. `host` is True for the match's creator. `kind` is
    the kind of player, a value of Seat.Kind. `secret` is the secret of the new link; "" for a random one.
    The note that somebody has opened the invite is deleted for the caller to save, unless a bot sits down.
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
    """Changes a seat's link and ends the right to play for it (hold) of all guests except those in `keep`.

    `link_hash` is the hash of the new link's secret; "" for no link. `keep` are primary keys. If the seat is
    taken, guests whose holds end become former holders (FormerHold). Must be called inside the match's lock.
    """
    before, seat.sitting, seat.link_hash = seat.sitting, seat.sitting + 1, link_hash
    seat.save(update_fields=["sitting", "link_hash"])
    holds = Hold.every.filter(seat=seat)
    holds.filter(sitting=before, guest__in=keep).update(sitting=seat.sitting)
    lost = holds.exclude(sitting=seat.sitting)
    if seat.taken_at:
        for guest in lost.filter(sitting=before).values_list("guest", flat=True):
            FormerHold.objects.get_or_create(seat=seat, guest_id=guest, sat_at=seat.taken_at)
    lost.delete()


def give_hold(match: Match, seat: Seat, guest: Guest, *, seen_turn: int = 0) -> Guest:
    """Gives a guest the right to play for a seat (a hold). Must be called inside the match's lock.

    If `guest` was merged with another guest, the other guest gets the hold instead. Returns the guest who got
    the hold. Raises GuestGone, and gives no hold, if that guest's data were erased. In a new hold, the first
    `seen_turn` turns count as seen.
    """
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
    """Moves all seats that `gone` may play for to `guest`, since both are one person.

    Locks the matches in the order of their primary keys, then both guests, so that `gone` gets no seat
    meanwhile.
    """
    keys: set[int] = set()
    while missing := set(Hold.every.filter(guest=gone).values_list("seat__match", flat=True)) - keys:
        keys |= missing
        with locks.all_locked(keys):
            list(lock_rows(Guest.objects.filter(pk__in=(gone.pk, guest.pk)), no_key=True))
            for hold in Hold.every.filter(guest=gone, seat__match__in=keys):
                _move_hold(hold, guest)
                push.seated(guest.pk, hold.seat_id)


def _move_hold(hold: Hold, guest: Guest) -> None:
    other = Hold.every.filter(guest=guest, seat=hold.seat_id).first()
    if other is None:
        Hold.every.filter(pk=hold.pk).update(guest=guest)
        return
    newest = max(other.sitting, hold.sitting)  # a hold of an older sitting counts for nothing, here neither
    Hold.every.filter(pk=other.pk).update(sitting=newest, seen_turn=max(other.seen_turn, hold.seen_turn))
    hold.delete()


def note_addressed(seats: Iterable[Seat]) -> None:
    """Sets `addressed` on these seats, since messages were written to them.

    Unread messages are queried only for seats with `addressed` set. Must be called inside the match's lock.
    """
    first = [seat.pk for seat in seats if not seat.addressed]
    if first:
        Seat.objects.filter(pk__in=first).update(addressed=True)


def present_guest(guest: Guest) -> Guest:
    """Locks a guest's row, and returns the guest as stored in it.

    If `guest` was merged with another guest, locks and returns the other guest instead. Raises GuestGone if
    the data of the guest to be returned were erased.
    """
    found = _locked_guest.first(guest.pk)
    if found is not None and found.became_id:
        found = _locked_guest.first(found.became_id)
    if found is None or found.leaving_at:
        raise GuestGone(f"guest {guest.pk} was forgotten meanwhile")
    return found


def sit_bot_down(match: Match, at: str, player: str, name: str = "") -> None:
    """Seats a bot on the seat `at`, without a link, so that nobody can act for the seat.

    `player` is the bot's key. Without a `name`, the bot gets a random robot's name. Must be called inside the
    match's lock.
    """
    seat = match.seats.get(letter=at)
    others = [other.name for other in match.seats.all() if other.taken]
    seat.name = name or robot_name(others, chance)
    seat.kind, seat.player, seat.taken_at = Seat.Kind.BOT, player, timezone.now()
    seat.save()
    reseat(seat, link_hash="")


def vacate(seat: Seat) -> None:
    """Frees the seat, and erases its name, its programs, its planned replies and all requests for it.

    Must be called inside the match's lock, before the match begins.
    """
    seat.taken_at = None  # before `reseat`, so that nobody who held the seat may ask for it first
    reseat(seat, link_hash="")
    seat.askings.all().delete()
    seat.programs.all().delete()
    Replies.objects.filter(seat=seat).delete()
    seat.name, seat.host, seat.draw_turn = "", False, None
    seat.kind, seat.player, seat.passed_at, seat.passed_turn = Seat.Kind.HUMAN, "", None, None
    seat.save()
