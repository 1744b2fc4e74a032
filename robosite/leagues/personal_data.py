"""A guest's places and leagues as personal data: exporting, merging and forgetting them."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from robosite.leagues import flow
from robosite.leagues.models import League, PlaceHold, Waiting
from robosite.people.models import Guest
from robosite.people.personal_data import Part


def has(guest: Guest) -> list[str]:
    count = PlaceHold.objects.filter(guest=guest).count()
    return [ngettext("one league", "%(n)s leagues", count) % {"n": count}] if count else []


def warns(guest: Guest) -> list[str]:
    """Returns a one-sentence warning, in a list, about running leagues that the guest would leave, or []."""
    playing = PlaceHold.objects.filter(guest=guest, place__league__status=League.Status.PLAYING).count()
    warning = ngettext("You leave one running league.", "You leave %(n)s running leagues.", playing)
    return [warning % {"n": playing}] if playing else []


def stays() -> list[str]:
    return [_("Leagues keep your spot, its results and what you wrote there, without your name.")]


def export(guest: Guest, request: object = None) -> list[dict[str, Any]] | None:
    holds = PlaceHold.objects.filter(guest=guest).select_related("place__league").order_by("pk")
    places = [
        {
            "league": hold.place.league.key,
            "league_name": hold.place.league.name,
            "page": hold.place.league.get_absolute_url(),
            "season": hold.place.league.season,
            "status": hold.place.league.status,
            "place": hold.place.number,
            "name": hold.place.name,
            "joined_at": hold.place.taken_at,
            "left_at": hold.place.left_at,
            "this_season_only": hold.place.once,
            "said_yes_at": hold.place.stays_at,
        }
        for hold in holds
    ]
    organised = League.objects.filter(organiser=guest).order_by("pk")
    own = [{"league": one.key, "league_name": one.name, "made_at": one.created_at} for one in organised]
    awaited = Waiting.objects.filter(guest=guest).select_related("league").order_by("pk")
    waits = [{"waits_for": one.league.key, "asked_at": one.asked_at} for one in awaited]
    return [*places, *({"organises": one} for one in own), *waits] or None


def merge(gone: Guest, guest: Guest) -> None:
    """Moves the places, the waits and the organised leagues of the guest `gone` to `guest`."""
    League.objects.filter(organiser=gone).update(organiser=guest)
    held = PlaceHold.objects.filter(guest=guest).values("place")
    PlaceHold.objects.filter(guest=gone).exclude(place__in=list(held.values_list("place", flat=True))).update(
        guest=guest
    )
    PlaceHold.objects.filter(guest=gone).delete()
    known = Waiting.objects.filter(guest=guest).values("league")
    Waiting.objects.filter(guest=gone).exclude(
        league__in=list(known.values_list("league", flat=True))
    ).update(guest=guest)
    Waiting.objects.filter(guest=gone).delete()


def forget(guest: Guest) -> None:
    """Ends the guest's waits, and their role as an organiser, which the organiser's link still gives."""
    League.objects.filter(organiser=guest).update(organiser=None)
    Waiting.objects.filter(guest=guest).delete()


def forget_next_step(guest: Guest) -> bool:
    """Ends the guest's right to play for one of their places in leagues; returns True if there was one."""
    hold = PlaceHold.objects.filter(guest=guest).select_related("place").order_by("?").first()
    if hold is None:
        return False
    flow.forget(hold)
    return True


PART = Part(
    has=has,
    warns=warns,
    stays=stays,
    export=export,
    merge=merge,
    forget=forget,
    forget_next_step=forget_next_step,
)
