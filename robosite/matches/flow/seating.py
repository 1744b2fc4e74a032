"""Creating a match, sitting down, leaving a seat, and making new links and invites."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypedDict, Unpack

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games import newest
from games.core import Game, Setup, seat_letters
from games.core import Seat as Letter
from robosite.matches import locks
from robosite.matches.flow import sittings
from robosite.matches.flow.errors import Refused, SeatLost, WrongInvite, or_lost
from robosite.matches.flow.lock import give_time_back, locked_match, locked_seat, save
from robosite.matches.flow.lost_seats import note_handover
from robosite.matches.flow.orders import unseal, write
from robosite.matches.flow.origins import note_stranger
from robosite.matches.flow.series import (
    begin,
    create_next_match,
    facts_of_next,
    is_under_way,
    leave_series,
    may_follow,
    next_seat,
    seats_moved,
    terms_of_next,
)
from robosite.matches.flow.standing import draft_of, letters_to_act
from robosite.matches.flow.turn import abort, mark_changed
from robosite.matches.live import push
from robosite.matches.models import Match, MatchFlag, Program, Seat
from robosite.matches.seals import Secret
from robosite.people.look_alikes import is_reserved
from robosite.people.models import Guest
from robosite.people.names import player_name
from robosite.people.shares import NOWHERE, Origin
from robosite.web.link_secrets import hash_secret, new_secret, opens


class Terms(TypedDict, total=False):
    """The terms of a match besides its game and options: fields of Match. A `zone` of "" is the site's."""

    deadline_hours: float | None
    reserve_hours: float
    reveal_at: dict[str, Any] | None
    late: str
    listed: bool
    listed_from: str
    watched: bool
    weekends_off: bool
    zone: str
    rematch_of: Match | None
    flags: int
    series: dict[str, Any] | None
    lane: int
    """The lane of the bots' queue for the creator's address (`people/shares.py`)."""


def create(
    game: Game,
    options: Any,
    seats: int,
    name: str,
    *,
    wish: Mapping[str, Any] | None = None,
    at: str = "A",
    bots: Mapping[str, str] | None = None,
    guest: Guest | None = None,
    kind: str = Seat.Kind.HUMAN,
    setup: Setup | None = None,
    **terms: Unpack[Terms],
) -> tuple[Match, sittings.Taken, str]:
    """Creates a match and seats its creator; returns the match, the creator's seat, and the invite's secret.

    `at` is the creator's letter or "random"; `bots` maps letters to keys of bots that sit down there: if no
    seat is then free, the match begins. Without a `setup`, one is drawn, with the creator's decisions in
    `wish`. Raises RefusedName or IllegalOption.
    """
    game.check_seats(options, seats)
    setup = setup or game.draw(options, seats, sittings.chance, dict(wish or {}))
    invite = new_secret()
    if terms.get("deadline_hours") is not None:
        give_time_back(timezone.now())
    with transaction.atomic():
        match = Match.objects.create(
            game_slug=game.slug,
            rules=game.rules,
            given_options=game.write_options(options),
            setup=setup,
            invite_hash=hash_secret(invite),
            **{**terms, "zone": terms.get("zone") or settings.TIME_ZONE},
            listed_at=timezone.now() if terms.get("listed") else None,
        )
        with locks.inside(match.pk):  # nobody else can see it yet
            Seat.objects.bulk_create([Seat(match=match, letter=letter) for letter in seat_letters(seats)])
            taken = _sit_first(match, name, guest, at=at, bots=bots or {}, kind=kind)
    return match, taken, invite


