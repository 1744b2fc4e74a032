"""Streams of events by the API: of a match, of a program, and programs that play on."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client

from games import GAMES
from robosite.api import program_stream, stream
from robosite.api.program_stream import MatchState, events_between, missed_events, said_since
from robosite.matches.live.push import hub
from robosite.matches.models import Match
from robosite.talk import messages
from robosite.web.admission import Owner
from robosite.web.http import time_of
from tests.servers import Server, manage
from tests.site.api.test_api import WALK, Api, problem
from tests.site.api.test_programs import Program, against, hal
from tests.site.bots.test_example_bots import running
from tests.site.browsers import seat_at

__all__ = ["hal"]


class Line:
    """A stream of events, as a program reads it."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines, self.last = lines, ""

    def next(self) -> tuple[str, dict[str, Any]]:
        kind = ""
        for line in self.lines:
            if line.startswith("id: "):
                self.last = line.removeprefix("id: ")
            elif line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                return kind, json.loads(line.removeprefix("data: "))
        raise AssertionError("the stream has ended")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("data")) as running:
        yield running


def test_a_server_tells_every_change_at_once(server: Server) -> None:
    with httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as http:
        made = http.post("matches", json={"game": "pigs", "name": "Ada"}).json()
        key, own = made["match"], {"Authorization": f"Bearer {made['token']}"}
        with http.stream("GET", f"matches/{key}/events") as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["cache-control"] == "no-store" and "etag" not in answer.headers
            lines = answer.iter_lines()
            assert re.fullmatch(r"retry: \d{3,4}", next(lines))
            line = Line(lines)
            assert line.next() == ("changed", {"version": 1})
            body = {"name": "Ben", "invite": made["invite"]}
            ben = http.post(f"matches/{key}/seats", json=body).json()["token"]
            assert line.next() == ("changed", {"version": 2})
            http.put(f"matches/{key}/draft", json={"turn": 0, "order": "F"}, headers=own)
            http.put(f"matches/{key}/order", json={"turn": 0, "order": WALK}, headers=own)
            assert line.next() == ("changed", {"version": 3})
            theirs = {"Authorization": f"Bearer {ben}"}
            sealed = http.put(f"matches/{key}/order", json={"turn": 0, "order": WALK}, headers=theirs)
            assert line.next() == ("changed", {"version": sealed.json()["version"]})
        with http.stream("GET", f"matches/{key}/events") as answer:
            assert Line(answer.iter_lines()).next()[1] == {"version": sealed.json()["version"]}


@pytest.mark.slow
def test_a_stream_ends_by_itself_before_the_server_ends_it(server: Server) -> None:
    with httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as http:
        key = http.post("matches", json={"game": "pigs", "name": "Ada"}).json()["match"]
        with http.stream("GET", f"matches/{key}/events") as answer:
            line = Line(answer.iter_lines())
            assert line.next() == ("changed", {"version": 1})
            with pytest.raises(AssertionError, match="the stream has ended"):
                line.next()
            assert 20 < answer.elapsed.total_seconds() < 30


def test_only_so_many_streams_are_open_for_one_address(client: Client, settings: Any) -> None:
    settings.LIMITS = "off"
    key = Api(client).make()["match"]
    problem(Api(client).get("matches/abcdefghjkmn/events"), 404)
    problem(Api(client).ask("POST", f"matches/{key}/events"), 405)
    settings.LIMITS = "on"
    owner = Owner("127.0.0.1")
    taken = [stream.streams.take(owner, put_out=list) for _ in range(settings.MOST["streams"])]
    try:
        answer = Api(client).get(f"matches/{key}/events")
        problem(answer, 429)
        assert int(answer["Retry-After"]) > 0
    finally:
        for place in filter(None, taken):
            stream.streams.leave(place)
    assert not len(stream.streams)


