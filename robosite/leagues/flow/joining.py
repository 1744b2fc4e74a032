"""Changes of a league before its start: making it, taking places, adding bots."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.core import Game
from robosite.leagues import seasons
from robosite.leagues.flow.league_lock import May, locked_league, notify_pages
from robosite.leagues.models import League, Place, PlaceHold, Waiting
from robosite.matches.flow import Refused, WrongInvite
from robosite.matches.flow.origins import MOST_LISTED, MOST_UNSEALED
from robosite.matches.flow.sittings import chance, present_guest
from robosite.matches.models import Seat
from robosite.people.models import Guest, GuestFlag
from robosite.people.names import clean_name, robot_name
from robosite.people.shares import NOWHERE, Origin
from robosite.web.bounds import PLAYERS
from robosite.web.link_secrets import hash_secret, new_secret, opens
from robosite.web.transactions import lock_name


@dataclass(frozen=True, slots=True)
class Made:
    """A new league, with the secret parts of its links; the database has only hashes of these secrets.

    `place`, and `token`, the secret of its link, are None if the organiser does not play.
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
    origin: Origin = NOWHERE,
    **terms: Any,
) -> Made:
    """Makes a league, with a place for each of `names` and `bots` and, if `plays`, for the organiser."""
    invite, own = new_secret(), new_secret()
    with transaction.atomic():
        guest = present_guest(guest) if guest else None
        if terms.get("listed"):
            check_room(guest.pk if guest else None, origin)
            terms["listed_from"] = origin.key
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
        taken = _new_place(league, organiser, guest, kind, organises=True) if plays else None
        if taken:
            league.organiser_place = taken.place.number
            league.save(update_fields=["organiser_place"])
        _fill(league, [taken.place.name] if taken else [], names, bots)
    place, token = (taken.place, taken.secret) if taken else (None, None)
    return Made(league, invite, own, place, token)


def _fill(league: League, known: list[str], names: Iterable[str], bots: Iterable[str]) -> None:
    for number, written in enumerate(names, 1 + len(known)):
        known.append(clean_name(written, known))
        Place.objects.create(league=league, number=number, name=known[-1])
    for player in bots:
        _seat_bot(league, player)


def check_room(guest: int | None, origin: Origin = NOWHERE) -> None:
    """Raises Refused if the guest, or the address, has MOST_LISTED open leagues that strangers may join.

    `guest` is the primary key of a locked guest. The address of `origin` is locked here.
    """
    listed = League.objects.filter(status=League.Status.OPEN, listed=True)
    if origin != NOWHERE:
        lock_name(f"origin {origin.key}")
    own = guest is not None and listed.filter(organiser=guest).count() >= MOST_LISTED
    if own or (origin != NOWHERE and listed.filter(listed_from=origin.key).count() >= MOST_LISTED):
        text = "Your network already has {n} leagues open to strangers. One of them has to start first."
        raise Refused(text, n=MOST_LISTED)


def _check_stranger(origin: Origin) -> None:
    if origin == NOWHERE:
        return
    lock_name(f"origin {origin.key}")
    waiting = Place.objects.filter(
        stranger_from=origin.share, league__status=League.Status.OPEN, gone=False, left_at=None
    )
    own = waiting.filter(holders__guest=origin.guest) if origin.guest else waiting
    if own.count() >= MOST_UNSEALED or waiting.count() >= MOST_UNSEALED * PLAYERS:
        text = (
            "You or others on your network are already waiting in {n} leagues of strangers. One of "
            "them has to start first."
        )
        raise Refused(text, n=MOST_UNSEALED)


def join(
    league: League,
    name: str,
    *,
    invite: str | None = None,
    claims: int | None = None,
    guest: Guest | None = None,
    kind: str = Seat.Kind.HUMAN,
    once: bool = False,
    origin: Origin = NOWHERE,
) -> TakenPlace:
    """Takes a place in a league: a new one or, if `claims` is given, the untaken place with this number.

    An untaken place keeps its name if `name` is empty. `invite` is None for a guest who waits for the season,
    and for strangers, whom only a listed league takes. With `once`, the player joins for this season only.
    Raises WrongInvite, RefusedName, or Refused if the league has started or is full, the place is taken, or
    the guest has one already.
    """
    with locked_league(league.pk) as fresh:
        waits = guest is not None and invite is None and fresh.waiting.filter(guest=guest).exists()
        invited = waits or (invite is not None and opens(invite, fresh.invite_hash))
        if not invited and not (invite is None and fresh.listed):
            raise WrongInvite("This isn’t the current invite. Ask for a new link.")
        if fresh.status != League.Status.OPEN:
            raise Refused("It has already started, so no one can join any more.")
        if fresh.for_programs and kind != Seat.Kind.PROGRAM:
            raise Refused("Only API bots play here. They join through the API.")
        if guest and PlaceHold.objects.filter(guest=guest, place__league=fresh, place__gone=False).exists():
            raise Refused("You already have a spot here.")
        more: dict[str, Any] = {"stranger": not invited, "once": once}
        if not invited:
            _check_stranger(origin)
            more["stranger_from"] = origin.share
        if claims is not None:
            return _claimed(fresh, claims, name, guest, kind, **more)
        if fresh.places.filter(gone=False).count() >= fresh.most_places:
            raise Refused("All spots are taken.")
        return _new_place(fresh, name, guest, kind, **more)


