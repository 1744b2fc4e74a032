"""Long matches and records: no address has one request do the work of hundreds of turns in one go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from games import newest
from games.record import replay
from robosite.api import serializers
from robosite.matches import flow, history, records
from robosite.matches.flow import imports
from robosite.matches.flow.continuation import play_again
from robosite.matches.history import state_of, states_of, turns_of
from robosite.matches.models import Match, Program
from robosite.people.models import Guest
from robosite.web import later, limits, rate_windows
from robosite.web.caches import made_once
from tests.site.bots.test_dearest import LEAST
from tests.site.browsers import Browser
from tests.site.large import TURNS, calls, lengthen, long_record


@pytest.fixture(autouse=True)
def cold() -> Iterator[None]:
    """As in a process that has just begun."""
    forget()
    yield
    forget()


def forget() -> None:
    history._kept.clear()
    made_once.clear()


def playing(turns: int = TURNS, game: str = "pigs") -> Match:
    match, _taken, invite = flow.create(*_options(game), 2, "Alice")
    flow.join(match, "Bob", invite=invite)
    match.refresh_from_db()
    lengthen(match, turns)
    return match


def _options(slug: str) -> tuple[Any, Any]:
    return newest(slug), newest(slug).read_options({})


@pytest.mark.parametrize("slug", ["pigs", "robosoccer"])
def test_a_long_record_is_imported_with_bounded_work(slug: str) -> None:
    data = long_record(slug)
    imports.import_record(data)
    assert calls(lambda: imports.import_record(data)) < LEAST.calls


def test_what_is_imported_is_what_the_record_says_and_needs_no_second_replay(
    django_capture_on_commit_callbacks: Any,
) -> None:
    data = long_record("robosoccer", 300)
    with django_capture_on_commit_callbacks(execute=True):
        match = imports.import_record(data)
    rows = Program.objects.filter(seat__match=match).order_by("turn", "seat__letter")
    assert [(row.turn, row.seat.letter, row.order) for row in rows.select_related("seat")] == [
        (n, at, order) for n, turn in enumerate(data["turns"]) for at, order in turn.items()
    ]
    assert {(row.seal, row.nonce, row.by, row.secret, row.sealed_at) for row in rows} == {
        ("", "", "", None, None)
    }
    kept = states_of(Match.objects.get(pk=match.pk))
    forget()
    assert [state.position() for state in states_of(Match.objects.get(pk=match.pk))] == [
        state.position() for state in kept
    ]


@pytest.mark.parametrize("turns", [200, 500])
def test_playing_on_from_a_late_turn_takes_bounded_work(turns: int) -> None:
    before = imports.import_record(long_record())
    guest = Guest.objects.create(name="Zoe")
    made: list[Match] = []
    play_again(before, 1, "A", "Zoe", "random", guest=guest)  # so that what is made once is there
    forget()
    took = calls(lambda: made.append(play_again(before, turns, "A", "Zoe", "random", guest=guest).seat.match))
    assert took < LEAST.calls
    match = Match.objects.get(pk=made[0].pk)
    assert match.turn == turns and turns_of(match) == turns_of(before)[:turns]
    text = json.loads(json.dumps(records.record_of(match)))
    assert replay(text).fault is None and len(text["seals"]) == turns


class Watched:
    """Counts the calls in each turn of the thread while `work` waits for what is long."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.jobs: list[int] = []
        step = later._step
        monkeypatch.setattr(later, "_step", lambda steps: self._counted(step, steps))

    def _counted(self, step: Any, steps: Any) -> Any:
        done: list[Any] = []
        self.jobs.append(calls(lambda: done.append(step(steps))))
        return done[0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("slug", ["pigs", "robosoccer"])
async def test_a_long_match_is_replayed_in_steps(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match = await sync_to_async(playing)(3 * TURNS, slug)
    watched = Watched(monkeypatch)

    def look() -> str:
        return state_of(Match.objects.get(pk=match.pk)).position()

    forget()
    in_steps = await later.on_thread(look)
    assert len(watched.jobs) > 10 and max(watched.jobs) < LEAST.calls / 2
    assert len(history._kept[match.key].turns) == 3 * TURNS
    watched.jobs.clear()
    assert await later.on_thread(look) == in_steps and not watched.jobs
    forget()
    assert await sync_to_async(look)() == in_steps and not watched.jobs


@pytest.mark.django_db(transaction=True)
async def test_the_apis_first_look_is_written_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    match = await sync_to_async(playing)()
    watched = Watched(monkeypatch)

    def look(since: int = 0) -> str:
        return serializers.see(Match.objects.get(pk=match.pk), None, since=since).text

    forget()
    in_steps = await later.on_thread(look)
    assert len(watched.jobs) > 10 and max(watched.jobs) < LEAST.calls / 2
    forget()
    assert await sync_to_async(look)() == in_steps
    told = json.loads(in_steps)
    assert len(told["turns"]) == len(told["events"]) == TURNS and len(told["seals"]) == TURNS + 1
    forget()
    late = json.loads(await sync_to_async(look)(TURNS - 3))
    assert (late["turns"], late["events"], late["seals"]) == (
        told["turns"][-3:],
        told["events"][-3:],
        told["seals"],
    )
    assert json.loads(await sync_to_async(look)(5))["events"] == told["events"][5:]


@pytest.mark.django_db(transaction=True)
async def test_other_requests_come_between_the_steps() -> None:
    match = await sync_to_async(playing)(3 * TURNS)
    forget()
    looks: list[int] = []

    async def others() -> None:
        while True:
            await sync_to_async(lambda: looks.append(len(history._kept.get(match.key, ((), ()))[1])))()

    beside = asyncio.get_running_loop().create_task(others())
    await later.on_thread(lambda: state_of(Match.objects.get(pk=match.pk)))
    beside.cancel()
    assert len({n for n in looks if 0 < n < 3 * TURNS}) > 5


@pytest.mark.django_db(transaction=True)
async def test_a_turn_that_is_taken_back_meanwhile_ends_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    match = await sync_to_async(playing)()
    forget()
    step = later._step

    def taken_back(steps: Any) -> Any:
        Match.objects.filter(pk=match.pk, taken_back=0).update(taken_back=1)
        return step(steps)

    monkeypatch.setattr(later, "_step", taken_back)
    shown = await later.on_thread(lambda: serializers.see(Match.objects.get(pk=match.pk), None).text)
    assert json.loads(shown)["taken_back"] == 1 and len(json.loads(shown)["events"]) == TURNS


def test_a_request_that_waits_for_ever_has_it_made_at_once_and_none_waits_after_a_write() -> None:
    assert not issubclass(later.Later, Exception), "or a handler takes it for a fault"
    asked: list[bool] = []

    def never() -> str:
        asked.append(later.can_wait())
        if later.can_wait():
            later.do_in_steps(iter(()))
        return "made"

    assert asyncio.run(later.on_thread(never)) == "made"
    assert asked == [True] * later.TIMES + [False]

    def writes() -> list[bool]:
        asked = [later.can_wait()]
        list(Match.objects.all())
        asked.append(later.can_wait())
        Match.objects.filter(key="none").update(turn=1)
        return [*asked, later.can_wait()]

    assert later.waiting_for(writes) == [True, True, False]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("call", [("resign", None), ("draw", {"offer": True})], ids=lambda call: call[0])
async def test_what_changes_a_long_match_changes_it_once(call: tuple[str, Any]) -> None:
    """The answer is the whole match: nothing is waited for once the change is written."""

    def make() -> tuple[Match, str]:
        match, taken, invite = flow.create(*_options("pigs"), 2, "Alice")
        flow.join(match, "Bob", invite=invite)
        match.refresh_from_db()
        lengthen(match, TURNS)
        return match, taken.secret

    match, token = await sync_to_async(make)()
    path, data = f"/api/v1/matches/{match.key}/{call[0]}", json.dumps(call[1]) if call[1] else ""
    headers = {"Authorization": f"Bearer {token}"}

    def ask() -> Any:
        return Client().post(path, data, content_type="application/json", headers=headers)

    forget()
    before = await sync_to_async(lambda: Match.objects.get(pk=match.pk).version)()
    answer = await later.on_thread(ask)
    assert answer.status_code == 200, answer.content[:200]
    assert before < answer.json()["version"] <= before + 2


def compact(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["page", "api", "api with a key"])
async def test_a_long_record_is_replayed_in_steps_before_it_is_written(
    way: str, monkeypatch: pytest.MonkeyPatch, limited: Any
) -> None:
    text, watched, browser = compact(long_record()), Watched(monkeypatch), Browser("Alice")
    monkeypatch.setattr(imports, "replay", None)  # not once more in the transaction
    headers = {"Idempotency-Key": "0f2d7c9e-94c1-4a8e-9b0a-0d3f0f6b1c55"} if "key" in way else {}

    def send() -> Any:
        if way == "page":
            return browser.post("/import/", {"record": text})
        return browser.post("/api/v1/records", text, content_type="application/json", headers=headers)

    answer = await later.on_thread(send)
    assert answer.status_code == (302 if way == "page" else 201), answer.content[:300]
    assert len(watched.jobs) > 5 and max(watched.jobs) < LEAST.calls / 4
    match = await sync_to_async(Match.objects.get)()
    assert match.turn == TURNS + 1
    assert not imports._ahead
    assert (await sync_to_async(browser.get)(f"/m/{match.key}/")).status_code == 200
    rate_windows.reset()


@pytest.mark.django_db(transaction=True)
async def test_a_long_record_with_a_fault_is_refused_as_a_short_one_is() -> None:
    data = long_record()
    data = {**data, "turns": [*data["turns"][:900], {"A": "no order"}]}
    answer = await later.on_thread(
        lambda: Browser("Alice").post("/api/v1/records", compact(data), content_type="application/json")
    )
    assert answer.status_code == 422 and answer.json()["errors"][0]["pointer"] == "/turns/900/A"
    assert not await sync_to_async(Match.objects.exists)() and not imports._ahead


async def test_a_request_that_waits_takes_its_limits_once(limited: Any) -> None:
    """Each request takes two seats for bots and a review, and waits as often as may be."""
    from robosite.asgi import whole

    def answer() -> None:
        limits.take(("bots", "Ada"))
        limits.take(("bots", "Ada"))
        limits.take(("review", "Ada"))
        if later.can_wait():
            later.do_in_steps(iter(range(3)))

    async def handler(scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(later.waiting_for if scope["may_wait"] else lambda call: call())(answer)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def ask() -> list[int]:
        await whole(handler)({"type": "http"}, receive, None)
        return [limits.left(row, "Ada")[1] for row in ("bots", "review")]

    bots, reviews = (limited.BUCKETS[row].capacity for row in ("bots", "review"))
    assert await ask() == [bots - 2, reviews - 1]
    assert await ask() == [bots - 4, reviews - 2]
    rate_windows.reset()
