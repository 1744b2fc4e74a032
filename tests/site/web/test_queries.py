"""Counts the queries of pages once the process knows the match, whatever the match's age.

What only few matches and guests have is asked for where their rows say that it may be there: so whoever
writes such a thing must note it, and a guest who becomes another one takes it along.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import GAMES
from robosite.matches import flow
from robosite.matches.flow import holidays
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.moderation import measures
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.play import shared_pages
from robosite.talk import messages
from robosite.web.caches import BoundedCache
from tests.site.browsers import OTHER, Browser, Table, sit_down, text

HTMX = {"HX-Request": "true", "HX-Target": "live"}
UTC = ZoneInfo("UTC")
transactional = pytest.mark.django_db(transaction=True)  # only what is committed is kept in memory


def queries(browser: Browser, path: str, data: dict[str, Any] | None = None, **more: Any) -> list[str]:
    """The queries of a request once its process is warm."""
    for _ in range(3):
        with CaptureQueriesContext(connection) as asked:
            answer = browser.get(path, **more) if data is None else browser.post(path, data, **more)
        assert answer.status_code == 200
    return [one["sql"] for one in asked]


@transactional
@pytest.mark.parametrize("turns", [1, 6])
@pytest.mark.parametrize("slug", GAMES)
def test_a_seat_page_asks_six_or_seven_times_and_a_watcher_s_page_three(
    alice: Browser, bob: Browser, charlie: Browser, slug: str, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sit_down(alice, bob, charlie, slug)
    table.play_some(turns)
    assert table.match.status == "playing"
    seat = table.a.get_absolute_url()
    guided = turns < table.match.game.guided > 1  # has she played this game before?
    asked = queries(
        alice, seat
    )  # for a message that is kept for the reveal, too, or for how she will be told
    assert len(asked) == 7 + guided, "\n".join(asked)
    assert len(queries(alice, seat, headers=HTMX)) == 7 + guided
    assert len(queries(charlie, f"/m/{table.key}/")) == 1  # another one's page
    monkeypatch.setattr(shared_pages, "_pages", BoundedCache(0))
    assert len(queries(charlie, f"/m/{table.key}/")) == 3
    assert len(queries(charlie, f"/m/{table.key}/version/")) == 1


@transactional
def test_my_games_asks_three_times_and_so_does_a_plain_page(table: Table) -> None:
    for _ in range(3):
        table.alice.make()
    assert len(queries(table.alice, "/mine/")) == 3
    assert len(queries(table.alice, "/rules/pigs/")) == 3
    assert queries(table.charlie, "/rules/pigs/") == []


def test_a_deadline_that_passes_asks_ten_times_at_most(table: Table) -> None:
    now = timezone.now()
    for _ in range(2):  # the second time its process knows the match
        Match.objects.update(deadline_hours=24, late="claim", deadline=now, due=now, overdue=False)
        Seat.objects.update(missed=0)
        with CaptureQueriesContext(connection) as asked:
            flow.apply_due(table.match)
        assert table.match.overdue
    assert len([one for one in asked if "SAVEPOINT" not in one["sql"]]) <= 10 + 1  # the test's own look


def on_holiday(name: str) -> None:
    today = date.today()
    guest = Guest.objects.get(name=name)
    holidays.begin(guest, first=today, last=today + timedelta(days=3), zone=UTC, now=timezone.now())


def test_who_is_on_holiday_is_shown_wherever_he_sits_or_sits_down(
    db: Any, table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    assert "on holiday" not in text(alice.get(table.a.get_absolute_url()))
    on_holiday("Bob")
    later = sit_down(charlie, bob, alice)
    for browser, seat in ((alice, table.a), (charlie, later.a)):
        assert "Bob is on holiday" in text(browser.get(seat.get_absolute_url()))


def test_holidays_and_seats_of_two_browsers_come_together(db: Any, table: Table, charlie: Browser) -> None:
    charlie.make()
    on_holiday("Charlie")
    merge(Guest.objects.get(name="Charlie"), Guest.objects.get(name="Bob"))
    assert table.match.may_have(MatchFlag.HOLIDAYS)
    assert "Bob is on holiday" in text(table.alice.get(table.a.get_absolute_url()))


def test_a_measure_and_the_wish_for_sound_go_with_the_guest(db: Any, table: Table, charlie: Browser) -> None:
    charlie.make()
    charlie.post("/notices/wishes/", {"steps-shown": "1", "sound": "1"})
    page = table.b.get_absolute_url()
    assert "/js/call." not in text(table.bob.get(page))
    measures.take("warn", None, guest=Guest.objects.get(name="Charlie"), reason="spam")
    merge(Guest.objects.get(name="Charlie"), Guest.objects.get(name="Bob"))
    shown = text(table.bob.get(page))
    assert "A moderator warns you." in shown
    assert "/js/call." in shown


def test_a_private_message_leaves_no_trace_at_the_seats_of_others(
    db: Any, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    match = alice.make(3)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    own, _other = bob.join(invite), charlie.join(invite)
    messages.say(own, None, OTHER, to=["A"])
    assert [seat.addressed for seat in Seat.objects.filter(match=match)] == [True, False, False]
    messages.say(own, None, OTHER)
    assert [seat.addressed for seat in Seat.objects.filter(match=match)] == [True, False, True]
