"""A hundred strangers sit down at the last seat of an open table at once, and one gets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.outcomes import outcome

EXPECTED = {
    "sit": 1,
    "others are told": ["All seats in this match are taken."],
    "name": True,
    "holds": True,
    "status": "playing",
    "seats": 2,
}


@pytest.mark.more
def test_one_of_a_hundred_gets_the_last_seat_on_sqlite(tmp_path: Path) -> None:
    assert outcome("last_seat", tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_one_of_a_hundred_gets_the_last_seat_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert outcome("last_seat", tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
