"""The estimated value of a position of Robble to a colour, from the sizes of all groups."""

from __future__ import annotations

from math import exp

from games.robble.stones import BLACK, WHITE, Board, groups

LEAD, BULK = 0.25, 0.01
"""The value of each stone of lead of the biggest uncancelled group, and of squared group sizes."""


def evaluate(board: Board, stones: int, colour: int) -> float:
    """Estimates the share of the point, from 0 to 1, from the sizes of all and uncancelled groups (B3)."""
    sizes = [
        sorted(map(int.bit_count, groups(board, board.stones_of(stones, side))), reverse=True)
        for side in (BLACK, WHITE)
    ]
    ahead = LEAD * (_left(*sizes) - _left(*reversed(sizes))) + BULK * (_bulk(sizes[0]) - _bulk(sizes[1]))
    return 1 / (1 + exp(ahead if colour else -ahead))


def _left(own: list[int], other: list[int]) -> int:
    """The size of the biggest own group after equal groups of both sides are paired off (ruling B3), or 0."""
    rest = other.copy()
    for size in own:
        if size not in rest:
            return size
        rest.remove(size)
    return 0


def _bulk(sizes: list[int]) -> int:
    return sum(size * size for size in sizes)
