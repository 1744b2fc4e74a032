"""Two tap on to the next match of a series at once, or sit down for a pair: there is one next match each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.both_go_on import MATCHES
from tests.faults.programs import PATIENCE
from tests.servers import ROOT, Server

EXPECTED = {"faults": [], "next": MATCHES, "right": MATCHES}


def both_go_on(data: Path, **given: Any) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.both_go_on"],
        cwd=ROOT,
        env={**Server(data).env, **given},
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.more
def test_both_go_on_at_once_on_sqlite(tmp_path: Path) -> None:
    assert both_go_on(tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_both_go_on_at_once_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert both_go_on(tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
