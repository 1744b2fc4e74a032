"""Reviews some rounds of a match in a process of its own, since this blocks everything else in a process.

Run as a program, it reads a record and the numbers of turns as JSON from standard input, and writes a line of
JSON for each of them until its time is used up. It loads the games and nothing of the site.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from games.record import read
from games.review import rounds

SLICE = 3.0
"""Seconds of processor time after which a process begins no further round."""
PATIENCE = 60
"""Seconds that a process may take; a round takes four at most on a busy machine (docs/review.md)."""

Round = dict[str, Any]


def review_in_process(record: Any, wanted: list[int], patience: float = PATIENCE) -> list[Round]:
    """Reviews the first of the wanted rounds, at least one; a round whose process dies or hangs is `failed`.

    Blocks its thread.
    """
    command = [sys.executable, "-I", __file__]
    given = json.dumps([record, wanted]).encode()
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            command,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=patience,
            env={},
            check=False,
        )
        lines, whole = done.stdout, done.returncode == 0
    except subprocess.TimeoutExpired as late:
        lines, whole = late.stdout or b"", False
    made = [json.loads(line) for line in lines.splitlines(keepends=True) if line.endswith(b"\n")]
    if not made or (not whole and len(made) < len(wanted)):
        made.append({"turn": wanted[len(made)], "failed": 1})
    return made


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server
    os.nice(10)  # requests and pictures come first
    record, wanted = json.load(sys.stdin)
    for one in rounds(read(record), frozenset(wanted)):
        sys.stdout.write(json.dumps(one) + "\n")
        sys.stdout.flush()
        if time.process_time() > SLICE:
            return


if __name__ == "__main__":
    main()
