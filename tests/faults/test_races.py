"""Many at once, against two processes: every turn is played once, and nothing acknowledged is lost.

Alice sits on A, Bob on B. The two (or four) requests of a match leave at the same instant, each from a thread
of its own, half of them to one process and half to the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import httpx
import pytest

from games.record import replay
from tests.faults.programs import FIRST, OTHER, PATIENCE, Match, PatientSite, Site, Window
from tests.servers import Server

MATCHES = 100
Servers = tuple[Server, Server]
Deed = Callable[[Site, Match], httpx.Response]
Answers = dict[str, list[httpx.Response]]


def make(server: Server, count: int) -> list[Match]:
    with Site(server.url) as site:
        return [site.make() for _ in range(count)]


def at_once(servers: Servers, matches: list[Match], deeds: list[Deed]) -> Answers:
    """The answers to each action, by match; a match's actions are sent at the same instant."""
    line = Barrier(len(deeds))

    def do(number: int) -> list[httpx.Response]:
        with PatientSite(servers[number % 2].url) as site:
            answers = []
            for match in matches:
                line.wait(PATIENCE)
                answers.append(deeds[number](site, match))
            return answers

    with ThreadPoolExecutor(len(deeds)) as threads:
        by_deed = list(threads.map(do, range(len(deeds))))
    return {match.key: answers for match, *answers in zip(matches, *by_deed, strict=True)}


def nothing_broke(servers: Servers, answers: Answers) -> None:
    broken = [a.text for given in answers.values() for a in given if a.status_code >= 500]
    assert not broken, broken[:3]
    for server in servers:
        records = re.split(r"^(?=\d{4}-\d\d-\d\d )", server.logged(), flags=re.MULTILINE)
        faults = [one for one in records if "Traceback" in one and "the database did not answer" not in one]
        assert not faults, faults[:3]


