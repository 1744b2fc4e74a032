"""The disk is full: a small tmpfs of the run's own, or, where none may be mounted, no file may grow."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.faults import programs
from tests.faults.drills.load import Load
from tests.faults.drills.site import Site, running

SIZE = "24m"
PLAYERS = 3
TABLES = 4
BUSY = 10
"""The number of 503 answers to wait for before there is room again."""


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A folder that is a disk of its own; None where we may mount nothing."""
    with tempfile.TemporaryDirectory(prefix="robosite-disk-") as folder:
        words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", folder]
        if os.geteuid() != 0 or subprocess.run(words, capture_output=True).returncode != 0:
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Not a byte is left on it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError as fault:
                if fault.errno != errno.ENOSPC:
                    raise
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def no_more_bytes(site: Site) -> Iterator[None]:
    pid = site.webs[0].process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def drill(times: int = 1, *, disk: bool | None = None) -> list[str]:
    """Full so many times under load. `disk`: on a tmpfs, or else by the limit; None takes what can be had."""
    with ExitStack() as stack:
        folder = stack.enter_context(small_disk()) if disk is not False else None
        assert folder or not disk, "no tmpfs could be mounted here: that takes root and a system that lets us"
        site = stack.enter_context(
            running(servers=False, mail=True, tables=PLAYERS * (TABLES + times), data=folder)
        )
        load = Load(site, PLAYERS, TABLES + times)
        after = []
        with load, programs.Site(site.urls[0]) as client:
            load.goes_on()
            for _ in range(times):
                with filled(folder) if folder else no_more_bytes(site):
                    before, began = load.tally.busy, time.monotonic()
                    while load.tally.busy < before + BUSY:
                        assert time.monotonic() - began < 60, "nobody was told that the disk is full"
                        client.see(load.tables[0].match)  # who only looks is answered
                        time.sleep(0.05)
                after.append(load.goes_on(more=1))
                load.goes_on()
        how = f"a tmpfs of {SIZE}" if folder else "files that may not grow (no tmpfs)"
        return [
            f"{times} times full: {how} (seed {load.seed})",
            f"the next request was acknowledged {max(after):.1f} s after there was room, at the latest",
            *load.tally.lines(),
            *load.nothing_is_lost(),
        ]
