"""Every change of a league. Each takes the league's row lock, before the locks of its matches.

Whatever follows from results or the time alone (`settle`) is done by whoever looks at the league next, after
the commit that ended one of its matches, or by the clock.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.dispatch import Signal
from django.utils import timezone

from games.core import SEATS, Game, finishing_order
from robosite.leagues import cup_flow, pairing, seasons
from robosite.leagues.league_names import name_code
from robosite.leagues.models import COLUMNS, Fixture, League, Place, PlaceHold, last_moment, seating
from robosite.leagues.table import Decided
from robosite.matches import locks
from robosite.matches.flow import Refused, SeatLost, WrongInvite, arbiter, confirm_seat, listing
from robosite.matches.flow.sittings import chance, present_guest
from robosite.matches.history import states_of, turns_of
from robosite.matches.link_secrets import hash_secret, new_secret
from robosite.matches.models import FORGOTTEN, Match, MatchExtra, Seat
from robosite.matches.time.timekeeping import Allowance
from robosite.people.models import Guest, GuestExtra
from robosite.people.names import RefusedName, clean_name, robot_name
from robosite.web.signals import send_to_all

log = logging.getLogger("robosite")

begun = Signal()
"""Sent inside the transaction in which `matches` of a `league` begin together."""

ABSENT_IN = 2
"""The number of matches in which a place stays away before it is out of the league."""
STEP = 45
"""The number of matches that begin in one transaction: those of the largest division."""
HOLIDAYS = timedelta(days=7)
"""The holidays of a player that stop the clocks of a season's matches; its last day does not move."""
MOST_HOLDERS = 10
"""The number of browsers that hold one place."""
FINISHED = (Match.Status.OVER, Match.Status.ABORTED)


@dataclass(frozen=True, slots=True)
class Made:
    """A league just made, with secrets that nobody sees again; `place` is the organiser's, if they play."""

    league: League
    invite: str
    organiser_token: str
    place: Place | None
    token: str | None


@dataclass(frozen=True, slots=True)
class TakenPlace:
    """A place just taken, with the secret of its link."""

    place: Place
    secret: str


@contextmanager
def locked_league(pk: int) -> Iterator[League]:
    """The league, fresh and locked, in a transaction; raises League.DoesNotExist."""
    with transaction.atomic():
        yield League.objects.select_for_update().get(pk=pk)


@contextmanager
def _all_locked(pk: int) -> Iterator[League]:
    """The league, locked, and then all its matches that go on, in the order of their keys.

    So must whoever acts on several of them: ending one locks guests, who come after all matches.
    """
    with locked_league(pk) as league:
        going_on = league.fixtures.filter(decided="").exclude(match=None)
        with locks.all_locked(list(going_on.values_list("match", flat=True))):
            yield league


# Before the start


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
    """A new league with its organiser at place 1, if they play, and a place for each written name and bot.

    `terms` are columns of `League`. Raises RefusedName for a name that cannot be had, and Refused if a guest
    would have too many leagues at once that strangers may join.
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
    """Makes a place for each name, for others to claim; `known` are those that have places already."""
    for number, written in enumerate(names, 1 + len(known)):
        known.append(clean_name(written, known))
        Place.objects.create(league=league, number=number, name=known[-1])


def check_room(guest: int) -> None:
    """Raises Refused if the guest (a primary key) already has as many listed leagues as allowed. Call it with
    the guest locked."""
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
    """Takes a new place, or one whose name the organiser has written; a listed league needs no invite.

    `once`: for this season only.
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
    others = _names(league, without=place.pk)
    place.name = clean_name(name or place.name, others, guest=guest)
    place.stranger, place.once = stranger, once
    return _seated(place, guest, kind)


def _new_place(league: League, name: str, guest: Guest | None, kind: str, **more: bool) -> TakenPlace:
    name = clean_name(name, _names(league), guest=guest)
    place = Place(league=league, number=_next_number(league), name=name, **more)
    return _seated(place, guest, kind)