@pytest.mark.more
@pytest.mark.parametrize("count", [MATCHES // 4, pytest.param(MATCHES, marks=pytest.mark.slow)])
def test_both_last_seals_at_once_each_sent_twice(servers: Servers, count: int) -> None:
    matches = make(servers[0], count)
    with Site(servers[0].url) as site:
        before = {match.key: site.see(match)["version"] for match in matches}
    alice: Deed = lambda site, match: site.seal(match, "A", FIRST)  # noqa: E731
    bob: Deed = lambda site, match: site.seal(match, "B", OTHER)  # noqa: E731
    answers = at_once(servers, matches, [alice, bob, bob, alice])
    nothing_broke(servers, answers)
    with Site(servers[1].url) as site:
        for match in matches:
            given = answers[match.key]
            assert [a.status_code for a in given] == [200] * 4
            first, second, third, fourth = (a.json() for a in given)
            assert first["seal"] == fourth["seal"] and second["seal"] == third["seal"]
            seen = site.see(match)
            assert seen["turn"] == 1
            assert seen["version"] == before[match.key] + 3  # two seals, one turn played
            record = site.record(match)
            assert record["turns"] == [{"A": FIRST, "B": OTHER}]
            assert {seat: one["seal"] for seat, one in record["seals"][0].items()} == {
                "A": first["seal"],
                "B": second["seal"],
            }
            assert replay(record).fault is None


@pytest.mark.slow
def test_another_order_against_the_last_seal(servers: Servers) -> None:
    matches = make(servers[0], MATCHES // 2)
    with Site(servers[0].url) as site:
        sealed = {match.key: site.seal(match, "A", FIRST).json()["seal"] for match in matches}
    answers = at_once(
        servers,
        matches,
        [lambda site, match: site.seal(match, "A", OTHER), lambda site, match: site.seal(match, "B", OTHER)],
    )
    nothing_broke(servers, answers)
    with Site(servers[1].url) as site:
        for match in matches:
            replaced, last = answers[match.key]
            assert last.status_code == 200 and replaced.status_code in (200, 409)
            record = site.record(match)
            played, seal = record["turns"][0]["A"], record["seals"][0]["A"]["seal"]
            if replaced.status_code == 200:
                assert (played, seal) == (OTHER, replaced.json()["seal"])
            else:
                assert (played, seal) == (FIRST, sealed[match.key])
            assert record["seals"][0]["B"]["seal"] == last.json()["seal"]
            assert replay(record).fault is None


@pytest.mark.more
@pytest.mark.parametrize("count", [MATCHES // 4, pytest.param(MATCHES, marks=pytest.mark.slow)])
def test_replies_against_the_order_that_they_answer(servers: Servers, count: int) -> None:
    """They count, or they are refused; never half. Each is sent twice."""
    with Site(servers[0].url) as site:
        matches = [site.make("robble") for _ in range(count)]
        for match in matches:
            assert site.seal(match, "A", "d4").status_code == 200
    lines = {"turn": 1, "lines": [["c4", "d5"], ["c4", "d5", "e6", "f3"]]}

    def reply(site: Site, match: Match) -> httpx.Response:
        return site.ask("PUT", f"matches/{match.key}/replies", lines, match.tokens["A"])

    def play(site: Site, match: Match) -> httpx.Response:
        return site.seal(match, "B", "c4", 1)

    answers = at_once(servers, matches, [reply, play, play, reply])
    nothing_broke(servers, answers)
    counted = 0
    with Site(servers[1].url) as site:
        for match in matches:
            first, played, again, second = answers[match.key]
            assert played.status_code == again.status_code == 200
            assert {first.status_code, second.status_code} <= {204, 409}
            counts = 204 in (first.status_code, second.status_code)
            counted += counts
            record = site.record(match)
            answer = [{"A": "d5"}] if counts else []
            assert record["turns"] == [{"A": "d4"}, {"B": "c4"}, *answer]
            assert [seal.get("by") for turn in record["seals"][2:] for seal in turn.values()] == (
                ["reply"] if counts else []
            )
            kept = site.ask("GET", f"matches/{match.key}/replies", token=match.tokens["A"]).json()
            assert kept["lines"] == ([["e6", "f3"]] if counts else [])
            assert replay(record).fault is None
    print(f"{counted} of {count} replies came in time")


@pytest.mark.slow
def test_reopening_against_the_last_seal(servers: Servers) -> None:
    matches = make(servers[0], MATCHES // 2)
    with Site(servers[0].url) as site:
        for match in matches:
            assert site.seal(match, "A", FIRST).status_code == 200
    answers = at_once(
        servers,
        matches,
        [lambda site, match: site.reopen(match, "A"), lambda site, match: site.seal(match, "B", OTHER)],
    )
    nothing_broke(servers, answers)
    with Site(servers[1].url) as site:
        for match in matches:
            reopened, last = answers[match.key]
            assert last.status_code == 200 and reopened.status_code in (204, 409)
            seen = site.see(match, "A")
            if reopened.status_code == 204:
                assert not last.json()["revealed"]
                assert (seen["turn"], seen["draft"], seen["order"]) == (0, FIRST, None)
                assert seen["sealed"] == ["B"] and seen["to_act"] == ["A"]
                assert site.seal(match, "A", FIRST).json()["revealed"]
            else:
                assert last.json()["revealed"]
                assert (seen["turn"], seen["draft"]) == (1, None)
            assert site.record(match)["turns"] == [{"A": FIRST, "B": OTHER}]


@pytest.mark.slow
def test_taking_back_against_the_next_turn(servers: Servers) -> None:
    """Bob asks for his stone back. Alice accepts in one window and plays on in another; others look on."""
    with Site(servers[0].url) as site:
        matches = [site.make("robble") for _ in range(MATCHES // 5)]
        for match in matches:
            for turn, (seat, order) in enumerate((("A", "d4"), ("B", "d5"))):
                assert site.seal(match, seat, order, turn).status_code == 200
    with Site(servers[1].url) as site:  # the other process keeps the old turns in memory, too
        assert {site.see(match)["turn"] for match in matches} == {2}
    here = {"turn": "2", "taken_back": "0"}
    with ExitStack() as open_ones:

        def window(number: int, match: Match, seat: str) -> Window:
            return open_ones.enter_context(Window(servers[number].url, match, seat))

        first = {match.key: window(0, match, "A") for match in matches}
        second = {match.key: window(1, match, "A") for match in matches}
        for match in matches:
            assert window(0, match, "B").post("take-back", **here, do="ask").status_code == 200
        deeds: list[Deed] = [
            lambda site, match: first[match.key].post("take-back", **here, do="accept"),
            lambda site, match: second[match.key].post("plan", **here, typed="g7", seal="1"),
            lambda site, match: site.ask("GET", f"matches/{match.key}"),
            lambda site, match: site.ask("GET", f"matches/{match.key}/record"),
        ]
        answers = at_once(servers, matches, deeds)
    nothing_broke(servers, answers)
    for match in matches:
        accepted, played, *_ = (answer.status_code for answer in answers[match.key])
        assert (accepted, played) in ((200, 422), (409, 200))
        turns = ["d4"] if accepted == 200 else ["d4", "d5", "g7"]
        goes_on_in_both(servers, match, turns)


def goes_on_in_both(servers: Servers, match: Match, turns: list[str]) -> None:
    """Each process plays the next turn, and both tell the same match."""
    for server, order in zip(servers, ("a1", "g1"), strict=True):
        with Site(server.url) as site:
            seat = "AB"[len(turns) % 2]
            assert site.seal(match, seat, order, len(turns)).status_code == 200
            turns = [*turns, order]
    for server in servers:
        with Site(server.url) as site:
            seen, record = site.see(match), site.record(match)
            assert [next(iter(turn.values())) for turn in seen["turns"]] == turns
            assert [event[0]["at"] for event in seen["events"]] == turns
            assert record["turns"] == seen["turns"] and replay(record).fault is None


@pytest.mark.more
def test_a_late_order_against_a_turn_taken_back_and_played_anew(servers: Servers) -> None:
    """Alice takes her last turn back and plays another; Bob's answer to the first one leaves meanwhile."""
    seen = {"turn": 3, "taken_back": 0}

    def ready(site: Site) -> Match:
        match = site.make("robble")
        for turn, (seat, order) in enumerate((("A", "d4"), ("B", "d5"), ("A", "a1"))):
            assert site.seal(match, seat, order, turn).status_code == 200
        assert propose(site, match, "A", "offer").status_code == 200
        return match

    def propose(site: Site, match: Match, seat: str, do: str) -> httpx.Response:
        body = {"kind": "take-back", "do": do, **seen}
        return site.ask("POST", f"matches/{match.key}/proposals", body, match.tokens[seat])

    def goes_back(site: Site, match: Match) -> httpx.Response:
        accepted = propose(site, match, "B", "accept")
        return site.seal(match, "A", "g7", 2) if accepted.status_code == 200 else accepted

    def is_late(site: Site, match: Match) -> httpx.Response:
        answer = site.ask("PUT", f"matches/{match.key}/order", {"order": "a2", **seen}, match.tokens["B"])
        while answer.status_code == 409 and site.see(match)["turn"] == 2:  # sent again until it is decided
            answer = site.ask("PUT", f"matches/{match.key}/order", {"order": "a2", **seen}, match.tokens["B"])
        return answer

    with Site(servers[0].url) as site:
        matches = [ready(site) for _ in range(MATCHES // 5)]
    answers = at_once(servers, matches, [goes_back, is_late])
    nothing_broke(servers, answers)
    with Site(servers[1].url) as site:
        for match in matches:
            back, order = answers[match.key]
            now, played = site.see(match), site.record(match)["turns"]
            if order.status_code == 200:
                assert back.status_code == 409 and now["taken_back"] == 0
                assert played == [{"A": "d4"}, {"B": "d5"}, {"A": "a1"}, {"B": "a2"}]
            else:
                assert (back.status_code, order.status_code, now["taken_back"]) == (200, 409, 1)
                assert played == [{"A": "d4"}, {"B": "d5"}, {"A": "g7"}]
