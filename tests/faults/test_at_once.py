"""Deeds at the same instant, each program of them on a new database of either kind: one of them counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.faults import both_go_on, two_clocks, two_writers
from tests.faults.outcomes import outcome


class Deeds(NamedTuple):
    """The outcome that a program of this folder must print, and the settings that it needs."""

    expected: Any
    env: dict[str, Any] = {}


LISTED = {"302": 5, "422": 5}
DEEDS = {
    # many strangers sit down at the last seat of an open table, and one gets it
    "last_seat": Deeds(
        {
            "sit": 1,
            "others are told": ["All seats in this match are taken."],
            "name": True,
            "holds": True,
            "status": "playing",
            "seats": 2,
        }
    ),
    # one guest or one address lists ten open tables, and five are listed, new or to wait on
    "many_tables": Deeds(
        {
            "strangers": LISTED,
            "made": LISTED,
            "listed": 5,
            "renewed": {"302": 5, "409": 5},
            "listed again": 5,
        },
        {"OPEN_TABLES": "1", "LIMITS": "on"},
    ),
    # a seal that arrives in the instant in which its reserve runs out counts, or is refused: never both
    "seal_in_time": Deeds([]),
    # two tap on to the next match of a series, or sit down for a pair: there is one next match each
    "both_go_on": Deeds({"faults": [], "next": both_go_on.MATCHES, "right": both_go_on.MATCHES}),
    # two clocks decide nothing twice, and give no time back twice
    "two_clocks": Deeds(
        {
            "shifts": [1.0],
            "turns": [1],
            "versions": [2],
            "by deadline": 2 * two_clocks.MATCHES,
            "missed": [1],
        }
    ),
    # two processes write into one audit trail: it stays one chain, and one tells its head
    "two_writers": Deeds(
        {
            "entries": 2 * two_writers.KEPT,
            "in order": True,
            "heads told": 1,
            "fault": "",
            "changes that the database takes": [],
        }
    ),
}


@pytest.mark.parametrize(
    "program", [pytest.param(name, marks=() if name == "two_writers" else pytest.mark.more) for name in DEEDS]
)
def test_on_sqlite(tmp_path: Path, program: str) -> None:
    assert outcome(program, tmp_path, **DEEDS[program].env) == DEEDS[program].expected


@pytest.mark.more
@pytest.mark.postgres
@pytest.mark.parametrize("program", DEEDS)
def test_on_postgres(empty_postgres: str, tmp_path: Path, program: str) -> None:
    found = outcome(program, tmp_path, DATABASE_URL=empty_postgres, **DEEDS[program].env)
    assert found == DEEDS[program].expected


@pytest.mark.more
@pytest.mark.postgres
def test_deeds_that_lock_many_matches_wait_for_each_other_and_never_in_a_ring(
    empty_postgres: str, tmp_path: Path
) -> None:
    assert outcome("many_locks", tmp_path, DATABASE_URL=empty_postgres) == []


HOURS = 4 * 3_600.0
SOME = ("--tries", "0", "--pauses", "2", "--only", "take")
ALL = ("--tries", "100", "--pauses", "4")
PAIRS = [
    pytest.param(SOME, 10, id="taking a seat by its link"),
    pytest.param(ALL, 55, marks=[pytest.mark.slow, pytest.mark.timeout(HOURS)], id="every pair"),
]


@pytest.mark.more
@pytest.mark.parametrize(("words", "pairs"), PAIRS)
@pytest.mark.parametrize(
    "database",
    [
        pytest.param("SQLite", marks=pytest.mark.slow),
        pytest.param("PostgreSQL", marks=pytest.mark.postgres),
    ],
)
def test_nobody_acts_for_a_seat_that_is_not_his(
    tmp_path: Path, request: pytest.FixtureRequest, database: str, words: tuple[str, ...], pairs: int
) -> None:
    env = {"DATABASE_URL": request.getfixturevalue("empty_postgres")} if database == "PostgreSQL" else {}
    seen = outcome("who_may_act", tmp_path, *words, timeout=HOURS, **env)
    assert seen["pairs"] == pairs and seen["tried"] > pairs
    assert seen["odd"] == []