def _sit_first(
    match: Match, name: str, guest: Guest | None, *, at: str, bots: Mapping[str, str], kind: str
) -> sittings.Taken:
    seats = {seat.letter: seat for seat in match.seats.all()}
    free = [letter for letter in seats if letter not in bots]
    own = seats[sittings.chance.choice(free) if at == "random" else at]
    before = match.rematch_of
    name = sittings.name_kept(match, own, name, guest) if before else sittings.name_at(match, name, guest)
    taken = sittings.sit_down(match, own, name, guest, host=True, kind=kind)
    for other, player in bots.items():
        sittings.sit_bot_down(match, other, player)
    if bots:
        begin(match)
        save(match)
    else:
        match.to_act = letters_to_act(match)
        match.save(update_fields=["to_act"])
    return taken


def rematch(
    match: Match,
    seat: Seat,
    guest: Guest | None,
    lane: int = 0,
    *,
    kind: str = Seat.Kind.HUMAN,
    another: Game | None = None,
    more_flags: int = 0,
) -> tuple[Match, sittings.Taken, str] | None:
    """Creates a rematch, in which everybody sits one seat further; None if `match` has one already.

    Returns what `create` returns. The player of `seat` and all bots sit down; the other seats are kept for
    the others (`kept_for`). In a series that goes on, with all its players there, everybody sits down at
    once, and the invite's secret is "". `another` is another game, played in its first preset.
    """
    with locks.locked(match.pk) as before:
        sittings.confirm_seat(seat)
        if not may_follow(before):
            raise Refused("You can ask for a rematch once this match is over.")
        if Match.objects.filter(rematch_of=before).exists():
            return None
        if another and is_under_way(before):
            raise Refused("Your series with them is still running. Finish it first.")
        following = _follow(before, seat) if is_under_way(before) else None
        following = following or _ask_again(before, seat, guest, lane, kind, another, more_flags)
        mark_changed(before)
        save(before)
    return following


def _follow(before: Match, seat: Seat) -> tuple[Match, sittings.Taken, str] | None:
    everybody = create_next_match(before)
    if everybody is None:
        return None
    taken = everybody[next_seat(seat.letter, before.seats.count())]
    return taken.seat.match, taken, ""


def _ask_again(
    before: Match,
    seat: Seat,
    guest: Guest | None,
    lane: int,
    kind: str,
    another: Game | None,
    more_flags: int,
) -> tuple[Match, sittings.Taken, str]:
    """Creates a rematch in which the player of `seat` and the bots sit; the other seats are kept."""
    seats, terms = before.seats.count(), terms_of_next(before)
    terms["flags"] |= more_flags
    following = create(
        another or newest(before.game_slug),
        another.read_options(_usual(another, seats)) if another else before.options,
        seats,
        seat.name,
        at=next_seat(seat.letter, seats),
        setup=before.setup if is_under_way(before) else None,
        series=None if another else facts_of_next(before),
        guest=guest,
        kind=kind,
        lane=lane,
        **terms,
    )
    bots = before.seats.filter(kind=Seat.Kind.BOT)
    with locks.inside(following[0].pk):
        for bot in bots:
            sittings.sit_bot_down(following[0], next_seat(bot.letter, seats), bot.player, bot.name)
        if bots:
            begin(following[0])
            save(following[0])
    return following


@contextmanager
def invited_from(seat: Seat) -> Iterator[Match]:
    """Locks and yields a finished match of two, whose other player the caller invites to a new match.

    The new match must have this one as its `rematch_of`. Raises SeatLost, or Refused if there can be none.
    """
    with locks.locked(seat.match_id) as before:
        sittings.confirm_seat(seat)
        there = Match.objects.filter(rematch_of=before).exists()
        if there or before.status != Match.Status.OVER or is_under_way(before):
            raise Refused("This match already has a rematch. Look at that one first.")
        yield before
        mark_changed(before)
        save(before)


def _usual(game: Game, seats: int) -> Mapping[str, Any]:
    preset = next(iter(game.presets.values()))
    if seats not in preset.seats:
        raise Refused("{game} isn’t for {n} players.", game=game.name, n=seats)
    return preset.options


