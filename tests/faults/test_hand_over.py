"""A seat is handed over by two processes at once, or by one that is killed: it has one holder, who acts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.faults.programs import FIRST, OTHER, Match, Site
from tests.faults.test_league_kills import MOMENTS, NEVER, DyingServer
from tests.faults.test_races import Deed, Servers, at_once, nothing_broke

LINES = {"turn": 1, "lines": [["c4", "d5"]]}
COUNTS = [3, pytest.param(50, marks=pytest.mark.slow)]


def offered(site: Site, match: Match, seat: str = "B") -> str:
    answer = site.ask("POST", f"matches/{match.key}/handover", token=match.tokens[seat])
    assert answer.status_code == 201, answer.text
    return str(answer.json()["url"])


def take(site: Site, link: str, name: str = "Cleo") -> httpx.Response:
    return site.ask("POST", "handover", {"link": link, "name": name})


def belongs_to(site: Site, match: Match, seat: str, token: str, name: str = "Cleo") -> dict[str, Any]:
    """The match as the new holder sees it; the former one's token opens nothing any more."""
    path = f"matches/{match.key}"
    assert site.ask("GET", path, token=match.tokens[seat]).status_code == 401
    seen = site.ask("GET", path, token=token)
    assert seen.status_code == 200 and seen.json()["seats"][seat]["name"] == name
    return dict(seen.json())


@pytest.mark.parametrize("count", COUNTS)
def test_a_seal_against_the_hand_over(servers: Servers, count: int) -> None:
    """Both counted, or the former holder was refused and the new one owes the order."""
    with Site(servers[0].url) as site:
        matches = [site.make() for _ in range(count)]
        links = {match.key: offered(site, match) for match in matches}
    seal: Deed = lambda site, match: site.seal(match, "B", FIRST)  # noqa: E731
    takes: Deed = lambda site, match: take(site, links[match.key])  # noqa: E731
    answers = at_once(servers, matches, [seal, takes, seal, takes])
    nothing_broke(servers, answers)
    with Site(servers[1].url) as site:
        for match in matches:
            first, one, second, other = answers[match.key]
            (taken,) = [given.json() for given in (one, other) if given.status_code == 201]
            assert {first.status_code, second.status_code} <= {200, 401}
            seen = belongs_to(site, match, "B", taken["token"])
            is_sealed = 200 in (first.status_code, second.status_code)
            assert seen["order"] == (FIRST if is_sealed else None) and seen["draft"] is None
            assert seen["to_act"] == (["A"] if is_sealed else ["A", "B"])


@pytest.mark.parametrize("count", COUNTS)
def test_replies_against_the_hand_over(servers: Servers, count: int) -> None:
    """Lines go with their writer: none is played in the new holder's name."""
    with Site(servers[0].url) as site:
        matches = [site.make("robble") for _ in range(count)]
        for match in matches:
            assert site.seal(match, "A", "d4").status_code == 200
        links = {match.key: offered(site, match, "A") for match in matches}

    def plan(site: Site, match: Match) -> httpx.Response:
        return site.ask("PUT", f"matches/{match.key}/replies", LINES, match.tokens["A"])

    answers = at_once(servers, matches, [plan, lambda site, match: take(site, links[match.key])])
    nothing_broke(servers, answers)
    with Site(servers[1].url) as site:
        for match in matches:
            planned, taken = answers[match.key]
            assert planned.status_code in (204, 401) and taken.status_code == 201
            token = taken.json()["token"]
            belongs_to(site, match, "A", token)
            kept = site.ask("GET", f"matches/{match.key}/replies", token=token).json()
            assert kept["lines"] == []
            assert site.seal(match, "B", "c4", 1).status_code == 200
            assert site.record(match)["turns"] == [{"A": "d4"}, {"B": "c4"}]


@dataclass(frozen=True)
class Offer:
    """A seat B that has sealed and is offered, and the one request that takes it."""

    match: Match
    link: str
    key: str

    @classmethod
    def made(cls, site: Site) -> Offer:
        match = site.make()
        assert site.seal(match, "B", OTHER).status_code == 200
        return cls(match, offered(site, match), str(uuid4()))

    def take(self, site: Site) -> httpx.Response:
        headers = {"Idempotency-Key": self.key}
        return site.client.post("handover", json={"link": self.link, "name": "Cleo"}, headers=headers)

    def is_whole(self, site: Site) -> None:
        """Checks that it has taken place or not begun, and takes place once it is asked for again."""
        old = site.ask("GET", f"matches/{self.match.key}", token=self.match.tokens["B"])
        assert old.status_code == 401 or old.json()["order"] == OTHER
        taken = self.take(site)
        assert taken.status_code == 201, taken.text
        assert belongs_to(site, self.match, "B", taken.json()["token"])["order"] == OTHER


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "moments", [pytest.param(3, marks=pytest.mark.more), pytest.param(MOMENTS, marks=pytest.mark.slow)]
)
def test_killed_at_any_moment_whoever_asks_again_has_the_seat(tmp_path: Path, moments: int) -> None:
    """A power cut before any statement: the sealed order stays, and nobody else sits there."""
    with DyingServer(tmp_path) as server, Site(server.url) as site:
        first, undisturbed, *offers = [Offer.made(site) for _ in range(2 + moments)]
    with DyingServer(tmp_path, prepare=False) as server, Site(server.url) as site:
        first.is_whole(site)
        server.arm(NEVER)
        assert undisturbed.take(site).status_code == 201
        statements = server.disarm()
    died = 0
    for number, (before, offer) in enumerate(pairwise([undisturbed, *offers])):
        with DyingServer(tmp_path, prepare=False) as server, Site(server.url) as site:
            before.is_whole(site)
            server.arm(1 + statements * number // moments)
            try:
                offer.take(site)
            except httpx.TransportError:
                died += 1
            server.disarm()
    with DyingServer(tmp_path, prepare=False) as server, Site(server.url) as site:
        offers[-1].is_whole(site)
    print("statements", statements, "died", died)
    assert died >= moments - 1, "the last one may come after the answer"
