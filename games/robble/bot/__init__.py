"""The value of a position of Robble; in its modules, the searches that bots and reviews use."""

from math import exp

from games.robble.stones import BLACK, WHITE, Board, biggest_left, groups

LEAD, BULK = 0.25, 0.01
"""The values of each stone of lead of the biggest uncancelled group, and of a unit of squared group sizes."""


def evaluate(board: Board, stones: int, colour: int) -> float:
    """Estimates `colour`'s share of the point, 0 to 1, from the sizes of all and uncancelled groups (B3)."""
    sizes = [
        sorted(map(int.bit_count, groups(board, board.stones_of(stones, side))), reverse=True)
        for side in (BLACK, WHITE)
    ]
    ahead = LEAD * (biggest_left(*sizes) - biggest_left(*reversed(sizes))) + BULK * (
        _bulk(sizes[0]) - _bulk(sizes[1])
    )
    return 1 / (1 + exp(ahead if colour else -ahead))


def _bulk(sizes: list[int]) -> int:
    return sum(size * size for size in sizes)
