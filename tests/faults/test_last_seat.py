"""Of a hundred strangers who sit down at the last seat of an open table at once, one gets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.programs import PATIENCE
from tests.servers import ROOT, Server, manage

EXPECTED = {
    "sit": 1,
    "others are told": ["All seats of this table are taken."],
    "name": True,
    "holds": True,
    "status": "playing",
    "seats": 2,
}


def last_seat(data: Path, **given: Any) -> dict[str, object]:
    env = {**Server(data).env, **given}
    manage("migrate", "--verbosity", "0", env=env)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.last_seat"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.more
def test_one_of_a_hundred_gets_the_last_seat_on_sqlite(tmp_path: Path) -> None:
    assert last_seat(tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_one_of_a_hundred_gets_the_last_seat_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert last_seat(tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
