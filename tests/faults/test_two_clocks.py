"""Two clocks at the same instant decide nothing twice, and give no time back twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.outcomes import outcome
from tests.faults.two_clocks import MATCHES

EXPECTED = {"shifts": [1.0], "turns": [1], "versions": [2], "by deadline": 2 * MATCHES, "missed": [1]}


@pytest.mark.more
def test_two_clocks_on_sqlite(tmp_path: Path) -> None:
    assert outcome("two_clocks", tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_two_clocks_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert outcome("two_clocks", tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
