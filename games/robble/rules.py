"""The rules of Robble, by Luis Bolaños Mures: place a stone; its neighbours are pushed, turned or lost.

The rulings B1 to B4 are in docs/rulings.md; those on a placement and on the score are in `stones.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import NamedTuple, Self

from games.core import (
    Event,
    IllegalOrder,
    Order,
    Outcome,
    Seat,
    Sentence,
    Setup,
    State,
    option,
    seat_letters,
)
from games.grid import FREE, shorten_runs
from games.robble.stones import (
    BLACK,
    BOARDS,
    EMPTY,
    LETTERS,
    NOWHERE,
    SIZES,
    SWAP,
    SWAPPED,
    WHITE,
    Board,
    bits,
    score,
)

SEATS = seat_letters(2)
BOTH, ONLY, NOBODY = frozenset(SEATS), tuple(frozenset((seat,)) for seat in SEATS), frozenset[Seat]()

DRAWERS = 16
TWICE_BEFORE = 2

LARGEST, CANCELLED = (
    tuple(Outcome.shared({seat}, SEATS, reason) for seat in SEATS)
    for reason in ("largest group", "cancelled")
)
REPEATED = Outcome.shared(BOTH, SEATS, "repetition")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match of Robble (docs/rulings.md)."""

    size: int = option(
        *SIZES,
        says="How many squares each side of the board has.",
        name="Board",
        words="{value} squares a side.",
    )
    pie: bool = option(
        True,
        False,
        says="Whether White’s first turn may be to swap colours.",
        name="Swap",
        words={
            True: "White’s first turn may be to swap colours.",
            False: "No one swaps colours.",
        },
    )


class Fields(NamedTuple):
    """The fields of a position. `stones` is one number (`stones.py`), `before` the same before the last turn.

    `mover` is the index of the seat to move. `square` is that of the stone placed last, NOWHERE or
    SWAPPED. `news` are the events of a change that is no turn. `pie`: White's first turn may be a swap
    (ruling B2). `history` has all positions so far except those after a swap (ruling B4), in DRAWERS
    tuples by their number of set bits.
    """

    board: Board
    stones: int
    turn: int
    mover: int
    history: list[tuple[int, ...]]
    before: int
    square: int
    ended: Outcome | None = None
    tick: bool = True
    news: tuple[Event, ...] = ()
    pie: bool = True


_made = tuple.__new__


