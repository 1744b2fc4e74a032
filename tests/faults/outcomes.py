"""Programs that run on a database of their own, and what they do at once, in threads or in processes."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.db import connection, connections

from tests.faults import programs
from tests.servers import Server, run

PATIENCE = programs.PATIENCE

if not apps.ready:
    django.setup()


def outcome(program: str, data: Path, *args: str, timeout: float = 300.0, **env: Any) -> Any:
    """The JSON that `tests.faults.<program>` prints last, on a database of SQLite in `data` or of `env`."""
    server = Server(data, **env)
    server.fill()
    printed = run("-m", f"tests.faults.{program}", *args, env=server.env, timeout=timeout)
    return json.loads(printed.splitlines()[-1])


def at_once(count: int, does: Callable[[int], Any]) -> list[Any]:
    """The results of so many threads, each with a connection to the database of its own."""

    def do(number: int) -> Any:
        try:
            return does(number)
        finally:
            connection.close()

    return programs.at_once(count, do)


def in_processes(count: int, does: Callable[[int, Any], Any]) -> list[str]:
    """The faults of so many processes that call this, each with its number and the line at which all wait."""
    connections.close_all()
    forks = multiprocessing.get_context("fork")
    with forks.Manager() as manager:
        line, faults = forks.Barrier(count), manager.list()

        def do(number: int) -> None:
            connection.ensure_connection()
            try:
                does(number, line)
            except Exception as fault:
                faults.append(f"{number}: {type(fault).__name__}: {str(fault)[:200]}")

        processes = [forks.Process(target=do, args=(number,)) for number in range(count)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(240)
        assert [process.exitcode for process in processes] == [0] * count
        return list(faults)
