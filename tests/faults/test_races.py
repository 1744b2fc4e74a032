"""Many at once, against two processes: every turn is played once, and nothing acknowledged is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

from games.record import replay
from tests.faults.programs import FIRST, OTHER, Match, Site, Window, both
from tests.servers import Server

MATCHES = 100
Servers = tuple[Server, Server]
Deed = Callable[[Site, Match], httpx.Response]
MANY = [pytest.param(MATCHES // 4, marks=pytest.mark.more), pytest.param(MATCHES, marks=pytest.mark.slow)]


def make(server: Server, count: int, *orders: tuple[str, str]) -> list[Match]:
    """Matches of pigs, or of Robble with these orders of seats played."""
    with Site(server.url) as site:
        made = [site.make("robble" if orders else "pigs") for _ in range(count)]
        for match in made:
            for turn, (seat, order) in enumerate(orders):
                assert site.seal(match, seat, order, turn).status_code == 200
    return made


def raced(
    servers: Servers, matches: list[Match], *deeds: Deed
) -> Iterator[tuple[Site, Match, list[httpx.Response]]]:
    """Sends the deeds at each match at once; yields each with its answers, and the other process."""

    def at(match: Match, deed: Deed) -> Callable[[Site], httpx.Response]:
        return lambda site: deed(site, match)

    answers = [both(servers, *(at(match, deed) for deed in deeds)) for match in matches]
    broken = [a.text for given in answers for a in given if a.status_code >= 500]
    assert not broken, broken[:3]
    for server in servers:
        records = re.split(r"^(?=\d{4}-\d\d-\d\d )", server.logged(), flags=re.MULTILINE)
        faults = [one for one in records if "Traceback" in one and "the database did not answer" not in one]
        assert not faults, faults[:3]
    with Site(servers[1].url) as site:
        for match, given in zip(matches, answers, strict=True):
            yield site, match, given
            assert replay(site.record(match)).fault is None


def seals(seat: str, order: str, turn: int = 0) -> Deed:
    return lambda site, match: site.seal(match, seat, order, turn)


def told(answers: list[httpx.Response]) -> list[int]:
    return [answer.status_code for answer in answers]


@pytest.mark.parametrize("count", MANY)
def test_both_last_seals_at_once_each_sent_twice(servers: Servers, count: int) -> None:
    matches = make(servers[0], count)
    with Site(servers[0].url) as site:
        before = {match.key: site.see(match)["version"] for match in matches}
    alice, bob = seals("A", FIRST), seals("B", OTHER)
    for site, match, answers in raced(servers, matches, alice, bob, bob, alice):
        assert told(answers) == [200] * 4
        first, second, third, fourth = (answer.json()["seal"] for answer in answers)
        assert first == fourth and second == third
        seen, record = site.see(match), site.record(match)
        assert seen["turn"] == 1
        assert seen["version"] == before[match.key] + 3  # two seals, one turn played
        assert record["turns"] == [{"A": FIRST, "B": OTHER}]
        assert {seat: one["seal"] for seat, one in record["seals"][0].items()} == {"A": first, "B": second}


@pytest.mark.slow
def test_reopening_against_the_last_seal(servers: Servers) -> None:
    matches = make(servers[0], MATCHES // 2)
    with Site(servers[0].url) as site:
        for match in matches:
            assert site.seal(match, "A", FIRST).status_code == 200
    reopen: Deed = lambda site, match: site.reopen(match, "A")  # noqa: E731
    for site, match, (reopened, last) in raced(servers, matches, reopen, seals("B", OTHER)):
        assert last.status_code == 200 and reopened.status_code in (204, 409)
        seen, comes_first = site.see(match, "A"), reopened.status_code == 204
        assert last.json()["revealed"] is not comes_first
        if comes_first:
            assert (seen["turn"], seen["draft"], seen["order"]) == (0, FIRST, None)
            assert seen["sealed"] == ["B"] and seen["to_act"] == ["A"]
            assert site.seal(match, "A", FIRST).json()["revealed"]
        else:
            assert (seen["turn"], seen["draft"]) == (1, None)
        assert site.record(match)["turns"] == [{"A": FIRST, "B": OTHER}]


def replies(*lines: list[str]) -> Deed:
    def plan(site: Site, match: Match) -> httpx.Response:
        body = {"turn": 1, "lines": lines}
        return site.ask("PUT", f"matches/{match.key}/replies", body, match.tokens["A"])

    return plan


@pytest.mark.parametrize("count", MANY)
def test_replies_against_the_order_that_they_answer(servers: Servers, count: int) -> None:
    """They count, or they are refused; never half. Each is sent twice."""
    reply, play = replies(["c4", "d5"], ["c4", "d5", "e6", "f3"]), seals("B", "c4", 1)
    matches = make(servers[0], count, ("A", "d4"))
    for site, match, (first, played, again, second) in raced(servers, matches, reply, play, play, reply):
        assert told([played, again]) == [200, 200]
        given = set(told([first, second]))
        assert given <= {204, 409}
        counts = 204 in given
        record = site.record(match)
        assert record["turns"] == [{"A": "d4"}, {"B": "c4"}, *([{"A": "d5"}] if counts else [])]
        by = [seal.get("by") for turn in record["seals"][2:] for seal in turn.values()]
        assert by == (["reply"] if counts else [])
        kept = site.ask("GET", f"matches/{match.key}/replies", token=match.tokens["A"]).json()
        assert kept["lines"] == ([["e6", "f3"]] if counts else [])


@pytest.mark.slow
def test_taking_back_against_the_next_turn(servers: Servers) -> None:
    """Bob asks for his stone back. Alice accepts in one window and plays on in another; others look on."""
    matches = make(servers[0], MATCHES // 5, ("A", "d4"), ("B", "d5"))
    with Site(servers[1].url) as site:  # the other process keeps the old turns in memory, too
        assert {site.see(match)["turn"] for match in matches} == {2}
    here = {"turn": "2", "taken_back": "0"}
    with ExitStack() as open_ones:

        def window(number: int, match: Match, seat: str) -> Window:
            return open_ones.enter_context(Window(servers[number].url, match, seat))

        first = {match.key: window(0, match, "A") for match in matches}
        second = {match.key: window(1, match, "A") for match in matches}
        for match in matches:
            assert window(0, match, "B").do("take-back", **here, do="ask").status_code == 200
        deeds: list[Deed] = [
            lambda site, match: first[match.key].do("take-back", **here, do="accept"),
            lambda site, match: second[match.key].do("plan", **here, typed="g7", seal="1"),
            lambda site, match: site.ask("GET", f"matches/{match.key}"),
            lambda site, match: site.ask("GET", f"matches/{match.key}/record"),
        ]
        for _, match, (accepted, played, *_) in raced(servers, matches, *deeds):
            assert (accepted.status_code, played.status_code) in ((200, 422), (409, 200))
            goes_on_in_both(servers, match, ["d4", *(["d5", "g7"] if played.status_code == 200 else [])])


def goes_on_in_both(servers: Servers, match: Match, turns: list[str]) -> None:
    """Each process plays the next turn, and both tell the same match."""
    for server, order in zip(servers, ("a1", "g1"), strict=True):
        with Site(server.url) as site:
            assert site.seal(match, "AB"[len(turns) % 2], order, len(turns)).status_code == 200
            turns = [*turns, order]
    for server in servers:
        with Site(server.url) as site:
            seen, record = site.see(match), site.record(match)
            assert [next(iter(turn.values())) for turn in seen["turns"]] == turns
            assert [event[0]["at"] for event in seen["events"]] == turns
            assert record["turns"] == seen["turns"]


@pytest.mark.more
def test_a_late_order_against_a_turn_taken_back_and_played_anew(servers: Servers) -> None:
    """Alice takes her last turn back and plays another; Bob's answer to the first one leaves meanwhile."""
    seen = {"turn": 3, "taken_back": 0}

    def propose(site: Site, match: Match, seat: str, do: str) -> httpx.Response:
        body = {"kind": "take-back", "do": do, **seen}
        return site.ask("POST", f"matches/{match.key}/proposals", body, match.tokens[seat])

    def goes_back(site: Site, match: Match) -> httpx.Response:
        accepted = propose(site, match, "B", "accept")
        return site.seal(match, "A", "g7", 2) if accepted.status_code == 200 else accepted

    def is_late(site: Site, match: Match) -> httpx.Response:
        while True:  # sent again until it is decided
            late = {"order": "a2", **seen}
            answer = site.ask("PUT", f"matches/{match.key}/order", late, match.tokens["B"])
            if answer.status_code != 409 or site.see(match)["turn"] != 2:
                return answer

    matches = make(servers[0], MATCHES // 5, ("A", "d4"), ("B", "d5"), ("A", "a1"))
    with Site(servers[0].url) as site:
        for match in matches:
            assert propose(site, match, "A", "offer").status_code == 200
    for site, match, (back, order) in raced(servers, matches, goes_back, is_late):
        now, played = site.see(match)["taken_back"], [*site.record(match)["turns"][2:]]
        if order.status_code == 200:
            assert (back.status_code, now, played) == (409, 0, [{"A": "a1"}, {"B": "a2"}])
        else:
            assert (*told([back, order]), now, played) == (200, 409, 1, [{"A": "g7"}])