MOST_WAITING = 32
"""The most guests who may wait for the next season of a league."""


def wait(league: League, invite: str, guest: Guest) -> League:
    """Stores that a guest who has opened the invite after the start waits for the next season.

    Returns the newest season: the one that they may join if it has not started, else the one before theirs.
    """
    with seasons.all_locked(league.pk) as known:
        fresh, newest = next(one for one in known if one.pk == league.pk), known[-1]
        if not opens(invite, fresh.invite_hash) or fresh.status == League.Status.OPEN or fresh.for_programs:
            raise WrongInvite("This isn’t the current invite. Ask for a new link.")
        if PlaceHold.objects.filter(guest=guest, place__league=newest, place__gone=False).exists():
            raise Refused("You already have a spot here.")
        if newest.waiting.count() >= MOST_WAITING:
            raise Refused("Too many are waiting already. Ask the organiser.")
        guest = present_guest(guest)
        Waiting.objects.get_or_create(league=newest, guest=guest)
        guest.set_flag(GuestFlag.PLACES | GuestFlag.WAITS)
    return newest


def stop_waiting(league: League, guest: Guest) -> bool:
    return bool(league.waiting.filter(guest=guest).delete()[0])


def _claimed(
    league: League, number: int, name: str, guest: Guest | None, kind: str, **more: Any
) -> TakenPlace:
    place = league.places.filter(number=number, gone=False).first()
    if place is None:
        raise Refused("There’s no such spot here.")
    if place.taken:
        raise Refused("Someone has already taken this spot.")
    others = names_in(league, without=place.pk)
    place.name = clean_name(name or place.name, others, guest=guest)
    for column, value in more.items():
        setattr(place, column, value)
    return _seated(place, guest, kind)


def _new_place(league: League, name: str, guest: Guest | None, kind: str, **more: Any) -> TakenPlace:
    name = clean_name(name, names_in(league), guest=guest)
    place = Place(league=league, number=_next_number(league), name=name, **more)
    return _seated(place, guest, kind)


def _next_number(league: League) -> int:
    last = league.places.order_by("number").last()
    return 1 + (last.number if last else 0)


def add_bot(league: League, player: str, organises: May, *, instead: bool = False) -> None:
    """Adds the bot `player` before the start; with `instead`, a full league's last untaken place is used."""
    with locked_league(league.pk, organises) as fresh:
        if fresh.status != League.Status.OPEN:
            raise Refused("It has already started, so no one can join any more.")
        if fresh.places.filter(gone=False, player=player).exists():
            raise Refused("This bot is already playing. Choose another one.")
        here = list(fresh.places.filter(gone=False))
        if len(here) < fresh.most_places:
            return _seat_bot(fresh, player)
        place = replaced(here) if instead else None
        if place is None:
            raise Refused("All spots are taken.")
        _seat_bot(fresh, player, place)


def replaced(places: Iterable[Place]) -> Place | None:
    """Returns the last place that nobody has taken, which a bot gets in a full league; None without one."""
    return next((place for place in reversed(list(places)) if not place.taken), None)


def _seat_bot(league: League, player: str, place: Place | None = None) -> None:
    place = place or Place(league=league, number=_next_number(league))
    place.name, place.kind, place.player = robot_name(names_in(league), chance), Seat.Kind.BOT, player
    place.taken_at = timezone.now()
    place.save()


def _seated(place: Place, guest: Guest | None, kind: str) -> TakenPlace:
    secret = new_secret()
    place.kind, place.taken_at, place.link_hash = kind, timezone.now(), hash_secret(secret)
    place.save()
    if guest:
        guest = present_guest(guest)
        PlaceHold.objects.create(place=place, guest=guest)
        guest.set_flag(GuestFlag.PLACES)
        place.league.waiting.filter(guest=guest).delete()
    notify_pages(place.league)
    return TakenPlace(place, secret)


def names_in(league: League, without: int = 0) -> list[str]:
    return list(league.places.filter(gone=False).exclude(pk=without).values_list("name", flat=True))


def new_invite(league: League, organises: May | None = None) -> str:
    """Makes a new invite; returns its secret. The old one stops working. Raises Refused after the start."""
    with locked_league(league.pk, organises) as fresh:
        if fresh.status != League.Status.OPEN:
            raise Refused("It has already started, so no one can join any more.")
        invite = new_secret()
        fresh.invite_hash = hash_secret(invite)
        fresh.save(update_fields=["invite_hash"])
    league.invite_hash = fresh.invite_hash
    return invite
