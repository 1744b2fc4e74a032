"""The work for requests is bounded: calls, time, queries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import GAMES
from games.core import IllegalOrder
from games.pigs import PigsState
from games.pigs.presentation import planner
from robosite.matches import flow
from robosite.matches.flow import pauses
from robosite.matches.history import secret_binding
from robosite.matches.models import Match, MatchFlag, Program, Seat
from robosite.matches.seals import Secret, encrypt_secret
from robosite.moderation import measures
from robosite.people import cost
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.play import shared_pages
from robosite.talk import messages
from robosite.web import limits, rate_windows
from robosite.web.bounds import BUCKETS, Bucket
from robosite.web.caches import BoundedCache
from tests.site.browsers import OTHER, Browser, Table, sit_down, text
from tests.site.conftest import Seconds
from tests.site.play.test_what_if import fields, tap

HERE, THERE = "127.0.0.1", "192.0.2.9"


class Processor:
    """The time that a request takes of the processor: `each` seconds."""

    each = 0.0
    used = 0.0

    def thread_time(self) -> float:
        self.used += self.each
        return self.used


@pytest.fixture
def processor(settings: Any, seconds: Seconds, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processor]:
    """Three seconds may be used within six, of a guest two within four."""
    settings.LIMITS = "on"
    settings.BUCKETS = {**BUCKETS, "cost": Bucket(3, 30, parts=1000), "cost/guest": Bucket(2, 30, parts=1000)}
    cost.reset()
    made = Processor()
    monkeypatch.setattr(cost, "time", made)
    yield made
    cost.reset()


@pytest.mark.parametrize("method", ["get", "head", "post"])
@pytest.mark.parametrize("path", ["/", "/rules/pigs/", "/admin/login/", "/api/v1/games", "/nowhere/"])
def test_whoever_has_used_his_share_waits_before_anything_is_done(
    processor: Processor, seconds: Seconds, path: str, method: str
) -> None:
    client = Client()
    processor.each = 1.01
    assert [client.get("/rules/robble/").status_code for _ in range(3)] == [200] * 3
    with CaptureQueriesContext(connection) as asked:
        answer = getattr(client, method)(path)
    assert answer.status_code == 429 and int(answer["Retry-After"]) in (6, 7) and not asked.captured_queries
    assert getattr(Client(REMOTE_ADDR=THERE), method)(path).status_code != 429
    seconds.at += int(answer["Retry-After"])
    processor.each = 0.0
    assert getattr(client, method)(path).status_code != 429


def test_it_is_said_in_the_sites_look_and_as_a_problem(processor: Processor) -> None:
    cost.charge("cost", HERE, 10)
    page = Client().get("/", headers={"Accept-Language": "de"})
    assert "<html" in text(page)
    assert 'lang="de"' in text(page)
    assert "default-src" in page["Content-Security-Policy"]
    call = Client().get("/api/v1/games")
    assert call["Content-Type"] == "application/problem+json"
    told = call.json()
    assert told["status"] == 429 and call["Retry-After"] in told["detail"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/static/img/favicon.svg"])
def test_files_and_what_watches_over_the_site_are_free(processor: Processor, path: str) -> None:
    processor.each = 9
    for _ in range(3):
        Client().get(path).close()
    assert Client().get("/rules/pigs/").status_code == 200  # it was not charged for these
    assert Client().get("/rules/pigs/").status_code == 429
    answer = Client().get(path)
    answer.close()
    assert answer.status_code != 429


def test_a_guest_has_one_share_from_wherever_he_asks(processor: Processor, table: Table) -> None:
    assert BUCKETS["cost/guest"].capacity < BUCKETS["cost"].capacity, "he leaves some to the others there"
    assert BUCKETS["cost"].a_minute <= 30  # half of a processor's time, in the long run
    alice = table.alice
    processor.each = 1.01
    for n in range(2):
        assert alice.get("/mine/", REMOTE_ADDR=f"192.0.2.{n}").status_code == 200
    session = alice.cookies["sessionid"].value
    assert cost._known["player", session] == (str(Guest.objects.get(name="Alice").pk), False)
    assert alice.get("/mine/", REMOTE_ADDR="192.0.2.7").status_code == 429
    assert table.bob.get("/mine/", REMOTE_ADDR="192.0.2.7").status_code == 200


def test_what_is_refused_costs_nothing_nor_anything_without_limits(
    processor: Processor, seconds: Seconds, settings: Any
) -> None:
    """Asking again and again meanwhile makes nobody wait longer."""
    processor.each = 3.01
    Client().get("/")
    told = int(Client().get("/")["Retry-After"])
    for _ in range(20):
        assert Client().get("/").status_code == 429
    seconds.at += told
    assert Client().get("/").status_code == 200
    settings.LIMITS = "off"
    processor.each = 99
    assert [Client().get("/").status_code for _ in range(3)] == [200] * 3


def test_one_dear_request_is_counted_in_full(processor: Processor, seconds: Seconds) -> None:
    """Also what goes beyond what was left: else requests that are dear enough would be free."""
    used, began = 0, seconds.at
    processor.each = 2.5
    while seconds.at < began + 200:
        if Client().get("/nowhere/").status_code == 404:
            used += 1
        else:
            seconds.at += 1
    assert used * 2.5 <= 200 / 2 * 1.1  # half of the processor
    assert used > 16


def test_small_costs_add_up_and_are_told_together(
    processor: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    charge = limits.charge

    def counted(name: str, who: str, parts: int, room: int) -> int:
        told.append(parts)
        return charge(name, who, parts, room)

    monkeypatch.setattr(limits, "charge", counted)
    for _ in range(100):
        cost.charge("cost", HERE, 0.030)
    assert sum(told) >= 2900 and len(told) <= 3000 / cost.STEP  # one trip for every three or four pages
    assert Client().get("/").status_code == 429


def test_processes_share_the_count(processor: Processor, redis_url: str, settings: Any) -> None:
    """Another process knows what one has charged with its next piece."""
    settings.REDIS_URL, settings.REDIS_PREFIX = redis_url, "tests-cost"
    rate_windows.reset()
    cost.charge("cost", HERE, 2.95)
    cost.reset()  # as another process, which knows nothing of it
    assert cost._wait("cost", HERE) == 0
    cost.charge("cost", HERE, cost.STEP / 1000)
    assert cost._wait("cost", HERE) > 0
    rate_windows.reset()


def test_a_process_keeps_so_many_in_mind(processor: Processor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_known", BoundedCache(10))
    for n in range(50):
        cost.charge("cost", f"small {n}", 0.01)
        cost.charge("cost", f"large {n}", 99)
    assert len(cost._known) == 10


LONG = "F ^ " * 500
REFUSED = "This text has 2000 characters; a turn here has 96 at most. Please write less."


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that the rules or the planner of the pigs read."""
    found: list[str] = []
    for where, name in ((PigsState, "read_order"), (planner, "_read")):
        reads: Any = getattr(where, name)

        def listens(*given: Any, reads: Any = reads) -> Any:
            found.extend(one for one in given if isinstance(one, str))
            return reads(*given)

        monkeypatch.setattr(where, name, listens)
    return found


