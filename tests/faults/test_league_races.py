"""Two want the same of a league at once, against two processes: its last place, its start, to leave it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import httpx
import pytest

from tests.faults.programs import PATIENCE, League, Site
from tests.servers import Server

pytestmark = pytest.mark.timeout(1800)
RACES = 100
Servers = tuple[Server, Server]


def leave(site: Site, made: League) -> httpx.Response:
    return site.ask("DELETE", f"leagues/{made.key}/places/5", token=made.organiser)


def announce(site: Site, made: League) -> httpx.Response:
    return site.ask("POST", f"leagues/{made.key}/next", token=made.organiser)


def both(servers: Servers, *deeds: Callable[[Site], httpx.Response]) -> list[httpx.Response]:
    """The answers to deeds done at the same instant, each in a thread of its own.

    A busy site says so (503), and is asked again, as it wants to be.
    """
    line = Barrier(len(deeds))

    def do(number: int) -> httpx.Response:
        end = time.monotonic() + PATIENCE
        with Site(servers[number % 2].url) as site:
            line.wait(PATIENCE)
            while (answer := deeds[number](site)).status_code == 503 and time.monotonic() < end:
                time.sleep(0.5)
        return answer

    with ThreadPoolExecutor(len(deeds)) as threads:
        return list(threads.map(do, range(len(deeds))))


@pytest.mark.more
@pytest.mark.parametrize("count", [RACES // 10, pytest.param(RACES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("places", "format"), [(3, "league"), (4, "cup")])
def test_two_want_the_last_place(servers: Servers, count: int, places: int, format: str) -> None:
    with Site(servers[0].url) as site:
        made = [site.league(places - 1, places=places, format=format) for _ in range(count)]
    for one in made:
        answers = both(servers, *(partial(Site.join, league=one, name=name) for name in ("Ann", "Ben")))
        assert sorted(answer.status_code for answer in answers) == [201, 409]
        with Site(servers[1].url) as site:
            assert len(site.ask("GET", f"leagues/{one.key}").json()["places"]) == places


def played_season(site: Site) -> League:
    """A season of three that is over, after one match each way, in which nobody has left."""
    made = site.league(3, places=6)
    site.play_season(made)
    return made


def announced(site: Site) -> League:
    before = played_season(site)
    told = announce(site, before).json()
    return League(told["league"], told["invite"], told["organiser_token"], before.tokens)


@pytest.mark.more
@pytest.mark.parametrize("count", [3, pytest.param(RACES, marks=pytest.mark.slow)])
def test_a_next_season_is_announced_twice_at_once(servers: Servers, count: int) -> None:
    """Everybody gets the same season, and everybody is enrolled once."""
    with Site(servers[0].url) as site:
        made = [played_season(site) for _ in range(count)]
    for one in made:
        answers = both(servers, *[partial(announce, made=one)] * 4)
        assert [answer.status_code for answer in answers] == [201] * 4
        told = [answer.json() for answer in answers]
        assert len({(each["league"], each["invite"], each["lot"]) for each in told}) == 1
        with Site(servers[1].url) as site:
            seen = site.ask("GET", f"leagues/{told[0]['league']}").json()
            before = site.ask("GET", f"leagues/{one.key}").json()
        assert [place["place"] for place in seen["places"]] == [1, 2, 3]
        assert (seen["season"], before["next"]) == (2, told[0]["league"])


@pytest.mark.more
@pytest.mark.parametrize("count", [3, pytest.param(RACES, marks=pytest.mark.slow)])
def test_a_season_starts_while_somebody_joins_and_somebody_steps_out(servers: Servers, count: int) -> None:
    """All who are in it play each other once, and nobody else plays."""
    with Site(servers[0].url) as site:
        made = [announced(site) for _ in range(count)]
        for one in made:
            assert site.join(one, "Dora 4").status_code == site.join(one, "Dora 5").status_code == 201
    for one in made:
        path = f"leagues/{one.key}"
        joins = partial(Site.join, league=one, name="Dora 6")
        begin, leaves = partial(Site.start, league=one), partial(leave, made=one)
        *starts, left, joined = both(servers, begin, begin, leaves, joins)
        assert [answer.status_code for answer in starts] == [200, 200]
        assert left.status_code == 204 and joined.status_code in (201, 409)
        with Site(servers[1].url) as site:
            told = site.ask("GET", path).json()
            matches = site.fixtures(one)
        here = {place["place"] for place in told["places"]}
        assert (6 in here) == (joined.status_code == 201)
        pairs = [frozenset(match["seats"].values()) for match in matches]
        assert len(pairs) == len(set(pairs)) == len(here) * (len(here) - 1) // 2
        assert set().union(*pairs) == here and all(match["match"] for match in matches)
        assert [place["left"] for place in told["places"]].count("withdrawn") == (5 in here)


@pytest.mark.more
@pytest.mark.parametrize("count", [3, pytest.param(RACES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("table_seats", "begun"), [(2, {4: 6, 5: 10}), (3, {4: 4, 5: 10})])
def test_a_league_is_started_twice_at_once_while_somebody_leaves(
    servers: Servers, count: int, table_seats: int, begun: dict[int, int]
) -> None:
    with Site(servers[0].url) as site:
        made = [site.league(5, places=6, table_seats=table_seats) for _ in range(count)]
    for one in made:
        path = f"leagues/{one.key}"
        begin, leaves = partial(Site.start, league=one), partial(leave, made=one)
        answers = both(servers, begin, begin, leaves)
        assert sorted(answer.status_code for answer in answers) == [200, 200, 204]
        with Site(servers[1].url) as site:
            told = site.ask("GET", path).json()
            matches = site.fixtures(one)
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
            made = site.league(4, places=4, format="cup")
            assert site.start(made).status_code == 200
            matches = site.fixtures(made)
        losers = {one["tie"]: one["seats"]["A"] for one in matches}
        deeds = []
        for one in matches:
            token = made.tokens[losers[one["tie"]]]
            deeds.append(partial(Site.ask, method="POST", path=f"matches/{one['match']}/resign", token=token))
        assert {answer.status_code for answer in both(servers, *deeds)} == {200}
        with Site(servers[1].url) as site:
            after = site.fixtures(made)
        final = [tuple(one["seats"].values()) for one in after if one["round"] == 2]
        assert len(after) == 6 and len(set(final)) == 2 and all(one["match"] for one in after)