def _next_number(league: League) -> int:
    last = league.places.order_by("number").last()
    return 1 + (last.number if last else 0)


def add_bot(league: League, player: str, organises: Callable[[League], bool]) -> None:
    """Lets a bot of the site play, before the start; of each kind one.

    `organises` as in `new_organiser_link`.
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
    name = robot_name(_names(league), chance)
    bot = {"kind": Seat.Kind.BOT, "player": player, "taken_at": timezone.now()}
    Place.objects.create(league=league, number=_next_number(league), name=name, **bot)


def _seated(place: Place, guest: Guest | None, kind: str) -> TakenPlace:
    secret = new_secret()
    place.kind, place.taken_at, place.link_hash = kind, timezone.now(), hash_secret(secret)
    place.save()
    if guest:
        guest = present_guest(guest)
        PlaceHold.objects.create(place=place, guest=guest)
        guest.note_extra(GuestExtra.PLACES)
    return TakenPlace(place, secret)


def _names(league: League, without: int = 0) -> list[str]:
    """The names in a league, but that of the place with this primary key."""
    return list(league.places.filter(gone=False).exclude(pk=without).values_list("name", flat=True))


def new_invite(league: League) -> str:
    """A new invite; the old one opens nothing from now on."""
    with locked_league(league.pk) as fresh:
        if fresh.status != League.Status.OPEN:
            raise Refused("It has started already, so nobody can join any more.")
        invite = new_secret()
        fresh.invite_hash = hash_secret(invite)
        fresh.save(update_fields=["invite_hash"])
    league.invite_hash = fresh.invite_hash
    return invite


# Links


def take(secret: str, guest: Guest) -> Place:
    """Lets one more browser act for the place of this link, in all its matches; SeatLost if it opens none.

    So it does in each season; the place of the newest one is returned.
    """
    place = seasons.place_behind(secret)
    if place is None:
        raise SeatLost
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        places = list(seasons.places_behind(hash_secret(secret)))
        if not places:
            raise SeatLost
        matches = {one.pk: list(_matches_of(one)) for one in places}
        with locks.all_locked([match.pk for own in matches.values() for match, _letter in own]):
            guest = present_guest(guest)
            guest.note_extra(GuestExtra.PLACES)
            for one in places:
                PlaceHold.objects.get_or_create(place=one, guest=guest)
                _drop_oldest(one, matches[one.pk])
                for match, letter in matches[one.pk]:
                    arbiter.admit(match, letter, guest)
    return places[0]


def _drop_oldest(place: Place, matches: list[tuple[Match, str]]) -> None:
    """Keeps the MOST_HOLDERS newest browsers of a place, and removes any older ones. Must be called inside
    the lock."""
    holds = place.holders.order_by("-pk")
    stay = list(holds.values_list("guest", flat=True)[:MOST_HOLDERS])
    if place.holders.exclude(guest__in=stay).delete()[0]:
        for match, letter in matches:
            arbiter.dismiss(match, letter, stay)


def new_link(place: Place, guest: Guest) -> str:
    """A new link to a guest's own place: the old one, and all other browsers, are out in all its matches.

    Raises SeatLost if the guest does not hold the place any more.
    """
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        return _new_link(place, guest)


def new_link_at(seat: Seat, guest: Guest) -> tuple[Place, str]:
    """The same for the holder of a seat in a match of a league: the seat's link is that of its place."""
    place = place_of(seat)
    if place is None:
        raise SeatLost
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id), locks.all_locked(_keys_of(_of_all_seasons(place))):
        confirm_seat(seat)
        return place, _new_link(place, guest)


def _new_link(place: Place, guest: Guest) -> str:
    if not PlaceHold.objects.filter(place=place, place__gone=False, guest=guest).exists():
        raise SeatLost
    secret = new_secret()
    _shut_out(place, hash_secret(secret), keep=[guest.pk])
    return secret


