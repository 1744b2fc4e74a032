"""Changes of a league before its start: making it, taking places, adding bots."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.core import Game
from robosite.leagues.flow.league_lock import locked_league
from robosite.leagues.live import notify_pages
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches.flow import Refused, SeatLost, WrongInvite, listing
from robosite.matches.flow.sittings import chance, present_guest
from robosite.matches.link_secrets import hash_secret, new_secret
from robosite.matches.models import Seat
from robosite.people.models import Guest, GuestFlag
from robosite.people.names import clean_name, robot_name


@dataclass(frozen=True, slots=True)
class Made:
    """A new league, with the secret parts of its links; the database has only hashes of these secrets.

    `invite` is the secret of the invite, and `organiser_token` that of the organiser's link. `place` is the
    organiser's own place, and `token` the secret of the link to this place; both are None if the organiser
    does not play.
    """

    league: League
    invite: str
    organiser_token: str
    place: Place | None
    token: str | None


@dataclass(frozen=True, slots=True)
class TakenPlace:
    """A player's new place in a league, with the secret of the link to it; the database has only its hash."""

    place: Place
    secret: str


def create(
    name: str,
    game: Game,
    options: Any,
    organiser: str,
    *,
    plays: bool = True,
    names: Iterable[str] = (),
    bots: Iterable[str] = (),
    guest: Guest | None = None,
    kind: str = Seat.Kind.HUMAN,
    **terms: Any,
) -> Made:
    """Makes a league, with a place for each of `names` and `bots` and, if `plays`, for the organiser.

    `guest` organises it, or None; `organiser` is the name at their place. `bots` are keys, `terms` more
    columns. Raises RefusedName; also Refused if `guest` has too many open listed leagues.
    """
    invite, own = new_secret(), new_secret()
    with transaction.atomic():
        guest = present_guest(guest) if guest else None
        if guest and terms.get("listed"):
            check_room(guest.pk)
        league = League.objects.create(
            name=name,
            game_slug=game.slug,
            rules=game.rules,
            given_options=game.write_options(options),
            nonce=secrets.token_hex(32),
            invite_hash=hash_secret(invite),
            organiser_hash=hash_secret(own),
            organiser=guest,
            **{"zone": settings.TIME_ZONE, **terms},
        )
        taken = _new_place(league, organiser, guest, kind) if plays else None
        _write_names(league, [taken.place.name] if taken else [], names)
        for player in bots:
            _seat_bot(league, player)
    place, token = (taken.place, taken.secret) if taken else (None, None)
    return Made(league, invite, own, place, token)


def _write_names(league: League, known: list[str], names: Iterable[str]) -> None:
    """Makes an untaken place for each name; `known` are the names in use, to which the new ones are added."""
    for number, written in enumerate(names, 1 + len(known)):
        known.append(clean_name(written, known))
        Place.objects.create(league=league, number=number, name=known[-1])


def check_room(guest: int) -> None:
    """Raises Refused if a guest already organises the maximum number of open leagues that strangers may join.

    `guest` is a primary key. The caller must have locked the guest.
    """
    if League.objects.filter(organiser=guest, status=League.Status.OPEN, listed=True).count() >= listing.MOST:
        raise Refused(
            "You have {n} leagues already that strangers may join. Start one of them.", n=listing.MOST
        )


def invite_opens(league: League, invite: str) -> bool:
    return bool(league.invite_hash) and hash_secret(invite) == league.invite_hash


