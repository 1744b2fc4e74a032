"""The search for Robosoccer: alpha-beta over whole turns, then the quick bot's choice among the turns left.

The search finds turns that win or lose by force. If no turn wins by force, the turns that do not lose by
force are judged by the opponent's best reply and by many random playouts, as the quick bot does. The search
is limited by the number of actions tried, and the playouts by the number of turns played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from math import exp
from random import Random
from typing import NamedTuple

from games.core import Judged, Order, Review, Seat, State
from games.players import quick
from games.players.thorough.pitch import OutOfWork, Pitch, Turn, pitch_of
from games.robosoccer.rules import SEATS, TWICE_BEFORE, Position
from games.robosoccer.turns import PLAYING

WORK = 100_000
"""The maximum number of actions that are tried for an answer."""
DEEPEST = 6
"""The maximum depth in turns. In the last turn, the search only checks whether a side can score."""
WIDTHS = (0, 0, 20, 12, 10, 8, 6)
"""The number of best turns that are searched further, by the number of turns still to search.

0 means all turns.
"""
FIRST = (0, 0, 30, 16, 10, 8)
"""The number of best turns that are searched at the root, by the depth of the search in turns.

0 means all turns. Turns that lose by force do not count towards this number.
"""
WON, BEYOND = 1_000.0, 3_000.0
THREAT = 0.7
"""The cost to the side to move if the other side threatens to score in its next turn."""
REPEATED = 0.5
"""The cost of each earlier occurrence of a position (ruling S12).

This cost keeps the bot from drawing a match that it can win.
"""
MARGIN = 1.0
"""The range of values below the best turn's value in which the values of other turns are exact.

Further below, a value may be only a bound.
"""
CONTENT = 1.0
"""The lead (`Pitch.worth`) beyond which the bot does not accept a draw."""
FINALISTS, PLAYOUTS = 12, 24
"""Arguments for `quick.best_in_sequential_turn`.

