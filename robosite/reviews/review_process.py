"""Reviews some rounds of a match in a separate process, since the work would block all else in the server.

As a program, it reads a record and the numbers of turns as JSON from standard input, and writes a line of
JSON for each turn until its time is used up. It imports the games and nothing of the site.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from games.record import read
from games.review import rounds

SLICE = 3.0
"""Seconds of processor time after which a process begins no further round."""
LONGEST_TURN_SECONDS = 5.0
"""Seconds of real time after which a process begins no further round either, for busy machines."""
PATIENCE = 60
"""Seconds after which the process is killed; the longest of 500 rounds took a few (docs/review.md)."""

Round = dict[str, Any]


def review_in_process(
    record: Any, wanted: list[int], patience: float = PATIENCE, *, awaited: bool = False
) -> Iterator[Round]:
    """Reviews turns (from 0) of a match in a new process, and yields each as soon as it is done.

    If the process uses up its time, later turns are left out, but never the first. If it dies, or is killed
    after `patience` seconds, the unfinished turn has the key "failed". `awaited`: a reader waits
    for the first turn, which then gets the priority of a request. Blocks the thread.
    """
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
    )
    end = Timer(patience, process.kill)
    end.daemon = True
    end.start()
    done = 0
    try:
        for line in _answers(process, json.dumps([record, wanted, awaited]).encode()):
            yield json.loads(line)
            done += 1
        whole = process.wait() == 0
    finally:
        end.cancel()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
    if not done or (not whole and done < len(wanted)):
        yield {"turn": wanted[done], "failed": 1}


def _answers(process: subprocess.Popen[bytes], given: bytes) -> Iterator[bytes]:
    assert process.stdin and process.stdout
    with suppress(BrokenPipeError):  # it died before it had read all
        process.stdin.write(given)
        process.stdin.close()
    for line in process.stdout:
        if line.endswith(b"\n"):
            yield line


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is meant for the server
    record, wanted, awaited = json.load(sys.stdin)
    end = time.monotonic() + LONGEST_TURN_SECONDS
    if not awaited:
        os.nice(10)  # requests and pictures come first
    for number, one in enumerate(rounds(read(record), frozenset(wanted))):
        sys.stdout.write(json.dumps(one) + "\n")
        sys.stdout.flush()
        if awaited and not number:
            os.nice(10)
        if time.process_time() > SLICE or time.monotonic() > end:
            return


if __name__ == "__main__":
    main()
