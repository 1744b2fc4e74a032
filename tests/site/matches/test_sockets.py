"""Sockets: only the site's own pages open them; presence is told at the table and to nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.flow import seat_offers
from robosite.matches.live import consumers, presence, push
from robosite.matches.live.presence import Presence
from robosite.matches.models import Match
from robosite.matches.site_models import Heartbeat
from robosite.matches.time import heartbeat
from robosite.ops.management.commands.serve import LARGEST_FRAME
from robosite.talk import messages
from tests.site.browsers import FIRST, SAME_ORIGIN, Browser, Table, sit_down
from tests.site.matches.test_who_may_act import as_read

pytestmark = pytest.mark.django_db(transaction=True)


def a_table() -> Table:
    return sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"))


def socket(path: str, browser: Browser, *headers: tuple[bytes, bytes]) -> WebsocketCommunicator:
    from robosite.asgi import application

    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
    return WebsocketCommunicator(application, path, headers=[(b"cookie", cookie.encode()), *headers])


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "http://evil.example",
            "null",
            None,
            "http://testserver.evil.example",
            "http://[",
            "http://x:y",
            "\xff",
        ),
        *("http://testserver:8080", "https://testserver", "ftp://testserver", "testserver", "//testserver"),
        *("http://testserver/", "http://a@testserver", "http://testserver:0", "http://testserver?", ""),
    ],
)
async def test_no_other_site_opens_a_socket(origin: str | None) -> None:
    table = await sync_to_async(a_table)()
    headers = [(b"origin", origin.encode("latin-1"))] if origin else []
    line = socket(f"/ws/m/{table.key}/A/", table.alice, (b"host", b"testserver"), *headers)
    accepted, _ = await line.connect(timeout=60)
    assert not accepted
    await line.disconnect(timeout=60)


@pytest.mark.parametrize(
    "path", ["/", "/ws/", "/ws/m/none/", "/ws/m/abcdefghjkmn/Z/", "/ws/m/abcdefghjkmn/A/x", "/\n"]
)
async def test_elsewhere_there_is_no_socket_and_no_fault(path: str) -> None:
    line = socket(path, Browser("Alice"), *SAME_ORIGIN)
    accepted, code = await line.connect(timeout=60)
    assert (accepted, code) == (False, 4404)
    await line.disconnect(timeout=60)


async def test_what_comes_in_is_dropped() -> None:
    table = await sync_to_async(a_table)()
    line = socket(f"/ws/m/{table.key}/A/", table.alice, *SAME_ORIGIN)
    accepted, _ = await line.connect(timeout=60)
    assert accepted
    first = json.loads(await line.receive_from(timeout=60))
    before = await sync_to_async(lambda: list(Match.objects.values()))()
    for said in ('{"seal": "F F F F F"}', "not JSON", "[" * 1000, json.dumps({"type": "resign"})):
        await line.send_to(text_data=said)
    await line.send_to(bytes_data=b"\x00\xff" * 100)
    assert await line.receive_nothing(timeout=0.3)
    assert await sync_to_async(lambda: list(Match.objects.values()))() == before
    await sync_to_async(lambda: flow.seal(table.a, 0, FIRST))()  # and it listens still
    assert json.loads(await line.receive_from(timeout=60))["version"] == first["version"] + 1
    await line.disconnect(timeout=60)


async def test_who_says_much_is_closed_as_against_the_rules() -> None:
    table = await sync_to_async(a_table)()
    line = socket(f"/ws/m/{table.key}/A/", table.alice, *SAME_ORIGIN)
    await line.connect(timeout=60)
    await line.receive_from(timeout=60)
    for _ in range(100):
        await line.send_to(text_data="a")
    assert await line.receive_output(timeout=60) == {"type": "websocket.close", "code": 1008}
    await line.wait(timeout=60)
    assert not len(consumers.slots) and not any(consumers.of_seat.count.values())  # nor counted any more


@pytest.mark.parametrize("whose", ["bob", "charlie"])
async def test_a_seats_socket_is_for_who_holds_the_seat(whose: Any) -> None:
    table = await sync_to_async(a_table)()
    line = socket(f"/ws/m/{table.key}/A/", getattr(table, whose), *SAME_ORIGIN)
    accepted, _ = await line.connect(timeout=60)
    assert not accepted
    await line.disconnect(timeout=60)


async def test_an_open_page_hears_of_time_that_is_given_back() -> None:
    """The site was down: deadlines move, and whoever looks on is told."""
    table = await sync_to_async(a_table)()
    line = socket(f"/ws/m/{table.key}/A/", table.alice, *SAME_ORIGIN)
    await line.connect(timeout=60)
    first = json.loads(await line.receive_from(timeout=60))["version"]
    now = timezone.now()

    def the_site_was_down() -> None:
        at = {"deadline": now + timedelta(hours=1), "due": now + timedelta(hours=1)}
        Match.objects.filter(key=table.key).update(deadline_hours=24, **at)
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": now - timedelta(hours=2)})
        heartbeat.beat(now, alive=True)

    await sync_to_async(the_site_was_down)()
    assert json.loads(await line.receive_from(timeout=60)) == {"version": first + 1}
    await line.disconnect(timeout=60)


async def test_what_the_layer_lost_is_told_soon_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis was away, or there is none between two processes: who has a page open need not reload it."""
    table = await sync_to_async(a_table)()
    monkeypatch.setattr(push, "ASKS_EVERY", 0.05)
    alices = socket(f"/ws/m/{table.key}/A/", table.alice, *SAME_ORIGIN)
    bobs = socket(f"/ws/m/{table.key}/B/", table.bob, *SAME_ORIGIN)
    for line in (alices, bobs):
        await line.connect(timeout=60)
    first = json.loads(await alices.receive_from(timeout=60))["version"]
    assert json.loads(await bobs.receive_from(timeout=60))["version"] == first
    monkeypatch.setattr(push, "_send", lambda message: None)  # nothing comes through

    async def hears(line: WebsocketCommunicator, told: dict[str, Any]) -> None:
        while json.loads(await line.receive_from(timeout=60)) != told:  # what it knows already may come again
            pass

    await sync_to_async(lambda: flow.seal(table.a, 0, FIRST))()
    for line in (alices, bobs):
        await hears(line, {"version": first + 1})
    await sync_to_async(lambda: messages.say(table.a, None, "Between the two of us", to=["B"]))()
    for line in (alices, bobs):
        await hears(line, {"said": True})
    for _ in range(5):  # and once is enough: later on they hear only that the line holds
        assert json.loads(await alices.receive_from(timeout=60)) == {}
    for line in (alices, bobs):
        await line.disconnect(timeout=60)