FINALISTS is the number of turns that are judged by the best reply and by playouts. PLAYOUTS is the number of
playouts of each.
"""
PROVED = 2
"""The maximum depth, in turns, at which all answers are tried, so that a win found there is proved."""
SURE = WON - 2 * len(WIDTHS)
"""The minimum value that means a win by force. A value of at most -SURE means a loss by force."""


class Found(NamedTuple):
    """The result of a search.

    `worth` is the value of the position to the side to move. `turns` are the turns with their values, the
    best first. `seen` is the depth of the search: the number of turns looked ahead.
    """

    worth: float
    turns: list[tuple[Turn, float]]
    seen: int


class Search:
    """An alpha-beta search on a board.

    `best` raises OutOfWork if the search has tried the maximum number of actions (`Pitch.work`).
    `search_root` then returns the results found so far.
    """

    def __init__(self, pitch: Pitch) -> None:
        self.pitch = pitch
        self.known: dict[tuple[bytes, int], tuple[int, float, int, bytes]] = {}
        self.parried: dict[tuple[bytes, int], bool] = {}

    def best(self, cells: bytes, side: int, turns: int, alpha: float, beta: float) -> float:
        """Returns the value of a position to `side`, the side to move, searched up to `turns` turns deep.

        `cells` is the board. `alpha` and `beta` are the bounds of the alpha-beta search. Raises OutOfWork if
        the search has tried the maximum number of actions.
        """
        pitch = self.pitch
        if pitch.scores(cells, side):
            return WON + turns
        if turns == 0:
            return self._static_value(cells, side)
        known = self.known.get((cells, side))
        first = known[3] if known else b""
        if known and known[0] == turns:
            _, worth, bound, _ = known
            if not bound or (worth >= beta if bound > 0 else worth <= alpha):
                return worth
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
        """Returns the value of the best turn of `side` found in `every`, and the board after that turn.

        Turns after which the other side can score at once are skipped. Of the remaining turns, the first
        WIDTHS[turns] are searched, or all if that number is 0. If no turn remains, returns the value of a
        loss and empty bytes.
        """
        found, best = -WON - turns, b""
        left = WIDTHS[turns] or len(every)
        for turn in every:
            if self.pitch.scores(turn.cells, 1 - side):
                continue
            worth = -self.best(turn.cells, 1 - side, turns - 1, -beta, -max(alpha, found))
            if worth > found:
                found, best = worth, turn.cells
                if found >= beta:
                    break
            left -= 1
            if not left:
                break
        return found, best

    def _static_value(self, cells: bytes, side: int) -> float:
        """Returns the value of the board `cells` to `side`, the side to move, without looking ahead.

        The side to move must be unable to score in this turn. If the other side threatens to score, the
        constant THREAT is subtracted. If no turn parries the threat, the position counts as lost.
        """
        worth = self.pitch.worth(cells, side)
        if not self.pitch.scores(cells, 1 - side):
            return worth
        return worth - THREAT if self._parries(cells, side) else -WON

    def _parries(self, cells: bytes, side: int) -> bool:
        key = (cells, side)
        known = self.parried.get(key)
        if known is None:
            scores, every = self.pitch.scores, self.pitch.turns(cells, side)
            known = self.parried[key] = any(not scores(turn.cells, 1 - side) for turn in every)
        return known

    def search_root(self, state: Position, rng: Random) -> Found:
        """Returns the most promising turns with their values, searched as deep as the limit on work allows.

        If a turn wins at once, it is the only one returned. Otherwise, all turns are searched equally deep,
        except those that a deeper, unfinished search has proved to win or lose by force.
        """
        cells, side = state.cells, state.mover
        occurrences = Counter(key for drawer in state.history for key in drawer)
        every = self.pitch.turns(cells, side)[:]
        rng.shuffle(every)  # equal ones are chosen at random: the first is taken
        every.sort(key=lambda turn: -turn.gain)
        if every[0].scores:
            return Found(WON, [(every[0], WON)], 1)
        worths = {turn: turn.gain for turn in every}
        seen = 0
        for turns in range(1, DEEPEST):
            further: dict[Turn, float] = {}
            try:
                self._deepen(further, every, side, turns, occurrences)
            except OutOfWork:  # certain results count even if this depth is not complete
                worths |= {turn: further[turn] for turn in worths.keys() & further if _sure(further[turn])}
                break
            worths, seen = further, turns
            every = [
                *sorted(worths, key=worths.__getitem__, reverse=True),
                *(t for t in every if t not in worths),
            ]
            if _sure(worths[every[0]]):
                break
        left = sorted(worths.items(), key=lambda turn: -turn[1])
        return Found(left[0][1], left, seen)

    def _deepen(
        self, worths: dict[Turn, float], every: list[Turn], side: int, turns: int, occurrences: Counter[bytes]
    ) -> None:
        """Stores in `worths` the values of the first turns in `every`, each searched `turns` turns deep.

        The number of these turns is FIRST[turns], not counting turns that lose by force; 0 stands for all
        turns. `occurrences` has the number of times that each position has occurred (ruling S12). Raises
        OutOfWork if the maximum number of actions has been tried.
        """
        found, mark = -BEYOND, (b"b", b"w")[side]
        left = FIRST[turns] or len(every)
        for turn in every:
            times = occurrences[turn.cells + mark]
            if times >= TWICE_BEFORE:
                worth = 0.0
            elif self.pitch.scores(turn.cells, 1 - side):
                worth = -WON - turns
            else:
                worth = -self.best(turn.cells, 1 - side, turns - 1, -BEYOND, MARGIN - found)
                worth -= times * REPEATED
            worths[turn] = worth
            found = max(found, worth)
            left -= worth > -SURE
            if not left:
                break


def _sure(worth: float) -> bool:
    return abs(worth) >= SURE


def chance(worth: float) -> float:
    """Converts a position's value to the expected share of the match's point, from 0 to 1."""
    return float(worth > 0) if abs(worth) >= SURE else 1 / (1 + exp(-worth))


def chosen(state: Position, found: Found, seat: Seat, rng: Random) -> Order:
    """Returns the turn in `found` that wins by force or, if there is none, the most promising turn.

    If all turns lose by force, returns the turn with the highest value.
    """
    if abs(found.worth) >= SURE:
        return found.turns[0][0].text
    left = [turn.text for turn, worth in found.turns if worth > -SURE]
    rng.shuffle(left)  # equal ones are chosen at random: the first is taken
    return quick.best_in_sequential_turn(state, seat, left, rng, finalists=FINALISTS, playouts=PLAYOUTS)


def _worths(state: Position, cells: bytes, deep: int) -> list[float]:
    """Returns estimates of the value of a turn to the side that plays it, each looking further ahead.

    The turn leads to the board `cells`. The first estimate does not look ahead; the next ones are searches 0
    to `deep` - 1 turns deep. There are fewer estimates if the maximum number of actions has been tried. If
    the other side can score right after the turn, all values are those of a loss.
    """
    side, pitch = state.mover, Pitch(pitch_of(state.board), state.least, WORK)
    if pitch.scores(cells, 1 - side):
        return [-WON] * deep
    searching, worths = Search(pitch), [-pitch.worth(cells, 1 - side)]
    with suppress(OutOfWork):
        for turns in range(deep):
            worths += [-searching.best(cells, 1 - side, turns, -BEYOND, BEYOND)]
    return worths


def judge(state: Position, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """Returns a review that compares the turn played with the best one found.

    Values are shares of the match's one point. Returns None while pieces are being set up. A win found within
    PROVED turns counts as certain, since all answers to it are tried.
    """
    if state.stage < PLAYING:
        return None
    ((seat, order),) = orders.items()
    *_, position_after = state.play(orders)
    if position_after.ended:
        own = position_after.ended.scores[seat]
        return Review({seat: Judged(order, own, order, own)}, {})
    pitch = Pitch(pitch_of(state.board), state.least, WORK)
    found = Search(pitch).search_root(state, rng)
    best, worth = found.turns[0]
    pairs = zip(
        *(_worths(state, cells, found.seen) for cells in (best.cells, position_after.cells)), strict=False
    )
    *_, (seen, own) = pairs  # both searched equally deep
    worth = worth if worth >= SURE else seen
    named = best.text
    if worth <= own or best.cells == position_after.cells:
        named, worth = order, own
    sure = worth >= SURE > own and found.seen <= PROVED
    return Review({seat: Judged(order, chance(own), named, chance(worth), sure=sure)}, {})


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best turn found or, while pieces are being set up, a random order."""
    assert isinstance(view, Position)
    if view.stage < PLAYING:
        return view.sample(seat, rng)
    pitch = Pitch(pitch_of(view.board), view.least, WORK)
    return chosen(view, Search(pitch).search_root(view, rng), seat, rng)


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Returns True if the bot, on `seat`, would accept a draw.

    While pieces are being set up, the bot accepts. If the side to move can score in this turn, the bot
    accepts only if it plays the other side. In all other positions, the bot accepts if its lead is at most
    the constant CONTENT.
    """
    assert isinstance(view, Position)
    if view.stage < PLAYING:
        return True
    side, pitch = SEATS.index(seat), Pitch(pitch_of(view.board), view.least, WORK)
    if pitch.scores(view.cells, view.mover):
        return side != view.mover
    return pitch.worth(view.cells, side) <= CONTENT
