"""Sockets: only the site's own pages open them; what each tells, and to whom."""

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
from robosite.matches.flow import handover
from robosite.matches.live import consumers, own_matches, presence, push
from robosite.matches.live.presence import Presence
from robosite.matches.models import Match
from robosite.matches.site_models import Heartbeat
from robosite.matches.time import heartbeat
from robosite.ops.management.commands.serve import LARGEST_FRAME
from robosite.people.models import Guest
from robosite.talk import messages
from tests.site.browsers import FIRST, SAME_ORIGIN, Browser, Table, sit_down
from tests.site.matches.test_who_may_act import as_read

pytestmark = pytest.mark.django_db(transaction=True)


MINE, NEWS = "/ws/mine/", {"games": True}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "GATHERS", 0.05)
    monkeypatch.setattr(own_matches, "JUST_NOW", -own_matches.OVER_FOR)  # these tables have just been made


def a_table() -> Table:
    return sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"))


def socket(path: str, browser: Browser, *headers: tuple[bytes, bytes]) -> WebsocketCommunicator:
    from robosite.asgi import application

    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
    return WebsocketCommunicator(application, path, headers=[(b"cookie", cookie.encode()), *headers])


@asynccontextmanager
async def opened(browser: Browser, path: str) -> AsyncIterator[WebsocketCommunicator]:
    line = socket(path, browser, *SAME_ORIGIN)
    accepted, code = await line.connect(timeout=60)
    assert accepted, code
    try:
        yield line
    finally:
        await line.disconnect(timeout=60)


@asynccontextmanager
async def listening(browser: Browser, path: str = MINE) -> AsyncIterator[WebsocketCommunicator]:
    """Opens a socket whose first word, {} or the version, has been read."""
    async with opened(browser, path) as line:
        await told(line)
        yield line


async def told(line: WebsocketCommunicator) -> Any:
    return json.loads(await line.receive_from(timeout=60))


async def waits_for(line: WebsocketCommunicator, message: dict[str, Any]) -> None:
    while await told(line) != message:  # what it knows already may come again
        pass


async def silent(line: WebsocketCommunicator) -> bool:
    return bool(await line.receive_nothing(timeout=3 * consumers.GATHERS))


async def does(act: Callable[[], Any]) -> Any:
    return await sync_to_async(act)()


async def is_refused(line: WebsocketCommunicator, code: int | None = None) -> bool:
    accepted, said = await line.connect(timeout=60)
    await line.disconnect(timeout=60)
    return not accepted and code in (None, said)


ORIGINS = [
    *("http://evil.example", "null", None, "http://testserver.evil.example", "http://[", "http://x:y"),
    *("http://testserver:8080", "https://testserver", "ftp://testserver", "testserver", "//testserver"),
    *("http://testserver/", "http://a@testserver", "http://testserver:0", "http://testserver?", "", "\xff"),
]


@pytest.mark.parametrize("path", ["/ws/m/{key}/A/", MINE])
async def test_no_other_site_opens_a_socket(path: str) -> None:
    table = await does(a_table)
    for origin in ORIGINS:
        headers = [(b"origin", origin.encode("latin-1"))] if origin else []
        line = socket(path.format(key=table.key), table.alice, (b"host", b"testserver"), *headers)
        assert await is_refused(line), origin
    assert not len(consumers.slots) and not any(consumers.of_seat.count.values())


async def test_a_socket_is_for_who_holds_the_seat_and_nowhere_else_is_one() -> None:
    table = await does(a_table)
    seat = f"/ws/m/{table.key}/A/"
    for path, browser in ((seat, table.bob), (seat, table.charlie), (MINE, Browser("Nobody"))):
        assert await is_refused(socket(path, browser, *SAME_ORIGIN)), path
    for path in ("/", "/ws/", "/ws/m/none/", "/ws/m/abcdefghjkmn/Z/", "/ws/m/abcdefghjkmn/A/x", "/\n"):
        assert await is_refused(socket(path, table.alice, *SAME_ORIGIN), 4404), path


