"""`manage.py` of a site that is killed, as by a power cut, before a certain statement to its database.

Counts the statements from the moment on at which the file `ARMED` is in its data folder; the file says before
which of them it dies, and `COUNTED` gets a byte for each.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from threading import Lock
from typing import Any

from django.core.management import execute_from_command_line
from django.db.backends.signals import connection_created

ARMED, COUNTED = "armed", "counted"

_lock = Lock()


def _counted(execute: Any, *given: Any) -> Any:
    folder = Path(os.environ["DATA_DIR"])
    armed, counted = folder / ARMED, folder / COUNTED
    with _lock:
        if armed.exists():
            with counted.open("ab") as count:
                count.write(b".")
            if counted.stat().st_size >= int(armed.read_text()):
                os.kill(os.getpid(), signal.SIGKILL)
    return execute(*given)


def _watch(connection: Any, **_more: Any) -> None:
    connection.execute_wrappers.append(_counted)


if __name__ == "__main__":
    connection_created.connect(_watch)
    execute_from_command_line(sys.argv)
