"""The rules of Robosoccer, by José Carlos de Diego Guerrero: robots move, push and jump for their ball.

The rulings S1 to S12 are in docs/rulings.md: those on the board in `board.py`, on a turn in `turns.py`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import NamedTuple, Self
from zlib import adler32

from games.core import (
    Event,
    IllegalOrder,
    Order,
    Outcome,
    Seat,
    Setup,
    State,
    option,
    seat_letters,
)
from games.grid import shorten_runs
from games.robosoccer.board import (
    BALL,
    BLACK,
    EMPTY,
    JUMP,
    LETTERS,
    MOVE,
    PUSH,
    SWITCH,
    Action,
    Board,
)
from games.robosoccer.notation import board_for, read_cells, read_stage
from games.robosoccer.turns import (
    ACTIONS,
    PLACING,
    PLAYING,
    Cause,
    CauseFields,
    actions,
    can,
    cells_after,
    line_ups,
    may_end_with,
    pick,
    scored,
    stuck,
    too_many_at_home,
    turns,
    why_not,
    why_not_end,
)

LETTER_OF = LETTERS.ljust(256).encode()
"""A table for `bytes.translate` that turns cells into the letters of pieces."""

SEATS = seat_letters(2)
BOTH, ONLY, NOBODY = frozenset(SEATS), tuple(frozenset((seat,)) for seat in SEATS), frozenset[Seat]()

TWICE_BEFORE = 2
DRAWERS = 31
History = list[tuple[bytes, ...]]
NOWHERE: History = [()] * DRAWERS

GOAL = tuple(Outcome({seat: int(seat == winner) for seat in SEATS}, "goal") for winner in SEATS)
STUCK = tuple(Outcome({seat: int(seat != loser) for seat in SEATS}, "no legal turn") for loser in SEATS)
REPEATED = Outcome.shared(BOTH, SEATS, "repetition")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match of Robosoccer (docs/rulings.md)."""

    arrows: str = option(
        "default",
        "custom",
        says="The arrows as on the board, or pointing in random directions.",
        name="Arrows",
        words={
            "default": "The arrows as on the board.",
            "custom": "The arrows’ directions are random, or set by hand.",
        },
    )
    actions: str = option(
        "up_to_two",
        "two",
        says="Whether a turn is one action or two, or always two.",
        name="Actions",
        words={
            "up_to_two": "A turn is one action or two.",
            "two": "A turn is always two actions, unless the first one wins.",
        },
    )

    @property
    def least(self) -> int:
        """The minimum number of actions of a turn: 1 or 2 (ruling S7)."""
        return 2 if self.actions == "two" else 1


class Fields(NamedTuple):
    """The fields of a position of Robosoccer; `mover` is the side to act, `stage` counts setup turns.

    `cause_fields` is the position's `cause` as a plain tuple. `news` are the events of a change that is
    no turn. `least` is the minimum number of actions of a turn (ruling S7). `history` has the positions
    since the setup, with the side to move (ruling S12), in DRAWERS by a checksum, so that a search reads
    only one.
    """

    board: Board
    cells: bytes
    mover: int
    stage: int
    turn: int = 0
    tick: bool = True
    ended: Outcome | None = None
    history: History = NOWHERE
    cause_fields: CauseFields | None = None
    news: tuple[Event, ...] = ()
    least: int = 1


_new = tuple.__new__  # a named tuple without the detour over keywords


