"""The life of a site as docs/hosting.md tells it, step by step, while people play."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.faults.drills.services import Service, wait_until
from tests.host.players import Acknowledged, Crowd, Step
from tests.host.releases import WORKING
from tests.host.site import SAID, SEALS, Machine

USUAL = 60
"""The number of acknowledged requests to wait for on SQLite; to know what is usual, ten times as many."""
AFTER = 15
"""The number to wait for after each step, to see that play continues."""
ON_SQLITE = ("one process on SQLite", "upgrade of one process")
"""Steps after which nothing is compared: what they kept is compared after the move."""

IN_PLACE = ("2026.11.25", "2026.11.26", "2026.11.26.1")
"""Releases whose own `collectstatic` writes compressed files anew while they are being sent."""


class Story:
    """All steps on one machine; `lost` is what was acknowledged and is not there at some look."""

    def __init__(self, machine: Machine, source: Path, releases: list[str]) -> None:
        self.machine, self.source, self.releases = machine, source, releases
        self.crowd = Crowd(machine.nginx.url, machine.nginx.trust)
        self.lost: dict[str, list[str]] = {}

    def tell(self) -> None:
        oldest = self.releases[-1]
        with self._step(Step("install")):
            self._install(oldest)
        print(self.crowd.step.row(None), flush=True)
        with self.crowd:
            self._during("one process on SQLite", lambda: self.crowd.goes_on(USUAL))
            self._during("upgrade of one process", lambda: self.machine.roll(WORKING, alone=True))
            self._during("move to PostgreSQL", self._move)
            self._during("usual", lambda: self.crowd.goes_on(USUAL * 10))
            self._during("restart, rolling", lambda: self._roll(WORKING), rolling=True)
            for release in self.releases:
                back = partial(self._roll, release)
                self._during(f"back to {release}", back, rolling=True, in_place=release in IN_PLACE)
                self._during(f"upgrade from {release}", lambda: self._roll(WORKING), rolling=True)
            for name in ("web", "clock", "bots"):
                self._during(f"kill -9: {name}", partial(self._kill, name))
            for service in (self.machine.postgres, self.machine.redis):
                self._during(f"kill -9: {service.name}", partial(self._kill_service, service))
            self._during("daily jobs, restore", self._daily_and_restore)
        self._compare("the end", self.crowd.kept)
        self.machine.manage("verify")
        self.machine.manage("audit", "--verify")

    @contextmanager
    def _step(self, step: Step) -> Iterator[None]:
        began = time.monotonic()
        self.crowd.begin(step)
        yield
        step.seconds = time.monotonic() - began

    def _during(
        self, name: str, does: Callable[[], object], rolling: bool = False, in_place: bool = False
    ) -> None:
        """Does it while people play, until they have played on after it."""
        with self._step(Step(name, rolling, in_place)):
            does()
            self.crowd.goes_on(AFTER)
        if name not in ON_SQLITE:
            self._compare(name, self.crowd.so_far())
        print(self.crowd.step.row(len(self.lost[name]) if name in self.lost else None), flush=True)

    def _install(self, release: str) -> None:
        self.machine.configure(servers=False)
        for version in {*self.releases, WORKING}:
            self.machine.fetch(version, self.source)
        self.machine.units.enable("robosite-alone")
        self.machine.roll(release, alone=True)
        self.machine.manage("test_mail", "host@example.org")
        assert self.machine.mailbox.mails

    def _move(self) -> None:
        machine = self.machine
        machine.postgres.sql("CREATE DATABASE robosite")
        machine.units.disable("robosite-alone")
        machine.configure(servers=True)
        machine.manage("move_from_sqlite")
        machine.roll(WORKING)

    def _web_units(self) -> list[str]:
        return [f"robosite-web@{port}" for port in self.machine.ports]

    def _roll(self, version: str) -> None:
        self.machine.roll(version)
        folder = self.machine.srv / "releases" / version
        for name in (*self._web_units(), "robosite-clock", "robosite-bots"):
            assert self.machine.units.folder_of(name) == folder.resolve(), name

    def _kill(self, what: str) -> None:
        name = self._web_units()[0] if what == "web" else f"robosite-{what}"
        restarts = self.machine.units.unit(name).restarts
        at = self._heartbeat(what)
        self.machine.units.kill(name)
        wait_until(lambda: self.machine.units.unit(name).restarts > restarts)
        if what == "web":
            self.machine.wait_until_ready(self.machine.ports[0])
        else:
            wait_until(lambda: self._heartbeat(what) > at)
            self.machine.manage("alive", what)

    def _heartbeat(self, part: str) -> float:
        rows = self.machine.rows(
            f"SELECT extract(epoch FROM at)::float FROM matches_processheartbeat WHERE part = '{part}'"
        )
        return float(rows[0][0]) if rows else 0.0

    def _kill_service(self, service: Service) -> None:
        """While parts of a killed PostgreSQL still hold its memory, it refuses to start."""
        service.end(signal.SIGKILL)

        def has_started() -> bool:
            with suppress(AssertionError):
                service.start()
                return True
            return False

        wait_until(has_started)

    def _daily_and_restore(self) -> None:
        machine, before = self.machine, self.crowd.so_far()
        machine.units.start("robosite-daily")
        elsewhere = machine.folder / "elsewhere"
        shutil.copytree(machine.data / "backups", elsewhere)
        (file,) = elsewhere.glob("robosite-*.backup")
        machine.postgres.sql("CREATE DATABASE drill")
        drill = {"DATABASE_URL": machine.postgres.url("drill"), "DATA_DIR": str(machine.folder / "drill")}
        machine.manage("restore", str(file), **drill)
        machine.manage("verify", **drill)
        self._compare("daily jobs, restore", before, "drill")

    def _compare(self, name: str, kept: Acknowledged, database: str = "robosite") -> None:
        lost = kept.missing(self.machine.rows(SEALS, database), self.machine.rows(SAID, database))
        self.lost[name] = self.lost.get(name, []) + lost
