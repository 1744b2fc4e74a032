"""Two want the same of a league at once, against two processes: its last place, its start, to leave it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import httpx
import pytest

from tests.faults.programs import PATIENCE, Site
from tests.servers import Server

RACES = 100
Servers = tuple[Server, Server]


def league(site: Site, places: int, players: int, table_seats: int = 2) -> dict[str, Any]:
    terms = {"name": "Race", "game": "pigs", "organiser": "Ada", "places": places}
    made = site.ask("POST", "leagues", {**terms, "table_seats": table_seats})
    assert made.status_code == 201, made.text
    for number in range(2, players + 1):
        assert join(site, made.json(), f"Dora {number}").status_code == 201
    return dict(made.json())


def join(site: Site, made: dict[str, Any], name: str) -> httpx.Response:
    return site.ask("POST", f"leagues/{made['league']}/places", {"name": name, "invite": made["invite"]})


def start(site: Site, made: dict[str, Any]) -> httpx.Response:
    return site.ask("POST", f"leagues/{made['league']}/start", token=made["organiser_token"])


def leave(site: Site, made: dict[str, Any]) -> httpx.Response:
    return site.ask("DELETE", f"leagues/{made['league']}/places/5", token=made["organiser_token"])


def both(servers: Servers, *deeds: Callable[[Site], httpx.Response]) -> list[httpx.Response]:
    """The answers to deeds done at the same instant, each in a thread of its own."""
    line = Barrier(len(deeds))

    def do(number: int) -> httpx.Response:
        with Site(servers[number % 2].url) as site:
            line.wait(PATIENCE)
            return deeds[number](site)

    with ThreadPoolExecutor(len(deeds)) as threads:
        return list(threads.map(do, range(len(deeds))))


@pytest.mark.more
@pytest.mark.parametrize("count", [RACES // 10, pytest.param(RACES, marks=pytest.mark.slow)])
def test_two_want_the_last_place(servers: Servers, count: int) -> None:
    with Site(servers[0].url) as site:
        made = [league(site, places=3, players=2) for _ in range(count)]
    for one in made:
        answers = both(servers, *(partial(join, made=one, name=name) for name in ("Ann", "Ben")))
        assert sorted(answer.status_code for answer in answers) == [201, 409]
        with Site(servers[1].url) as site:
            assert len(site.ask("GET", f"leagues/{one['league']}").json()["places"]) == 3


def announce(site: Site, made: dict[str, Any]) -> httpx.Response:
    return site.ask("POST", f"leagues/{made['league']}/next", token=made["organiser_token"])


@pytest.mark.more
@pytest.mark.parametrize("count", [3, pytest.param(RACES, marks=pytest.mark.slow)])
def test_a_next_season_is_announced_twice_at_once(servers: Servers, count: int) -> None:
    with Site(servers[0].url) as site:
        made = [league(site, places=4, players=3) for _ in range(count)]
        for one in made:
            start(site, one)
            path = f"leagues/{one['league']}"
            site.ask("DELETE", f"{path}/places/2", token=one["organiser_token"])
            site.ask("DELETE", f"{path}/places/3", token=one["organiser_token"])
            assert site.ask("GET", path).json()["status"] == "over"
    for one in made:
        answers = both(servers, *[partial(announce, made=one)] * 4)
        assert [answer.status_code for answer in answers] == [201] * 4
        assert len({answer.text for answer in answers}) == 1


@pytest.mark.more
@pytest.mark.parametrize("count", [3, pytest.param(RACES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("table_seats", "begun"), [(2, {4: 6, 5: 10}), (3, {4: 4, 5: 10})])
def test_a_league_is_started_twice_at_once_while_somebody_leaves(
    servers: Servers, count: int, table_seats: int, begun: dict[int, int]
) -> None:
    with Site(servers[0].url) as site:
        made = [league(site, places=6, players=5, table_seats=table_seats) for _ in range(count)]
    for one in made:
        path = f"leagues/{one['league']}"
        begin, leaves = partial(start, made=one), partial(leave, made=one)
        answers = both(servers, begin, begin, leaves)
        assert sorted(answer.status_code for answer in answers) == [200, 200, 204]
        with Site(servers[1].url) as site:
            told = site.ask("GET", path).json()
            matches = site.ask("GET", f"{path}/matches").json()["matches"]
        players = len(told["places"])
        assert len(matches) == begun[players]
        assert len({tuple(sorted(match["seats"].values())) for match in matches}) == len(matches)
        assert [place["left"] for place in told["places"]].count("withdrawn") == (players == 5)


@pytest.mark.more
@pytest.mark.parametrize("count", [3, pytest.param(RACES, marks=pytest.mark.slow)])
def test_the_last_matches_of_two_ties_end_at_once(servers: Servers, count: int) -> None:
    """Both of a cup's semi-finals end, with two resignations in each, and its final begins once."""
    for _ in range(count):
        with Site(servers[0].url) as site:
            made, tokens = cup_of_four(site)
            path = f"leagues/{made['league']}"
            assert start(site, made).status_code == 200
            matches = site.ask("GET", f"{path}/matches").json()["matches"]
        losers = {one["tie"]: one["seats"]["A"] for one in matches}
        deeds = []
        for one in matches:
            token = tokens[losers[one["tie"]]]
            deeds.append(partial(Site.ask, method="POST", path=f"matches/{one['match']}/resign", token=token))
        assert {answer.status_code for answer in both(servers, *deeds)} == {200}
        with Site(servers[1].url) as site:
            after = site.ask("GET", f"{path}/matches").json()["matches"]
        final = [tuple(one["seats"].values()) for one in after if one["round"] == 2]
        assert len(after) == 6 and len(set(final)) == 2 and all(one["match"] for one in after)


def cup_of_four(site: Site) -> tuple[dict[str, Any], dict[int, str]]:
    """A cup that can start, and the tokens of its places."""
    terms = {"name": "Cup", "game": "pigs", "organiser": "Ada", "places": 4, "format": "cup"}
    made = site.ask("POST", "leagues", terms).json()
    taken = [join(site, made, f"Dora {number}").json() for number in range(2, 5)]
    return made, {1: made["token"], **{one["place"]: one["token"] for one in taken}}