class Position(Fields, State):
    __slots__ = ()

    def __hash__(self) -> int:
        return hash((self.cells, self.mover, self.turn))  # equal positions have equal hashes

    @classmethod
    def start(cls, options: Options, seats: int, setup: Setup) -> Self:
        board = board_for(setup)
        return cls(board, bytes(board.columns * board.rows), 0, 0, least=options.least)

    @classmethod
    def read(cls, text: str, options: Options, seats: int, setup: Setup | None = None) -> Self:
        """Parses a position; if both balls are there, robots may be missing. Raises ValueError."""
        board = board_for(setup or {})
        cells, side = read_cells(text, board)
        stage = read_stage(text, board, cells, side)
        state = cls(board, cells, side, stage, least=options.least)
        return state._judged() if stage == PLAYING else state

    def position(self) -> str:
        columns, letters = self.board.columns, self.cells.translate(LETTER_OF).decode()
        rows = (letters[first : first + columns] for first in reversed(range(0, len(letters), columns)))
        return f"{shorten_runs('/'.join(rows))} {'wb'[self.mover]}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return SEATS

    @property
    def cause(self) -> Cause | None:
        """The action or setup order that led here, with the board before it, or None."""
        return Cause(*self.cause_fields) if self.cause_fields else None

    def still_in(self) -> frozenset[Seat]:
        return NOBODY if self.ended else BOTH

    def to_act(self) -> frozenset[Seat]:
        return NOBODY if self.ended else ONLY[self.mover]

    # Orders

    def longest_order(self, seat: Seat) -> int:
        board = self.board
        turn = ACTIONS * (2 * max(map(len, board.names)) + len(MOVE)) + ACTIONS - 1
        return max(turn, board.columns)

    def read_order(self, seat: Seat, order: Order) -> Order:
        if seat not in self.to_act():
            raise IllegalOrder("It isn’t your turn.")
        if self.stage < PLAYING:
            return self._check_placing(order)
        words = order.replace(",", " ").split()
        if not 1 <= len(words) <= ACTIONS:  # S7
            raise IllegalOrder(
                "A turn is one or two actions; “{order}” has {n}."
                if self.least == 1
                else "A turn is two actions; “{order}” has {n}.",
                order=order,
                n=len(words),
            )
        cells = self.cells
        written: list[str] = []
        for word in words:
            if scored(self.board, cells, self.mover):  # S8
                raise IllegalOrder(
                    "With “{action}” the goal is scored and the turn ends.", action=written[-1]
                )
            action = self.read_action(cells, word)
            cells = cells_after(cells, action)
            written.append(action.text)
        if len(written) < self.least and not scored(self.board, cells, self.mover):
            raise IllegalOrder("One more action: in this match a turn is two, unless the first one wins.")
        fault = why_not_end(self.board, self.cells, cells, self.mover)
        if fault:
            raise IllegalOrder(fault.template, **fault.facts)
        return " ".join(written)

    def read_action(self, cells: bytes, word: str) -> Action:
        """Parses an action, written as `c2-c3` or `c2c3`; raises IllegalOrder if it is not possible."""
        board, side = self.board, self.mover
        written = board.actions.get(word)
        if written and can(board, cells, side, written):
            return written
        found = ACTION.fullmatch(word.lower())
        if not found:
            raise IllegalOrder(
                "“{word}” is not an action. Write it like c2-c3 (move), c2>c3 (push), c2^c4 (jump) or "
                "c2=e4 (switch with the ball).",
                word=word,
            )
        here, sign, there = found.groups()
        start, end = (self._read_square(name) for name in (here, there))
        fitting = next((a for a in actions(board, cells, side) if (a.start, a.end) == (start, end)), None)
        sign = SIGNS.get(sign, sign) or (fitting.sign if fitting else self._likely_sign(cells, start, end))
        fault = why_not(board, cells, side, sign=sign, start=start, end=end)
        if fault and fitting:
            raise IllegalOrder("{fault} You can do “{action}”.", fault=fault, action=fitting.text, word=word)
        if fault:
            raise IllegalOrder("“{word}”: {fault}", word=f"{here}{sign}{there}", fault=fault)
        return board.actions[f"{board.names[start]}{sign}{board.names[end]}"]

    def _likely_sign(self, cells: bytes, start: int, end: int) -> str:
        """Guesses the kind of action (its sign) that was meant, if none is possible."""
        if cells[end] == BALL + BLACK * self.mover:
            return SWITCH
        columns = self.board.columns
        if cells[end] != EMPTY:
            return PUSH
        files = abs(start % columns - end % columns)
        far = min(files, columns - files) == 2 or abs(start // columns - end // columns) == 2
        return JUMP if far else MOVE

    def _read_square(self, name: str) -> int:
        try:
            return self.board.square(name)
        except ValueError:
            raise IllegalOrder("There is no square “{square}” on this board.", square=name) from None

    def _check_placing(self, order: Order) -> Order:
        text = "".join(order.split())
        if self.stage < 2:
            return self._check_robots(text.upper())
        square = self._read_square(text.lower())
        row = self.board.second_rows[self.mover]
        if not row.start <= square < row.stop:
            raise IllegalOrder(
                "The ball starts on your second row, {first} to {last}, not on {square}.",
                first=self.board.names[row.start],
                last=self.board.names[row.stop - 1],
                square=text.lower(),
            )
        return self.board.names[square]

    def _check_robots(self, text: str) -> Order:
        free = LETTERS[EMPTY]
        if set(text) - {*"LMS", free}:
            raise IllegalOrder(
                "A line-up is two L, two M and two S, from column a on, like LMSSML, not “{order}”.",
                order=text,
            )
        for letter in "LMS":
            if text.count(letter) != 2:
                raise IllegalOrder(
                    "You have two robots of each size, but “{order}” has {n} {letter}.",
                    order=text,
                    n=text.count(letter),
                    letter=letter,
                )
        if len(text) != self.board.columns:
            raise IllegalOrder(
                "Your home row has {columns} squares; “{order}” is for {n}. A free square is a dot.",
                columns=self.board.columns,
                order=text,
                n=len(text),
            )
        return text

    def sample(self, seat: Seat, rng: Random) -> Order:
        board, cells, side, stage, _, _, _, _, _, _, least = self
        if stage < PLAYING:
            return self._sample_placing(rng)
        random = rng.random
        for _ in range(12):
            first = pick(board, cells, side, random)
            if first is None:
                break
            between = cells_after(cells, first)
            if first.sign == SWITCH and scored(board, between, side):
                return first.text
            if least < ACTIONS and random() < 0.1:
                if not too_many_at_home(board, between, side):  # one action never leaves all as it was
                    return first.text
                continue
            second = pick(board, between, side, random)
            if second is not None and may_end_with(board, cells, between, first, second, side):
                return f"{first.text} {second.text}"
        return rng.choice([turn.text for turn in turns(board, cells, side, least)])

    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        if seat not in self.to_act():
            return []
        if self.stage >= PLAYING:
            every = turns(self.board, self.cells, self.mover, self.least)
            found = [turn.text for turn in islice(every, most + 1)]
        elif self.stage < 2:
            found = line_ups(self.board.columns, most + 1)
        else:
            row = self.board.second_rows[self.mover]
            found = list(self.board.names[row.start : row.stop])
        return found if len(found) <= most else None

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        if self.stage < PLAYING:
            return super().ideas(seat, rng, most)
        every = [turn.text for turn in turns(self.board, self.cells, self.mover, self.least)]
        return every if len(every) <= most else rng.sample(every, most)

    def _sample_placing(self, rng: Random) -> Order:
        if self.stage < 2:
            free = LETTERS[EMPTY] * (self.board.columns - 6)
            return "".join(rng.sample("LLMMSS" + free, self.board.columns))
        row = self.board.second_rows[self.mover]
        return self.board.names[rng.randrange(row.start, row.stop)]

    # Playing

    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        board, cells, side, stage, turn, _, _, history, _, _, least = self
        order = orders[SEATS[side]]
        if stage < PLAYING:
            return (self._placed(order),)
        made, (first, _, second) = type(self), order.partition(" ")
        action = board.actions[first]
        then = cells_after(cells, action)
        cause_fields: CauseFields = (side, 0, cells, action, "")
        between: Self | None = None
        if second:
            between = _new(
                made, (board, then, side, stage, turn, False, None, history, cause_fields, (), least)
            )
            action = board.actions[second]
            cause_fields = (side, 1, then, action, "")
            then = cells_after(then, action)
        if SWITCH in order and scored(board, then, side):  # S8: only a switch moves a ball
            ended: Outcome | None = GOAL[side]
        else:
            history, ended = counted(board, then, 1 - side, history, least)
        last = _new(
            made, (board, then, 1 - side, stage, turn + 1, True, ended, history, cause_fields, (), least)
        )
        return (between, last) if between else (last,)

    def _counted(self) -> Self:
        """Returns this position, added to its own history, ended if ruling S11 or S12 ends the match."""
        history, ended = counted(self.board, self.cells, self.mover, self.history, self.least)
        return self._replace(history=history, ended=ended)

    def _judged(self) -> Self:
        """Returns this position, read from text, ended if ruling S8, S11 or S12 ends the match."""
        for side in (0, 1):
            if scored(self.board, self.cells, side):
                return self._replace(ended=GOAL[side])
        return self._counted()

    def _placed(self, order: Order) -> Self:
        """Returns the position after a setup turn (ruling S1)."""
        board, side = self.board, self.mover
        cells = bytearray(self.cells)
        if self.stage < 2:
            cells[board.homes[side]] = bytes(
                LETTERS.index(letter) + (BLACK * side if letter != LETTERS[EMPTY] else 0) for letter in order
            )
        else:
            cells[board.square(order)] = BALL + BLACK * side
        stage = self.stage + 1
        state = type(self)(
            board=board,
            cells=bytes(cells),
            mover=PLACING[stage] if stage < PLAYING else 1,  # then Black starts
            stage=stage,
            turn=self.turn + 1,
            cause_fields=(side, 0, self.cells, None, order),
            least=self.least,
        )
        return state._counted() if stage == PLAYING else state

    def leave(self, seats: frozenset[Seat]) -> Self:
        return self  # of two players, whoever resigns ends the match

    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        return self._replace(
            turn=self.turn + 1, tick=False, ended=outcome, cause_fields=None, news=tuple(events)
        )


def counted(
    board: Board, cells: bytes, side: int, history: History, least: int
) -> tuple[History, Outcome | None]:
    """Returns the history with this position, and the outcome or None (ruling S12 before S11)."""
    key = cells + (b"w", b"b")[side]
    drawers, at = [*history], adler32(key) % DRAWERS
    drawer = drawers[at]
    drawers[at] = drawer + (key,)  # noqa: RUF005 - an unpacking takes twice as long
    ended = None
    if len(drawer) >= TWICE_BEFORE and drawer.count(key) >= TWICE_BEFORE:
        ended = REPEATED
    elif stuck(board, cells, side, least):
        ended = STUCK[side]
    return drawers, ended


SIGNS = {"–": MOVE, "—": MOVE, "→": MOVE, "»": PUSH}
ACTION = re.compile(rf"([a-z]\d+)([{re.escape(MOVE + PUSH + JUMP + SWITCH)}–—→»]?)([a-z]\d+)", re.ASCII)
