"""Two clocks at the same instant decide nothing twice, and give no time back twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.programs import PATIENCE
from tests.faults.two_clocks import MATCHES
from tests.servers import ROOT, Server, manage

EXPECTED = {"shifts": [1.0], "turns": [1], "versions": [2], "by deadline": 2 * MATCHES, "missed": [1]}


def two_clocks(data: Path, **given: Any) -> dict[str, object]:
    env = {**Server(data).env, **given}
    manage("migrate", "--verbosity", "0", env=env)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.two_clocks"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
    )
    assert done.returncode == 0, done.stderr
    assert "cannot move" not in done.stderr, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.more
def test_two_clocks_on_sqlite(tmp_path: Path) -> None:
    assert two_clocks(tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_two_clocks_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert two_clocks(tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