def keep_old_draft(table: Table, draft: str) -> None:
    """A draft that was kept before there was a longest one."""
    secret = encrypt_secret(secret_binding(table.match, table.match.turn, "A"), Secret(draft))
    Program.objects.create(seat=table.a, turn=table.match.turn, secret=secret)


def test_an_old_draft_that_is_too_long_is_shown_and_refused_unread(table: Table, read: list[str]) -> None:
    keep_old_draft(table, LONG.strip() + " ")
    page = table.alice.get(table.a.get_absolute_url())
    assert page.status_code == 200
    assert LONG.strip() in text(page) and REFUSED in text(page)
    sealed = table.alice.post(f"{table.a.get_absolute_url()}plan/", {"turn": 0, "seal": "1"})
    assert sealed.status_code == 422 and REFUSED in text(sealed)
    assert max(map(len, read)) <= 96
    assert flow.draft_of(table.match, table.a) == LONG
    tap(table.alice, table, choose="F")
    assert flow.draft_of(table.match, table.a) == "F . . . ."


def test_what_is_typed_and_too_long_is_refused_and_the_draft_stays(table: Table, read: list[str]) -> None:
    table.alice.draft(table.a, "F ^")
    for button in ("use", "seal"):
        given = {"turn": 0, "typed": LONG, button: "1"}
        answer = table.alice.post(f"{table.a.get_absolute_url()}plan/", given)
        assert answer.status_code == 422 and REFUSED in text(answer)
    with pytest.raises(IllegalOrder, match="has 96 at most"):
        flow.draft(table.a, 0, LONG)
    assert flow.draft_of(table.match, table.a) == "F ^"
    answer = tap(table.alice, table, guess="F", sheet="B", **{"guess-B": LONG})
    assert fields(answer) == {"sheet": "B", "guess-B": "F . . . ."}
    assert max(map(len, read)) <= 96