def _shut_out(place: Place, link_hash: str, keep: Collection[int] = ()) -> None:
    """Replaces the link of a place in every season. Must be called with all seasons locked.

    Only the guests in `keep` (primary keys) may still act for it.
    """
    places = _of_all_seasons(place)
    with locks.all_locked(_keys_of(places)):
        Place.objects.filter(pk__in=[one.pk for one in places]).update(link_hash=link_hash)
        place.link_hash = link_hash
        for one in places:
            one.holders.exclude(guest__in=keep).delete()
            for match, letter in _matches_of(one):
                arbiter.dismiss(match, letter, keep)


def _of_all_seasons(place: Place) -> list[Place]:
    """The same place in all seasons: those with its present link. A place without one has none but itself."""
    place.refresh_from_db(fields=["link_hash"])
    return list(seasons.places_behind(place.link_hash)) if place.link_hash else [place]


def revoke(seat: Seat) -> bool:
    """A moderator shuts out the link of a seat's place, and all its browsers; False if it is of no league.

    In a season that has not started, the place is gone.
    """
    place = place_of(seat)
    if place is None:
        return False
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        to_come = [one for one in _of_all_seasons(place) if one.league.status == League.Status.OPEN]
        _shut_out(place, "")
        for one in to_come:
            _give_up(one.league, one)
    return True


def is_vacant(place: Place) -> bool:
    """Tell whether nobody can act for a place, after a moderator has shut out all who could."""
    shut = place.taken and not place.is_bot and not place.link_hash and not place.left_at
    return shut and not place.holders.exists()


def offer(league: League, number: int, organises: Callable[[League], bool]) -> str:
    """Makes a link with which somebody can take over a vacant place, and returns its secret.

    An earlier such link stops working. `organises` as in `new_organiser_link`. This is not the place's own
    link, which only its new holder gets.
    """
    with locked_league(league.pk) as fresh:
        place = fresh.places.filter(number=number).first()
        if place is None or not organises(fresh):
            raise SeatLost
        if fresh.status != League.Status.PLAYING or not is_vacant(place):
            raise Refused("This place is not vacant, so there is no link to hand on.")
        secret = new_secret()
        place.offer_hash = hash_secret(secret)
        place.save(update_fields=["offer_hash"])
    return secret


def offered(secret: str) -> Place | None:
    """The vacant place that the link opens to whoever comes first."""
    found = Place.objects.filter(offer_hash=hash_secret(secret), link_hash="", left_at=None, gone=False)
    return found.filter(league__status=League.Status.PLAYING).select_related("league").first()


def take_offer(secret: str, guest: Guest) -> TakenPlace:
    """Gives a vacant place to a guest, with all its seats; SeatLost if the link opens none.

    As with a lost seat, orders and drafts of turns that are not revealed, and private notes, do not pass.
    """
    place = offered(secret)
    if place is None:
        raise SeatLost
    arbiter.give_time_back()
    with locked_league(place.league_id) as league:
        place = offered(secret)
        if place is None or not is_vacant(place):
            raise SeatLost
        if PlaceHold.objects.filter(guest=guest, place__league=league, place__gone=False).exists():
            raise Refused("You have a place here already.")
        own = new_secret()
        with locks.all_locked(_keys_of([place])):
            guest = present_guest(guest)
            PlaceHold.objects.create(place=place, guest=guest)
            guest.note_extra(GuestExtra.PLACES)
            for match, letter in _matches_of(place):
                arbiter.pass_to(match, letter, guest)
        place.link_hash, place.offer_hash, place.passed_at = hash_secret(own), "", timezone.now()
        place.kind = Seat.Kind.HUMAN
        place.save(update_fields=["link_hash", "offer_hash", "passed_at", "kind"])
    return TakenPlace(place, own)


def new_organiser_link(league: League, organises: Callable[[League], bool]) -> str:
    """A new link for whoever organises a league, in all its seasons; the old one organises nothing any more.

    `organises` tells inside the lock whether the request still may do so; else SeatLost is raised.
    """
    with seasons.all_locked(league.pk) as all_of_them:
        fresh = next((one for one in all_of_them if one.pk == league.pk), None)
        if fresh is None or not organises(fresh):
            raise SeatLost
        secret = new_secret()
        same = [one.pk for one in all_of_them if one.organiser_hash == fresh.organiser_hash]
        League.objects.filter(pk__in=same).update(organiser_hash=hash_secret(secret))
    league.organiser_hash = hash_secret(secret)
    return secret


