"""Places that pass on by a link for one use: vacant ones, and those that their players hand over."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from robosite.leagues import seasons
from robosite.leagues.flow.joining import TakenPlace, names_in
from robosite.leagues.flow.league_lock import May, locked_league, mark_changed, notify_pages
from robosite.leagues.flow.leaving import end_holds
from robosite.leagues.flow.place_links import keys_of, matches_of, of_all_seasons
from robosite.leagues.models import VACANT, League, Place, PlaceHold
from robosite.matches import locks
from robosite.matches.flow import GOING_ON, Refused, arbiter, or_lost
from robosite.matches.flow.sittings import present_guest
from robosite.matches.models import Seat
from robosite.people.models import Guest, GuestFlag
from robosite.people.names import clean_name
from robosite.web.link_secrets import hash_secret, new_secret

Own = Callable[[League], Place | None]
"""The type of a function that is called with the locked league, and returns the caller's own place in it."""


def is_vacant(place: Place) -> bool:
    return Place.objects.filter(VACANT, pk=place.pk).exists()


def offer(league: League, number: int, organises: May) -> str:
    """Makes a link by which somebody can take over the vacant place `number`; returns its secret."""
    with locked_league(league.pk, organises) as fresh:
        place = or_lost(fresh.places.filter(number=number).first())
        if fresh.status != League.Status.PLAYING or not is_vacant(place):
            raise Refused("This spot isn’t vacant, so there’s no link to pass on.")
        return _new_offer(place)


def take_vacant(league: League, number: int, guest: Guest) -> TakenPlace:
    """Gives the vacant place `number` to a guest who waits for one, under their name, or raises SeatLost."""
    secret = offer(league, number, lambda fresh: fresh.waiting.filter(guest=guest).exists())
    taken = take_offer(secret, guest, guest.name, renames=True)
    league.waiting.filter(guest=guest).delete()
    return taken


def _new_offer(place: Place) -> str:
    secret = new_secret()
    place.offer_hash = hash_secret(secret)
    place.save(update_fields=["offer_hash"])
    return secret


def may_hand_over(league: League, place: Place | None) -> bool:
    goes_on = league.status != League.Status.OVER and league.handover
    return bool(goes_on and place and place.link_hash and not place.left_at and not place.removed)


def hand_over(league: League, own: Own) -> str:
    """Makes a link by which somebody can take the caller's place over, once; returns its secret."""
    with locked_league(league.pk, quiet=True) as fresh:
        place = or_lost(own(fresh))
        if fresh.status == League.Status.OVER:
            raise Refused("It’s already over.")
        if not may_hand_over(fresh, place):
            raise Refused("In this league, spots can’t be handed over.")
        return _new_offer(place)


def keep(league: League, own: Own) -> None:
    """Takes back the link by which somebody could take the caller's place over, if there is one."""
    with locked_league(league.pk, quiet=True) as fresh:
        place = or_lost(own(fresh))
        place.offer_hash = ""
        place.save(update_fields=["offer_hash"])


def offered(secret: str) -> Place | None:
    """Returns the place in a league that a secret link offers; None if the link is not valid."""
    code = hash_secret(secret) if secret else ""
    found = Place.objects.filter(left_at=None, gone=False, removed=False).select_related("league")
    place = found.filter(offer_hash=code).exclude(league__status=League.Status.OVER).first() if code else None
    if place is None or place.link_hash:
        return place if place and place.league.handover else None
    return place if place.league.status == League.Status.PLAYING and is_vacant(place) else None


def take_offer(
    secret: str,
    guest: Guest | None,
    name: str = "",
    *,
    kind: str = Seat.Kind.HUMAN,
    renames: bool = False,
) -> TakenPlace:
    """Gives the place of an offer, with its seats in matches, to a new player; also makes a new link to it.

    A place that its player hands over gets the new `name`, also in a season to come, and keeps sealed orders;
    notes and drafts go. A vacant place gets it if the new player `renames` it. `guest` is None for a player
    who has only the new link. Raises SeatLost, RefusedName, or Refused if the guest plays here already.
    """
    place = or_lost(offered(secret))
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        place = or_lost(offered(secret))
        places = [one for one in of_all_seasons(place) if one.league.status != League.Status.OVER]
        taken = PlaceHold.objects.filter(guest=guest, place__league__in=[one.league_id for one in places])
        if guest and taken.filter(place__gone=False).exists():
            raise Refused("You already have a spot here.")
        own, given = new_secret(), bool(place.link_hash)
        more: dict[str, Any] = {"kind": kind}
        with locks.all_locked(keys_of(places)):
            guest = present_guest(guest) if guest else None
            if given or renames:
                name = clean_name(name, names_in(place.league, without=place.pk), guest=guest)
                more |= {"given": given, "name": name}
            for one in places:
                _pass_place(one, guest, more.get("name", one.name), kind, hash_secret(own))
                for match, letter in matches_of(one):
                    if match.status in GOING_ON:
                        arbiter.pass_to(match, letter, guest, **more)
                    elif not (given or match.seats.get(letter=letter).holds.exists()):
                        arbiter.pass_to(match, letter, guest, kind=kind)
    place.refresh_from_db()
    return TakenPlace(place, own)


def _pass_place(place: Place, guest: Guest | None, name: str, kind: str, link_hash: str) -> None:
    """Gives a place, with its role as organiser, to `guest` alone; its league and matches must be locked."""
    end_holds(place.holders.all())
    place.refresh_from_db()
    if guest:
        PlaceHold.objects.create(place=place, guest=guest)
        guest.set_flag(GuestFlag.PLACES)
    place.link_hash, place.offer_hash, place.passed_at = link_hash, "", timezone.now()
    place.name, place.kind = name, kind
    place.save(update_fields=["link_hash", "offer_hash", "passed_at", "name", "kind"])
    if place.number == place.league.organiser_place:
        League.objects.filter(pk=place.league_id).update(organiser=guest)
    mark_changed(League.objects.filter(pk=place.league_id), place.league.status)
    notify_pages(place.league)
