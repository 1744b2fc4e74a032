"""The search for Robble: alpha-beta with iterative deepening and a transposition table.

It is limited by the number of positions evaluated. A value is that to the colour to move: WON or more if it
wins, -WON or less if it loses.
"""

from collections import Counter
from collections.abc import Mapping
from math import exp
from random import Random
from typing import NamedTuple

from games.core import Judged, Order, Review, Seat, State
from games.robble.rules import TWICE_BEFORE, Position
from games.robble.stones import SWAP, Board, biggest_left, groups, score
from games.search import OutOfWork

WORK = 24_000
"""The maximum number of positions that are evaluated for an answer."""
SHARE = 12
"""The divisor of WORK for decisions on a draw, which evaluate at most WORK / SHARE positions."""
DEEPEST = 12
"""The maximum search depth, in turns."""
WON, BEYOND = 10_000.0, 20_000.0
LEAD, BULK, JOINED = 24.0, 1.0, 4.0
"""The values of a stone of lead of the biggest group, of squared group sizes, of adjacent stones."""
STEEP = 0.005
"""The steepness of `chance`, fitted to 1,493 positions of 24 matches of a smaller search against itself."""
CONTENT = 30.0
"""The advantage beyond which the bot does not accept a draw."""


class Child(NamedTuple):
    """The result of placing a stone; `value` is its value to the player who moves next."""

    value: float
    square: int
    stones: int


class Known(NamedTuple):
    """A position in the transposition table, searched `turns` deep.

    `value` is a lower bound of its value if `bound` is 1, an upper bound if -1, and exact if 0.
    """

    turns: int
    value: float
    bound: int
    square: int


class Found(NamedTuple):
    """The best placement found, its value, the depth in turns, and the positions evaluated."""

    value: float
    square: int
    turns: int
    looked: int


class Search:
    """A search of at most `work` positions; `drawn` are those that would end by repetition (ruling B4)."""

    def __init__(self, board: Board, drawn: frozenset[int], work: int) -> None:
        self.board, self.drawn, self.work = board, drawn, work
        self.looked = 0
        self.known: dict[int, Known] = {}
        self.values: dict[int, float] = {}
        self.sizes: dict[int, tuple[int, ...]] = {}

    def children(self, stones: int) -> list[Child]:
        """Returns the results of all placements, the mover's best first."""
        board, value, found = self.board, self.value, []
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
            found.append(Child(value(child), square, child))
        found.sort()
        return found

    def value(self, stones: int) -> float:
        """Returns the value of a position without looking ahead; raises OutOfWork beyond `work` new ones."""
        known = self.values.get(stones)
        if known is None:
            self.looked += 1
            if self.looked > self.work:
                raise OutOfWork
            known = self.values[stones] = self._static_value(stones)
        return known

    def _static_value(self, stones: int) -> float:
        board = self.board
        mover = stones >> board.mover
        black, white = stones & board.full, stones >> board.squares & board.full
        if black | white == board.full:
            won = score(board, stones).winner
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
        east = (own & self.board.shiftable[0]) << 1
        return (own & own >> self.board.size).bit_count() + (own & east).bit_count()

    def _sizes(self, own: int) -> tuple[int, ...]:
        known = self.sizes.get(own)
        if known is None:
            found = sorted(map(int.bit_count, groups(self.board, own)), reverse=True)
            known = self.sizes[own] = tuple(found)
        return known

    def best(self, stones: int, turns: int, alpha: float, beta: float) -> float:
        """Returns the value of a position to the colour to move, searched up to `turns` turns deep."""
        value = self.value(stones)
        if turns == 0 or abs(value) >= WON or stones in self.drawn:
            return value
        known, first = self.known.get(stones), -1
        if known:
            first = known.square
            if known.turns >= turns and (
                not known.bound or (known.value >= beta if known.bound > 0 else known.value <= alpha)
            ):
                return known.value
        children = self.children(stones)
        if turns == 1:
            found, square = -children[0].value, children[0].square
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
            value = -self.best(child.stones, turns - 1, -beta, -max(alpha, found))
            if value > found:
                found, square = value, child.square
                if found >= beta:
                    break
        return found, square


def _left(own: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(own, default=0) if own[:1] != other[:1] else biggest_left(own, other)


def _drawn(state: Position) -> frozenset[int]:
    """Returns the positions that would end the match if they occurred once more (ruling B4)."""
    return frozenset(p for drawer in state.history for p, n in Counter(drawer).items() if n >= TWICE_BEFORE)


def search(state: Position, rng: Random, work: int) -> Found:
    board, stones = state.board, state.stones
    searching = Search(board, _drawn(state), max(work, board.squares + 1))
    children = searching.children(stones)
    rng.shuffle(children)  # equal ones are chosen at random: the first is taken
    children.sort(key=lambda child: child.value)
    best, value, seen = children[0], -children[0].value, 1
    try:
        for turns in range(2, DEEPEST + 1):
            if abs(value) >= WON:
                break
            children.sort(key=lambda child: child is not best)
            found = -BEYOND
            for child in children:  # the best comes first, so stopping early does no harm
                got = -searching.best(child.stones, turns - 1, -BEYOND, -found)
                if got > found:
                    found, best, value = got, child, got
            seen = turns
    except OutOfWork:
        pass
    return Found(value, best.square, seen, min(searching.looked, searching.work))


def chance(value: float) -> float:
    """Converts a position's value to the expected share of the match's point, from 0 to 1."""
    if abs(value) >= WON:
        return float(value > 0)
    return 1 / (1 + exp(-STEEP * value))


def _compared(state: Position, square: int, rng: Random) -> tuple[Child, float, float]:
    """Returns the best placement, its value, and that of one on `square` (-1: a swap), searched as deep."""
    searching = Search(state.board, _drawn(state), WORK)
    children = searching.children(state.stones)
    rng.shuffle(children)
    children.sort(key=lambda child: child.value)
    own = next((child for child in children if child.square == square), children[0])
    best, values = children[0], (-children[0].value, -own.value)
    try:
        for turns in range(2, DEEPEST + 1):
            if abs(values[0]) >= WON and abs(values[1]) >= WON:
                break
            children.sort(key=lambda child: child is not best)
            found, first = -BEYOND, best
            for child in children:
                got = -searching.best(child.stones, turns - 1, -BEYOND, -found)
                if got > found:
                    found, first = got, child
            values = found, -searching.best(own.stones, turns - 1, -BEYOND, BEYOND)
            best = first
    except OutOfWork:
        pass
    return best, *values


def judge(state: Position, orders: Mapping[Seat, Order], rng: Random) -> Review:
    ((seat, order),) = orders.items()
    names = state.board.names
    best, value, own = _compared(state, -1 if order == SWAP else names.index(order), rng)
    named = names[best.square]
    if order == SWAP:
        own = -value
    if state.may_swap and value < 0:
        named, value = SWAP, -value
    if value <= own:
        named, value = order, own
    sure = value >= WON > own
    return Review({seat: Judged(order, chance(own), named, chance(value), sure=sure)}, {})


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best placement found or, if the bot is behind and a swap is allowed, a swap."""
    assert isinstance(view, Position)
    found = search(view, rng, WORK)
    if view.may_swap and found.value < 0:
        return SWAP
    return view.board.names[found.square]


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    assert isinstance(view, Position)
    found = search(view, rng, WORK // SHARE)
    return (found.value if seat in view.to_act() else -found.value) <= CONTENT