def place_of(seat: Seat) -> Place | None:
    """The place to which a seat in a match of a league belongs; None in any other match."""
    fixture = Fixture.objects.filter(match=seat.match_id).first()
    return Place.objects.select_related("league").get(pk=fixture.seats[seat.letter]) if fixture else None


def _keys_of(places: Iterable[Place]) -> list[int]:
    return [match.pk for place in places for match, _letter in _matches_of(place)]


def _matches_of(place: Place) -> Iterator[tuple[Match, str]]:
    """The matches of a place in the order of their keys, each with the place's seat."""
    rows = Fixture.objects.filter(seating(place)).exclude(match=None).select_related("match")
    for fixture in rows.order_by("match"):
        assert fixture.match
        yield fixture.match, fixture.seat_of(place)


def seat_of_place(link_hash: str, match: Match) -> Seat | None:
    """The seat that the place of this link, or token, has in a match of its league; else None."""
    if not match.may_have(MatchExtra.BINDING):
        return None
    opened = Place.objects.filter(link_hash=link_hash, gone=False, taken_at__isnull=False)
    seated = (
        When(letter=letter, then=F(f"match__fixture__{at}"))
        for letter, at in zip(SEATS, COLUMNS, strict=True)
    )
    seats = Seat.objects.filter(match=match).annotate(place=Case(*seated))
    return seats.filter(place__in=opened.values("pk")).first()  # one query: link and sitting agree


# The start


def start(league: League) -> None:
    """Draws the lots and makes the matches; a second time it changes nothing.

    The lots, the schedule and the first STEP matches are one transaction, each STEP further matches another
    one: nobody else waits for all of them. If it is cut short, the clock or a look at the league goes on.
    """
    now = timezone.now()
    arbiter.give_time_back()
    with locked_league(league.pk) as fresh:
        if fresh.status == League.Status.OPEN:
            _start(fresh, now)
            transaction.on_commit(partial(_begin_the_rest, league.pk, now), robust=True)
    league.refresh_from_db()


def _start(league: League, now: datetime) -> None:
    waiting = league.places.filter(gone=False, taken_at=None)
    waiting.update(gone=True, name="")
    places = {place.number: place for place in league.places.filter(gone=False)}
    if league.is_cup and len(places) < league.least_places:
        raise Refused(
            "A cup needs at least {n} players. Send the link to more people.", n=league.least_places
        )
    if len(places) < league.least_places:
        raise Refused(
            "A league needs at least {n} players. Send the link to more people.", n=league.least_places
        )
    if all(place.is_bot for place in places.values()):
        raise Refused("Nobody but bots would play. Send the link to somebody.")
    league.status, league.started_at = League.Status.PLAYING, now
    league.ends = last_moment(now, league)
    league.save()
    if league.is_cup:
        _go_on(league, now)
    else:
        _pair(league, places)
        league.next_round_at = now
        _begin_some(league, now)
    league.save()


def _pair(league: League, places: dict[int, Place]) -> None:
    """Stores the whole schedule of a league; `places` are by their numbers."""
    divisions = seasons.divisions_of(league, places.values())
    Fixture.objects.bulk_create(
        Fixture(
            league=league,
            division=one.division,
            round=one.round,
            **{at: places[place] for at, place in zip(COLUMNS, one.seats, strict=False)},
        )
        for one in pairing.schedule_of(divisions, league.legs, league.table_seats)
    )


def _go_on(league: League, now: datetime) -> None:
    """Begins the matches of a cup whose time has come, and tells their players. Must be called inside the
    lock."""
    fixtures = cup_flow.lay_out(league, now)
    if fixtures:
        _make_matches(league, fixtures)
        matches = Match.objects.filter(fixture__in=fixtures).order_by("fixture")
        send_to_all(begun, League, league.key, league=league, matches=list(matches))


