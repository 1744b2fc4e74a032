"""Optimal mixes of a small zero-sum game in matrix form, by linear programming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Matrix = Sequence[Sequence[float]]

TINY = 1e-9
"""Smaller numbers of a tableau count as nothing."""
PIVOTS = 3_000
"""More steps than any game here takes; a solution that is not reached by then is taken as it is."""
CYCLING = 400
"""After so many steps the lowest variable enters (Bland's rule), so that nothing goes round in circles."""


class Solution(NamedTuple):
    """What the row player wins for certain, and how often each player takes each row and column."""

    value: float
    rows: list[float]
    columns: list[float]


def solve(matrix: Matrix) -> Solution:
    """The optimal mixes of the player who takes a row and gets the entry, and of the one who pays it.

    Rounding may leave small errors: a caller that needs a bound computes best responses to the mixes.
    """
    shift = 1.0 - min(map(min, matrix))
    width = len(matrix[0])
    tableau = _tableau(matrix, shift)
    basis = _optimised(tableau, width)
    columns = [0.0] * width
    for row, variable in zip(tableau, basis, strict=False):
        if variable < width:
            columns[variable] = row[-1]
    total = tableau[-1][-1]
    return Solution(1 / total - shift, _shares(tableau[-1][width:-1]), _shares(columns))


def _tableau(matrix: Matrix, shift: float) -> list[list[float]]:
    """Maximise the sum of y >= 0 with (matrix + shift) y <= 1: a row a constraint, the objective last."""
    size = len(matrix)
    tableau = [
        [entry + shift for entry in row] + [float(i == k) for k in range(size)] + [1.0]
        for i, row in enumerate(matrix)
    ]
    tableau.append([-1.0] * len(matrix[0]) + [0.0] * (size + 1))
    return tableau


def _optimised(tableau: list[list[float]], width: int) -> list[int]:
    """Brings the tableau to its optimum by the simplex method; gives the basic variable of each row."""
    basis = [width + i for i in range(len(tableau) - 1)]
    for step in range(PIVOTS):
        prices = tableau[-1][:-1]
        if step < CYCLING:
            column = prices.index(min(prices))
        else:
            column = next((i for i, price in enumerate(prices) if price < -TINY), 0)
        if prices[column] >= -TINY:
            break
        limits = [
            (row[-1] / row[column], variable, i)
            for i, (row, variable) in enumerate(zip(tableau, basis, strict=False))
            if row[column] > TINY
        ]
        if not limits:  # by errors of rounding alone: the game is bounded
            break
        leaving = min(limits)[2]
        basis[leaving] = column
        _pivot(tableau, leaving, column)
    return basis


def _pivot(tableau: list[list[float]], leaving: int, column: int) -> None:
    factor = 1 / tableau[leaving][column]
    chosen = tableau[leaving] = [entry * factor for entry in tableau[leaving]]
    for i, row in enumerate(tableau):
        factor = row[column]
        if i != leaving and factor:
            tableau[i] = [a - factor * b for a, b in zip(row, chosen, strict=True)]


def _shares(weights: list[float]) -> list[float]:
    """The weights as shares of one, without what rounding left below nothing."""
    positive = [weight if weight > TINY else 0.0 for weight in weights]
    total = sum(positive)
    return [weight / total for weight in positive]
