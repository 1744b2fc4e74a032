"""Deeds that lock many matches at once wait for each other, and never in a ring."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.outcomes import outcome

pytestmark = pytest.mark.more


@pytest.mark.postgres
def test_feeds_holidays_nudges_and_a_site_that_was_down_do_not_deadlock(
    empty_postgres: str, tmp_path: Path
) -> None:
    assert outcome("many_locks", tmp_path, DATABASE_URL=empty_postgres) == []
