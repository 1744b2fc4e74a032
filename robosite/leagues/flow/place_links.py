"""The secret links of places, of vacant places and of organisers, and the guests who may use them."""

from collections.abc import Collection, Iterable, Iterator

from django.db.models import Case, F, When
from django.utils import timezone

from games.core import SEATS
from robosite.leagues import seasons
from robosite.leagues.flow.league_lock import May, locked_league, mark_changed, notify_pages
from robosite.leagues.flow.leaving import end_holds, give_up
from robosite.leagues.models import COLUMNS, Fixture, League, Place, PlaceHold, seating
from robosite.matches import locks
from robosite.matches.flow import (
    GOING_ON,
    Refused,
    SeatLost,
    arbiter,
    confirm_seat,
    locked_match,
    or_lost,
    signs,
    standing_of,
)
from robosite.matches.flow.sittings import present_guest
from robosite.matches.live import push
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.people.models import Guest, GuestFlag
from robosite.web.link_secrets import hash_secret, new_secret

MOST_HOLDERS = 10
"""The maximum number of guests that may hold one place."""


def take(secret: str, guest: Guest) -> Place:
    """Lets one more guest play for the place of a link, in all seasons and matches; or raises SeatLost."""
    place = or_lost(seasons.place_behind(secret))
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        places = list(seasons.places_behind(hash_secret(secret)))
        if not places:
            raise SeatLost
        matches = {one.pk: list(matches_of(one)) for one in places}
        with locks.all_locked([match.pk for own in matches.values() for match, _letter in own]):
            guest = present_guest(guest)
            guest.set_flag(GuestFlag.PLACES)
            for one in places:
                PlaceHold.objects.get_or_create(place=one, guest=guest)
                _drop_oldest(one, matches[one.pk])
                for match, letter in matches[one.pk]:
                    with locked_match(match) as fresh:
                        arbiter.let_act(fresh, fresh.seats.get(letter=letter), guest)
    return places[0]


def _drop_oldest(place: Place, matches: list[tuple[Match, str]]) -> None:
    """Removes all but the MOST_HOLDERS newest holders of a place, also from its seats."""
    holds = place.holders.order_by("-pk")
    stay = list(holds.values_list("guest", flat=True)[:MOST_HOLDERS])
    if end_holds(place.holders.exclude(guest__in=stay)):
        for match, letter in matches:
            arbiter.dismiss(match, letter, stay)


def new_link(place: Place, guest: Guest) -> str:
    """Makes a new secret link to a guest's own place, for all its seasons; returns the secret."""
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        return _new_link(place, guest)


def new_link_at(seat: Seat, guest: Guest) -> tuple[Place, str]:
    """Makes a new secret link to a guest's place, given its seat; returns both. Raises SeatLost."""
    place = or_lost(place_of(seat))
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id), locks.all_locked(keys_of(of_all_seasons(place))):
        confirm_seat(seat)
        return place, _new_link(place, guest)


def _new_link(place: Place, guest: Guest) -> str:
    if not PlaceHold.objects.filter(place=place, place__gone=False, guest=guest).exists():
        raise SeatLost
    secret = new_secret()
    _shut_out(place, hash_secret(secret), keep=[guest.pk])
    return secret


def _shut_out(place: Place, link_hash: str, keep: Collection[int] = ()) -> None:
    """Replaces the link of a place in every season, and removes all its holders except those in `keep`.

    The caller must have locked all seasons.
    """
    places = of_all_seasons(place)
    with locks.all_locked(keys_of(places)):
        Place.objects.filter(pk__in=[one.pk for one in places]).update(link_hash=link_hash)
        place.link_hash = link_hash
        for one in places:
            end_holds(one.holders.exclude(guest__in=keep))
            for match, letter in matches_of(one):
                arbiter.dismiss(match, letter, keep)


def of_all_seasons(place: Place) -> list[Place]:
    """Returns the places with the same link, one for each season, newest first; [place] if it has no link."""
    place.refresh_from_db(fields=["link_hash"])
    return list(seasons.places_behind(place.link_hash)) if place.link_hash else [place]


def revoke(seat: Seat) -> bool:
    """Removes all holders and the link of a seat's place, also from coming seasons; True if it has one."""
    place = place_of(seat)
    if place is None:
        return False
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id):
        to_come = [one for one in of_all_seasons(place) if one.league.status == League.Status.OPEN]
        _shut_out(place, "")
        for one in to_come:
            give_up(one.league, one)
    return True


