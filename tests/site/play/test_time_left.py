"""The time that is left, and the reserve."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import icalendar
import pytest
from django.core import mail as post
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices import facts, sender
from robosite.notices.models import Wishes
from robosite.ops import verification
from robosite.people.models import Guest
from robosite.web.sentences import age_of, coarse_age, spell_duration
from tests import at_once
from tests.at_once import tick
from tests.site.api.test_api import Api, problem
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import by_mail, ends
from tests.site.notices.test_notices_feeds import entries, link
from tests.site.notices.test_notices_sent import by_push, by_webhook, receiver

__all__ = ["receiver"]


NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
REST = re.compile(r"\d+\W(?:day|hour|minute)s?\W(?:left|remain)", re.IGNORECASE)


def warned(table: Table, time: Time, hours: float) -> str:
    """The mail that warns of a deadline in so many hours: its subject and its text."""
    Match.objects.update(deadline_hours=72, deadline=time.now() + timedelta(hours=hours))
    facts.sweep(table.match.pk)
    at_once.send_all()
    return f"{post.outbox[-1].subject}\n{post.outbox[-1].body}"


@pytest.mark.parametrize(
    ("zone", "hours", "says"),
    [
        ("UTC", 47.98, "You have until Fri 3 Jul, 11:58 UTC"),
        ("Europe/Berlin", 47.98, "You have until Fri 3 Jul, 13:58 CEST"),
        ("America/Sao_Paulo", 2.5, "You have until Wed 1 Jul, 11:30 UTC-03"),
        ("Asia/Kolkata", 20, "You have until Thu 2 Jul, 13:30 IST"),
    ],
)
def test_a_warning_names_the_deadline_in_its_readers_zone(
    table: Table, time: Time, zone: str, hours: float, says: str
) -> None:
    time.present = NOW
    by_mail(table.alice)
    table.alice.post("/notices/wishes/", {"steps-shown": "1", "steps": ["48", "24", "3"]})
    Guest.objects.filter(name="Alice").update(zone=zone)
    told = warned(table, time, hours)
    assert says in told.partition("\n")[0] and not REST.search(told)


def test_pushes_webhooks_and_feeds_say_the_same(table: Table, time: Time, receiver: Any) -> None:
    time.present = NOW
    path = link(table.alice, "atom")
    by_webhook(table, f"{receiver.url}/hook")
    phone = by_push(table, receiver)
    ends(table, time, hours=5, deadline_hours=48)
    table.play((FIRST, FIRST))
    at_once.send_all()
    until = "You have until Fri 3 Jul, 12:00 UTC."
    pushed = next(phone.read(one.body) for one in receiver.asked if one.path.startswith("/push"))
    hooked = next(one.body.decode() for one in receiver.asked if one.path == "/hook")
    assert until in pushed["body"] and until in hooked and not REST.search(pushed["body"] + hooked)
    feed = table.charlie.get(path)
    assert until in text(feed) and any("Your turn" in title for title, _, _ in entries(table.charlie, path))
    time.pass_(hours=7)
    assert table.charlie.get(path).content == feed.content
    table.play((FIRST, FIRST))
    assert text(table.charlie.get(path)).count("You have until") == 1, "of the present turn alone"


def test_a_page_names_the_zone_of_its_deadline(table: Table, time: Time) -> None:
    time.present = NOW
    ends(table, time, hours=47.98, deadline_hours=72)
    table.alice.cookies["zone"] = "Europe/Berlin"
    page = text(table.alice.get(table.a.get_absolute_url()))
    assert re.search(
        r'<time datetime="2026-07-03T[^"]+" data-time="zoned">Fri 3 Jul, 13:58 CEST</time>', page
    )


@given(seconds=st.integers(0, 59 * 86_400))
def test_an_age_is_off_by_less_than_half_of_it(seconds: int) -> None:
    unit, n = coarse_age(timedelta(seconds=seconds))
    length = {"day": 86_400, "hour": 3_600, "minute": 60}[unit]
    assert n * length <= seconds < (n + 1) * length
    assert n >= 2 or unit == "minute"


HOUR = timedelta(hours=1)


@pytest.fixture
def api(client: Client, settings: Any) -> Api:
    settings.MIN_DEADLINE_HOURS = 0.001
    return Api(client)


@pytest.fixture
def reserve(alice: Browser, bob: Browser, charlie: Browser, time: Time) -> Table:
    """Alice and Bob with twelve hours a turn, and nine days and four hours in reserve."""
    match = alice.make_by_page(deadline="12", reserve="168", variant="last_standing")
    Match.objects.update(reserve_hours=220)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    bob.join(invite)
    return Table(match.key, alice, bob, charlie, invite)


def page(browser: Browser, table: Table, seat: str, more: str = "") -> str:
    return " ".join(text(browser.get(f"/m/{table.key}/{seat}/{more}")).split()).replace("\xa0", " ")


def test_the_form_asks_for_a_reserve(alice: Browser) -> None:
    match = alice.make_by_page(deadline="24", reserve="72")
    assert (match.deadline_hours, match.reserve_hours) == (24, 72)
    assert alice.make_by_page(deadline="", reserve="72").reserve_hours == 0
    assert alice.make_by_page(deadline="24").reserve_hours == 0
    refused = alice.post("/matches/", {"game": "pigs", "name": "Alice", "deadline": "24", "reserve": "9999"})
    assert refused.status_code == 422 and 'value="24" checked' in text(refused)


def test_pages_and_the_calendar_say_both_times(reserve: Table, time: Time) -> None:
    shown = page(reserve.alice, reserve, "A")
    assert "12 hours for this turn, then your extra time: 9 days 4 hours." in shown
    in_full = page(reserve.alice, reserve, "A", "time/")
    assert "12 hours for this turn, until <time" in in_full
    assert "then your extra time: 9 days 4 hours." in in_full
    assert (time.now() + 12 * HOUR).isoformat(timespec="seconds") in in_full
    assert (time.now() + 232 * HOUR).isoformat(timespec="seconds") in shown
    path = link(reserve.alice, "calendar")
    events = icalendar.Calendar.from_ical(Browser("").get(path).content).walk("VEVENT")
    assert [event["dtend"].dt for event in events] == [(time.now() + 232 * HOUR).replace(microsecond=0)]
    time.pass_(hours=20)
    assert "then your extra time: 9 days 4 hours." in page(reserve.alice, reserve, "A")
    flow.seal(reserve.a, 0, OTHER)
    assert "for this turn" not in page(reserve.alice, reserve, "A")
    in_full = page(reserve.alice, reserve, "A", "time/")
    assert "9 days 4 hours of extra time" in in_full
    assert "Alice: 8 days 20 hours" in in_full and "Bob: 9 days 4 hours" in in_full
    flow.seal(reserve.b, 0, OTHER)
    assert "then your extra time: 8 days 20 hours." in page(reserve.alice, reserve, "A")
    flow.seal(reserve.a, 1, OTHER)
    time.pass_(hours=14)
    flow.reopen(reserve.a, 1)
    running = "Since you reopened it, your extra time is running: 8 days 20 hours."
    assert running in page(reserve.alice, reserve, "A")


def test_each_reads_of_their_own_deadline(reserve: Table, time: Time) -> None:
    time.pass_(hours=112)
    flow.seal(reserve.a, 0, OTHER)  # 120 hours left
    flow.seal(reserve.b, 0, OTHER)
    time.pass_(hours=12)
    flow.seal(reserve.a, 1, OTHER)
    time.pass_(hours=60)
    flow.seal(reserve.b, 1, OTHER)  # 60 hours left
    of_alice, of_bob = time.now() + 132 * HOUR, time.now() + 72 * HOUR
    assert of_alice.isoformat(timespec="seconds") in page(reserve.alice, reserve, "A")
    assert of_bob.isoformat(timespec="seconds") in page(reserve.bob, reserve, "B")
    time.pass_(hours=72)
    tick()
    assert "Time is up" not in page(reserve.alice, reserve, "A")
    assert of_alice.isoformat(timespec="seconds") in page(reserve.alice, reserve, "A")


def test_reminders_come_before_the_true_deadline(reserve: Table, time: Time) -> None:
    channel = by_mail(reserve.alice)
    Wishes.objects.update_or_create(guest=channel.guest, defaults={"steps": [24]})
    time.pass_(hours=1)
    assert facts.near_deadline(time.now(), None) == []
    time.pass_(hours=206)  # 25 hours are left, of 220 in reserve
    assert facts.near_deadline(time.now(), sender.LATELY) == []
    time.pass_(hours=1)
    assert facts.near_deadline(time.now(), sender.LATELY) == [reserve.match.pk]


def test_my_games_sorts_by_ones_own_deadline(reserve: Table, time: Time) -> None:
    other = reserve.alice.make(2)
    Match.objects.filter(pk=other.pk).update(deadline_hours=100)
    reserve.bob.join(reserve.alice.own_links(other.seats.get(letter="A"))["invite"])
    shown = text(reserve.alice.get("/mine/"))
    assert shown.index(other.key) < shown.index(reserve.key)
    Match.objects.filter(key=reserve.key).update(deadline=time.now() + HOUR)  # that of the other player
    shown = text(reserve.alice.get("/mine/"))
    assert shown.index(other.key) < shown.index(reserve.key)


def test_a_check_of_all_matches_finds_an_impossible_reserve(reserve: Table) -> None:
    assert list(verification.faults(verification.Found())) == []
    match = reserve.match
    match.reserves["seats"]["A"]["left"] += 10**12
    Match.objects.update(reserves=match.reserves)
    assert any("time reserve" in fault for fault in verification.faults(verification.Found()))


def test_the_api_takes_a_reserve_and_tells_what_is_left(api: Api, time: Time) -> None:
    key, ada, ben = api.table(deadline_hours=1, reserve_hours=2, options={"ends": "last_standing"})
    seen = api.get(f"matches/{key}", ada).json()
    assert seen["reserve_hours"] == 2
    assert seen["reserve"] == {"A": 7200, "B": 7200}
    assert seen["deadlines"] == {"A": seen["deadline"], "B": seen["deadline"]}
    time.pass_(hours=1, seconds=90)
    assert api.seal(key, ada, OTHER).status_code == 200
    seen = api.get(f"matches/{key}").json()
    assert seen["reserve"] == {"A": 7110, "B": 7200}
    assert set(seen["deadlines"]) == {"B"}
    assert api.seal(key, ben, OTHER).status_code == 200
    assert api.get(f"matches/{key}").json()["reserve"] == {"A": 7110, "B": 7110}
    seen = api.match(api.table()[0])
    assert (seen["reserve_hours"], seen["reserve"], seen["deadlines"]) == (0, {"A": 0, "B": 0}, {})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        *(({"reserve_hours": hours}, "Extra time is 0 to 720 hours") for hours in (-1, 720.5, 10**9)),
        ({"reserve_hours": 24, "deadline_hours": None}, "Extra time needs a deadline"),
        *(({"reserve_hours": odd}, "") for odd in ("24", True, None, float("nan"))),
    ],
)
def test_a_reserve_that_cannot_be_had_is_refused(api: Api, given: dict[str, Any], says: str) -> None:
    body = {"game": "pigs", "name": "Ada", "deadline_hours": 24, **given}
    refused = api.ask("POST", "matches", body)
    assert refused.status_code in (400, 422) and not Match.objects.exists()
    if says:
        assert problem(refused, 422, "/reserve_hours").startswith(says)


def test_a_duration_is_told_by_its_two_largest_units_and_an_age_by_one(time: Time) -> None:
    told = {220: "9 days 4 hours", 12: "12 hours", 1.5: "1 hour 30 minutes", 24: "1 day", 24.5: "1 day"}
    with translation.override("en"):
        for hours, says in {**told, 0.25: "15 minutes", 0: "0 minutes"}.items():
            assert spell_duration(hours).replace("\xa0", " ") == says
            assert spell_duration(hours * HOUR).replace("\xa0", " ") == says
        assert age_of(time.now() - timedelta(hours=47, minutes=50)) == "47\xa0hours"
        assert age_of(time.now() - timedelta(minutes=119)) == "119\xa0minutes"
        assert age_of(time.now() - timedelta(days=13)) == "13\xa0days"
        assert "year" in age_of(time.now() - timedelta(days=800))