@pytest.mark.parametrize("path", ["/ws/m/{key}/A/", MINE])
async def test_it_takes_no_commands_and_frames_are_counted(path: str) -> None:
    table = await does(a_table)
    async with listening(table.alice, path.format(key=table.key)) as line:
        before = await does(lambda: list(Match.objects.values()))
        for _ in range(100):
            await line.send_to(text_data='{"seal": "F F F F F"}')
        assert await line.receive_output(timeout=60) == {"type": "websocket.close", "code": 1008}
        await line.wait(timeout=60)
        assert await does(lambda: list(Match.objects.values())) == before
    assert not len(consumers.slots) and not any(consumers.of_seat.count.values())  # nor counted any more
    assert not push.listening()


def test_frames_are_bounded() -> None:
    """Daphne is told so; see `serve`."""
    assert LARGEST_FRAME <= 16 * 1024


async def test_an_open_page_hears_of_time_that_is_given_back() -> None:
    table, now = await does(a_table), timezone.now()

    def the_site_was_down() -> None:
        at = {"deadline": now + timedelta(hours=1), "due": now + timedelta(hours=1)}
        Match.objects.filter(key=table.key).update(deadline_hours=24, **at)
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": now - timedelta(hours=2)})
        heartbeat.beat(now, alive=True)

    async with opened(table.alice, f"/ws/m/{table.key}/A/") as line:
        first = (await told(line))["version"]
        await does(the_site_was_down)
        assert await told(line) == {"version": first + 1}


async def test_what_the_layer_lost_is_told_soon_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis was away, or there is none between two processes: who has a page open need not reload it."""
    table = await does(a_table)
    monkeypatch.setattr(push, "ASKS_EVERY", 0.05)
    paths = (f"/ws/m/{table.key}/A/", f"/ws/m/{table.key}/B/")
    async with (
        opened(table.alice, paths[0]) as alices,
        opened(table.bob, paths[1]) as bobs,
        listening(table.bob) as bobs_list,
    ):
        first = (await told(alices))["version"]
        assert (await told(bobs))["version"] == first
        monkeypatch.setattr(push, "_send", lambda message: None)  # nothing comes through
        await does(lambda: flow.seal(table.a, 0, FIRST))
        for line, news in (
            (alices, {"version": first + 1}),
            (bobs, {"version": first + 1}),
            (bobs_list, NEWS),
        ):
            await waits_for(line, news)
        await does(lambda: messages.say(table.a, None, "Between the two of us", to=["B"]))
        for line, news in ((alices, {"said": True}), (bobs, {"said": True}), (bobs_list, NEWS)):
            await waits_for(line, news)
        await does(lambda: sit_down(Browser("Dora"), table.bob, Browser("Emil")))
        await waits_for(bobs_list, NEWS)
        for line in (alices, bobs_list):
            for _ in range(5):  # and once is enough: later on they hear only that the line holds
                assert await told(line) == {}


SOON = 0.3


def looking(table: Table, browser: Browser, letter: str = "") -> Any:
    return opened(browser, f"/ws/m/{table.key}/{letter and letter + '/'}")


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


async def test_players_see_each_other_come_and_go_and_watchers_are_neither_shown_nor_told() -> None:
    table = await does(a_table)
    async with looking(table, table.alice, "A") as alices, looking(table, Browser("Wanda")) as wandas:
        assert await hears(alices)
        async with looking(table, table.bob, "B") as bobs:
            assert await hears(alices, "B") and await hears(bobs, "A")
            async with looking(table, table.bob, "B") as another:
                assert await hears(another, "A") and await hears(alices)
            assert await hears(alices)  # one of Bob's pages is still open
        assert await hears(alices, "")
        async with looking(table, table.bob) as bobs:  # who looks at the public page
            assert await hears(alices) and await hears(bobs) and await hears(wandas)
        ours = presence.presence()
    assert not (ours.pages or ours.shown or ours.elsewhere or ours.told)
    assert presence.KEY not in ours.hub.listeners


async def test_whoever_does_not_want_to_be_seen_is_not_from_that_moment_on() -> None:
    table = await does(a_table)
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
    table = await does(a_table)
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


async def test_the_former_holders_socket_hears_nothing_from_the_hand_over_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor the new one anything of before; even if the layer loses the news that the seat has passed."""
    table, cleo = await does(a_table), Browser("Cleo")
    async with listening(table.bob, f"/ws/m/{table.key}/B/") as bobs:
        secret = await does(lambda: handover.offer(as_read(table, "B")))
        monkeypatch.setattr(push, "seat_changed", lambda seat: None)
        await does(lambda: cleo.post(f"/s/handover/{secret}/take/", {"name": "Cleo"}))
        async with opened(cleo, f"/ws/m/{table.key}/B/") as cleos:
            version = (await told(cleos))["version"]
            await does(lambda: table.alice.do(table.a, "talk", text="Hello, Cleo.", to="B"))
            await does(lambda: flow.seal(table.b, 0, FIRST))
            assert await bobs.receive_output(timeout=60) == {"type": "websocket.close", "code": 4403}
            missing = [{"said": True}, {"version": version + 1}]
            while missing:  # a message may be told twice, to the table and to the seat
                heard = await told(cleos)
                missing = [one for one in missing if one != heard]