def kept_for(match: Match) -> dict[Letter, str]:
    """The names of the players for whom an open rematch keeps its seats, by seat, taken or not; else {}."""
    before = match.rematch_of
    if before is None or match.status != Match.Status.OPEN:
        return {}
    seats = list(before.seats.all())
    return {next_seat(seat.letter, len(seats), seats_moved(match)): seat.name for seat in seats}


def join(
    match: Match,
    name: str,
    *,
    invite: str | None = None,
    at: str | None = None,
    guest: Guest | None = None,
    kind: str = Seat.Kind.HUMAN,
    is_asked: Callable[[Match], bool] | None = None,
    origin: Origin = NOWHERE,
) -> sittings.Taken:
    """Seats a new player on the seat `at`, or on the first free one.

    They need the secret of the present invite, an open table, or True from `is_asked`, called with the locked
    match. Raises WrongInvite or RefusedName.
    """
    with locked_match(match) as fresh:
        asked = invite is not None and opens(invite, fresh.invite_hash)
        wanted = not asked and invite is None and is_asked is not None and is_asked(fresh)
        stranger = not asked and not wanted
        if stranger and not (invite is None and fresh.needs_no_invite):
            raise WrongInvite("That isn’t the current invite to this match. Ask for a new link.")
        if fresh.status != Match.Status.OPEN:
            raise Refused("All seats in this match are taken.")
        free = [seat for seat in fresh.seats.all() if not seat.taken and at in (None, seat.letter)]
        if not free:
            raise Refused("Seat {at} is already taken.", at=at)
        sittings.check_sits_once(fresh, guest, kind)
        others = [seat.name for seat in fresh.seats.all() if seat.taken]
        taken = sittings.sit_down(
            fresh, free[0], sittings.name_at(fresh, name, guest, others), guest, kind=kind
        )
        if stranger:
            note_stranger(taken.seat, origin)
            fresh.set_flag(MatchFlag.STRANGERS)
        leave_series(fresh)
        mark_changed(fresh)
        begin(fresh)
    return taken


def rejoin(match: Match, seat: Seat, guest: Guest | None, *, kind: str = Seat.Kind.HUMAN) -> sittings.Taken:
    """Seats the player of `seat`, in the match before, on the seat of the rematch that is kept for them."""
    before = match.rematch_of
    if before is None or seat.match_id != before.pk:
        raise Refused("This isn’t a rematch of that match.")
    with locks.locked(before.pk), locked_match(match) as after:  # in the order of their keys
        sittings.confirm_seat(seat)
        meant = next_seat(seat.letter, before.seats.count(), seats_moved(after))
        own = after.seats.get(letter=meant)
        if after.status != Match.Status.OPEN or own.taken:
            raise Refused("Seat {at} is already taken.", at=str(meant))
        sittings.check_sits_once(after, guest, kind)
        others = [other.name for other in after.seats.all() if other.taken]
        name = sittings.name_kept(after, own, seat.name, guest, others)
        taken = sittings.sit_down(after, own, name, guest, kind=kind)
        mark_changed(after)
        begin(after)
    return taken


def take(secret: str, guest_of: Callable[[str], Guest]) -> tuple[sittings.Taken, Guest]:
    """Gives the guest from `guest_of(name)` a hold on the seat of a link; returns both. Raises SeatLost."""
    link = hash_secret(secret)
    seat = or_lost(Seat.objects.select_related("match").filter(link_hash=link).first())
    with locked_seat(seat) as match:
        if seat.link_hash != link:
            raise SeatLost
        guest = sittings.give_hold(match, seat, guest_of(seat.name), seen_turn=max(match.turn - 1, 0))
    return sittings.Taken(seat, secret), guest


def add_bot(host: Seat, at: str, player: str) -> None:
    with locked_match(host.match) as match:
        _may_seat_bots(match, host)
        if match.seats.get(letter=at).taken:
            raise Refused("Seat {at} is already taken.", at=at)
        sittings.sit_bot_down(match, at, player)
        mark_changed(match)
        begin(match)


