"""The next season of a league: all players of the season before are asked, except those who left.

Players who have not said yes by the start are out; bots and programs are in without asking. A cup is
followed by another with the same players, whose seeds are drawn anew. Lock the older season first.
"""

import secrets
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from robosite.leagues import seasons
from robosite.leagues.arithmetic.promotion import Came, divisions_in
from robosite.leagues.flow import May, check_room, locked_league
from robosite.leagues.flow.league_lock import notify_pages
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches.flow import Refused, SeatLost, or_lost
from robosite.people.models import Guest, GuestFlag
from robosite.people.names import RefusedName, clean_name
from robosite.web.link_secrets import first_secret, hash_secret
from robosite.web.transactions import lock_rows, send_to_all

announced = Signal()
"""Signal sent inside the transaction that makes the season `following` after the season `league`."""

LATEST_START = timedelta(days=60)
"""The longest time from an announcement to a season's start."""

NOT_COPIED = {
    *("id", "key", "status", "nonce", "invite_hash", "version", "created_at", "changed_at", "started_at"),
    *("ends", "next_round_at", "starts_at"),
    *("over_at", "closed", "taken_name", "season", "previous", "previous_sizes", "listed_from"),
}
"""The columns of `League` that are not copied to the next season, as its terms and its organiser are."""
OWN_OF_PLACE = {
    *("id", "league", "taken_at", "gone", "left_at", "offer_hash", "passed_at", "once", "stays_at"),
    *("came_division", "came_row", "holidays_taken", "stranger_from", "chooses"),
}
"""The columns of a place that are not copied to the next season."""


def goes_on(place: Place) -> bool:
    """Returns True if a participant will be asked to play the next season."""
    return _may_go_on(place) and not place.once


def _may_go_on(place: Place) -> bool:
    played = place.taken and not place.left_at and not place.removed
    return played and (bool(place.link_hash) or place.is_bot)


def final_rows(standings: Standings) -> dict[int, Came]:
    """Returns the division and row of each participant in the present table, keyed by place number."""
    return {
        row["place"]: Came(division, number)
        for division, rows in enumerate(standings.table["divisions"], 1)
        for number, row in enumerate(rows["rows"], 1)
    }


def moves_of(standings: Standings) -> dict[int, str]:
    """Returns who would change division next season: keys are place numbers, values are "up" or "down"."""
    rows = final_rows(standings)
    came = {place.number: rows[place.number] for place in standings.places if goes_on(place)}
    sizes = [len(division) for division in standings.divisions]
    divisions = divisions_in("", came, standings.league.table_seats, sizes) if came else []
    moves = {}
    for number, division in enumerate(divisions, 1):
        for place in division:
            if number != came[place].division:
                moves[place] = "up" if number < came[place].division else "down"
    return moves


def announce(league: League, organises: May | None = None, *, starts_at: datetime | None = None) -> League:
    """Returns the next season of a league that is over; makes the season if it does not exist yet.

    A new season starts at the time `starts_at`, or when its organiser says so.
    """
    with locked_league(league.pk, organises) as old:
        following = League.objects.filter(previous=old).first()
        if following is None:
            following = _make(old, starts_at)
            notify_pages(following)
            send_to_all(announced, League, old.key, league=old, following=following)
    return following


def _make(old: League, starts_at: datetime | None) -> League:
    if old.closed:
        raise Refused(old.kind.none_follows)
    if old.status != League.Status.OVER:
        raise Refused(old.kind.not_over)
    standings = standings_of(old)
    season = League(
        **_columns(old, NOT_COPIED),
        season=old.season + 1,
        starts_at=starts_at,
        previous=old,
        previous_sizes=None if old.kind.knocks_out else [len(division) for division in standings.divisions],
        nonce=secrets.token_hex(32),
    )
    season.invite_hash = hash_secret(first_secret(season.key, seasons.INVITE))
    if season.listed and season.organiser_id:
        check_room(season.organiser_id)
    season.save()
    rows = final_rows(standings)
    holders = _holders(standings.places)
    enrolled = [
        (_enrolled(season, place, rows[place.number], holders.get(place.pk)), holders.get(place.pk, []))
        for place in standings.places
    ]
    Place.objects.bulk_create(row for row, _guests in enrolled)
    _hold([(row, guest) for row, guests in enrolled if not row.gone for guest in guests])
    old.waiting.update(league=season)
    return season


def _columns(row: League | Place, but: set[str]) -> dict[str, Any]:
    columns = (column for column in row._meta.concrete_fields if column.name not in but)
    return {column.attname: getattr(row, column.attname) for column in columns}