def _begin_the_rest(pk: int, now: datetime) -> None:
    """Begins the matches whose time has come in steps, with a transaction for each."""
    due = League.objects.filter(pk=pk, status=League.Status.PLAYING, next_round_at__lte=now)
    while due.exists():
        arbiter.give_time_back()
        with locked_league(pk) as league:
            if league.status == League.Status.PLAYING:
                _begin_some(league, now)
                league.save(update_fields=["next_round_at"])


def _begin_some(league: League, now: datetime) -> None:
    """Makes up to STEP matches of the round that is due, or of the whole schedule if there are no rounds.

    Must be called inside the lock. Once all of them are made, their players are told, and the next round gets
    its time.
    """
    if not (league.next_round_at and league.next_round_at <= now):
        return
    waiting = league.fixtures.filter(match=None, decided="").order_by("pk")
    of_round = league.fixtures.all()
    if league.every_days:
        first = waiting.order_by("round").first()
        of_round = of_round.filter(round=first.round if first else 0)
    step = list(waiting.filter(pk__in=of_round.values("pk"))[: STEP + 1])
    _make_matches(league, step[:STEP])
    if len(step) > STEP:
        return
    matches = Match.objects.filter(fixture__in=of_round.filter(decided="")).order_by("fixture")
    send_to_all(begun, League, league.key, league=league, matches=list(matches))
    days = timedelta(days=league.every_days or 0)
    league.next_round_at = league.next_round_at + days if days and waiting.exists() else None


def _terms(league: League) -> dict[str, Any]:
    """The terms that each match takes over from the league."""
    return {
        "deadline_hours": league.deadline_hours,
        "reserve_hours": league.reserve_hours,
        "reveal_at": league.reveal_at,
        "late": league.late,
        "zone": league.zone,
    }


def _make_matches(league: League, fixtures: list[Fixture]) -> None:
    places = league.places.in_bulk({pk for fixture in fixtures for pk in fixture.seats.values()})
    guests: dict[int, list[Guest]] = {pk: [] for pk in places}
    for hold in PlaceHold.objects.filter(place__in=places).select_related("guest").order_by("guest"):
        guests[hold.place_id].append(hold.guest)
    game, options, terms = league.game, league.options, _terms(league)
    for fixture in fixtures:
        seated = {letter: places[pk] for letter, pk in fixture.seats.items()}
        entrants = [
            arbiter.Entrant(
                place.name,
                place.kind,
                [] if letter in fixture.forfeit else guests[place.pk],
                place.player,
            )
            for letter, place in seated.items()
        ]
        strangers = any(place.stranger for place in seated.values())
        fixture.match = arbiter.begin_together(game, options, entrants, strangers=strangers, **terms)
    Fixture.objects.bulk_update(fixtures, ["match"])
    for fixture in fixtures:
        assert fixture.match
        if fixture.match.may_have(MatchExtra.HOLIDAYS):
            arbiter.set_clock(fixture.match)  # by the season's allowance, which only its pairing leads to
    for fixture in fixtures:
        for letter in fixture.forfeit:  # of those who left before it began
            assert fixture.match
            arbiter.resign_for(fixture.match, letter)


def holidays_of(match: Match) -> Allowance | None:
    """The holidays that count in a match: seven days of each player in a season; None outside of leagues."""
    if not match.may_have(MatchExtra.BINDING):
        return None
    begun_at = League.objects.filter(fixtures__match=match).values_list("started_at", flat=True).first()
    return Allowance(begun_at, HOLIDAYS) if begun_at else None


# Leaving


def leave(place: Place, *, removed: bool = False, status: str | None = None) -> None:
    """Gives a place up. Before the start it is gone; after it, whatever it has not finished is lost.

    A second time it changes nothing, nor once all its matches are over. `removed`: the organiser does it.
    Raises Refused where the league does not have the `status` on which the decision was based.
    """
    arbiter.give_time_back()
    with _all_locked(place.league_id) as league:
        if status not in (None, league.status):
            raise Refused("It has started or ended meanwhile, so nothing was changed.")
        _give_up(league, place, removed=removed)