def test_frames_are_bounded() -> None:
    """Daphne is told so; see `serve`."""
    assert LARGEST_FRAME <= 16 * 1024


SOON = 0.3


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "GATHERS", 0.05)


@asynccontextmanager
async def looking(table: Table, browser: Browser, letter: str = "") -> AsyncIterator[WebsocketCommunicator]:
    line = socket(f"/ws/m/{table.key}/{letter and letter + '/'}", browser, *SAME_ORIGIN)
    accepted, code = await line.connect(timeout=30)
    assert accepted, code
    try:
        yield line
    finally:
        await line.disconnect(timeout=30)


async def hears(line: WebsocketCommunicator, *who: str) -> bool:
    """Tell whether the page is told that these are here, one after the other, and then nothing more."""
    told: list[str] = []
    while len(told) < len(who) or not await line.receive_nothing(timeout=SOON):
        message = json.loads(await line.receive_from(timeout=60))
        told += [message["here"]] if "here" in message else []
    return told == [*who]


async def until(true: Callable[[], Any]) -> Any:
    """Waits until `true` returns something true, and returns that."""
    async with asyncio.timeout(60):
        while not (said := true()):
            await asyncio.sleep(0.01)
    return said


async def test_players_see_each_other_come_and_go() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A") as alices:
        assert await hears(alices)
        async with looking(table, table.bob, "B") as bobs:
            assert await hears(alices, "B") and await hears(bobs, "A")
            async with looking(table, table.bob, "B") as another:
                assert await hears(another, "A") and await hears(alices)
            assert await hears(alices)  # one of Bob's pages is still open
        assert await hears(alices, "")