def test_a_lesson_refuses_what_is_too_long_unread(client: Client, read: list[str]) -> None:
    for more in ("", "played&"):
        answer = client.get(f"/learn/pigs/1/?{more}order={LONG.replace(' ', '+')}")
        assert REFUSED in text(answer)
        assert len(answer.content) < 60_000
    for button in ("use", "seal"):
        answer = client.post("/learn/pigs/1/?order=F", {"typed": LONG.strip() + "F" * 100, button: "1"})
        assert answer.status_code == 422 and "turn here has 96 at most" in text(answer)
    assert max(map(len, read), default=0) <= 96


def test_a_few_commands_too_many_are_shown_and_many_are_only_told(table: Table, alice: Browser) -> None:
    alice.draft(table.a, "F F F F F ^ ^")
    page = text(alice.get(table.a.get_absolute_url()))
    assert "Slot 7" in page and "“F F F F F ^ ^” has 7" in page
    answer = alice.draft(table.a, "F " * 40)
    assert answer.status_code == 422
    assert "These are 40 commands for 5 slots. Please write fewer." in text(answer)


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
    pauses.begin(guest, first=today, last=today + timedelta(days=3), zone=UTC, now=timezone.now())


def test_who_is_on_holiday_is_shown_wherever_he_sits_or_sits_down(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    assert "on holiday" not in text(alice.get(table.a.get_absolute_url()))
    on_holiday("Bob")
    later = sit_down(charlie, bob, alice)
    for browser, seat in ((alice, table.a), (charlie, later.a)):
        assert "Bob is on holiday" in text(browser.get(seat.get_absolute_url()))


def test_holidays_and_seats_of_two_browsers_come_together(table: Table, charlie: Browser) -> None:
    charlie.make()
    on_holiday("Charlie")
    merge(Guest.objects.get(name="Charlie"), Guest.objects.get(name="Bob"))
    assert table.match.may_have(MatchFlag.HOLIDAYS)
    assert "Bob is on holiday" in text(table.alice.get(table.a.get_absolute_url()))


def test_a_measure_and_the_wish_for_sound_go_with_the_guest(table: Table, charlie: Browser) -> None:
    charlie.make()
    charlie.post("/notices/wishes/", {"steps-shown": "1", "sound": "1"})
    page = table.b.get_absolute_url()
    assert "/js/call." not in text(table.bob.get(page))
    measures.take("warn", None, guest=Guest.objects.get(name="Charlie"), reason="spam")
    merge(Guest.objects.get(name="Charlie"), Guest.objects.get(name="Bob"))
    shown = text(table.bob.get(page))
    assert "A moderator has warned you." in shown
    assert "/js/call." in shown


def test_a_private_message_leaves_no_trace_at_the_seats_of_others(three: Table) -> None:
    messages.say(three.b, None, OTHER, to=["A"])
    assert [seat.addressed for seat in three.match.seats.all()] == [True, False, False]
    messages.say(three.b, None, OTHER)
    assert [seat.addressed for seat in three.match.seats.all()] == [True, False, True]