def _holders(places: Iterable[Place]) -> dict[int, list[Guest]]:
    """Locks and returns the guests who play for these places, keyed by the places' primary keys."""
    holds = list(PlaceHold.objects.filter(place__in=places).order_by("pk"))
    present = _locked({hold.guest_id for hold in holds})
    became = {guest.became_id for guest in present.values() if guest.became_id}
    present |= _locked(became - present.keys())
    found: dict[int, list[Guest]] = {}
    for hold in holds:
        guest = present.get(hold.guest_id)
        guest = present.get(guest.became_id) if guest and guest.became_id else guest
        own = found.setdefault(hold.place_id, [])
        if guest and not guest.leaving_at and guest not in own:
            own.append(guest)
    return found


def _locked(keys: Iterable[int]) -> dict[int, Guest]:
    return {guest.pk: guest for guest in lock_rows(Guest.objects.filter(pk__in=list(keys)), no_key=True)}


def _enrolled(league: League, before: Place, came: Came, holders: list[Guest] | None) -> Place:
    row = Place(
        **_columns(before, OWN_OF_PLACE),
        league=league,
        came_division=came.division,
        came_row=came.row,
        taken_at=timezone.now(),
        stays_at=None if holders else timezone.now(),
    )
    if not goes_on(before) or holders == []:
        row.name, row.link_hash, row.taken_at, row.gone = "", "", None, True
    return row


def _hold(held: Collection[tuple[Place, Guest]]) -> None:
    PlaceHold.objects.bulk_create(PlaceHold(place=place, guest=guest) for place, guest in held)
    for _place, guest in held:
        guest.set_flag(GuestFlag.PLACES)


# The answers of players who are asked


def stay(league: League, guest: Guest) -> Place:
    """Stores that a player will play in a season that has not started; a player who had left it rejoins."""
    before = or_lost(league.previous_id)
    with transaction.atomic():
        old, fresh = (League.objects.select_for_update().filter(pk=pk).first() for pk in (before, league.pk))
        if old is None or fresh is None:
            raise SeatLost
        if fresh.status != League.Status.OPEN:
            raise Refused("It has already started, so no one can join any more.")
        place = fresh.places.filter(holders__guest=guest, gone=False).first()
        if place is None:
            place = _come_back(fresh, own_before(fresh, guest))
        place.stays_at = timezone.now()
        place.save(update_fields=["stays_at"])
        notify_pages(fresh)
    return place


def own_before(league: League, guest: Guest) -> Place | None:
    """Returns the place in the previous season with which a guest may rejoin the season `league`, or None."""
    places = Place.objects.filter(league=league.previous_id, holders__guest=guest, gone=False)
    return next((place for place in places if _may_go_on(place)), None)


def _come_back(league: League, before: Place | None) -> Place:
    place = league.places.filter(number=before.number, gone=True).first() if before else None
    if before is None or place is None:
        raise SeatLost
    if place.removed:
        raise Refused("The organiser has removed you. Ask for an invite.")
    here = league.places.filter(gone=False)
    if here.count() >= league.most_places:
        raise Refused("All spots are taken.")
    holders = _holders([before])
    try:
        place.name = clean_name(before.name, list(here.values_list("name", flat=True)))
    except RefusedName:
        raise Refused("Someone else now has your name. Join under another one, through the invite.") from None
    place.link_hash, place.gone, place.taken_at = before.link_hash, False, timezone.now()
    place.save(update_fields=["name", "link_hash", "gone", "taken_at"])
    _hold([(place, guest) for guest in holders.get(before.pk, ())])
    return place


def check_start(starts_at: datetime | None) -> None:
    """Raises Refused for a start in the past, or after more than LATEST_START."""
    now = timezone.now()
    if starts_at and not now < starts_at <= now + LATEST_START:
        raise Refused("Choose a time within the next {n} days.", n=LATEST_START.days)


def check_terms_open(league: League) -> None:
    """Raises Refused once the league has started."""
    if league.status != League.Status.OPEN:
        raise Refused("The rules of a league can only be changed before it starts.")


def change_terms(league: League, organises: May | None = None, **terms: Any) -> None:
    """Changes a season's terms before its start (of a first one, `starts_at`); players are asked again."""
    with locked_league(league.pk, organises) as fresh:
        check_terms_open(fresh)
        assert fresh.season > 1 or set(terms) <= {"starts_at"}
        changed = {name: value for name, value in terms.items() if getattr(fresh, name) != value}
        if changed:
            League.objects.filter(pk=fresh.pk).update(**changed)
            fresh.places.filter(holders__isnull=False).update(stays_at=None)
            notify_pages(fresh)


def play_once(league: League, guest: Guest, *, once: bool) -> Place:
    """Stores whether a player plays in this season only (`once`) or also in the following seasons."""
    with locked_league(league.pk) as fresh:
        place = fresh.places.filter(holders__guest=guest, gone=False).first()
        if place is None or place.left_at:
            raise SeatLost
        if League.objects.filter(previous=fresh).exists():
            raise Refused("The next season is already announced. Skip it on its own page.")
        place.once = once
        place.save(update_fields=["once"])
    return place