def _give_up(league: League, place: Place, *, removed: bool = False) -> None:
    place.refresh_from_db()
    if place.gone or place.left_at or league.status == League.Status.OVER:
        return
    if league.status == League.Status.OPEN:
        place.gone, place.name, place.removed = True, "", removed
        place.save(update_fields=["gone", "name", "removed"])
        place.holders.all().delete()
        return
    _settle(league, timezone.now())
    place.refresh_from_db()
    if not place.left_at and _plays_on(league, place):
        _leave(league, place, removed=removed)
        _finish(league, timezone.now())


def _plays_on(league: League, place: Place) -> bool:
    return cup_flow.is_in(league, place) if league.is_cup else _unfinished(league, place).exists()


def _unfinished(league: League, place: Place) -> QuerySet[Fixture]:
    return league.fixtures.filter(seating(place), decided="")


def _leave(league: League, place: Place, *, removed: bool = False) -> None:
    """Marks a place as left. Must be called inside the lock.

    Its opponents win what is not finished; where two or more are left at a table, they play on.
    """
    fixtures = list(_unfinished(league, place).select_related("match"))
    place.left_at, place.removed = timezone.now(), removed
    place.save(update_fields=["left_at", "removed"])
    for fixture in sorted(fixtures, key=_by_match):
        own = fixture.seat_of(place)
        if league.table_seats > 2:
            _leave_table(fixture, own)
        elif fixture.match is None:
            fixture.decided, fixture.forfeit = Decided.DEFAULT, own
        else:
            gave_up = arbiter.resign_for(fixture.match, own)
            fixture.decided = Decided.DEFAULT if gave_up else _how(fixture.match)
        fixture.save(update_fields=["decided", "forfeit", "finish"])


def _leave_table(fixture: Fixture, own: str) -> None:
    """A seat at a table of more is left, before its match or in it; unless it was put out there before."""
    if fixture.match is None:
        _give_seats_up(fixture, {own})
        if len(fixture.still_there) < 2:
            fixture.decided = Decided.DEFAULT
        return
    gave_up = arbiter.resign_for(fixture.match, own)
    _give_seats_up(fixture, {own} if gave_up else {own} & arbiter.absent_from(fixture.match))
    fixture.match.refresh_from_db()
    if fixture.match.status in FINISHED:
        _note_ending(fixture)


def _give_seats_up(fixture: Fixture, letters: Collection[str]) -> None:
    fixture.forfeit = "".join(letter for letter in fixture.seats if letter in {*fixture.forfeit, *letters})


def _by_match(fixture: Fixture) -> int:
    return fixture.match_id or 0


# What follows from results and the time


def listen(sender: type, match: Match, **_more: Any) -> None:
    """A match has changed: if it has ended and is part of a league, that is settled after the commit."""
    if match.status in FINISHED and match.may_have(MatchExtra.BINDING):
        pk = Fixture.objects.filter(match=match, decided="").values_list("league", flat=True).first()
        if pk:
            transaction.on_commit(partial(settle, pk), robust=True)


def settle(pk: int) -> None:
    """Brings a league up to date with its results and the time; usually there is nothing to do."""
    now = timezone.now()
    if not _is_due(pk, now):
        return
    arbiter.give_time_back()
    with _all_locked(pk) as league:
        _settle(league, now)
    transaction.on_commit(partial(_begin_the_rest, pk, now), robust=True)


def brought_up(league: League) -> League:
    """The league, brought up to date with its results and the time."""
    if league.status == League.Status.PLAYING:
        settle(league.pk)
        league.refresh_from_db()
    return league


def _due_by_time(now: datetime) -> QuerySet[League]:
    return League.objects.filter(Q(ends__lte=now) | Q(next_round_at__lte=now), status=League.Status.PLAYING)


