"""The sentences on the top of a table: the winner, and what has decided a tie on points."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from robosite.leagues.arithmetic.table import Decided, Result, table_of
from robosite.leagues.pages.winners import winners_of

NAMES = {1: "Ada", 2: "Ben", 3: "Cleo", 4: "Dora"}


def won(*pairs: tuple[int, int]) -> list[Result]:
    """Matches of two that the first one of each pair has won."""
    return [Result(pair, (1.0, 0.0), Decided.PLAY) for pair in pairs]


@pytest.mark.parametrize(
    ("results", "names", "why"),
    [
        (won((1, 2), (1, 3), (2, 3)), ["Ada"], ""),
        (
            won((1, 2), (1, 3), (4, 1), (2, 3), (2, 4), (3, 4)),
            ["Ada"],
            "Tied on points: Ben. Head-to-head decided.",
        ),
        (
            won((1, 2), (2, 3), (3, 1)),
            ["Ada", "Ben", "Cleo"],
            "They’re tied on every tie-break.",
        ),
    ],
)
def test_winners(results: list[Result], names: list[str], why: str) -> None:
    places = sorted({place for result in results for place in result.seats})
    rows = [asdict(row) for row in table_of(places, results)]
    told = winners_of(rows, NAMES, 2)
    assert (told.names, told.why) == (names, why)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ("direct", "Head-to-head decided"),
        ("sonneborn_berger", "beat stronger opponents"),
        ("wins", "has more wins on the board"),
    ],
)
def test_the_first_column_that_differs_decides(column: str, says: str) -> None:
    level = {"points": 2.0, "direct": 1.0, "sonneborn_berger": 1.0, "wins": 1}
    rows = [{**level, column: 2, "place": 1, "rank": 1}, {**level, "place": 2, "rank": 2}]
    assert says in winners_of(rows, NAMES, 2).why and "Ben" in winners_of(rows, NAMES, 2).why