class Position(Fields, State):
    __slots__ = ()

    def __hash__(self) -> int:
        return hash((self.stones, self.turn, self.mover))  # equal positions have equal hashes

    @classmethod
    def start(cls, options: Options, seats: int, setup: Setup) -> Self:
        return cls._fresh(BOARDS[options.size], 0, 0, options.pie)

    @classmethod
    def _fresh(cls, board: Board, stones: int, turn: int, pie: bool) -> Self:
        """Returns a position with no earlier position in its history (ruling B4)."""
        history: list[tuple[int, ...]] = [()] * DRAWERS
        history[stones.bit_count() % DRAWERS] = (stones,)
        return cls(
            board=board,
            stones=stones,
            turn=turn,
            mover=board.to_move(stones),
            history=history,
            before=stones,
            square=NOWHERE,
            pie=pie,
        )

    @classmethod
    def read(cls, text: str, options: Options, seats: int) -> Self:
        """Parses a position's text, with seat A as Black; raises ValueError for another text.

        A single black stone and White to move is read as White's first turn (ruling B2).
        """
        board = BOARDS[options.size]
        stones = _read_stones(text, board)
        laid = (stones & ~(1 << board.mover)).bit_count()
        second = laid == 1 and stones >> board.mover and board.stones_of(stones, BLACK)
        state = cls._fresh(board, stones, 1 if second else laid and max(laid, 2), options.pie)
        if state.position() != text:
            raise ValueError(f"“{text}” is written “{state.position()}”.")
        return state._replace(ended=judged(board, stones, swapped=0)) if laid == board.squares else state

    def position(self) -> str:
        board, size = self.board, self.board.size
        row, black, white = (
            (1 << size) - 1,
            board.stones_of(self.stones, BLACK),
            board.stones_of(self.stones, WHITE),
        )
        rows = (
            _row_text(size, black >> first & row, white >> first & row)
            for first in reversed(range(0, board.squares, size))
        )
        return f"{'/'.join(rows)} {LETTERS[self.colour_to_move]}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return SEATS

    # Colours

    @property
    def colour_to_move(self) -> int:
        return self.stones >> self.board.mover

    @property
    def swapped(self) -> int:
        """1 if the players have exchanged colours, else 0 (ruling B2)."""
        return self.colour_to_move ^ self.mover

    def colour(self, seat: Seat) -> int:
        """The colour that the seat plays: A is Black and B White, until they swap (ruling B2)."""
        return SEATS.index(seat) ^ self.swapped

    def seat(self, colour: int) -> Seat:
        return SEATS[colour ^ self.swapped]

    def side(self, seat: Seat) -> str:
        return LETTERS[self.colour(seat)]

    # Orders

    def still_in(self) -> frozenset[Seat]:
        return NOBODY if self.ended else BOTH

    def to_act(self) -> frozenset[Seat]:
        return NOBODY if self.ended else ONLY[self.mover]

    @property
    def may_swap(self) -> bool:
        """True on White's first turn, in a match with the swap (ruling B2)."""
        return self.pie and self.turn == 1 and not self.ended

    def why_no_swap(self) -> Sentence | None:
        if not self.pie:
            return Sentence("This match is played without the swap. Choose an empty square.")
        if self.turn == 0:
            return Sentence("There is nothing to swap yet: White may, after Black’s first stone.")
        return None if self.may_swap else Sentence("Only White’s first turn may be a swap.")

    def longest_order(self, seat: Seat) -> int:
        return len(SWAP)

    def read_order(self, seat: Seat, order: Order) -> Order:
        if seat not in self.to_act():
            raise IllegalOrder("The match is over." if self.ended else "It isn’t your turn.")
        text = "".join(order.split()).lower()
        if text == SWAP:
            why = self.why_no_swap()
            if why:
                raise IllegalOrder(why.template)
            return SWAP
        square = self.board.numbers.get(text)
        if square is None:
            raise IllegalOrder(
                "“{order}” is not a square of this board; its squares are a1 to {last}.",
                order=order,
                last=self.board.names[-1],
            )
        if self.board.stone_at(self.stones, square) != EMPTY:
            raise IllegalOrder("There’s a stone on {at} already. Choose an empty square.", at=text)
        return text

    def sample(self, seat: Seat, rng: Random) -> Order:
        """Returns a random empty square or, if White may swap, half of the time a swap."""
        board, stones = self.board, self.stones
        if self.turn == 1 and self.pie and rng.random() < 0.5:
            return SWAP
        squares = board.squares
        left = squares + (stones >> board.mover) - stones.bit_count()
        if 3 * left > squares:  # a few throws at the whole board hit an empty square
            square = int(rng.random() * squares)
            while stones & board.stones[square]:
                square = int(rng.random() * squares)
            return board.names[square]
        empty = board.empty(stones)
        for _ in range(int(rng.random() * left)):
            empty &= empty - 1
        return board.names[(empty & -empty).bit_length() - 1]

    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        every = self._every() if seat in self.to_act() else []
        return every if len(every) <= most else None

    def _every(self) -> list[Order]:
        squares = [self.board.names[square] for square in bits(self.board.empty(self.stones))]
        return [*squares, SWAP] if self.may_swap else squares

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        every = self._every()
        return every if len(every) <= most else rng.sample(every, most)

    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        (order,) = orders.values()
        return (self.swap() if order == SWAP else self.place(self.board.numbers[order]),)

    def swap(self) -> Self:
        """Returns the position after a swap: the stone stays, and the new White moves (ruling B2)."""
        return self._replace(turn=self.turn + 1, mover=1 - self.mover, before=self.stones, square=SWAPPED)

    def place(self, square: int) -> Self:
        board, before, turn, mover, history, _, _, _, _, _, pie = self
        stones = board.place(before, square)
        count = stones.bit_count()
        drawers, number = [*history], count % DRAWERS
        drawer = history[number]
        drawers[number] = drawer + (stones,)  # noqa: RUF005 - an unpacking takes twice as long
        ended = None
        if count >= board.squares and not board.empty(stones):  # B4: a full board is scored first
            ended = judged(board, stones, self.swapped)
        elif len(drawer) >= TWICE_BEFORE and drawer.count(stones) >= TWICE_BEFORE:
            ended = REPEATED
        return _made(
            type(self), (board, stones, turn + 1, 1 - mover, drawers, before, square, ended, True, (), pie)
        )

    def times(self) -> int:
        """The number of times that this position has occurred so far, this time included (ruling B4)."""
        return self.history[self.stones.bit_count() % DRAWERS].count(self.stones)

    def leave(self, seats: frozenset[Seat]) -> Self:
        raise ValueError("With two players a resignation ends the match (G1).")

    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        return self._replace(
            turn=self.turn + 1, tick=False, ended=outcome, square=NOWHERE, news=tuple(events)
        )


def judged(board: Board, stones: int, swapped: int) -> Outcome:
    """The outcome of a full board: the biggest uncancelled group wins; without one, the last placer loses."""
    won = score(board, stones).winner
    if won is None:  # the player who placed last loses, so the one to move wins
        return CANCELLED[board.to_move(stones) ^ swapped]
    return LARGEST[won ^ swapped]


@lru_cache(maxsize=1 << 15)
def _row_text(size: int, black: int, white: int) -> str:
    return shorten_runs(
        "".join("b" if black >> i & 1 else "w" if white >> i & 1 else FREE for i in range(size))
    )


def _read_stones(text: str, board: Board) -> int:
    squares, _, mover = text.partition(" ")
    if mover not in tuple(LETTERS):
        raise ValueError(f"“{text}” does not end with the colour to move, b or w.")
    stones = LETTERS.index(mover) << board.mover
    rows = squares.split("/")
    if len(rows) != board.size:
        raise ValueError(f"“{text}” has {len(rows)} rows, not {board.size}.")
    for rank, written in zip(reversed(range(board.size)), rows, strict=True):
        row = "".join("." * int(c) if c in "123456789" else c for c in written)
        if len(row) != board.size or set(row) - {*LETTERS, "."}:
            raise ValueError(f"“{written}” is no row of {board.size} squares.")
        for file, c in enumerate(row):
            if c != ".":
                stones |= board.bit(LETTERS.index(c), rank * board.size + file)
    return stones
