"""The last turns of the loop before a process ends."""

from __future__ import annotations

import asyncio
from typing import Any

from robosite.engine import wire
from robosite.engine.wire import Server
from robosite.web import health


def test_what_the_last_application_wrote_has_a_turn_in_which_it_is_sent(
    monkeypatch: Any, settings: Any
) -> None:
    """An application that ends just as somebody looks whether all have ended."""
    settings.DRAIN_SECONDS = 0
    monkeypatch.setattr(wire, "SETTLES", 0)
    monkeypatch.setattr(health, "draining", health.Draining())
    sent: list[str] = []

    class LastOne:
        """Ends when it is asked; what it wrote is sent a turn later, as transports do."""

        def done(self) -> bool:
            asyncio.get_running_loop().call_soon(sent.append, "body")
            return True

    server = Server.__new__(Server)
    server.ports, server.end_sockets = [], lambda: None
    server.connections = {object(): {"application_instance": LastOne()}}
    asyncio.run(_drained(server, sent))


async def _drained(server: Server, sent: list[str]) -> None:
    await server.drain()
    assert sent