async def test_a_newcomers_stream_takes_the_place_of_one_of_who_has_many(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LIMITS, settings.MOST = "on", {**settings.MOST, "streams of all": 3}
    monkeypatch.setattr(stream, "SECONDS", 20.0)
    monkeypatch.setattr(stream, "_version", lambda key: 7)

    told: list[list[str]] = [[] for _ in range(4)]
    readers = []
    for n, address in enumerate(("2001:db8::/56", "2001:db8:0:100::/56", "2001:db8:0:200::/56", "192.0.2.7")):
        readers.append(asyncio.create_task(read(told[n], address)))
        await asyncio.sleep(0.05)
    await asyncio.wait_for(readers[2], 30)
    assert told[2][-1] == stream.PUT_OUT and len(stream.streams) == 3
    assert not stream.streams.may(Owner("2001:db8:0:300::/56")) and stream.streams.may(Owner("198.51.100.7"))
    for reader in (readers[0], readers[1], readers[3]):
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    assert not len(stream.streams)


async def read(told: list[str], address: str = "192.0.2.1") -> None:
    async for part in stream._changes("abcdefghjkmn", Owner(address)):
        told.append(part)  # noqa: PERF401 - as it comes


async def test_changes_that_come_fast_are_told_once_and_never_backwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proxy hangs up where nothing comes, however often somebody else's draft changes meanwhile."""
    monkeypatch.setattr(stream, "BEAT", 0.05)
    monkeypatch.setattr(stream, "_version", lambda key: 7)
    told: list[str] = []
    listening = hub()
    reader = asyncio.create_task(read(told))
    while "event: " not in "".join(told):
        await asyncio.sleep(0.01)
    for version in (8, 9, 10, 6):
        listening._hand_on({"type": "changed", "match": "abcdefghjkmn", "version": version})
    while '"version": 10' not in "".join(told):
        await asyncio.sleep(0.01)
    beats = told.count(":\n\n")
    while not reader.done() and told.count(":\n\n") < beats + 2:
        listening._hand_on({"type": "draft", "match": "abcdefghjkmn", "seat": "A", "tab": "secret"})
        listening._hand_on({"type": "changed", "match": "abcdefghjkmn", "version": 6})
        await asyncio.sleep(0.005)
    listening.end()
    await reader
    assert told[0].startswith("retry: ") and told.count(":\n\n") >= beats + 2
    assert [part for part in told[1:] if part != ":\n\n"] == [
        'event: changed\ndata: {"version": 7}\n\n',
        'event: changed\ndata: {"version": 10}\n\n',
    ]
    assert "abcdefghjkmn" not in listening.listeners and not len(stream.streams)
    if listening.task:
        listening.task.cancel()


NOW = datetime(2026, 11, 1, tzinfo=UTC)


def stands(**more: Any) -> MatchState:
    given: dict[str, Any] = {
        "pk": 1, "key": "k", "seat": "B", "turn": 1, "taken_back": 0, "status": "playing", "waits": False,
        "asked": False, "kinds": frozenset(), "changed_at": NOW,
    }  # fmt: skip
    return MatchState(**given | more)


def types(before: MatchState | None, now: MatchState) -> list[str]:
    return [kind for kind, _data in events_between(before, now)]


def test_events_follow_from_how_a_match_stood_and_stands_and_what_was_missed_is_told() -> None:
    before, waits = stands(), stands(waits=True)
    assert types(None, before) == [] and types(None, waits) == ["turn"]
    assert types(before, before) == types(waits, waits) == []
    assert types(before, waits) == ["turn"]
    assert types(waits, stands(turn=2, waits=True)) == ["revealed", "turn"]
    assert types(stands(turn=2, waits=True), stands(taken_back=1, waits=True)) == ["turn"]
    assert types(before, stands(status="over", turn=2)) == ["revealed", "over"]
    assert types(before, stands(asked=True)) == types(before, stands(seat="A")) == ["seat"]
    offered = stands(kinds=frozenset({"draw", "pause"}))
    assert [data["kind"] for _, data in events_between(stands(kinds=frozenset({"pause"})), offered)] == [
        "draw"
    ]
    assert types(offered, before) == []
    over = stands(status="over")
    assert [kind for kind, _ in missed_events(over, NOW - timedelta(seconds=1))] == ["revealed", "over"]
    assert list(missed_events(over, NOW)) == []
    assert list(missed_events(stands(turn=0), NOW - timedelta(1))) == []
    assert time_of("1793491200000000") == NOW
    assert [time_of(odd) for odd in ("", "x", "-1", "9" * 17, "²")] == [None] * 5


def test_a_stream_knows_its_own_matches_and_messages_alone(api: Api, hal: Program) -> None:
    key, _ada = against(hal)
    api.table()
    program, eve = hal.row, Program(api, "Eve").row
    assert program_stream.listed(program) == {key} and program_stream.listed(eve) == set()
    assert program_stream.match_states(eve, {key}) == []
    (seen,) = program_stream.match_states(program, {key})
    assert (seen.key, seen.seat, seen.waits) == (key, "B", True)
    match = Match.objects.get(key=key)
    messages.say(seat_at(match, "A"), None, "Hello")
    messages.say(seat_at(match, "B"), program.guest, "Hello too")
    assert [match for _n, match in said_since(program, [seen.pk], NOW - timedelta(9999))] == [seen.pk]
    assert said_since(eve, [seen.pk], NOW - timedelta(9999)) == []
    program.token_hash = "another"
    assert program_stream.listed(program) is None


def test_a_program_has_few_streams_open_at_once(api: Api, hal: Program, settings: Any) -> None:
    settings.LIMITS, who = "on", str(hal.row.pk)
    for _ in range(program_stream.streams.most):
        program_stream.streams.opened(who)
    try:
        problem(hal.get("me/events"), 429)
        assert Program(api, "Eve").get("me/events").status_code == 200
    finally:
        for _ in range(program_stream.streams.most):
            program_stream.streams.ended(who)
    assert not program_stream.streams.count


def test_a_server_tells_a_program_of_all_its_matches(server: Server) -> None:
    with httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as http:
        token = http.post("programs", json={"name": "Hal"}).json()["token"]
        own = {"Authorization": f"Bearer {token}"}

        def sits() -> tuple[str, dict[str, str]]:
            made = http.post("matches", json={"game": "pigs", "name": "Ada"}).json()
            at = f"matches/{made['match']}"
            assert http.post(f"{at}/seats", json={"invite": made["invite"]} | {"name": "Hal"}, headers=own)
            return at, {"Authorization": f"Bearer {made['token']}"}

        first, ada = sits()
        with http.stream("GET", "me/events", headers=own) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            line = Line(answer.iter_lines())
            assert line.next() == (
                "turn",
                {"match": first.partition("/")[2], "seat": "B", "turn": 0, "taken_back": 0},
            )
            http.post(f"{first}/draw", json={"offer": True}, headers=ada)
            kind, data = line.next()
            assert (kind, data["kind"]) == ("proposal", "draw")
            http.post(f"{first}/proposals", json={"kind": "draw", "do": "decline"}, headers=own)
            for who in (ada, own):
                http.put(f"{first}/order", json={"turn": 0, "order": WALK}, headers=who)
            assert [line.next()[0] for _ in range(2)] == ["revealed", "turn"]
            second, eve = sits()
            assert [line.next()[0] for _ in range(2)] == ["seat", "turn"]
            last = line.last
        http.post(f"{second}/resign", headers=eve)
        with http.stream("GET", "me/events", headers=own | {"Last-Event-ID": last}) as answer:
            line = Line(answer.iter_lines())
            told = [line.next() for _ in range(4)]
        assert ("over", second.partition("/")[2]) in [(kind, data["match"]) for kind, data in told]
        assert http.get("me/events").status_code == 401


EACH = int(os.environ.get("PROGRAM_MATCHES", 2))
"""The number of matches of each game, every second one a rematch."""
DRAW_AFTER = int(os.environ.get("PROGRAM_DRAW_AFTER", 60 if EACH > 2 else 3))
"""From this turn on Hal offers a draw, so that no match by chance lasts for ever."""
PATIENCE = 120 + 60 * EACH


class Matches:
    """The matches that Hal makes with Eve; both are played by their programs."""

    def __init__(self, site: httpx.Client) -> None:
        self.site = site
        self.tokens = {
            name: site.post("programs", json={"name": name}).json()["token"] for name in ("Hal", "Eve")
        }
        self.last: dict[str, dict[str, Any]] = {}
        self.rematches = 0

    def post(self, who: str, path: str, /, **body: Any) -> Any:
        own = {"Authorization": f"Bearer {self.tokens[who]}"}
        return self.site.post(path, json=body, headers=own).raise_for_status().json()

    def make(self, game: str) -> None:
        made = self.post("Hal", "matches", game=game, name="Hal")
        self.post("Eve", f"matches/{made['match']}/seats", name="Eve", invite=made["invite"])
        self.last[made["match"]] = {"status": "playing", "game": game}

    def look(self) -> None:
        """Looks at what goes on; Hal offers draws in long matches, and rematches."""
        for key in [key for key, seen in self.last.items() if seen["status"] != "over"]:
            own = {"Authorization": f"Bearer {self.tokens['Hal']}"}
            now = self.last[key] = self.site.get(f"matches/{key}", headers=own).json()
            if now["status"] == "playing" and now["turn"] >= DRAW_AFTER and "draw" in now["may_propose"]:
                with suppress(httpx.HTTPStatusError):  # the match is over by now
                    self.post("Hal", f"matches/{key}/draw", offer=True)
            elif now["status"] == "over" and self.count(now["game"]) < EACH:
                after = self.post("Hal", f"matches/{key}/rematch")["match"]
                self.last[after] = {"status": "open", "game": now["game"]}
                self.rematches += 1

    def count(self, game: str) -> int:
        return sum(seen["game"] == game for seen in self.last.values())

    def until(self, over: int) -> None:
        """Until so many matches are over."""
        ends = time.monotonic() + PATIENCE
        while sum(seen["status"] == "over" for seen in self.last.values()) < over:
            assert time.monotonic() < ends, [(k, s.get("turn"), s["status"]) for k, s in self.last.items()]
            self.look()
            time.sleep(0.2)


@pytest.mark.more
@pytest.mark.timeout(1500)
def test_programs_play_all_games_to_the_end(tmp_path: Path) -> None:
    """Each match has an outcome and a record with a seal for every order; each game was played as often."""
    total = EACH * len(GAMES)
    with (
        Server(tmp_path) as server,
        httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as site,
    ):
        matches = Matches(site)
        for game in [*GAMES] * (EACH // 2):
            matches.make(game)
        with running(server.url, matches.tokens["Hal"]):
            with running(server.url, matches.tokens["Eve"]):  # and is killed
                matches.until(total // 4)
            with running(server.url, matches.tokens["Eve"]):
                matches.until(total // 2)
                server.stop()
                server.start()
                matches.until(total)
        for key, seen in matches.last.items():
            assert seen["outcome"] and set(seen["outcome"]["scores"]) == {"A", "B"}
            kept = site.get(f"matches/{key}/record").json()
            assert len(kept["turns"]) == len(kept["seals"]) == seen["turn"], key
            assert sorted(kept["names"].values()) == ["Eve", "Hal"]
    assert {game: matches.count(game) for game in GAMES} == dict.fromkeys(GAMES, EACH)
    assert matches.rematches == total // 2
    manage("verify", env=server.env)
