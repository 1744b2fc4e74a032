"""Two processes write into one audit trail at the same time: it stays one chain, and one tells its head."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.outcomes import outcome
from tests.faults.two_writers import KEPT

EXPECTED = {
    "entries": 2 * KEPT,
    "in order": True,
    "heads told": 1,
    "fault": "",
    "changes that the database takes": [],
}


def test_two_writers_on_sqlite(tmp_path: Path) -> None:
    assert outcome("two_writers", tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_two_writers_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert outcome("two_writers", tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
