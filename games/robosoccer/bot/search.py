"""The search for Robosoccer: alpha-beta over whole turns, then the quick bot's choice among the turns left.

It finds turns that win or lose by force. Without a win, the best reply and random playouts judge those that
do not lose. The limits are the actions tried, and the turns played out.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from math import exp
from random import Random
from typing import NamedTuple

from games import search as quick
from games.core import Judged, Order, Review, Seat, State, after_turn
from games.robosoccer.bot.pitch import Pitch, Turn, pitch_of
from games.robosoccer.rules import SEATS, TWICE_BEFORE, Position
from games.robosoccer.turns import PLAYING
from games.search import OutOfWork

WORK = 100_000
"""The maximum number of actions that are tried for an answer."""
DEEPEST = 6
"""The maximum depth in turns. In the last turn, the search only checks whether a side can score."""
WIDTHS = (0, 0, 20, 12, 10, 8, 6)
"""The number of best turns that are searched further, by the turns still to search; 0: all."""
FIRST = (0, 0, 30, 16, 10, 8)
"""The number of best turns searched at the root, lost ones not counted, by the depth; 0: all."""
WON, BEYOND = 1_000.0, 3_000.0
THREAT = 0.7
"""The cost to the side to move if the other side threatens to score in its next turn."""
REPEATED = 0.5
"""The cost of a position for each time that it occurred before (S12), lest a won match end in a draw."""
MARGIN = 1.0
"""The range below the best turn's value in which values are exact; further below, they may be bounds."""
CONTENT = 1.0
"""The lead (`Pitch.value`) beyond which the bot does not accept a draw."""
FINAL = quick.MEDIUM._replace(finalists=12, playouts=24)
"""The effort with which `quick.best_in_sequential_turn` chooses among the turns left."""
PROVED = 2
"""The maximum depth, in turns, at which all answers are tried, so that a win found there is proved."""
SURE = WON - 2 * len(WIDTHS)
"""The minimum value that means a win by force. A value of at most -SURE means a loss by force."""


class Found(NamedTuple):
    """The value of the position to the side to move, the turns and their values, and the depth in turns."""

    value: float
    turns: list[tuple[Turn, float]]
    seen: int


class Search:
    """An alpha-beta search; `best` raises OutOfWork, `search_root` returns what is found by then."""

    def __init__(self, pitch: Pitch) -> None:
        self.pitch = pitch
        self.known: dict[tuple[bytes, int], tuple[int, float, int, bytes]] = {}
        self.parried: dict[tuple[bytes, int], bool] = {}

    def best(self, cells: bytes, side: int, turns: int, alpha: float, beta: float) -> float:
        """Returns the value to `side`, the side to move, searched up to `turns` turns deep."""
        pitch = self.pitch
        if pitch.scores(cells, side):
            return WON + turns
        if turns == 0:
            return self._static_value(cells, side)
        known = self.known.get((cells, side))
        first = known[3] if known else b""
        if known and known[0] == turns:
            _, value, bound, _ = known
            if not bound or (value >= beta if bound > 0 else value <= alpha):
                return value
        every = pitch.turns(cells, side)
        if first:
            every = sorted(every, key=lambda turn: turn.cells != first)
        found, best = self._best_of(every, side, turns, alpha, beta)
        bound = 1 if found >= beta else -1 if found <= alpha else 0
        self.known[cells, side] = (turns, found, bound, best)
        return found

    def _best_of(
        self, every: list[Turn], side: int, turns: int, alpha: float, beta: float
    ) -> tuple[float, bytes]:
        """Returns the value of the best turn of `side` in `every`, and the board after it."""
        found, best = -WON - turns, b""
        left = WIDTHS[turns] or len(every)
        for turn in every:
            if self.pitch.scores(turn.cells, 1 - side):
                continue
            value = -self.best(turn.cells, 1 - side, turns - 1, -beta, -max(alpha, found))
            if value > found:
                found, best = value, turn.cells
                if found >= beta:
                    break
            left -= 1
            if not left:
                break
        return found, best

    def _static_value(self, cells: bytes, side: int) -> float:
        """Returns the value to `side`, the side to move, which must be unable to score in this turn."""
        value = self.pitch.value(cells, side)
        if not self.pitch.scores(cells, 1 - side):
            return value
        return value - THREAT if self._parries(cells, side) else -WON

    def _parries(self, cells: bytes, side: int) -> bool:
        key = (cells, side)
        known = self.parried.get(key)
        if known is None:
            scores, every = self.pitch.scores, self.pitch.turns(cells, side)
            known = self.parried[key] = any(not scores(turn.cells, 1 - side) for turn in every)
        return known

    def search_root(self, state: Position, rng: Random) -> Found:
        """Returns the turns with their values, searched as deep as the limit on work allows.

        All are searched equally deep, except those that a deeper, unfinished search proves to win or
        lose by force.
        """
        cells, side = state.cells, state.mover
        occurrences = Counter(key for drawer in state.history for key in drawer)
        every = self.pitch.turns(cells, side)[:]
        rng.shuffle(every)  # equal ones are chosen at random: the first is taken
        every.sort(key=lambda turn: -turn.gain)
        if every[0].scores:
            return Found(WON, [(every[0], WON)], 1)
        values = {turn: turn.gain for turn in every}
        seen = 0
        for turns in range(1, DEEPEST):
            further: dict[Turn, float] = {}
            try:
                self._deepen(further, every, side, turns, occurrences)
            except OutOfWork:  # certain results count even if this depth is not complete
                values |= {turn: further[turn] for turn in values.keys() & further if _sure(further[turn])}
                break
            values, seen = further, turns
            every = [
                *sorted(values, key=values.__getitem__, reverse=True),
                *(t for t in every if t not in values),
            ]
            if _sure(values[every[0]]):
                break
        left = sorted(values.items(), key=lambda turn: -turn[1])
        return Found(left[0][1], left, seen)

    def _deepen(
        self, values: dict[Turn, float], every: list[Turn], side: int, turns: int, occurrences: Counter[bytes]
    ) -> None:
        """Stores the values of the first turns in `every`, searched `turns` deep; raises OutOfWork."""
        found, mark = -BEYOND, (b"b", b"w")[side]
        left = FIRST[turns] or len(every)
        for turn in every:
            times = occurrences[turn.cells + mark]
            if times >= TWICE_BEFORE:
                value = 0.0
            elif self.pitch.scores(turn.cells, 1 - side):
                value = -WON - turns
            else:
                value = -self.best(turn.cells, 1 - side, turns - 1, -BEYOND, MARGIN - found)
                value -= times * REPEATED
            values[turn] = value
            found = max(found, value)
            left -= value > -SURE
            if not left:
                break


