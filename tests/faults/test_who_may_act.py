"""Two deeds on one seat at once, in two processes: afterwards nobody acts for a seat that is not his."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faults.outcomes import outcome

pytestmark = pytest.mark.more

HOURS = 4 * 3_600.0


def nobody_acts_for_another(seen: dict[str, Any], pairs: int) -> None:
    assert seen["pairs"] == pairs and seen["tried"] > pairs
    assert seen["odd"] == []


SOME = ("--tries", "0", "--pauses", "2", "--only", "take")
ALL = ("--tries", "100", "--pauses", "4")


@pytest.mark.slow
def test_taking_a_seat_by_its_link_at_the_same_instant_on_sqlite(tmp_path: Path) -> None:
    nobody_acts_for_another(outcome("who_may_act", tmp_path, *SOME, timeout=HOURS), 10)


@pytest.mark.postgres
def test_taking_a_seat_by_its_link_at_the_same_instant(tmp_path: Path, empty_postgres: str) -> None:
    nobody_acts_for_another(
        outcome("who_may_act", tmp_path, *SOME, timeout=HOURS, DATABASE_URL=empty_postgres), 10
    )


@pytest.mark.slow
@pytest.mark.timeout(HOURS)
def test_every_pair_of_deeds_a_hundred_times_on_sqlite(tmp_path: Path) -> None:
    nobody_acts_for_another(outcome("who_may_act", tmp_path, *ALL, timeout=HOURS), 55)


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(HOURS)
def test_every_pair_of_deeds_a_hundred_times(tmp_path: Path, empty_postgres: str) -> None:
    nobody_acts_for_another(
        outcome("who_may_act", tmp_path, *ALL, timeout=HOURS, DATABASE_URL=empty_postgres), 55
    )
