"""The site's program with a clock that is wrong: `python -m tests.faults.drills.shifted FILE serve …`.

FILE holds the seconds by which it is wrong; it is read whenever the time is asked for. All that the site asks
is `timezone.now` and `time.time`; what only measures (`time.monotonic`) goes on as on any machine.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.core.management import execute_from_command_line
from django.utils import timezone


def main(file: Path, words: list[str]) -> None:
    seconds, now = time.time, timezone.now

    def wrong() -> float:
        return float(file.read_text() or 0) if file.exists() else 0.0

    def shifted_now() -> datetime:
        return now() + timedelta(seconds=wrong())

    time.time = lambda: seconds() + wrong()
    timezone.now = shifted_now
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")
    execute_from_command_line(["manage.py", *words])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
