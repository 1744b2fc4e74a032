"""PostgreSQL and Redis of one's own: on free ports of this machine, in folders that go with them."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import psycopg
import redis

from tests.receivers import until
from tests.servers import PATIENCE, free_port, spawn

NO_ROOT = ("postgres", "nobody")
"""As whom PostgreSQL runs where we are root, which it refuses."""


class Missing(Exception):
    """A program that is needed here and was not found."""


class Service(ABC):
    """A process of somebody else's program, in a folder of its own. It can be ended and started again."""

    name: str
    polite = signal.SIGTERM

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"robosite-{self.name}-"))
        self.log = self.folder / "log"
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self.prepare()
        except BaseException:
            self.close()
            raise

    def prepare(self) -> None:
        """Prepares the service, once, before its first start."""
        if who := unprivileged():
            os.chown(self.folder, who["user"], who["group"])

    @abstractmethod
    def command(self) -> list[str]:
        """The command that starts it."""

    @abstractmethod
    def answers(self) -> bool:
        """Tell whether it answers yet."""

    def start(self) -> Self:
        self.process = spawn(self.command(), self.log, cwd=self.folder, **unprivileged())
        end = time.monotonic() + PATIENCE
        while not self.answers():
            lives = self.process.poll() is None and time.monotonic() < end
            assert lives, self.log.read_text(errors="replace")
            time.sleep(0.02)
        return self

    def end(self, how: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(PATIENCE)
            finally:
                self.process.kill()
                self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        try:
            self.end(self.polite)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(Service):
    """`fast` and `immediate` are the ways of `pg_ctl stop` to end it."""

    name = "postgres"
    fast, immediate = signal.SIGINT, signal.SIGQUIT
    polite = immediate

    def prepare(self) -> None:
        super().prepare()
        self.bin = _postgres()
        words = ["--no-sync", "--auth=trust", "--username=postgres", "-D", str(self.folder / "data")]
        made = subprocess.run(
            [self.bin / "initdb", *words], cwd=self.folder, capture_output=True, text=True, **unprivileged()
        )
        assert made.returncode == 0, made.stdout + made.stderr

    def command(self) -> list[str]:
        given = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder}
        words = [word for name, value in given.items() for word in ("-c", f"{name}={value}")]
        return [str(self.bin / "postgres"), "-D", str(self.folder / "data"), *words]

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def url(self, database: str) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def sql(self, words: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as line:
            line.execute(words)


class Redis(Service):
    name = "redis"

    def command(self) -> list[str]:
        program = shutil.which("redis-server")
        if program is None:
            raise Missing("redis-server was not found: install it (on Debian: apt install redis-server).")
        words = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", str(self.folder)]
        return [program, *words]

    def answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=2) as line:
                return bool(line.ping())
        except redis.RedisError:
            return False

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


def _postgres() -> Path:
    """The folder of PostgreSQL's programs: the newest of Debian's, or where the path finds them."""
    debians = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found = sorted(debians, key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0)
    on_path = shutil.which("initdb")
    if not found and not on_path:
        raise Missing("PostgreSQL's initdb was not found: install it (on Debian: apt install postgresql).")
    return (found[-1] if found else Path(str(on_path)).resolve()).parent


def unprivileged() -> dict[str, Any]:
    """Arguments of Popen that make a process run as another user than root; none where we are not root."""
    if os.geteuid() != 0:
        return {}
    for name in NO_ROOT:
        try:
            who = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
    raise Missing(f"PostgreSQL does not run as root, and there is none of the users {', '.join(NO_ROOT)}.")


def wait_until(true: Callable[[], Any], seconds: float = PATIENCE) -> float:
    """Waits until `true()` holds; returns the seconds that took, and fails after `seconds`."""
    began = time.monotonic()
    until(true, seconds)
    return time.monotonic() - began


def versions() -> str:
    told = [[str(_postgres() / "postgres"), "--version"], ["redis-server", "--version"]]
    return ", ".join(subprocess.run(words, capture_output=True, text=True).stdout.strip() for words in told)
