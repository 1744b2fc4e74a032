"""The engine: what it patches, what is sent over the wire, draining, prepared queries."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from robosite.engine import is_on
from robosite.engine.prepared import Prepared
from robosite.matches import reading
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.people.models import Guest
from tests.site.browsers import Table

from robosite.engine import wire  # first, since it chooses the reactor  # isort: skip
import daphne.server
from autobahn.websocket.protocol import WebSocketProtocol as Frames
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet.tcp import Connection as TcpConnection
from twisted.web.http import HTTPChannel

from robosite.engine import TRICKS
from robosite.engine.wire import Server as WireServer
from robosite.web import health
from tests.bench.load import Connection, request
from tests.bench.players import tables
from tests.servers import ROOT, Server

KEPT_TO_THEMSELVES = re.compile(
    r"klass_info|get_compiler|\._state\b|_result_cache|_prefetched_objects_cache|threadlocal|__code__|co_stacksize"
)
LONG = 70_000


def test_nothing_outside_touches_what_libraries_keep_to_themselves_and_every_trick_is_switched() -> None:
    written = {file: file.read_text() for file in sorted((ROOT / "robosite").rglob("*.py"))}
    for file, code in written.items():
        assert "engine" in file.parts or not KEPT_TO_THEMSELVES.search(code), file
    for trick in TRICKS:
        assert f'is_on("{trick}")' in "".join(written.values()), trick


def test_a_trick_that_there_is_not_is_told(tmp_path: Path) -> None:
    env = os.environ | {"ENGINE_OFF": "prepared,preparde", "DATA_DIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "manage.py", "check"], cwd=ROOT, env=env, capture_output=True)
    assert told.returncode and b"preparde" in told.stderr and b"Traceback" not in told.stderr


@pytest.mark.integration
@pytest.mark.parametrize("off", [pytest.param("", marks=pytest.mark.more), "all"])
def test_a_match_is_played_with_and_without_all_tricks(tmp_path: Path, off: str) -> None:
    async def play(port: int) -> None:
        (table,) = await tables(port, 1, 2, 1)
        for player in table.players.values():
            async with Connection(port) as line:
                assert b"Bob" in (await line.answered(player.get())).unpacked
                await line.answered(player.plan(2, choose="F"))
                await line.answered(player.get("/mine/"))
                await line.answered(player.api("GET", player.api_match))
        async with Connection(port) as line:
            sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept-Encoding": "gzip"}
            assert (await line.ask(request(port, "POST", "/language/", sent, b"a" * LONG))).status == 413

    with Server(tmp_path, ENGINE_OFF=off) as server:
        asyncio.run(play(server.port))
    assert "Traceback" not in server.logged()


OF_CLASSES = [
    (daphne.server, "HTTPFactory"),
    (daphne.server, "WebSocketFactory"),
    (daphne.server.Server, "protocol_disconnected"),
    (daphne.server.Server, "create_application"),
    (WebSocketProtocol, "onClose"),
    (WebSocketProtocol, "onMessage"),
    (WebSocketFactory, "protocol"),
    (Frames, "onFrameBegin"),
    (Frames, "sendCloseFrame"),
    (Frames, "STATE_OPEN"),
    (Frames, "STATE_CLOSED"),
    (HTTPChannel, "allHeadersReceived"),
    (HTTPChannel, "allContentReceived"),
    (HTTPChannel, "rawDataReceived"),
    (HTTPChannel, "length"),
    (HTTPChannel, "persistent"),
    (HTTPChannel, "requestFactory"),
    (HTTPChannel, "timeOut"),
    (TcpConnection, "abortConnection"),
]


@pytest.mark.parametrize(("of", "name"), OF_CLASSES)
def test_what_the_wire_stands_on_is_there(of: Any, name: str) -> None:
    assert hasattr(of, name), f"{of.__module__ if isinstance(of, type) else ''} {of} has no {name} any more"


def test_who_hangs_up_has_the_request_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WebRequest, "connectionLost", lambda request, reason: None)
    application, request = Mock(), wire.Request.__new__(wire.Request)
    request.server = SimpleNamespace(connections={request: {"application_instance": application}})
    request.connectionLost(Mock())
    application.cancel.assert_called_once_with()


def test_daphne_still_asks_for_its_factories_by_their_names() -> None:
    """`wire.Server.run` puts its own in their place."""
    names = daphne.server.Server.run.__code__.co_names
    assert {"HTTPFactory", "WebSocketFactory"} <= set(names)
    assert issubclass(wire.BoundedFactory, HTTPFactory) and issubclass(wire.Request, WebRequest)
    assert issubclass(wire.Sockets, WebSocketFactory) and wire.Sockets.protocol is wire.Socket
    made = daphne.server.Server.create_application.__code__
    assert "connections" in made.co_names and "application_instance" in made.co_consts
    assert "application_queue" in WebSocketProtocol.onClose.__code__.co_names


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

    server = WireServer.__new__(WireServer)
    server.ports, server.end_sockets = [], lambda: None
    server.connections = {object(): {"application_instance": LastOne()}}
    asyncio.run(_drained(server, sent))


async def _drained(server: WireServer, sent: list[str]) -> None:
    await server.drain()
    assert sent


@pytest.fixture
def prepared() -> None:
    if not is_on("prepared"):
        pytest.skip("prepared queries are off (ENGINE_OFF)")


VALUES: dict[type[Any], list[Any]] = {
    str: ["abc", "50% of “it's” <0>"],
    int: [1, 7],
    datetime: [datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=timezone.get_default_timezone())],
}


def asked(query: Any) -> str:
    with CaptureQueriesContext(connection) as captured:
        query()
    (one,) = captured.captured_queries
    return one["sql"]


@pytest.mark.parametrize("which", [0, 1])
def test_every_prepared_query_asks_what_its_queryset_asks(prepared: None, which: int) -> None:
    assert len(Prepared.every) > 8
    for query in Prepared.every:
        values = [VALUES[kind][which % len(VALUES[kind])] for kind in query.types]
        values = [value + n if isinstance(value, int) else value for n, value in enumerate(values)]
        assert asked(partial(query.rows, *values)) == asked(partial(list, query.build(*values)))


def state(rows: list[Any]) -> list[dict[str, Any]]:
    return [{**vars(row), "_state": row._state.db} for row in rows]


def test_its_rows_are_those_of_the_queryset(prepared: None, table: Table) -> None:
    guest = Guest.objects.get(name="Alice").pk
    for query, values in (
        (reading._match_by_key, [table.key]),
        (reading._seats_for, [guest, table.match.pk]),
        (reading.programs, [table.match.pk, 0]),
    ):
        assert state(query.rows(*values)) == state(list(query.build(*values)))
    (mine,) = reading.held_seats(table.match, Guest.objects.get(name="Alice"))
    assert mine.hold == Hold.objects.get(guest=guest)
    read = reading.match_by_key(table.key)
    assert read == table.match and not read._state.adding and read.changed_at == table.match.changed_at
    read.turn = 7
    read.save()
    assert reading.match_by_key(table.key).turn == 7


@pytest.mark.django_db(transaction=True)
def test_a_broken_transaction_asks_nothing_more(prepared: None, table: Table) -> None:
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(transaction.TransactionManagementError):
            reading.match_by_key(table.key)


def test_a_percent_sign_is_one_tuples_have_what_was_asked_for_and_too_large_a_number_finds_nothing(
    prepared: None, table: Table
) -> None:
    query = Prepared(lambda key: Match.objects.extra(where=["'a%%' = 'a%%'"]).filter(key=key), str)
    assert [match.key for match in query.rows(table.key)] == [table.key]

    def ask(key: str) -> QuerySet[Any, Any]:
        return Match.objects.filter(key=key).order_by("changed_at").values_list("pk", "turn").distinct()

    assert Prepared(ask, str).rows(table.key) == list(ask(table.key)) == [(table.match.pk, 0)]
    with pytest.raises(TypeError, match="parameter"):
        Prepared(lambda _key: Match.objects.all(), str).rows("abc")
    assert reading.program_of(table.a, 10**40) is None
    assert reading.program_of(table.a, 2**62) is None


def test_the_database_s_own_errors_are_django_s(prepared: None) -> None:
    query = Prepared(lambda key: Match.objects.filter(key=key), str)
    query.rows("abc")
    ((vendor, compiled),) = query._compiled.items()
    query._compiled[vendor] = compiled._replace(sql="SELECT nothing", given=(), places={})
    with pytest.raises(DatabaseError, match="nothing"):
        query.rows("abc")


def test_joined_rows_and_rows_joined_to_those_and_to_none_come_along(prepared: None, table: Table) -> None:
    query = Prepared(lambda key: Seat.objects.select_related("match").filter(match__key=key), str)
    with CaptureQueriesContext(connection) as captured:
        a, b = query.rows(table.key)
        assert a.match.key == b.match.key == table.key
    assert len(captured) == 1
    assert vars(a.match)["changed_at"] == table.match.changed_at
    orders = Prepared(
        lambda key: Program.objects.select_related("seat__match").filter(seat__match__key=key), str
    )
    table.play_some(2)
    programs = orders.rows(table.key)
    assert [(one.seat.letter, one.turn) for one in programs] == [
        (one.seat.letter, one.turn) for one in orders.build(table.key)
    ]
    assert {one.seat.match.changed_at for one in programs} == {table.match.changed_at}
    alone = Prepared(lambda key: Match.objects.select_related("rematch_of").filter(key=key), str)
    with CaptureQueriesContext(connection) as captured:
        assert alone.rows(table.key)[0].rematch_of is None
    assert len(captured) == 1


def test_a_query_is_compiled_once(prepared: None) -> None:
    built = []

    def build(pk: int) -> QuerySet[Match]:
        built.append(pk)
        return Match.objects.filter(pk=pk)

    query = Prepared(build, int)
    assert [query.first(1), query.first(2)] == [None, None]
    assert len(built) == 1
