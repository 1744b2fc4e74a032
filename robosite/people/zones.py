"""The time zone in which a reader sees times: from a cookie of the pages' script, else the site's.

It is also stored with the guest, for their mails.
"""

from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from robosite.people.current_guest import KEY, current_guest
from robosite.web.http import SAFE

COOKIE = "zone"


@cache
def all_zones() -> frozenset[str]:
    return frozenset(available_timezones()) - {"localtime", "Factory"}


@cache
def offered_zones() -> list[str]:
    """The names of the time zones that a page offers: UTC, and zones named like “Europe/Madrid”."""
    areas = "Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific"
    named = tuple(f"{area}/" for area in areas.split())
    return ["UTC", *sorted(zone for zone in all_zones() if zone.startswith(named))]


def is_zone(name: str) -> bool:
    return name in all_zones()


def zone_here(request: HttpRequest) -> str:
    """The name of the time zone in this browser's cookie if that zone is valid, else of the site's zone."""
    zone = request.COOKIES.get(COOKIE, "")
    return zone if is_zone(zone) else settings.TIME_ZONE


def readers_zone(request: HttpRequest) -> str:
    """The name of the zone in this browser's cookie, else of its guest's zone, else of the site's."""
    if request.COOKIES.get(COOKIE) or not request.session.get(KEY):
        return zone_here(request)
    guest = current_guest(request)
    return guest.zone if guest and is_zone(guest.zone) else zone_here(request)


def zone_named(name: str) -> ZoneInfo:
    """The time zone with this name, or the site's own if the name is unknown."""
    return ZoneInfo(name if is_zone(name) else settings.TIME_ZONE)


def date_and_time(at: datetime, *, zoned: bool = True) -> str:
    """A date and time such as “Fri 28 Nov, 18:00 CET”; unless `zoned`, no zone, and recent ones shorter."""
    here = timezone.localtime(at)
    # Translators: a date and a time, in the letters of Django's `date` filter.
    full = gettext("D j M, H:i")
    if zoned:
        name = here.tzname() or ""  # the zone's abbreviation, such as CET, or its offset: UTC-03
        return f"{date_format(here, full)} {'UTC' if name[:1] in ('+', '-') else ''}{name}"
    days = (timezone.localdate() - here.date()).days
    return date_format(here, "H:i" if days == 0 else gettext("D H:i") if 0 < days < 7 else full)


def day(at: date) -> str:
    """A date such as “28 Nov 2026”. If `at` is a datetime, the date is the one in the active time zone."""
    # Translators: a date, in the letters of Django's `date` filter.
    return date_format(timezone.localtime(at) if isinstance(at, datetime) else at, gettext("j M Y"))


def in_readers_zone(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware that activates this browser's time zone, and stores it with a guest who sends a form."""

    def middleware(request: HttpRequest) -> HttpResponse:
        zone = zone_here(request)
        with timezone.override(zone_named(zone)):
            response = get_response(request)
        if request.method not in SAFE and COOKIE in request.COOKIES and is_zone(request.COOKIES[COOKIE]):
            _keep(request, zone)
        return response

    return middleware


def _keep(request: HttpRequest, zone: str) -> None:
    if not hasattr(request, "session") or not request.session.get(KEY):
        return
    guest = current_guest(request)
    if guest and guest.zone != zone:
        guest.zone = zone
        guest.save(update_fields=["zone"])