async def test_watchers_are_neither_shown_nor_told() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A") as alices, looking(table, Browser("Wanda")) as wandas:
        assert await hears(alices) and await hears(wandas)
        async with looking(table, table.bob) as bobs:  # who looks at the public page
            assert await hears(alices) and await hears(bobs) and await hears(wandas)


async def test_whoever_does_not_want_to_be_seen_is_not_from_that_moment_on() -> None:
    table = await sync_to_async(a_table)()
    switch = sync_to_async(lambda **form: table.bob.post("/me/presence/", form))
    async with looking(table, table.alice, "A") as alices, looking(table, table.bob, "B") as bobs:
        assert await hears(alices, "B") and await hears(bobs, "A")
        await switch()
        assert await hears(alices, "") and await hears(bobs)
    async with looking(table, table.alice, "A") as alices, looking(table, table.bob, "B"):
        assert await hears(alices)
        await switch(shown="1")
        assert await hears(alices, "B")


async def test_another_process_tells_is_asked_and_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    table = await sync_to_async(a_table)()
    heard: list[Any] = []

    async def layer(message: Any) -> None:
        heard.append(message)

    monkeypatch.setattr(push, "deliver", layer)
    async with looking(table, table.alice, "A") as alices:
        assert await hears(alices)
        asked = await until(lambda: next((one for one in heard if one["type"] == "present"), None))
        assert asked["asks"] and [letter for letter, _guest in asked["open"][table.key]] == ["A"]
        ours = presence.presence()
        other = Presence(ours.hub)
        other.pages[table.key] = 1
        other.shown[table.key]["B", 0] = 1
        heard.clear()
        other.hear(asked)
        assert other.at(table.key) == ours.at(table.key) | {("B", 0)}
        await until(lambda: heard)
        ours.hear(json.loads(json.dumps(heard[0])))
        assert await hears(alices, "B")
        monkeypatch.setattr(presence, "FORGOTTEN_AFTER", 0.0)
        ours.hear(push.HOLDS)
        assert await hears(alices, "")


async def test_nothing_is_left_when_all_pages_are_closed() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A"), looking(table, table.bob, "B") as bobs:
        assert await hears(bobs, "A")
        ours = presence.presence()
    assert not (ours.pages or ours.shown or ours.elsewhere or ours.told)
    assert presence.KEY not in ours.hub.listeners


async def test_the_former_holders_socket_hears_nothing_from_the_hand_over_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor the new one anything of before; even if the layer loses the news that the seat has passed."""
    table, cleo = await sync_to_async(a_table)(), Browser("Cleo")
    bobs = socket(f"/ws/m/{table.key}/B/", table.bob, *SAME_ORIGIN)
    await bobs.connect(timeout=60)
    await bobs.receive_from(timeout=60)
    secret = await sync_to_async(lambda: seat_offers.offer(as_read(table, "B")))()
    monkeypatch.setattr(push, "seat_changed", lambda seat: None)
    await sync_to_async(lambda: cleo.post(f"/s/handover/{secret}/take/", {"name": "Cleo"}))()
    cleos = socket(f"/ws/m/{table.key}/B/", cleo, *SAME_ORIGIN)
    accepted, _code = await cleos.connect(timeout=60)
    assert accepted
    version = json.loads(await cleos.receive_from(timeout=60))["version"]
    await sync_to_async(lambda: table.alice.do(table.a, "talk", text="Hello, Cleo.", to="B"))()
    await sync_to_async(lambda: flow.seal(table.b, 0, FIRST))()
    assert await bobs.receive_output(timeout=60) == {"type": "websocket.close", "code": 4403}
    missing = [{"said": True}, {"version": version + 1}]
    while missing:  # a message may be told twice, to the table and to the seat
        heard = json.loads(await cleos.receive_from(timeout=60))
        missing = [one for one in missing if one != heard]
    for line in (bobs, cleos):
        await line.disconnect(timeout=60)
