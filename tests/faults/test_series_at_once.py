"""Two tap on to the next match of a series at once, or sit down for a pair: there is one next match each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.both_go_on import MATCHES
from tests.faults.outcomes import outcome

EXPECTED = {"faults": [], "next": MATCHES, "right": MATCHES}


@pytest.mark.more
def test_both_go_on_at_once_on_sqlite(tmp_path: Path) -> None:
    assert outcome("both_go_on", tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_both_go_on_at_once_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert outcome("both_go_on", tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
