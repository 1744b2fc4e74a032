"""kill -9 while a league, a cup or a season starts, or the next one is announced: each match once."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.dying_site import ARMED, COUNTED
from tests.faults.programs import PATIENCE, League, Site
from tests.servers import DATABASE, Server

OFTEN = [pytest.param(3, marks=pytest.mark.more), pytest.param(20, marks=pytest.mark.slow)]
NEVER = 10**9


class DyingServer(Server):
    program = ("-m", "tests.faults.dying_site")

    def arm(self, statement: int) -> None:
        """Has the process die before that statement from now on."""
        (self.data / COUNTED).write_bytes(b"")
        (self.data / "armed.new").write_text(str(statement))
        (self.data / "armed.new").rename(self.data / ARMED)

    def disarm(self) -> int:
        (self.data / ARMED).unlink()
        return len((self.data / COUNTED).read_bytes())


@dataclass(frozen=True)
class Case:
    """Requests to a league that is ready for them, and what there must be then, however often they are sent.

    `matches`: those of the site altogether, `played` those of the league that is looked at.
    """

    league: League
    deed: str
    matches: int
    played: int

    def ask(self, site: Site) -> httpx.Response:
        return site.ask("POST", f"leagues/{self.league.key}/{self.deed}", token=self.league.organiser)


def first_season(site: Site) -> League:
    """A season of two divisions of six that is over, in which nobody has left."""
    league = site.league(12, places=12, game="robble", legs=2)
    site.play_season(league)
    return league


def start_of_league(site: Site) -> Case:
    return Case(site.league(8, places=8), "start", matches=28, played=28)


def start_of_cup(site: Site) -> Case:
    """Three ties of the first round, and one of the second between two who have byes."""
    return Case(site.league(11, places=11, format="cup"), "start", matches=8, played=8)


def announcement(site: Site) -> Case:
    return Case(first_season(site), "next", matches=60, played=0)


def start_of_season(site: Site) -> Case:
    """Sixty matches in two divisions, which begin in two transactions."""
    league = first_season(site)
    made = site.ask("POST", f"leagues/{league.key}/next", token=league.organiser).json()
    return Case(replace(league, key=made["league"]), "start", matches=120, played=60)


PREPARED = (start_of_league, start_of_cup, announcement, start_of_season)


@pytest.mark.timeout(2400)
@pytest.mark.parametrize("moments", OFTEN)
@pytest.mark.parametrize("prepare", PREPARED, ids=lambda prepare: prepare.__name__)
def test_killed_at_any_moment_there_is_each_match_once(
    tmp_path: Path, prepare: Callable[[Site], Case], moments: int
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    with DyingServer(before) as server, Site(server.url) as site:
        case = prepare(site)
    statements = undisturbed(copied(before, tmp_path / "undisturbed"), case)
    died = 0
    for number in range(moments):
        moment = 1 + statements * number // moments
        data = copied(before, tmp_path / f"killed-{moment}")
        died += killed(data, case, moment)
        for again in range(2):  # what the clock alone makes of it, then whoever asks again
            with DyingServer(data) as server, Site(server.url) as site:
                if again:
                    assert case.ask(site).status_code in (200, 201)
                    is_right(site, data, case)
                else:
                    is_right(site, data, case, begun=False)
        shutil.rmtree(data)
    assert died >= moments - 1, "the last one may come after the answer"


def copied(before: Path, data: Path) -> Path:
    shutil.copytree(before, data, symlinks=True)
    return data


def undisturbed(data: Path, case: Case) -> int:
    with DyingServer(data) as server, Site(server.url) as site:
        server.arm(NEVER)
        assert case.ask(site).status_code in (200, 201)
        statements = server.disarm()
        is_right(site, data, case)
    return statements


def killed(data: Path, case: Case, moment: int) -> bool:
    """Asks, and tells whether the process died meanwhile."""
    server = DyingServer(data).start()
    server.arm(moment)
    try:
        with Site(server.url) as site:
            case.ask(site)
    except httpx.TransportError:
        server.process.wait(PATIENCE)
        return True
    finally:
        server.kill()
        server.disarm()
    return False


def is_right(site: Site, data: Path, case: Case, *, begun: bool = True) -> None:
    """Checks that there is everything once; unless it has `begun`, there may also be nothing yet."""
    key = case.league.key
    if case.deed == "next":
        (key,) = [found for (found,) in rows(data, "SELECT key FROM leagues_league WHERE season = 2")] or [""]
        if not key and not begun:
            return
    matches = site.fixtures(replace(case.league, key=key))
    told = site.ask("GET", f"leagues/{key}").json()
    if not begun and case.deed == "start" and told["status"] == "open":
        assert rows(data, "SELECT 1 FROM leagues_fixture f JOIN leagues_league l ON l.id = f.league_id"
                    f" WHERE l.key = '{key}'") == []  # fmt: skip
        return
    assert sorted(one["place"] for one in told["places"]) == sorted(case.league.tokens)
    for place, token in case.league.tokens.items():
        held = site.ask("GET", "me/leagues", token=token).json()["leagues"]
        assert [one["place"] for one in held if one["league"] == key] == [place]
    assert len(matches) == case.played
    assert len({(one["round"], *one["seats"].values()) for one in matches}) == case.played
    assert len({one["match"] for one in matches if one["match"]}) == case.played
    assert rows(data, "SELECT count(*) FROM matches_match") == [(case.matches,)]
    assert rows(data, "SELECT count(*) FROM leagues_league") == [(1 + (told["season"] > 1),)]


def rows(data: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()