def _unnoted() -> QuerySet[Fixture]:
    """The pairings whose match is over, which has not been noted yet."""
    return Fixture.objects.filter(
        decided="", match__status__in=FINISHED, league__status=League.Status.PLAYING
    )


def _is_due(pk: int, now: datetime) -> bool:
    return _unnoted().filter(league=pk).exists() or _due_by_time(now).filter(pk=pk).exists()


LATELY = timedelta(days=1)
"""The age up to which the clock finds endings that were not noted; opening a league finds older ones."""


def settle_some() -> bool:
    """Settles one league that is due; False if none is. One that fails holds up no other."""
    now = timezone.now()
    pk = _due_by_time(now).exclude(pk__in=_failed).order_by("ends").values_list("pk", flat=True).first()
    if pk is None:
        late = _unnoted().filter(match__changed_at__gt=now - LATELY).exclude(league__in=_failed)
        pk = late.values_list("league", flat=True).first()
    if pk is None:
        _failed.clear()
        return False
    try:
        settle(pk)
    except Exception:
        log.exception("the clock cannot move league %s on", pk)
        _failed.add(pk)
    return True


_failed: set[int] = set()


def _settle(league: League, now: datetime) -> None:
    """Notes endings, removes places whose players stay away, begins rounds, and rules on the last day.

    Must be called inside the lock.
    """
    if league.status != League.Status.PLAYING:
        return
    _note_endings(league)
    for place in _staying_away(league):
        _leave(league, place)
    if league.ends and league.ends <= now:
        _rule(league)
    elif league.next_round_at and league.next_round_at <= now:
        _begin_some(league, now)
        league.save(update_fields=["next_round_at"])
    _finish(league, now)


def _note_endings(league: League) -> None:
    finished = league.fixtures.filter(decided="", match__status__in=FINISHED).select_related("match")
    for fixture in finished.order_by("match"):
        _note_ending(fixture)
        fixture.save(update_fields=["decided", "forfeit", "finish"])


def _note_ending(fixture: Fixture, decided: str = "") -> None:
    """Notes how the match of a pairing ended, unless `decided` says so, and who left a table of more than
    two.

    A match that all but one have left was not played out.
    """
    match = fixture.match
    assert match
    fixture.decided = decided or _how(match)
    if fixture.league.table_seats == 2 or match.status == Match.Status.ABORTED:
        return
    _give_seats_up(fixture, arbiter.absent_from(match))
    if not decided:
        fixture.decided = Decided.PLAY if len(fixture.still_there) > 1 else Decided.DEFAULT
    if fixture.league.scoring == League.Scoring.PLACES:
        fixture.finish = written_order(finishing_order(states_of(match)[0], turns_of(match)))


def written_order(order: Iterable[Collection[str]]) -> str:
    """Seats in the order of their places, as a fixture keeps them: `B/AC/D`."""
    return "/".join("".join(sorted(group)) for group in order)


def _how(match: Match) -> str:
    """The way a finished match was decided: nobody came to one called off by no moderator."""
    if match.status == Match.Status.ABORTED:
        return Decided.NOBODY if match.overdue else Fixture.VOID
    return Decided.DEFAULT if arbiter.absent_from(match) else Decided.PLAY


def _staying_away(league: League) -> list[Place]:
    """The places, not left yet, that have stayed away from ABSENT_IN matches."""
    times: Counter[int] = Counter()
    suspects = league.fixtures.filter(match__seats__missed__gt=0).select_related("match").distinct()
    for fixture in suspects.order_by("match"):
        assert fixture.match
        for letter in arbiter.absent_from(fixture.match):
            times[fixture.seats[letter]] += 1
    away = [pk for pk, count in times.items() if count >= ABSENT_IN]
    return list(league.places.filter(pk__in=away, left_at=None))


def _rule(league: League) -> None:
    """Rules on what is unfinished on the last day.

    An unfinished match goes to whoever missed the fewest deadlines. If several are equal, it is a draw, and
    so is a match that has not begun.
    """
    unfinished = list(league.fixtures.filter(decided="").select_related("match"))
    for fixture in sorted(unfinished, key=_by_match):
        if fixture.match is None:
            fixture.decided = Decided.LAST_DAY
        else:
            ruled = _is_ruled(fixture)
            fixture.match.refresh_from_db()
            _note_ending(fixture, Decided.LAST_DAY if ruled else "")
        fixture.save(update_fields=["decided", "forfeit", "finish"])


