"""The search for Robble: alpha-beta with iterative deepening and a transposition table.

The search is limited by the number of positions that it evaluates. A position is an integer as in
`games.robble.stones`. The value of a position is a number from the point of view of the colour to move: WON
or more if that colour wins, -WON or less if it loses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import exp
from random import Random
from typing import NamedTuple

from games.core import Judged, Order, Review, Seat, State
from games.robble.rules import TWICE_BEFORE, Position
from games.robble.stones import SWAP, Board, groups, winner

WORK = 24_000
"""The maximum number of positions that are evaluated for an answer."""
SHARE = 12
"""The divisor of WORK for decisions on a draw, which evaluate at most WORK / SHARE positions."""
DEEPEST = 12
"""The maximum search depth, in turns."""
WON, BEYOND = 10_000.0, 20_000.0
LEAD, BULK, JOINED = 24.0, 1.0, 4.0
"""Values of stones on the board, from the point of view of one colour.

LEAD is the value of each stone by which the colour's biggest group is larger than the other colour's. BULK is
multiplied by the sum of the squares of group sizes. JOINED is the value of each pair of adjacent stones of a
colour.
"""
STEEP = 0.005
"""The steepness of the curve (`chance`) that converts a value to a share of the point.

It was fitted to the results of 24 matches of a smaller search against itself, in which one turn in eight was
random (1,493 positions).
"""
CONTENT = 30.0
"""The advantage beyond which the bot does not accept a draw."""


class OutOfWork(Exception):
    """Raised by a search that has evaluated the maximum number of positions."""


class Child(NamedTuple):
    """The result of placing a stone on `square`.

    `stones` is the position after the placement. `worth` is the value of this position to the player who
    moves next.
    """

    worth: float
    square: int
    stones: int


class Known(NamedTuple):
    """The entry of the transposition table for a position that was searched `turns` turns deep.

    `worth` is a lower bound of the position's value if `bound` is 1, an upper bound if `bound` is -1, and the
    exact value if `bound` is 0. `square` is the best placement.
    """

    turns: int
    worth: float
    bound: int
    square: int


class Found(NamedTuple):
    """The result of a search.

    `square` is the best placement found, and `worth` is its value to the player who makes it. `turns` is the
    depth of the search, and `looked` is the number of positions that were evaluated.
    """

    worth: float
    square: int
    turns: int
    looked: int


class Search:
    """A search on a board.

    `drawn` are the positions that would end the match by repetition (ruling B4). `work` is the maximum number
    of positions to evaluate.
    """

    def __init__(self, board: Board, drawn: frozenset[int], work: int) -> None:
        self.board, self.drawn, self.work = board, drawn, work
        self.looked = 0
        self.known: dict[int, Known] = {}
        self.worths: dict[int, float] = {}
        self.sizes: dict[int, tuple[int, ...]] = {}

    def children(self, stones: int) -> list[Child]:
        """Returns the results of all placements, sorted so that the mover's best placement comes first.

        The results are sorted by their value to the player who moves next, the lowest value first.
        """
        board, worth, found = self.board, self.worth, []
        placing = board.placing[stones >> board.mover]
        empty = board.empty(stones)
        while empty:
            low = empty & -empty
            empty ^= low
            square = low.bit_length() - 1
            change, around = placing[square]
            for mask, changes in around:
                change ^= changes[stones & mask]
            child = stones ^ change
            found.append(Child(worth(child), square, child))
        found.sort()
        return found

    def worth(self, stones: int) -> float:
        """Returns the value of a position to the colour to move, without looking ahead.

        Raises OutOfWork if the value is not known yet and `work` positions have been evaluated already.
        """
        known = self.worths.get(stones)
        if known is None:
            self.looked += 1
            if self.looked > self.work:
                raise OutOfWork
            known = self.worths[stones] = self._static_value(stones)
        return known

    def _static_value(self, stones: int) -> float:
        board = self.board
        mover = stones >> board.mover
        black, white = stones & board.full, stones >> board.squares & board.full
        if black | white == board.full:
            won = winner(board, stones)
            return WON if won in (None, mover) else -WON  # whoever placed last loses (B3)
        if stones in self.drawn:
            return 0.0
        own, other = self._sizes(black), self._sizes(white)
        found = (
            LEAD * (_left(own, other) - _left(other, own))
            + BULK * (sum([n * n for n in own]) - sum([n * n for n in other]))
            + JOINED * (self._joined(black) - self._joined(white))
        )
        return -found if mover else found

    def _joined(self, own: int) -> int:
        """Returns the number of pairs of adjacent stones among the stones `own`, a set of squares as bits."""
        east = (own & self.board.shiftable[0]) << 1
        return (own & own >> self.board.size).bit_count() + (own & east).bit_count()

    def _sizes(self, own: int) -> tuple[int, ...]:
        """Returns the sizes of the groups formed by the stones `own` of one colour, biggest first.

        `own` is a set of squares as bits.
        """
        known = self.sizes.get(own)
        if known is None:
            found = sorted(map(int.bit_count, groups(self.board, own)), reverse=True)
            known = self.sizes[own] = tuple(found)
        return known

    def best(self, stones: int, turns: int, alpha: float, beta: float) -> float:
        """Returns the value of a position to the colour to move, searched up to `turns` turns deep.

        `alpha` and `beta` are the bounds of the alpha-beta search.
        """
        worth = self.worth(stones)
        if turns == 0 or abs(worth) >= WON or stones in self.drawn:
            return worth
        known, first = self.known.get(stones), -1
        if known:
            first = known.square
            if known.turns >= turns and (
                not known.bound or (known.worth >= beta if known.bound > 0 else known.worth <= alpha)
            ):
                return known.worth
        children = self.children(stones)
        if turns == 1:
            found, square = -children[0].worth, children[0].square
        else:
            if first >= 0:
                children.sort(key=lambda child: child.square != first)
            found, square = self._best_of(children, turns, alpha, beta)
        bound = 1 if found >= beta > alpha and turns > 1 else -1 if found <= alpha and turns > 1 else 0
        self.known[stones] = Known(turns, found, bound, square)
        return found

    def _best_of(self, children: list[Child], turns: int, alpha: float, beta: float) -> tuple[float, int]:
        found, square = -BEYOND, -1
        for child in children:
            worth = -self.best(child.stones, turns - 1, -beta, -max(alpha, found))
            if worth > found:
                found, square = worth, child.square
                if found >= beta:
                    break
        return found, square


def _left(own: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Returns the size of the own group that counts for the result of the match, or 0 if none does.

    `own` and `other` are the sizes of both colours' groups, the biggest first. If the biggest groups of both
    colours differ in size, the biggest own group counts. Otherwise, groups of equal size cancel each other
    out (ruling B3), and the biggest own group that remains counts.
    """
    if own[:1] != other[:1]:
        return max(own, default=0)
    rest = list(other)
    for size in own:
        if size not in rest:
            return size
        rest.remove(size)
    return 0


