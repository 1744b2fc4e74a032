"""The site as a host runs it: web processes, clocks and bots, on PostgreSQL and Redis or on SQLite alone."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.drills.services import Postgres, Redis, wait_until
from tests.faults.programs import Match
from tests.faults.programs import Site as Client
from tests.receivers import Mailbox
from tests.servers import DATABASE, PATIENCE, Process, Server, run

SOON = 60.0
INSIDE = "tests.faults.drills.inside"


class Web(Server):
    """One of several that serve pages; clock and bots are processes of their own."""

    flags = ("--no-clock", "--no-bots")


@dataclass
class Site:
    """A running site; `env` is of all its processes, `shifts` are the files of their wrong clocks."""

    data: Path
    mailbox: Mailbox
    env: dict[str, str] = field(default_factory=dict)
    webs: list[Server] = field(default_factory=list)
    clocks: list[Process] = field(default_factory=list)
    bots: list[Process] = field(default_factory=list)
    shifts: list[Path] = field(default_factory=list)
    postgres: Postgres | None = None
    redis: Redis | None = None

    @property
    def processes(self) -> list[Process]:
        return [*self.webs, *self.clocks, *self.bots]

    @property
    def urls(self) -> list[str]:
        return [web.url for web in self.webs]

    def client(self) -> Client:
        return Client(self.urls[0])

    def sql(self, words: str) -> list[tuple[Any, ...]]:
        """Asks or changes the database, behind the site's back."""
        if self.postgres:
            with psycopg.connect(self.env["DATABASE_URL"], autocommit=True) as line:
                told = line.execute(words)
                return told.fetchall() if told.description else []
        with closing(sqlite3.connect(self.data / DATABASE, timeout=60)) as file, file:
            return file.execute(words).fetchall()

    def inside(self, *words: str) -> Any:
        """What `inside.py` prints on the same database."""
        return json.loads(run("-m", INSIDE, *words, env=self.env, timeout=PATIENCE * 5))

    def tables(self, count: int) -> list[Match]:
        """New tables of two; on seat B sits a guest who wants mails of what happens."""
        return [Match(one.pop("key"), one) for one in self.inside("tables", str(count))]

    # A match whose time runs out

    def with_deadline(self) -> Match:
        """A match of two that has begun and waits for both."""
        with self.client() as client:
            return client.make(deadline_hours=24, late="fill")

    def moment(self, minutes: float) -> str:
        """The time that many minutes from now, as the database writes it."""
        if self.postgres:
            return f"now() + interval '{minutes} minutes'"
        return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', '{minutes:+} minutes')"

    def move_deadline(self, match: Match, minutes: float) -> None:
        """Its time is over in so many minutes from now, or was."""
        at = self.moment(minutes)
        self.sql(f"UPDATE matches_match SET due = {at}, deadline = {at} WHERE key = '{match.key}'")

    def deadline_of(self, match: Match) -> datetime:
        found = self.sql(f"SELECT deadline FROM matches_match WHERE key = '{match.key}'")[0][0]
        return found if isinstance(found, datetime) else datetime.fromisoformat(found)

    def turn_of(self, match: Match) -> int:
        """Read in the database: whoever looks at a match by a page moves it on himself."""
        return int(self.sql(f"SELECT turn FROM matches_match WHERE key = '{match.key}'")[0][0])

    def orders(self, match: Match, which: str = "p.by <> ''") -> int:
        """The number of orders in a match; those that the site has given for absent players."""
        programs = "matches_program p JOIN matches_seat s ON s.id = p.seat_id"
        of_match = f"JOIN matches_match m ON m.id = s.match_id WHERE m.key = '{match.key}'"
        return int(self.sql(f"SELECT count(*) FROM {programs} {of_match} AND {which}")[0][0])

    def clock_works(self, match: Match | None = None, minutes: float = -1) -> float:
        """Seconds until a match whose time is over has moved on, once."""
        match = match or self.with_deadline()
        self.move_deadline(match, minutes)
        took = wait_until(lambda: self.turn_of(match), SOON)
        assert (self.turn_of(match), self.orders(match)) == (1, 2)
        return took

    def leaves_alone(self, match: Match) -> None:
        """A look at its page applies deadlines too."""
        with self.client() as client:
            seen = client.see(match, "A")
        assert (seen["turn"], seen["to_act"], seen["claimable"]) == (0, ["A", "B"], []), seen
        assert self.orders(match) == 0

    def bots_work(self) -> float:
        """Seconds until a bot has sealed its first order."""
        with self.client() as client:
            match = client.make(bots={"B": "random"})
        return wait_until(lambda: self.orders(match, "p.seal <> ''") == 1, SOON)


@contextmanager
def running(
    *,
    servers: bool,
    webs: int = 1,
    clocks: int = 0,
    bots: int = 0,
    redis: bool = False,
    shifts: bool = False,
    data: Path | None = None,
) -> Iterator[Site]:
    """A site in a folder of its own (or in `data`), ended and cleared away whatever happens.

    `servers`: on PostgreSQL and Redis, else on SQLite, with the clock in it unless there are `clocks`.
    `shifts`: each process has a file that says by how many seconds its clock is wrong (`shifted.py`).
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="robosite-faults-")))
        site = Site(data or folder, stack.enter_context(Mailbox()))
        given = {"CLOCK_SECONDS": "0.5", "SENDER_SECONDS": "0.2", "SENDER_LEASE": "4", "BOT_PROCESSES": "0"}
        given |= {"PYTHONUNBUFFERED": "1", "EMAIL_URL": site.mailbox.url}
        if servers:
            site.postgres = stack.enter_context(Postgres())
            site.postgres.sql("CREATE DATABASE robosite")
            given["DATABASE_URL"] = site.postgres.url("robosite")
        if servers or redis:
            site.redis = stack.enter_context(Redis())
            given["REDIS_URL"] = site.redis.url
        kind = Web if servers or clocks or webs > 1 else Server
        site.webs = [kind(site.data, prepare=False, **given) for _ in range(webs)]
        site.env = site.webs[0].env
        site.webs[0].fill()
        site.clocks = [site.webs[0].also("clock") for _ in range(clocks)]
        site.bots = [site.webs[0].also("bots", "--processes", "1") for _ in range(bots)]
        for number, one in enumerate(site.processes):
            one.log = folder / one.log.name
            if shifts:
                site.shifts.append(folder / f"shift-{number}")
                one.program = ("-m", "tests.faults.drills.shifted", str(site.shifts[-1]))
        for one in site.processes:
            stack.callback(_end, one)
            one.start()
        yield site


def _end(one: Process) -> None:
    if hasattr(one, "process") and one.process.poll() is None:
        one.kill()
