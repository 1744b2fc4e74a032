"""Two want the same of a league at once, against two processes; and while one waits, nobody else does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import psycopg
import pytest

from tests.faults.drills.faults import locked
from tests.faults.programs import PATIENCE, League, Site, both
from tests.servers import Server

pytestmark = [pytest.mark.more, pytest.mark.timeout(1800)]
RACES = 100
OFTEN = [3, pytest.param(RACES, marks=pytest.mark.slow)]
Servers = tuple[Server, Server]


def leave(site: Site, made: League) -> httpx.Response:
    return site.ask("DELETE", f"leagues/{made.key}/places/5", token=made.organiser)


def announce(site: Site, made: League) -> httpx.Response:
    return site.ask("POST", f"leagues/{made.key}/next", token=made.organiser)


@pytest.mark.parametrize("count", [RACES // 10, pytest.param(RACES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("places", "format"), [(3, "league"), (4, "cup")])
def test_two_want_the_last_place(servers: Servers, count: int, places: int, format: str) -> None:
    with Site(servers[0].url) as site:
        made = [site.league(places - 1, places=places, format=format) for _ in range(count)]
    for one in made:
        answers = both(servers, *(partial(Site.join, league=one, name=name) for name in ("Ann", "Ben")))
        assert sorted(answer.status_code for answer in answers) == [201, 409]
        assert len(told(servers, one.key)["places"]) == places


def told(servers: Servers, key: str) -> Any:
    """The league as the other process has it."""
    with Site(servers[1].url) as site:
        return site.ask("GET", f"leagues/{key}").json()


def matches_of(servers: Servers, made: League) -> list[dict[str, Any]]:
    with Site(servers[1].url) as site:
        return site.fixtures(made)


def played_season(site: Site) -> League:
    """A season of three that is over, after one match each way, in which nobody has left."""
    made = site.league(3, places=6)
    site.play_season(made)
    return made


def announced(site: Site) -> League:
    before = played_season(site)
    made = announce(site, before).json()
    return League(made["league"], made["invite"], made["organiser_token"], before.tokens)


@pytest.mark.parametrize("count", OFTEN)
def test_a_next_season_is_announced_twice_at_once(servers: Servers, count: int) -> None:
    """Everybody gets the same season, and everybody is enrolled once."""
    with Site(servers[0].url) as site:
        made = [played_season(site) for _ in range(count)]
    for one in made:
        answers = both(servers, *[partial(announce, made=one)] * 4)
        assert [answer.status_code for answer in answers] == [201] * 4
        given = {tuple(answer.json()[name] for name in ("league", "invite", "lot")) for answer in answers}
        ((key, *_),) = given
        seen = told(servers, key)
        assert [place["place"] for place in seen["places"]] == [1, 2, 3]
        assert (seen["season"], told(servers, one.key)["next"]) == (2, key)


@pytest.mark.parametrize("count", OFTEN)
def test_a_season_starts_while_somebody_joins_and_somebody_steps_out(servers: Servers, count: int) -> None:
    """All who are in it play each other once, and nobody else plays."""
    with Site(servers[0].url) as site:
        made = [announced(site) for _ in range(count)]
        for one in made:
            assert site.join(one, "Dora 4").status_code == site.join(one, "Dora 5").status_code == 201
    for one in made:
        joins = partial(Site.join, league=one, name="Dora 6")
        begin, leaves = partial(Site.start, league=one), partial(leave, made=one)
        *starts, left, joined = both(servers, begin, begin, leaves, joins)
        assert [answer.status_code for answer in starts] == [200, 200]
        assert left.status_code == 204 and joined.status_code in (201, 409)
        places, matches = told(servers, one.key)["places"], matches_of(servers, one)
        here = {place["place"] for place in places}
        assert (6 in here) == (joined.status_code == 201)
        pairs = [frozenset(match["seats"].values()) for match in matches]
        assert len(pairs) == len(set(pairs)) == len(here) * (len(here) - 1) // 2
        assert set().union(*pairs) == here and all(match["match"] for match in matches)
        assert [place["left"] for place in places].count("withdrawn") == (5 in here)


@pytest.mark.parametrize("count", OFTEN)
@pytest.mark.parametrize(("table_seats", "begun"), [(2, {4: 6, 5: 10}), (3, {4: 4, 5: 10})])
def test_a_league_is_started_twice_at_once_while_somebody_leaves(
    servers: Servers, count: int, table_seats: int, begun: dict[int, int]
) -> None:
    with Site(servers[0].url) as site:
        made = [site.league(5, places=6, table_seats=table_seats) for _ in range(count)]
    for one in made:
        begin, leaves = partial(Site.start, league=one), partial(leave, made=one)
        answers = both(servers, begin, begin, leaves)
        assert sorted(answer.status_code for answer in answers) == [200, 200, 204]
        places, matches = told(servers, one.key)["places"], matches_of(servers, one)
        assert len(matches) == begun[len(places)]
        assert len({tuple(sorted(match["seats"].values())) for match in matches}) == len(matches)
        assert [place["left"] for place in places].count("withdrawn") == (len(places) == 5)


@pytest.mark.parametrize("count", OFTEN)
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
        after = matches_of(servers, made)
        final = [tuple(one["seats"].values()) for one in after if one["round"] == 2]
        assert len(after) == 6 and len(set(final)) == 2 and all(one["match"] for one in after)


# While one client's request is long, or waits for a lock, the same process answers everybody else

SOON = 5.0
"""Seconds: far more than a look takes on a busy machine, far less than the start of a large league did."""
HELD = 2.0
"""Seconds for which a lock is held: longer than a request waited for it on the thread at first."""


def look_until(url: str, done: Future[Any]) -> list[float]:
    """How long each look at a page took, until something else is done."""
    took = []
    with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client:
        while not done.done():
            began = time.monotonic()
            assert client.get("/api/v1/leagues").status_code == 200
            took.append(time.monotonic() - began)
    return took


def test_the_start_of_the_largest_league_keeps_nobody_waiting(servers: Servers) -> None:
    with Site(servers[0].url) as site, ThreadPoolExecutor(1) as threads:
        made = site.league(64, places=64, legs=2, ends_days=60)
        started = threads.submit(site.start, made)
        assert max(look_until(servers[0].url, started)) < SOON
        begun = started.result().json()
        assert begun["status"] == "playing" and begun["matches"] == 522
        with Site(servers[1].url) as other:
            end = time.monotonic() + PATIENCE
            while any(one["match"] is None for one in other.fixtures(made, begun=False)):
                assert time.monotonic() < end
                began = time.monotonic()
                assert other.ask("GET", f"leagues/{made.key}").status_code == 200
                assert time.monotonic() - began < SOON
            matches = other.fixtures(made, begun=False)
        assert len({one["match"] for one in matches}) == 522 == len(matches)


@contextmanager
def held(server: Server) -> Iterator[None]:
    """Another process has locked every league, or the whole file."""
    if "DATABASE_URL" in server.env:
        with psycopg.connect(server.env["DATABASE_URL"]) as other:
            other.execute("SELECT * FROM leagues_league FOR UPDATE")
            yield
            other.rollback()
    else:
        with locked(server.data):
            yield


def test_who_waits_for_a_lock_holds_nobody_up_and_gets_it(servers: Servers) -> None:
    with Site(servers[0].url) as site, ThreadPoolExecutor(2) as threads:
        made = site.league(4, places=4)
        with held(servers[0]):
            started = threads.submit(site.start, made)
            looks = threads.submit(look_until, servers[0].url, threads_end := Future[None]())
            time.sleep(HELD)
            threads_end.set_result(None)
            assert not started.done()
            assert len(looks.result()) >= 3 and max(looks.result()) < HELD / 2
        assert started.result().status_code == 200, started.result().text
        assert len(site.fixtures(made, begun=False)) == 6
