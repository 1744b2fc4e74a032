"""Two processes write into one audit trail at the same time: it stays one chain, and one tells its head."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.programs import PATIENCE
from tests.faults.two_writers import KEPT
from tests.servers import ROOT, Server

EXPECTED = {
    "entries": 2 * KEPT,
    "in order": True,
    "heads told": 1,
    "fault": "",
    "changes that the database takes": [],
}


def two_writers(data: Path, **given: Any) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.two_writers"],
        cwd=ROOT,
        env={**Server(data).env, **given},
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_two_writers_on_sqlite(tmp_path: Path) -> None:
    assert two_writers(tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_two_writers_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert two_writers(tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
