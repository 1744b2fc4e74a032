"""The optimal mixes of small zero-sum games."""

from __future__ import annotations

from random import Random

import pytest

from games.zero_sum import Matrix, solve


def error(matrix: Matrix) -> float:
    """The gain of both players' best responses together on the mixes that were found."""
    solution = solve(matrix)
    assert sum(solution.rows) == pytest.approx(1) and sum(solution.columns) == pytest.approx(1)
    best = max(sum(a * q for a, q in zip(row, solution.columns, strict=True)) for row in matrix)
    columns = zip(*matrix, strict=True)
    worst = min(sum(a * p for a, p in zip(column, solution.rows, strict=True)) for column in columns)
    assert worst - 1e-6 <= solution.value <= best + 1e-6
    return best - worst


def test_rock_paper_scissors_is_played_evenly() -> None:
    solution = solve([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert solution.value == pytest.approx(0)
    assert solution.rows == pytest.approx([1 / 3] * 3) and solution.columns == pytest.approx([1 / 3] * 3)


def test_a_saddle_point_is_played_for_certain() -> None:
    solution = solve([[3, 1, 4], [2, 0, 5]])
    assert (solution.value, solution.rows, solution.columns) == (1, [1, 0], [0, 1, 0])


def test_no_response_gains_on_the_mixes_of_random_games() -> None:
    rng = Random(1)
    for _ in range(60):
        rows, columns = rng.randint(1, 15), rng.randint(1, 15)
        assert error([[rng.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]) < 1e-6
