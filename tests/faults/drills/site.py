"""The site as a host runs it: web processes, clocks and bots, on PostgreSQL and Redis or on SQLite alone."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.faults.drills.services import Postgres, Redis
from tests.faults.programs import Match
from tests.receivers import Mailbox
from tests.servers import PATIENCE, ROOT, Server, ready


class Alone(Server):
    """All in one process, as `make run` has it; no bots."""

    shift: Path


class Web(Server):
    """One of several that serve pages; clock and bots are processes of their own."""

    flags = ("--no-clock", "--no-bots")
    shift: Path


class Beside:
    """A `manage.py clock` or `manage.py bots`."""

    program: tuple[str, ...] = ("manage.py",)
    shift: Path

    def __init__(self, what: str, env: dict[str, str], log: Path) -> None:
        self.words = [what, "--processes", "1"] if what == "bots" else [what]
        self.env, self.log = env, log

    def start(self) -> Self:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.program, *self.words],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    def logged(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def frozen(*processes: Web | Alone | Beside) -> Iterator[None]:
    for one in processes:
        one.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for one in processes:
            one.process.send_signal(signal.SIGCONT)


@dataclass
class Site:
    """A running site; `env` is the environment of all its processes."""

    data: Path
    env: dict[str, str]
    webs: list[Web | Alone] = field(default_factory=list)
    clocks: list[Beside] = field(default_factory=list)
    bots: list[Beside] = field(default_factory=list)
    postgres: Postgres | None = None
    redis: Redis | None = None
    mailbox: Mailbox | None = None
    tables: list[Match] = field(default_factory=list)

    @property
    def processes(self) -> list[Web | Alone | Beside]:
        return [*self.webs, *self.clocks, *self.bots]

    @property
    def urls(self) -> list[str]:
        return [web.url for web in self.webs]

    def logged(self) -> str:
        return "".join(one.logged() for one in self.processes)

    def ask(self, words: str) -> list[tuple[Any, ...]]:
        if self.postgres:
            import psycopg

            with psycopg.connect(self.env["DATABASE_URL"], autocommit=True) as line:
                return line.execute(words).fetchall()
        file = sqlite3.connect(self.data / "robosite.sqlite3", timeout=60)
        try:
            return file.execute(words).fetchall()
        finally:
            file.close()

    def tell(self, words: str) -> None:
        """Changes something in the database behind the site's back."""
        if self.postgres:
            import psycopg

            with psycopg.connect(self.env["DATABASE_URL"], autocommit=True) as line:
                line.execute(words)
            return
        file = sqlite3.connect(self.data / "robosite.sqlite3", timeout=60)
        with file:
            file.execute(words)
        file.close()

    def run(self, module: str, *words: str) -> str:
        """Runs a program of the tests on the same database; returns its output."""
        done = subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 5,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def running(
    *,
    servers: bool,
    webs: int = 1,
    clocks: int = 0,
    bots: int = 0,
    mail: bool = False,
    redis: bool | None = None,
    tables: int = 0,
    shifts: bool = False,
    data: Path | None = None,
    **env: str,
) -> Iterator[Site]:
    """A site in a folder of its own (or in `data`), ended and cleared away whatever happens.

    `servers`: on PostgreSQL and Redis, else one process on SQLite, with the clock in it unless there are
    `clocks`. `tables` are made for whoever wants to play (`tables.py`). `shifts`:
    each process has a file `shift`, by so many seconds its clock is wrong (`shifted.py`).
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="robosite-faults-")))
        data = data or folder
        site = Site(data, {})
        given = {
            "CLOCK_SECONDS": "0.5",
            "SENDER_SECONDS": "0.2",
            "SENDER_LEASE": "4",
            "BOT_PROCESSES": "0",
            **env,
        }
        given["PYTHONUNBUFFERED"] = "1"
        if servers:
            site.postgres = stack.enter_context(Postgres())
            site.postgres.sql("CREATE DATABASE robosite")
            given["DATABASE_URL"] = site.postgres.url("robosite")
        if servers if redis is None else redis:
            site.redis = stack.enter_context(Redis())
            given["REDIS_URL"] = site.redis.url
        if mail:
            site.mailbox = stack.enter_context(Mailbox())
            given["EMAIL_URL"] = site.mailbox.url
        kind = Web if servers or clocks or webs > 1 else Alone
        site.webs = [kind(data, prepare=False, **given) for _ in range(webs)]
        for web in site.webs:
            web.log = folder / web.log.name
        site.env = site.webs[0].env
        if servers:
            (data / "static").symlink_to(_static_files())
        else:
            site.webs[0].fill()
        if servers or tables:
            made = json.loads(site.run("tests.faults.drills.tables", str(tables)))
            site.tables = [Match(one["key"], {"A": one["A"], "B": one["B"]}) for one in made]
        site.clocks = [Beside("clock", site.env, folder / f"clock-{n}.log") for n in range(clocks)]
        site.bots = [Beside("bots", site.env, folder / f"bots-{n}.log") for n in range(bots)]
        for number, one in enumerate(site.processes if shifts else []):
            one.shift = folder / f"shift-{number}"
            one.program = ("-m", "tests.faults.drills.shifted", str(one.shift))
        for one in site.processes:
            stack.callback(_end, one)
        for one in site.processes:
            one.start()
        yield site


def _end(one: Web | Alone | Beside) -> None:
    if hasattr(one, "process") and one.process.poll() is None:
        one.kill()


def _static_files() -> Path:
    made = ready()
    assert made, "TEST_READY says where static files are made"
    return made / "static"