def join(
    league: League,
    name: str,
    *,
    invite: str | None = None,
    claims: int | None = None,
    guest: Guest | None = None,
    kind: str = Seat.Kind.HUMAN,
    once: bool = False,
) -> TakenPlace:
    """Takes a place in a league: a new one or, if `claims` is given, the untaken place with this number.

    An untaken place has a name already, and keeps this name if `name` is empty. `invite` is the secret of the
    invite; it can be None in a listed league, which strangers may join. `guest` is the guest who joins, or
    None, and `kind` is the kind of player (`Seat.Kind`). With `once`, the player joins for this season only.

    Raises WrongInvite if `invite` is not the current one, or is None in a league that is not listed. Raises
    RefusedName for a name that cannot be used. Raises Refused if the league has started or is full, if only
    programs may join, or if the guest has a place already. Also raises Refused if the place `claims` does not
    exist or is taken.
    """
    with locked_league(league.pk) as fresh:
        if not (invite is not None and invite_opens(fresh, invite)) and not (invite is None and fresh.listed):
            raise WrongInvite("This is not the current invite. Ask for a new link.")
        if fresh.status != League.Status.OPEN:
            raise Refused("It has started already, so nobody can join any more.")
        if fresh.for_programs and kind != Seat.Kind.PROGRAM:
            raise Refused("Only programs play here. They join over the API.")
        if guest and PlaceHold.objects.filter(guest=guest, place__league=fresh, place__gone=False).exists():
            raise Refused("You have a place here already.")
        more = {"stranger": invite is None, "once": once}
        if claims is not None:
            return _claimed(fresh, claims, name, guest, kind, **more)
        if fresh.places.filter(gone=False).count() >= fresh.most_places:
            raise Refused("All places are taken.")
        return _new_place(fresh, name, guest, kind, **more)


def _claimed(
    league: League, number: int, name: str, guest: Guest | None, kind: str, *, stranger: bool, once: bool
) -> TakenPlace:
    place = league.places.filter(number=number, gone=False).first()
    if place is None:
        raise Refused("There is no such place here.")
    if place.taken:
        raise Refused("Somebody has taken this place already.")
    others = names_in(league, without=place.pk)
    place.name = clean_name(name or place.name, others, guest=guest)
    place.stranger, place.once = stranger, once
    return _seated(place, guest, kind)


def _new_place(league: League, name: str, guest: Guest | None, kind: str, **more: bool) -> TakenPlace:
    name = clean_name(name, names_in(league), guest=guest)
    place = Place(league=league, number=_next_number(league), name=name, **more)
    return _seated(place, guest, kind)


def _next_number(league: League) -> int:
    last = league.places.order_by("number").last()
    return 1 + (last.number if last else 0)


def add_bot(league: League, player: str, organises: Callable[[League], bool]) -> None:
    """Adds the bot with the key `player` to a league before its start.

    `organises` is called with the locked league, and returns True if the caller may organise the league.
    Raises SeatLost if `organises` returns False, and Refused if the league has started or is full, or if the
    bot plays already.
    """
    with locked_league(league.pk) as fresh:
        if not organises(fresh):
            raise SeatLost
        if fresh.status != League.Status.OPEN:
            raise Refused("It has started already, so nobody can join any more.")
        if fresh.places.filter(gone=False, player=player).exists():
            raise Refused("This bot plays already. Choose another one.")
        if fresh.places.filter(gone=False).count() >= fresh.most_places:
            raise Refused("All places are taken.")
        _seat_bot(fresh, player)


def _seat_bot(league: League, player: str) -> None:
    name = robot_name(names_in(league), chance)
    bot = {"kind": Seat.Kind.BOT, "player": player, "taken_at": timezone.now()}
    Place.objects.create(league=league, number=_next_number(league), name=name, **bot)


def _seated(place: Place, guest: Guest | None, kind: str) -> TakenPlace:
    secret = new_secret()
    place.kind, place.taken_at, place.link_hash = kind, timezone.now(), hash_secret(secret)
    place.save()
    if guest:
        guest = present_guest(guest)
        PlaceHold.objects.create(place=place, guest=guest)
        guest.set_flag(GuestFlag.PLACES)
    notify_pages(place.league)
    return TakenPlace(place, secret)


def names_in(league: League, without: int = 0) -> list[str]:
    """Returns the names in a league, except the one at the place with the primary key `without`.

    Names that the organiser has written for places not taken yet are included. Places that were given up
    before the start, or not taken by then, are left out.
    """
    return list(league.places.filter(gone=False).exclude(pk=without).values_list("name", flat=True))


def new_invite(league: League) -> str:
    """Makes a new invite link to a league and returns the secret of the link; the old invite stops working.

    Raises Refused if the league has started.
    """
    with locked_league(league.pk) as fresh:
        if fresh.status != League.Status.OPEN:
            raise Refused("It has started already, so nobody can join any more.")
        invite = new_secret()
        fresh.invite_hash = hash_secret(invite)
        fresh.save(update_fields=["invite_hash"])
    league.invite_hash = fresh.invite_hash
    return invite
