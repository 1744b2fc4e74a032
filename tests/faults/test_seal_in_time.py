"""A seal that arrives in the instant in which its reserve runs out counts, or is refused: never both."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.programs import PATIENCE
from tests.servers import ROOT, Server, manage


def seal_in_time(data: Path, **given: Any) -> list[str]:
    env = {**Server(data).env, **given}
    manage("migrate", "--verbosity", "0", env=env)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.seal_in_time"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.mark.more
def test_a_seal_in_the_last_instant_on_sqlite(tmp_path: Path) -> None:
    assert seal_in_time(tmp_path) == []


@pytest.mark.more
@pytest.mark.postgres
def test_a_seal_in_the_last_instant_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert seal_in_time(tmp_path, DATABASE_URL=empty_postgres) == []
