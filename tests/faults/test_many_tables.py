"""One guest or one address lists ten open tables at once, and five are listed, new or to wait on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.outcomes import outcome

EXPECTED = {
    "strangers": {"302": 5, "422": 5},
    "made": {"302": 5, "422": 5},
    "listed": 5,
    "renewed": {"302": 5, "409": 5},
    "listed again": 5,
}


@pytest.mark.more
def test_five_of_ten_are_listed_on_sqlite(tmp_path: Path) -> None:
    assert outcome("many_tables", tmp_path, OPEN_TABLES="1", LIMITS="on") == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_five_of_ten_are_listed_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert (
        outcome("many_tables", tmp_path, OPEN_TABLES="1", LIMITS="on", DATABASE_URL=empty_postgres)
        == EXPECTED
    )
