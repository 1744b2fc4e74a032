"""Deeds at the same instant, each program of them on a new database of either kind: one of them counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faults.outcomes import outcome

LISTED = {"302": 5, "422": 5}
CAME_OF: dict[str, Any] = {
    # many strangers sit down at the last seat of an open table, and one gets it
    "last_seat": {
        "sit": 1,
        "others are told": ["All seats in this match are taken."],
        "name": True,
        "holds": True,
        "status": "playing",
        "seats": 2,
    },
    # one guest or one address lists ten open tables, and five are listed, new or to wait on
    "many_tables": {
        "strangers": LISTED,
        "made": LISTED,
        "listed": 5,
        "renewed": {"302": 5, "409": 5},
        "listed again": 5,
    },
    # a seal that arrives in the instant in which its reserve runs out counts, or is refused: never both
    "seal_in_time": [],
    # two tap on to the next match of a series, or sit down for a pair: there is one next match each
    "both_go_on": {"faults": [], "next": 12, "right": 12},
    # two clocks decide nothing twice, and give no time back twice
    "two_clocks": {"shifts": [1.0], "turns": [1], "versions": [2], "by deadline": 24, "missed": [1]},
    # two processes write into one audit trail: it stays one chain, and one tells its head
    "two_writers": {
        "entries": 80,
        "in order": True,
        "heads told": 1,
        "fault": "",
        "changes that the database takes": [],
    },
    # deeds that lock many matches wait for each other, and never in a ring
    "many_locks": [],
    # with the lock of the match's row the second seal sees the first; without it the match would hang
    "both_write_then_look locked": {"sealed": 2, "revealed": 1, "turn": 1, "owing": ["A", "B"]},
    "both_write_then_look unlocked": {"sealed": 2, "revealed": 0, "turn": 0, "owing": []},
}
ENV: dict[str, Any] = {"many_tables": {"OPEN_TABLES": "1", "LIMITS": "on"}}
OF_POSTGRES = ("many_locks", "both_write_then_look locked", "both_write_then_look unlocked")
ON_SQLITE = [
    pytest.param(name, marks=() if name == "two_writers" else pytest.mark.more)
    for name in CAME_OF
    if name not in OF_POSTGRES
]


@pytest.mark.parametrize("deed", ON_SQLITE)
def test_on_sqlite(tmp_path: Path, deed: str) -> None:
    assert outcome("deeds", tmp_path, deed, **ENV.get(deed, {})) == CAME_OF[deed]


@pytest.mark.more
@pytest.mark.postgres
@pytest.mark.parametrize("deed", CAME_OF)
def test_on_postgres(empty_postgres: str, tmp_path: Path, deed: str) -> None:
    env: dict[str, Any] = {"DATABASE_URL": empty_postgres, **ENV.get(deed, {})}
    assert outcome("deeds", tmp_path, *deed.split(), **env) == CAME_OF[deed]


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
    [pytest.param("SQLite", marks=pytest.mark.slow), pytest.param("PostgreSQL", marks=pytest.mark.postgres)],
)
def test_nobody_acts_for_a_seat_that_is_not_his(
    tmp_path: Path, request: pytest.FixtureRequest, database: str, words: tuple[str, ...], pairs: int
) -> None:
    env = {"DATABASE_URL": request.getfixturevalue("empty_postgres")} if database == "PostgreSQL" else {}
    seen = outcome("who_may_act", tmp_path, *words, timeout=HOURS, **env)
    assert seen["pairs"] == pairs and seen["tried"] > pairs
    assert seen["odd"] == []