async def test_a_move_a_message_and_a_new_seat_are_told_to_whom_they_concern() -> None:
    table = await does(a_table)
    async with listening(table.alice) as alices, listening(table.bob) as bobs:
        await does(lambda: flow.seal(table.a, 0, FIRST))
        assert (await told(alices), await told(bobs)) == (NEWS, NEWS)
        await does(lambda: messages.say(table.a, None, "Hello"))
        assert (await told(alices), await told(bobs)) == (NEWS, NEWS)
        other: Table = await does(lambda: sit_down(Browser("Dora"), table.bob, Browser("Emil")))
        assert await told(bobs) == NEWS
        assert await silent(alices)
        await does(lambda: flow.seal(other.a, 0, FIRST))  # which the socket listens to from now on
        assert await told(bobs) == NEWS
        assert await silent(alices)


async def test_a_draft_a_private_message_to_others_and_watchers_talk_are_told_to_nobody_else() -> None:
    table = await does(a_table)
    async with listening(table.alice) as alices, listening(table.bob) as bobs:
        await does(lambda: flow.draft(table.a, 0, FIRST, "tab"))
        guest = await does(lambda: Guest.objects.create(name="Fred"))
        await does(lambda: messages.say_among_watchers(table.match, lambda: guest, (), text="Psst"))
        assert await silent(alices)
        assert await silent(bobs)


async def test_a_page_of_a_match_hears_of_the_others_and_not_twice_of_its_own() -> None:
    table = await does(a_table)
    other: Table = await does(lambda: sit_down(table.alice, table.bob, Browser("Emil")))
    async with listening(table.alice, f"/ws/m/{table.key}/A/") as line:
        await does(lambda: flow.seal(other.b, 0, FIRST))
        assert await told(line) == NEWS
        await does(lambda: flow.seal(table.b, 0, FIRST))
        assert "version" in await told(line)
        assert await silent(line)


async def test_what_happened_just_before_the_page_listens_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_matches, "JUST_NOW", own_matches.OVER_FOR)
    table = await does(a_table)
    async with listening(table.alice) as line:
        assert await told(line) == NEWS


async def test_a_guests_sockets_are_limited(settings: Any) -> None:
    table = await does(a_table)
    settings.LIMITS = "on"
    settings.MOST = {**settings.MOST, "sockets of a seat": 1}
    async with listening(table.alice):
        line = socket("/ws/mine/", table.alice, *SAME_ORIGIN)
        assert await line.connect(timeout=60) == (False, 4429)
        await line.disconnect(timeout=60)
        async with listening(table.bob):
            pass
