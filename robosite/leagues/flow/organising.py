"""The organiser of a league: whoever holds the organiser's place, or else the guest who made the league.

The organiser can hand the role on. If they are silent while something waits, the players choose another.
A moderator can close a league, and rename it and its places.
"""

from collections import Counter
from collections.abc import Collection
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from robosite.leagues.flow.endings import call_off_some
from robosite.leagues.flow.joining import names_in
from robosite.leagues.flow.league_lock import May, locked_league, mark_changed, notify_pages
from robosite.leagues.flow.place_offers import Own
from robosite.leagues.models import COLUMNS, VACANT, Fixture, League, Place
from robosite.matches.flow import Refused, SeatLost, arbiter
from robosite.people.look_alikes import name_code
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
from robosite.web.link_secrets import hash_secret, new_secret

SILENCE = timedelta(days=7)
"""The time without a sign of the organiser after which the players may choose another one."""


def organisers_place(league: League) -> Place | None:
    """Returns the place whose holder organises the league; None if its maker does so without a place."""
    own = league.organiser_place
    return league.places.filter(number=own, gone=False).first() if own else None


def is_organised_by(league: League, guest: Guest | None) -> bool:
    """Returns True if the guest organises the league, also without its organiser's link."""
    if guest is None:
        return False
    place = organisers_place(league)
    return place.holders.filter(guest=guest).exists() if place else league.organiser_id == guest.pk


def _candidates(league: League) -> QuerySet[Place]:
    there = league.places.filter(gone=False, left_at=None, removed=False, player="")
    return there.exclude(taken_at=None).exclude(link_hash="")


def hand_on(league: League, number: int, organises: May) -> None:
    """Makes place `number` the organiser's, also in seasons to come; the organiser's link stops working."""
    with locked_league(league.pk, organises) as fresh:
        _hand_on(fresh, number)


def _hand_on(league: League, number: int) -> None:
    place = _candidates(league).filter(number=number).first()
    if place is None:
        raise Refused("No one plays in this spot. Choose another player to organise.")
    holder = place.holders.order_by("pk").first()
    league.organiser_place = number
    league.organiser_id = holder.guest_id if holder else None
    league.organiser_hash = hash_secret(new_secret())
    league.save(update_fields=["organiser_place", "organiser", "organiser_hash"])
    league.places.update(chooses=None)
    league.places.filter(pk=place.pk).update(organises=True)
    notify_pages(league)


def may_choose(league: League) -> bool:
    """Returns True if the players may choose another organiser: this one is silent, and something waits."""
    since = timezone.now() - SILENCE
    changed = league.changed_at or league.created_at
    if changed > since or league.status == League.Status.OVER or not _waits(league):
        return False
    place = organisers_place(league)
    own = Guest.objects.filter(places__place=place) if place else Guest.objects.none()
    if place is None and league.organiser_id:
        own = Guest.objects.filter(pk=league.organiser_id)
    return all((guest.seen_at or guest.created_at) <= since for guest in own)


def _waits(league: League) -> bool:
    if league.status == League.Status.OPEN:
        places = league.places.filter(gone=False)
        return sum(place.taken and not place.is_asked for place in places) >= league.least_places
    return league.places.filter(VACANT).exists()


def choose(league: League, own: Own, number: int) -> bool:
    """Stores a player's vote for an organiser; returns True if a majority has now handed the role on."""
    with locked_league(league.pk, quiet=True) as fresh:
        place = own(fresh)
        if place is None or place.number == fresh.organiser_place:
            raise SeatLost
        if not may_choose(fresh):
            raise Refused("The organiser is back, or nothing needs their answer any more.")
        if not _candidates(fresh).filter(number=number).exists():
            raise Refused("No one plays in this spot. Choose another player to organise.")
        place.chooses = number
        place.save(update_fields=["chooses"])
        voters = _candidates(fresh).exclude(number=fresh.organiser_place or 0)
        votes = Counter(voters.values_list("chooses", flat=True))
        if votes[number] * 2 <= voters.count():
            return False
        _hand_on(fresh, number)
        mark_changed(League.objects.filter(pk=fresh.pk), fresh.status)
        return True


def close(league: League) -> None:
    """Ends a league for a moderator, unless it is over, and calls off its matches (`call_off_some`)."""
    arbiter.give_time_back()
    with locked_league(league.pk) as fresh:
        if fresh.status == League.Status.OVER:
            return
        fresh.status, fresh.over_at, fresh.closed = League.Status.OVER, timezone.now(), True
        fresh.invite_hash, fresh.next_round_at = "", None
        fresh.save()
        call_off_some(fresh)
    league.refresh_from_db()


def rename(league: League, name: str) -> None:
    """Renames a league on behalf of a moderator, unless `name` is its name already."""
    with locked_league(league.pk) as fresh:
        if fresh.name != name:
            fresh.name, fresh.taken_name = name, name_code(fresh.name)
            fresh.save(update_fields=["name", "taken_name"])


def rename_places(old: Collection[str], name: str, *, guest: Guest | None, seats: Collection[int]) -> None:
    """Renames participants with one of the `old` names, which were taken away, to `name` or “Player 3”."""
    at_seats = Fixture.objects.filter(match__seats__in=seats)
    pairs = {pk for table in at_seats.values_list(*COLUMNS) for pk in table if pk}
    own = Q(pk__in=pairs) | Q(holders__guest=guest) if guest else Q(pk__in=pairs)
    for place in Place.objects.filter(own, name__in=old).distinct().order_by("league", "number"):
        with locked_league(place.league_id) as league:
            try:
                place.name = clean_name(name, names_in(league, without=place.pk))
            except RefusedName:
                place.name = f"Player {place.number}"
            place.save(update_fields=["name"])
