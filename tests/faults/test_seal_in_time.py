"""A seal that arrives in the instant in which its reserve runs out counts, or is refused: never both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.outcomes import outcome


@pytest.mark.more
def test_a_seal_in_the_last_instant_on_sqlite(tmp_path: Path) -> None:
    assert outcome("seal_in_time", tmp_path) == []


@pytest.mark.more
@pytest.mark.postgres
def test_a_seal_in_the_last_instant_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert outcome("seal_in_time", tmp_path, DATABASE_URL=empty_postgres) == []
