"""Runs the programs beside this file that are processes of their own, each on a new database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.servers import Server, run

PATIENCE = 300.0


def outcome(program: str, data: Path, *args: str, timeout: float = PATIENCE, **env: Any) -> Any:
    """The JSON that `tests.faults.<program>` prints last, on a database of SQLite in `data` or of `env`."""
    server = Server(data, **env)
    server.fill()
    printed = run("-m", f"tests.faults.{program}", *args, env=server.env, timeout=timeout)
    return json.loads(printed.splitlines()[-1])