def _drawn(state: Position) -> frozenset[int]:
    """Returns the positions that would end the match by repetition if they occurred once more (ruling B4)."""
    return frozenset(p for drawer in state.history for p, n in Counter(drawer).items() if n >= TWICE_BEFORE)


def search(state: Position, rng: Random, work: int) -> Found:
    """Returns the best placement found for the player to move.

    The search evaluates at most `work` positions, or one more than the number of squares if that is greater.
    """
    board, stones = state.board, state.stones
    searching = Search(board, _drawn(state), max(work, board.squares + 1))
    children = searching.children(stones)
    rng.shuffle(children)  # equal ones are chosen at random: the first is taken
    children.sort(key=lambda child: child.worth)
    best, worth, seen = children[0], -children[0].worth, 1
    try:
        for turns in range(2, DEEPEST + 1):
            if abs(worth) >= WON:
                break
            children.sort(key=lambda child: child is not best)
            found = -BEYOND
            for child in children:  # the best comes first, so stopping early does no harm
                got = -searching.best(child.stones, turns - 1, -BEYOND, -found)
                if got > found:
                    found, best, worth = got, child, got
            seen = turns
    except OutOfWork:
        pass
    return Found(worth, best.square, seen, min(searching.looked, searching.work))


def chance(worth: float) -> float:
    """Converts a position's value to the expected share of the match's point, from 0 to 1."""
    if abs(worth) >= WON:
        return float(worth > 0)
    return 1 / (1 + exp(-STEEP * worth))


def _compared(state: Position, square: int, rng: Random) -> tuple[Child, float, float]:
    """Returns the best placement found, its value, and the value of the placement on `square`.

    Both placements are searched equally deep. A `square` of -1 stands for a swap; the last value is then that
    of the placement that looks best without looking ahead.
    """
    searching = Search(state.board, _drawn(state), WORK)
    children = searching.children(state.stones)
    rng.shuffle(children)
    children.sort(key=lambda child: child.worth)
    own = next((child for child in children if child.square == square), children[0])
    best, worths = children[0], (-children[0].worth, -own.worth)
    try:
        for turns in range(2, DEEPEST + 1):
            if abs(worths[0]) >= WON and abs(worths[1]) >= WON:
                break
            children.sort(key=lambda child: child is not best)
            found, first = -BEYOND, best
            for child in children:
                got = -searching.best(child.stones, turns - 1, -BEYOND, -found)
                if got > found:
                    found, first = got, child
            worths = found, -searching.best(own.stones, turns - 1, -BEYOND, BEYOND)
            best = first
    except OutOfWork:
        pass
    return best, *worths


def judge(state: Position, orders: Mapping[Seat, Order], rng: Random) -> Review:
    """Returns a review that compares the order played with the best one found.

    Values are shares of the match's one point.
    """
    ((seat, order),) = orders.items()
    names = state.board.names
    best, worth, own = _compared(state, -1 if order == SWAP else names.index(order), rng)
    named = names[best.square]
    if order == SWAP:
        own = -worth
    if state.may_swap and worth < 0:
        named, worth = SWAP, -worth
    if worth <= own:
        named, worth = order, own
    sure = worth >= WON > own
    return Review({seat: Judged(order, chance(own), named, chance(worth), sure=sure)}, {})


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best placement found or, if the bot is behind and a swap is allowed, a swap."""
    assert isinstance(view, Position)
    found = search(view, rng, WORK)
    if view.may_swap and found.worth < 0:
        return SWAP
    return view.board.names[found.square]


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Returns True if the bot, on `seat`, would accept a draw.

    The bot accepts if its lead, on the scale of a position's value, is at most the constant CONTENT.
    """
    assert isinstance(view, Position)
    found = search(view, rng, WORK // SHARE)
    return (found.worth if seat in view.to_act() else -found.worth) <= CONTENT
