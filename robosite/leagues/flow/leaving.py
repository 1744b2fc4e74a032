"""Giving up a place: by its player, by the organiser, or because its guest is forgotten."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db.models import Q, QuerySet
from django.utils import timezone

from robosite.leagues.flow.beginning import is_in, may_meet
from robosite.leagues.flow.endings import mark_left, note_endings, unfinished
from robosite.leagues.flow.league_lock import May, all_locked
from robosite.leagues.flow.settling import finish
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches.flow import Refused, arbiter
from robosite.matches.time.timekeeping import holidays_until
from robosite.people.models import Guest
from robosite.web.written_names import FORGOTTEN


def leave(place: Place, may: May | None = None, *, status: str | None = None) -> None:
    """Withdraws a participant; raises Refused if the status has changed, SeatLost if `may` returns False."""
    with _decided(place, may, status) as league:
        give_up(league, place)


def remove(
    place: Place, organises: May | None = None, *, by: Guest | None = None, status: str | None = None
) -> None:
    """Withdraws a participant on behalf of the organiser; see `leave` for the effects and errors.

    The organiser's own places, and those of `by`, who acts, gain nothing by it (`endings.mark_left`). Raises
    Refused if such a place could meet the participant next in a cup.
    """
    with _decided(place, organises, status) as league:
        guests = [pk for pk in (league.organiser_id, by and by.pk) if pk]
        own = league.places.filter(Q(organises=True) | Q(holders__guest__in=guests)).exclude(pk=place.pk)
        organisers = set(own.values_list("pk", flat=True))
        if league.kind.knocks_out and league.status == League.Status.PLAYING:
            note_endings(league)
            if may_meet(league, place, organisers):
                raise Refused(
                    "This would put you through, since the two of you may meet next. The site "
                    "removes players who stay away."
                )
        give_up(league, place, removed=True, organisers=organisers)


@contextmanager
def _decided(place: Place, may: May | None, status: str | None) -> Iterator[League]:
    """Locks a league with its matches and yields it; raises Refused if its status is not `status` now."""
    arbiter.give_time_back()
    with all_locked(place.league_id, may) as league:
        if status not in (None, league.status):
            raise Refused("It has started or ended in the meantime, so nothing was changed.")
        yield league


def give_up(league: League, place: Place, *, removed: bool = False, organisers: Collection[int] = ()) -> None:
    """Withdraws a participant of a locked league; `organisers` are places that must gain nothing by it."""
    place.refresh_from_db()
    if place.gone or place.left_at or league.status == League.Status.OVER:
        return
    if league.status == League.Status.OPEN:
        place.gone, place.name, place.removed = True, "", removed
        place.save(update_fields=["gone", "name", "removed"])
        place.holders.all().delete()
        return
    note_endings(league)
    has_ended = league.ends and league.ends <= timezone.now()
    knocks_out = league.kind.knocks_out
    if not has_ended and (is_in(league, place) if knocks_out else unfinished(league, place).exists()):
        mark_left(league, place, removed=removed, organisers=organisers)
        finish(league, timezone.now())


def end_holds(rights: QuerySet[PlaceHold]) -> bool:
    """Ends the rights of guests to play for one place; returns True if there were any.

    Their holidays stay with the place. The caller must have locked the league.
    """
    ended = list(rights.select_related("place"))
    if ended and (taken := holidays_until(timezone.now(), [hold.guest_id for hold in ended])):
        place = ended[0].place
        place.holidays_taken = [*(place.holidays_taken or ()), *taken]
        place.save(update_fields=["holidays_taken"])
    rights.delete()
    return bool(ended)


def forget(hold: PlaceHold) -> None:
    """Ends a guest's `hold` on a place, if still theirs; gives the place up if nobody else holds it."""
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
        end_holds(place.holders.filter(pk=hold.pk))
