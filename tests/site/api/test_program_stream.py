"""One stream for all matches of a program: its types, its ids, coming back, and for whom it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from robosite.api import program_stream
from robosite.api.program_stream import MatchState, events_between, missed_events, said_since, time_of
from robosite.talk import messages
from tests.servers import Server
from tests.site.api.test_api import WALK, Api, api, problem
from tests.site.api.test_programs import Program, against, hal

__all__ = ["api", "hal"]

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def stands(**more: Any) -> MatchState:
    given: dict[str, Any] = {
        "pk": 1, "key": "k", "seat": "B", "turn": 1, "taken_back": 0, "status": "playing", "waits": False,
        "asked": False, "kinds": frozenset(), "changed_at": NOW,
    }  # fmt: skip
    return MatchState(**given | more)


def types(before: MatchState | None, now: MatchState) -> list[str]:
    return [kind for kind, _data in events_between(before, now)]


def test_events_follow_from_how_a_match_stood_and_stands() -> None:
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


def test_what_has_changed_since_an_id_is_told() -> None:
    over = stands(status="over")
    assert [kind for kind, _ in missed_events(over, NOW - timedelta(seconds=1))] == ["revealed", "over"]
    assert (
        list(missed_events(over, NOW)) == [] and list(missed_events(stands(turn=0), NOW - timedelta(1))) == []
    )
    assert time_of("1793491200000000") == NOW
    assert [time_of(odd) for odd in ("", "x", "-1", "9" * 17, "²")] == [None] * 5


@pytest.mark.django_db
def test_a_stream_knows_its_own_matches_and_messages_alone(api: Api, hal: Program) -> None:
    key, _ada = against(hal)
    api.table()
    program, eve = hal.row, Program(api, "Eve").row
    assert program_stream.listed(program) == {key} and program_stream.listed(eve) == set()
    assert program_stream.match_states(eve, {key}) == []
    (seen,) = program_stream.match_states(program, {key})
    assert (seen.key, seen.seat, seen.waits) == (key, "B", True)
    ada = seat_of(key, "A")
    messages.say(ada, None, "Hello")
    messages.say(seat_of(key, "B"), program.guest, "Hello too")
    assert [match for _n, match in said_since(program, [seen.pk], NOW - timedelta(9999))] == [seen.pk]
    assert said_since(eve, [seen.pk], NOW - timedelta(9999)) == []
    program.token_hash = "another"
    assert program_stream.listed(program) is None


def seat_of(key: str, letter: str) -> Any:
    from robosite.matches.models import Seat

    return Seat.objects.select_related("match").get(match__key=key, letter=letter)


@pytest.mark.django_db
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
