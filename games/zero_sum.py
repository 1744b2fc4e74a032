"""Optimal mixed strategies of a small zero-sum game in matrix form, by linear programming."""

from collections.abc import Sequence
from typing import NamedTuple

Matrix = Sequence[Sequence[float]]

TINY = 1e-9
"""The maximum absolute value of a number in a tableau that counts as zero."""
PIVOTS = 3_000
"""The most pivot steps for one solution, more than any game here needs."""
CYCLING = 400
"""The number of pivot steps after which Bland's rule (the lowest variable enters) prevents cycling."""


class Solution(NamedTuple):
    """The row player's guaranteed gain, and the optimal probabilities of all rows and columns."""

    value: float
    rows: list[float]
    columns: list[float]


class _Tableau:
    """A simplex tableau that maximises the sum of y >= 0 subject to (matrix + shift) y <= 1.

    Each row is a constraint, the last one the objective; only columns of nonbasic variables are stored.
    """

    def __init__(self, matrix: Matrix, shift: float) -> None:
        width = len(matrix[0])
        self.rows = [[entry + shift for entry in row] + [1.0] for row in matrix]
        self.rows.append([-1.0] * width + [0.0])
        self.outside = list(range(width))
        """The nonbasic variable of each column; the slack of row i has the number `width` + i."""
        self.basis = [width + i for i in range(len(matrix))]

    def optimise(self) -> None:
        for step in range(PIVOTS):
            column = self._entering(lowest=step >= CYCLING)
            if self.rows[-1][column] >= -TINY:
                break
            limits = [
                (row[-1] / row[column], variable, i)
                for i, (row, variable) in enumerate(zip(self.rows, self.basis, strict=False))
                if row[column] > TINY
            ]
            if not limits:  # only by rounding errors: the game is bounded
                break
            self._exchange(min(limits)[2], column)

    def _entering(self, *, lowest: bool) -> int:
        prices = self.rows[-1][:-1]
        if lowest:
            priced = [(variable, i) for i, variable in enumerate(self.outside) if prices[i] < -TINY]
            return min(priced)[1] if priced else 0
        return prices.index(min(prices))

    def _exchange(self, leaving: int, column: int) -> None:
        """Pivots: the variable of `column` enters the basis, and the variable of row `leaving` leaves it."""
        factor = 1 / self.rows[leaving][column]
        chosen = [entry * factor for entry in self.rows[leaving]]
        chosen[column] = factor
        for i, row in enumerate(self.rows):
            factor = row[column]
            if i != leaving and factor:
                row[column] = 0.0
                self.rows[i] = [a - factor * b for a, b in zip(row, chosen, strict=True)]
        self.rows[leaving] = chosen
        self.basis[leaving], self.outside[column] = self.outside[column], self.basis[leaving]


def solve(matrix: Matrix) -> Solution:
    """Returns optimal mixes where the column player pays the entry to the row player, up to rounding."""
    shift = 1.0 - min(map(min, matrix))
    tableau = _Tableau(matrix, shift)
    tableau.optimise()
    width = len(matrix[0])
    rows, columns = [0.0] * len(matrix), [0.0] * width
    for row, variable in zip(tableau.rows, tableau.basis, strict=False):
        if variable < width:
            columns[variable] = row[-1]
    *prices, total = tableau.rows[-1]
    for price, variable in zip(prices, tableau.outside, strict=True):
        if variable >= width:
            rows[variable - width] = price
    return Solution(1 / total - shift, _shares(rows), _shares(columns))


def _shares(weights: list[float]) -> list[float]:
    positive = [weight if weight > TINY else 0.0 for weight in weights]
    total = sum(positive)
    return [weight / total for weight in positive]
