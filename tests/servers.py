"""Real server processes for tests: `manage.py serve` on free ports of 127.0.0.1."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from tests import kept

SERVERS = {"server", "servers", "production", "site"}
"""The fixtures that start a real process: whatever uses one is an integration test."""
ROOT = kept.ROOT
DATABASE = kept.DATABASE
PATIENCE = int(os.environ.get("PATIENCE", "120"))
"""Seconds that a process may take for something that usually takes one or two."""


KEPT_PORTS = 100
_kept_ports: deque[socket.socket] = deque()


def free_port() -> int:
    """A port that the system gives to nobody else, also before a server listens there and after it has ended.

    It stays bound, which keeps away nobody who names it: servers may reuse addresses (SO_REUSEADDR).
    """
    if len(_kept_ports) == KEPT_PORTS:
        _kept_ports.popleft().close()
    kept = socket.socket()
    _kept_ports.append(kept)
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    port: int = kept.getsockname()[1]
    return port


@contextmanager
def new_database(address: str) -> Iterator[str]:
    """The address of a new database on that PostgreSQL, dropped afterwards."""
    import psycopg

    name = f"robosite_tests_{os.getpid()}_{uuid4().hex[:8]}"
    with psycopg.connect(address, autocommit=True) as postgres:
        postgres.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlunsplit(urlsplit(address)._replace(path=f"/{name}"))
        finally:
            postgres.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def manage(*args: str, env: dict[str, str]) -> str:
    """Runs a management command and returns its output; fails if it does."""
    return run("manage.py", *args, env=env)


def run(*args: str, env: dict[str, str], timeout: float = PATIENCE * 2) -> str:
    """Runs a Python program and returns its output; fails if it does, or if the clock cannot move a match."""
    done = subprocess.run(
        [sys.executable, *args], cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cannot move" not in done.stderr, done.stderr
    return done.stdout


def spawn(words: Sequence[str], log: Path, **more: Any) -> subprocess.Popen[bytes]:
    """A process that is given nothing to read, and writes into the log."""
    with log.open("ab") as out:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, **more)


def ready() -> Path | None:
    """A folder with an empty database of all tables, the static files, and room for compiled templates.

    Made once for a run of the tests. Database and static files are kept for later runs, until something
    changes that they are made of. None outside of such a run.
    """
    if "TEST_READY" not in os.environ:
        return None
    folder = Path(os.environ["TEST_READY"])
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            shutil.copy(kept.database(), folder / DATABASE)
            (folder / "static").symlink_to(kept.static_files())
            (folder / "templates").mkdir()
            (folder / "made").touch()
    return folder


class Process:
    """A program of the site as a process of its own, which writes into `log`."""

    root = ROOT
    """The folder of the site's code."""
    program: tuple[str, ...] = ("manage.py",)

    def __init__(self, words: Sequence[str], env: dict[str, str], log: Path) -> None:
        self.words, self.env, self.log = words, env, log
        self.heard = 0

    def start(self) -> Self:
        words = [sys.executable, *self.program, *self.words]
        self.process = spawn(words, self.log, cwd=self.root, env=self.env)
        return self

    def logged(self) -> str:
        """The log since the process started, or since `hush`."""
        return self.log.read_bytes()[self.heard :].decode(errors="replace")

    def hush(self) -> None:
        """Leaves out of `logged` what another test has brought about."""
        self.heard = self.log.stat().st_size

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It hangs: it holds what it holds and does nothing."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Without any warning, as a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> int:
        """Politely; says the exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *fault: object) -> None:
        self.stop()


class Server(Process):
    """One process that serves the site from `data`; several may share `data`, or a database by `env`."""

    flags: tuple[str, ...] = ()

    def __init__(self, data: Path, *, prepare: bool = True, **env: str) -> None:
        self.data = data
        self.given = env
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        of_others = ("DATABASE_URL", "REDIS_URL", "DEBUG", "LIMITS")
        whole = {
            **{name: value for name, value in os.environ.items() if name not in of_others},
            "DATA_DIR": str(data),
            "DJANGO_SETTINGS_MODULE": "robosite.settings",
            "DEBUG": "1",  # so that LIMITS=off is allowed
            "LIMITS": "off",
            **env,
        }
        words = ("serve", "--port", str(self.port), *self.flags)
        super().__init__(words, whole, data / f"serve-{self.port}.log")
        self.prepare = prepare

    def fill(self) -> None:
        """Brings the database to the present, and the static files into their place."""
        made = ready()
        if made and not (self.data / "static").exists():  # before Django makes folders of its own
            for folder in ("static", "templates"):
                (self.data / folder).symlink_to(made / folder)
        url = self.env.get("DATABASE_URL", "")
        if made and not url and not (self.data / DATABASE).exists():
            shutil.copy(made / DATABASE, self.data)
        elif not (made and url.startswith("postgres") and kept.fill_postgres(url)):
            manage("migrate", "--verbosity", "0", env=self.env)
        if not made:
            manage("collectstatic", "--no-input", "--verbosity", "0", env=self.env)

    def beside(self, **env: str) -> Server:
        """Another process on the same data."""
        return Server(self.data, prepare=False, **{**self.given, **env})

    def also(self, *words: str) -> Process:
        """A `manage.py clock` or `bots` on the same data."""
        return Process(words, self.env, self.data / f"{words[0]}-{uuid4().hex[:6]}.log")

    def start(self) -> Self:
        if self.prepare:
            self.fill()
        super().start()
        try:
            self.wait()
        except AssertionError:
            self.kill()  # or it would go on beside all other tests
            raise
        return self

    def wait(self) -> None:
        """Until it answers."""
        end = time.monotonic() + PATIENCE * 3  # with others that begin at once, on a small machine
        host = self.env.get("ALLOWED_HOSTS", "").split(",")[0] or urlsplit(self.url).netloc
        healthz = urllib.request.Request(f"{self.url}/healthz", headers={"Host": host})
        while time.monotonic() < end:
            assert self.process.poll() is None, self.logged()
            try:
                urllib.request.urlopen(healthz, timeout=5).read()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"the server did not answer:\n{self.logged()}")
