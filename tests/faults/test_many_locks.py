"""Deeds that lock many matches at once wait for each other, and never in a ring."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.programs import PATIENCE
from tests.servers import ROOT, Server

pytestmark = pytest.mark.more


@pytest.mark.postgres
def test_feeds_holidays_nudges_and_a_site_that_was_down_do_not_deadlock(
    empty_postgres: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.many_locks"],
        cwd=ROOT,
        env={**Server(tmp_path).env, "DATABASE_URL": empty_postgres},
        capture_output=True,
        text=True,
        timeout=PATIENCE * 5,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == [], done.stderr[-3000:]