def _is_ruled(fixture: Fixture) -> bool:
    """Ends a match on the last day; False if it has ended by itself. A resigning seat cannot win it."""
    match = fixture.match
    assert match
    playing, leaving = arbiter.still_in(match)
    if fixture.league.table_seats > 2:
        _give_seats_up(fixture, leaving)
    missed = arbiter.missed_in(match)
    least = min((missed[letter] for letter in playing), default=0)
    first = [letter for letter in playing if missed[letter] == least]
    return arbiter.award(match, first[0]) if len(first) == 1 else arbiter.draw(match)


def _finish(league: League, now: datetime) -> None:
    """The league is over once nothing is left to play; in a cup the next matches begin before."""
    if league.is_cup:
        _go_on(league, now)
    if not league.fixtures.filter(decided="").exists():
        league.status, league.over_at, league.next_round_at = League.Status.OVER, now, None
        league.save(update_fields=["status", "over_at", "next_round_at"])


# Moderation, and guests who go


def close(league: League) -> None:
    """A moderator ends a league: what goes on is called off, and counts for nothing."""
    arbiter.give_time_back()
    with _all_locked(league.pk) as fresh:
        if fresh.status == League.Status.OVER:
            return
        going_on = fresh.fixtures.filter(decided="").select_related("match").order_by("match")
        for fixture in going_on:
            if fixture.match and not arbiter.call_off(fixture.match):
                fixture.match.refresh_from_db()
                _note_ending(fixture)
            else:
                fixture.decided = Fixture.VOID
            fixture.save(update_fields=["decided", "forfeit", "finish"])
        fresh.status, fresh.over_at, fresh.closed = League.Status.OVER, timezone.now(), True
        fresh.invite_hash, fresh.next_round_at = "", None
        fresh.save()
    league.refresh_from_db()


def rename(league: League, name: str) -> None:
    """A moderator gives a league another name; no league gets the old one, or one that looks like it."""
    with locked_league(league.pk) as fresh:
        if fresh.name != name:
            fresh.name, fresh.taken_name = name, name_code(fresh.name)
            fresh.save(update_fields=["name", "taken_name"])


def rename_places(old: Collection[str], name: str, *, guest: Guest | None, seats: Collection[int]) -> None:
    """Takes these names, lost to a moderator by a guest or at seats (by primary key), from places too.

    `name` is the new one, where it can be had; else it is “Player” with the place's number.
    """
    at_seats = Fixture.objects.filter(match__seats__in=seats)
    pairs = {pk for table in at_seats.values_list(*COLUMNS) for pk in table if pk}
    own = Q(pk__in=pairs) | Q(holders__guest=guest) if guest else Q(pk__in=pairs)
    for place in Place.objects.filter(own, name__in=old).distinct().order_by("league", "number"):
        with locked_league(place.league_id) as league:
            try:
                place.name = clean_name(name, _names(league, without=place.pk))
            except RefusedName:
                place.name = f"Player {place.number}"
            place.save(update_fields=["name"])


def forget(hold: PlaceHold) -> None:
    """Ends a guest's connection with a place; if nobody else holds it, it is left, and its name erased."""
    place = hold.place
    arbiter.give_time_back()
    with _all_locked(place.league_id) as league:
        if not place.holders.filter(pk=hold.pk, guest=hold.guest_id).exists():
            return  # it has become another guest's meanwhile
        if not place.holders.exclude(pk=hold.pk).exists():
            _give_up(league, place)
            place.refresh_from_db()
            place.link_hash = ""
            place.name = "" if place.gone else FORGOTTEN
            place.save(update_fields=["link_hash", "name"])
        PlaceHold.objects.filter(pk=hold.pk).delete()
