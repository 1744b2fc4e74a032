"""Times are told in the reader's own zone, which is named; a guest's zone is kept for what is sent later."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.people.zones import offered_zones
from tests.site.browsers import Browser, Table, text

SUMMER = datetime(2027, 7, 1, 22, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "says"),
    [
        ("Europe/Berlin", "Fri 2 Jul, 00:30 CEST"),
        ("America/New_York", "Thu 1 Jul, 18:30 EDT"),
        ("Asia/Kathmandu", "Fri 2 Jul, 04:15 UTC+0545"),
        ("Moon/Crater", "Thu 1 Jul, 22:30 UTC"),
        ("../../etc/passwd", "Thu 1 Jul, 22:30 UTC"),
        ("", "Thu 1 Jul, 22:30 UTC"),
    ],
)
def test_a_page_tells_times_in_its_readers_zone(table: Table, zone: str, says: str) -> None:
    Match.objects.update(deadline=SUMMER)
    table.charlie.cookies["zone"] = zone
    page = text(table.charlie.get(f"/m/{table.key}/"))
    assert f'<time datetime="2027-07-01T22:30:00+00:00" data-time="zoned">{says}</time>' in page
    assert timezone.get_current_timezone_name() == "UTC"  # one reader's zone is not the next one's


def test_who_has_no_zone_reads_the_sites(table: Table, settings: Any) -> None:
    Match.objects.update(deadline=SUMMER)
    settings.TIME_ZONE = "Asia/Tokyo"
    assert "Fri 2 Jul, 07:30 JST" in text(table.charlie.get(f"/m/{table.key}/"))


def test_a_guests_zone_is_kept_when_he_does_something(alice: Browser) -> None:
    alice.cookies["zone"] = "Europe/Berlin"
    alice.make_by_page()
    guest = Guest.objects.get()
    assert guest.zone == "Europe/Berlin"
    alice.cookies["zone"] = "Asia/Tokyo"
    alice.get("/mine/")
    guest.refresh_from_db()
    assert guest.zone == "Europe/Berlin"  # looking changes nothing
    alice.cookies["zone"] = "Moon/Crater"
    alice.make_by_page()
    guest.refresh_from_db()
    assert guest.zone == "Europe/Berlin"


def test_pages_offer_places_and_no_technical_names() -> None:
    offered = offered_zones()
    assert {"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Pacific/Auckland"} <= set(offered)
    assert not {zone for zone in offered if zone.startswith(("Etc/", "US/", "posix"))}