def remove_bot(host: Seat, at: str) -> None:
    with locked_match(host.match) as match:
        _may_seat_bots(match, host)
        seat = match.seats.get(letter=at)
        if not seat.is_bot:
            raise Refused("There’s no bot in seat {at}.", at=at)
        sittings.vacate(seat)
        mark_changed(match)


def _may_seat_bots(match: Match, host: Seat) -> None:
    sittings.confirm_seat(host)
    if not host.host:
        raise Refused("Only the creator of the match can add bots.")
    if match.status != Match.Status.OPEN:
        raise Refused("All seats in this match are taken.")


def note_opened(match: Match, name: str) -> None:
    """Stores that a visitor with this name, or "", has opened the invite, for the creator's page to show."""
    with locked_match(match) as fresh:
        if fresh.status == Match.Status.OPEN and (fresh.opened_at is None or fresh.opened_by != name):
            fresh.opened_at = timezone.now()
            fresh.opened_by = name
            mark_changed(fresh)


def new_invite(seat: Seat) -> str:
    """Replaces the invite, for the creator, before the start; returns the secret of the new one."""
    with locked_seat(seat) as match:
        if not seat.host or match.status != Match.Status.OPEN:
            raise Refused("Only the creator of the match can create a new invite, while a seat is free.")
        invite = new_secret()
        match.invite_hash = hash_secret(invite)
        match.save(update_fields=["invite_hash"])
    return invite


def new_link(seat: Seat, guest: Guest) -> str:
    """Makes a new secret link to the seat, and returns the secret; others' holds and requests for it end."""
    with locked_seat(seat) as match:
        if match.is_binding:
            raise Refused("This seat uses your spot link. Create a new one on the league’s page.")
        secret = new_secret()
        sittings.reseat(seat, link_hash=hash_secret(secret), keep=[sittings.present_guest(guest).pk])
        if seat.askings.all().delete()[0]:  # who makes a link is there
            note_handover(match)
            mark_changed(match)
    push.seat_changed(seat)
    return secret


def leave(seat: Seat) -> None:
    with locked_seat(seat) as match:
        if match.status != Match.Status.OPEN:
            raise Refused("The match has begun. You can resign instead.")
        give_up(match, seat)


def give_up(match: Match, seat: Seat) -> None:
    """Frees the seat, inside the lock; another person becomes creator, or the match is called off."""
    hosted = seat.host
    sittings.vacate(seat)
    mark_changed(match)
    people = [other for other in match.seats.all() if other.taken and not other.is_bot]
    if not people:
        abort(match)
    elif hosted:
        heir = people[0]
        heir.host = True
        heir.save(update_fields=["host"])


def cancel_before_start(seat: Seat) -> None:
    with locked_seat(seat) as match:
        if not seat.host:
            raise Refused("Only the creator of the match can cancel it.")
        if match.status != Match.Status.OPEN:
            raise Refused("The match has begun. You can resign instead.")
        abort(match)


def begin_with_seats(match: Match, taken: list[Seat], setup: Setup) -> None:
    """Begins the match with only the seats in `taken`, which get the letters from A on.

    All others are deleted, and sealed orders become drafts again. Call it inside the match's lock.
    """
    unseal(Program.objects.filter(seat__match=match))
    drafts = {seat.pk: draft_of(match, seat) for seat in taken}
    match.seats.exclude(pk__in=drafts).delete()
    leave_series(match)
    match.setup = setup
    for seat, letter in zip(taken, seat_letters(len(taken)), strict=True):
        if seat.letter == letter:
            continue
        seat.was, seat.letter = seat.letter, letter
        if is_reserved(seat.name):  # “Player C”, by a moderator
            seat.name = player_name(letter, [other.name for other in taken if other.pk != seat.pk])
        seat.save(update_fields=["letter", "was", "name"])
        for program in Program.objects.filter(seat=seat):  # what is kept is bound to the seat's letter
            write(match, seat, program, Secret(drafts[seat.pk]))
    mark_changed(match)
    begin(match)
