"""Times and time zones."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.people.zones import date_and_time, day, offered_zones, zone_named
from robosite.web.sentences import time_left
from tests.site.browsers import Browser, Table, text
from tests.site.conftest import Time

AT = datetime(2026, 11, 28, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(days=11, hours=5), "12 days left"),
        (timedelta(days=2, hours=3, minutes=59), "2 days 4 h left"),
        (timedelta(days=3), "3 days left"),
        (timedelta(hours=46, minutes=59), "47 h left"),
        (timedelta(hours=23, minutes=59, seconds=59), "24 h left"),
        (timedelta(hours=12), "12 h left"),
        (timedelta(hours=11, minutes=59, seconds=1), "12 h left"),
        (timedelta(hours=11, minutes=30), "11 h 30 min left"),
        (timedelta(hours=5, minutes=21, seconds=20), "5 h 22 min left"),
        (timedelta(hours=1, minutes=35), "1 h 35 min left"),
        (timedelta(hours=1), "1 h left"),
        (timedelta(minutes=4, seconds=59), "5 min left"),
        (timedelta(seconds=60), "1 min left"),
        (timedelta(seconds=80), "1 min 20 s left"),
        (timedelta(seconds=58.4), "59 s left"),
        (timedelta(hours=1, seconds=-5), "1 h left"),
        (timedelta(0), "time is up"),
        (-timedelta(hours=3), "time is up"),
    ],
)
def test_what_is_left_has_two_units_where_the_second_matters(length: timedelta, words: str) -> None:
    assert time_left(length).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("language", "moment", "written"),
    [
        ("en", "Sun 29 Nov, 00:30 CET", "29 Nov 2026"),
        ("de", "So., 29. Nov., 00:30 CET", "29. Nov. 2026"),
        ("es", "dom 29 nov, 00:30 CET", "29 nov 2026"),
    ],
)
def test_a_time_and_a_day_are_in_the_readers_zone_and_language(
    language: str, moment: str, written: str
) -> None:
    with translation.override(language), timezone.override(zone_named("Europe/Berlin")):
        assert (date_and_time(AT), day(AT), day(date(2026, 11, 29))) == (moment, written, written)


def test_what_is_less_than_a_week_old_is_told_shorter(time: Time) -> None:
    now = timezone.localtime().replace(hour=12)
    ago = [date_and_time(now - timedelta(days=days), zoned=False) for days in (0, 3, 7, -1)]
    week = now - timedelta(days=7)
    assert ago[0] == f"{now:%H:%M}" and ago[1] == f"{now - timedelta(days=3):%a %H:%M}"
    assert ago[2] == f"{week:%a} {week.day} {week:%b, %H:%M}" and "," in ago[3]


def test_a_deadline_is_written_the_same_on_the_seats_page_and_on_the_home_page(table: Table) -> None:
    then = timezone.now() + timedelta(hours=23, minutes=30)
    Match.objects.update(deadline_hours=48, deadline=then, due=then)
    for path in (f"/m/{table.key}/A/", f"/m/{table.key}/A/time/", "/"):
        assert "24 h" in text(table.alice.get(path)).replace("\u00a0", " "), path


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
    Guest.objects.update(round=1)  # signed out
    assert table.alice.get("/puzzles/").status_code == 200


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
