"""Giving up a place: by its player, by the organiser, or because its guest is forgotten."""

from __future__ import annotations

from django.utils import timezone

from robosite.leagues.flow import cup_rounds
from robosite.leagues.flow.endings import mark_left, unfinished
from robosite.leagues.flow.league_lock import all_locked
from robosite.leagues.flow.settling import finish, settle_locked
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches.flow import Refused, arbiter
from robosite.matches.models import FORGOTTEN


def leave(place: Place, *, removed: bool = False, status: str | None = None) -> None:
    """Withdraws a participant: before the start, the place is freed; later, the unfinished matches are lost.

    If the league has started, it is first brought up to date. Nothing changes if the participant had left
    before, if they have nothing left to play, or if the league is over.

    `removed` is True if the organiser removes the player. `status` is the league's status at the time of the
    decision, or None. Raises Refused if `status` is given and the league's status has changed since then.
    """
    arbiter.give_time_back()
    with all_locked(place.league_id) as league:
        if status not in (None, league.status):
            raise Refused("It has started or ended meanwhile, so nothing was changed.")
        give_up(league, place, removed=removed)


def give_up(league: League, place: Place, *, removed: bool = False) -> None:
    place.refresh_from_db()
    if place.gone or place.left_at or league.status == League.Status.OVER:
        return
    if league.status == League.Status.OPEN:
        place.gone, place.name, place.removed = True, "", removed
        place.save(update_fields=["gone", "name", "removed"])
        place.holders.all().delete()
        return
    settle_locked(league, timezone.now())
    place.refresh_from_db()
    if not place.left_at and _plays_on(league, place):
        mark_left(league, place, removed=removed)
        finish(league, timezone.now())


def _plays_on(league: League, place: Place) -> bool:
    return cup_rounds.is_in(league, place) if league.is_cup else unfinished(league, place).exists()


def forget(hold: PlaceHold) -> None:
    """Ends a guest's right to play for a place in a league, unless another guest has this `hold` by now.

    If no other guest holds the place, the player is withdrawn from the league, and the place's name and link
    are erased.
    """
    place = hold.place
    arbiter.give_time_back()
    with all_locked(place.league_id) as league:
        if not place.holders.filter(pk=hold.pk, guest=hold.guest_id).exists():
            return  # the hold has moved to another guest meanwhile
        if not place.holders.exclude(pk=hold.pk).exists():
            give_up(league, place)
            place.refresh_from_db()
            place.link_hash = ""
            place.name = "" if place.gone else FORGOTTEN
            place.save(update_fields=["link_hash", "name"])
        PlaceHold.objects.filter(pk=hold.pk).delete()