def vacate(place: Place, own: May) -> None:
    """Gives up a place in a running league, for a waiting guest to take; raises SeatLost or Refused."""
    arbiter.give_time_back()
    with seasons.all_locked(place.league_id) as known:
        league = next(one for one in known if one.pk == place.league_id)
        place.refresh_from_db()
        if not own(league):
            raise SeatLost
        if league.status != League.Status.PLAYING or place.left_at or place.removed or not league.handover:
            raise Refused("In this league, spots can’t be handed over.")
        waiting = list(league.waiting.values_list("guest", flat=True))
        if not waiting:
            raise Refused("No one is waiting for a spot any more.")
        place.link_hash = place.offer_hash = ""
        place.save(update_fields=["link_hash", "offer_hash"])
        with locks.all_locked(keys_of([place])):
            end_holds(place.holders.all())
            for match, letter in matches_of(place):
                if match.status in GOING_ON:  # what they have played to its end stays theirs
                    arbiter.dismiss(match, letter)
        mark_changed(League.objects.filter(pk=league.pk))
        notify_pages(league)
        push.league_changed(waiting)


def new_organiser_link(league: League, organises: May) -> str:
    """Replaces the organiser's link of all seasons that share it; returns the secret. Raises SeatLost."""
    with seasons.all_locked(league.pk) as all_of_them:
        fresh = next((one for one in all_of_them if one.pk == league.pk), None)
        if fresh is None or not organises(fresh):
            raise SeatLost
        secret = new_secret()
        same = [one.pk for one in all_of_them if one.organiser_hash == fresh.organiser_hash]
        League.objects.filter(pk__in=same).update(organiser_hash=hash_secret(secret))
    league.organiser_hash = hash_secret(secret)
    return secret


def note_organiser(league: League, guest: Guest) -> None:
    """Notes that a guest who has opened the organiser's link of a league organises it, if they play in it."""
    with locked_league(league.pk):
        league.places.filter(holders__guest=guest).update(organises=True)


def place_of(seat: Seat) -> Place | None:
    """Returns the place in a league to which a seat belongs; None if the match is not part of a league."""
    fixture = Fixture.objects.filter(match=seat.match_id).first()
    return Place.objects.select_related("league").get(pk=fixture.seats[seat.letter]) if fixture else None


def keys_of(places: Iterable[Place]) -> list[int]:
    return [match.pk for place in places for match, _letter in matches_of(place)]


def matches_of(place: Place) -> Iterator[tuple[Match, str]]:
    """Yields the matches of a participant by primary key, each with the letter of the participant's seat."""
    rows = Fixture.objects.filter(seating(place)).exclude(match=None).select_related("match")
    for fixture in rows.order_by("match"):
        assert fixture.match
        yield fixture.match, fixture.seat_of(place)


def nudge(own: Place, number: int) -> None:
    """Reminds the player of place `number` wherever the place `own` waits for them; Refused if nowhere."""
    refusal, nudged = Refused("There’s no one to nudge now."), False
    other = own.league.places.filter(number=number).first()
    rows = Fixture.objects.filter(seating(own), match__status=Match.Status.PLAYING).select_related("match")
    for fixture in rows.filter(seating(other)) if other else ():
        assert fixture.match and other
        seat = fixture.match.seats.get(letter=fixture.seat_of(own))
        owing = signs.awaited(standing_of(fixture.match), seat.at, timezone.now())
        if fixture.seat_of(other) in owing:
            try:
                signs.nudge(seat)
                nudged = True
            except Refused as today:
                refusal = today
    if not nudged:
        raise refusal


def seat_of_place(link_hash: str, match: Match) -> Seat | None:
    """Returns the seat in this match that belongs to the league place of a link; None without such a seat."""
    if not match.may_have(MatchFlag.BINDING):
        return None
    opened = Place.objects.filter(link_hash=link_hash, gone=False, taken_at__isnull=False)
    seated = (
        When(letter=letter, then=F(f"match__fixture__{at}"))
        for letter, at in zip(SEATS, COLUMNS, strict=True)
    )
    seats = Seat.objects.filter(match=match).annotate(place=Case(*seated))
    return seats.filter(place__in=opened.values("pk")).first()  # one query: link and sitting agree