def _sure(value: float) -> bool:
    return abs(value) >= SURE


def chance(value: float) -> float:
    """Converts a position's value to the expected share of the match's point, from 0 to 1."""
    return float(value > 0) if abs(value) >= SURE else 1 / (1 + exp(-value))


def chosen(state: Position, found: Found, seat: Seat, rng: Random) -> Order:
    if abs(found.value) >= SURE:
        return found.turns[0][0].text
    left = [turn.text for turn, value in found.turns if value > -SURE]
    rng.shuffle(left)  # equal ones are chosen at random: the first is taken
    return quick.best_in_sequential_turn(state, seat, left, rng, FINAL)


def _values(state: Position, cells: bytes, deep: int) -> list[float]:
    """Returns estimates of a turn's value to its side, each searched one turn deeper than the one before."""
    side, pitch = state.mover, Pitch(pitch_of(state.board), state.least, WORK)
    if pitch.scores(cells, 1 - side):
        return [-WON] * deep
    searching, values = Search(pitch), [-pitch.value(cells, 1 - side)]
    with suppress(OutOfWork):
        for turns in range(deep):
            values += [-searching.best(cells, 1 - side, turns, -BEYOND, BEYOND)]
    return values


def judge(state: Position, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """Reviews a turn against the best one found, in shares of the point; None while setting up.

    A win found within PROVED turns counts as certain, since all answers to it are tried.
    """
    if state.stage < PLAYING:
        return None
    ((seat, order),) = orders.items()
    position_after = after_turn(state, orders)
    if position_after.ended:
        own = position_after.ended.scores[seat]
        return Review({seat: Judged(order, own, order, own)}, {})
    pitch = Pitch(pitch_of(state.board), state.least, WORK)
    found = Search(pitch).search_root(state, rng)
    best, value = found.turns[0]
    pairs = zip(
        *(_values(state, cells, found.seen) for cells in (best.cells, position_after.cells)), strict=False
    )
    *_, (seen, own) = pairs  # both searched equally deep
    value = value if value >= SURE else seen
    named = best.text
    if value <= own or best.cells == position_after.cells:
        named, value = order, own
    sure = value >= SURE > own and found.seen <= PROVED
    return Review({seat: Judged(order, chance(own), named, chance(value), sure=sure)}, {})


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best turn found or, while pieces are being set up, a random order."""
    assert isinstance(view, Position)
    if view.stage < PLAYING:
        return view.sample(seat, rng)
    pitch = Pitch(pitch_of(view.board), view.least, WORK)
    return chosen(view, Search(pitch).search_root(view, rng), seat, rng)


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    assert isinstance(view, Position)
    if view.stage < PLAYING:
        return True
    side, pitch = SEATS.index(seat), Pitch(pitch_of(view.board), view.least, WORK)
    if pitch.scores(view.cells, view.mover):
        return side != view.mover
    return pitch.value(view.cells, side) <= CONTENT
