"""Sockets to anywhere, over which anything is said: no fault, and no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from hypothesis import given

from tests.site.fuzzing import LONG, REQUESTS, Faults, OddSocket, no_faults, odd_socket, some, tell
from tests.site.world import World, world

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(4 * 3600 if LONG else 900)]


@pytest.fixture(autouse=True)
def faults() -> Iterator[Faults]:
    with no_faults() as heard:
        yield heard


async def talk(there: World, odd: OddSocket) -> str:
    """Opens a socket, says what is to be said, and closes it; whether it was let in."""
    from robosite.asgi import application

    cookie = "; ".join(f"{name}={one.value}" for name, one in there.people[odd.who].cookies.items())
    given = {name for name, _ in odd.headers}
    usual = ((b"cookie", cookie.encode()), (b"host", b"testserver"))
    own = [(name, value) for name, value in usual if name not in given]
    line = WebsocketCommunicator(application, odd.path, headers=[*odd.headers, *own])
    try:
        accepted, _ = await line.connect(timeout=60)
        if not accepted:
            return "refused"
        for frame in odd.frames:
            if isinstance(frame, bytes):
                await line.send_input({"type": "websocket.receive", "bytes": frame})
            else:
                await line.send_input({"type": "websocket.receive", "text": frame})  # send_to sends no ""
        first = await line.receive_from(timeout=60)
        assert first == "{}" if odd.path.startswith("/ws/mine/") else "version" in first
        assert await line.receive_nothing(timeout=0.001)
        return "accepted"
    finally:
        await line.disconnect(timeout=60)


def drawn(there: World) -> list[OddSocket]:
    """Sockets to open: Hypothesis draws them beforehand, since it knows no async."""
    found: list[OddSocket] = []

    @some(max(1, round(REQUESTS * 0.05)), 0)
    @given(odd_socket(there))
    def draw(odd: OddSocket) -> None:
        found.append(odd)

    draw()
    return found


@pytest.mark.django_db(transaction=True)
async def test_sockets_hear_anything_and_answer_nothing(faults: Faults) -> None:
    there = await sync_to_async(world)()
    counted: Counter[str] = Counter()
    for one in drawn(there):
        faults.found.clear()
        counted[await talk(there, one)] += 1
        assert not faults.found, (faults.found, one)
    tell("sockets", counted)
