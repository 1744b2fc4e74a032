"""A position: what the rules say of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Self

from games.core.outcome import Outcome
from games.core.sentences import Event, IllegalOrder, Order, Seat, Setup

MARGIN, SOME = 4, 40
"""People may write an order so many times as long as its canonical form, and so many characters longer."""


class Position(ABC):
    """A position as the rules see it, immutable. `play` gives the positions that follow.

    The attributes of every position: `turn`, how many turns have been played; `tick`, whether this is one
    of the record's positions (others are pictures in between); `ended`, the outcome once it is over.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def turn(self) -> int: ...

    @property
    @abstractmethod
    def tick(self) -> bool: ...

    @property
    @abstractmethod
    def ended(self) -> Outcome | None: ...

    @property
    @abstractmethod
    def seats(self) -> tuple[Seat, ...]:
        """All seats of the match, from A on."""

    @classmethod
    @abstractmethod
    def start(cls, options: Any, seats: int, setup: Setup) -> Self:
        """The opening position for that many seats."""

    @classmethod
    @abstractmethod
    def read(cls, text: str, options: Any, seats: int) -> Self:
        """The position at the start of a turn, as `position()` wrote it; ValueError for any other text."""

    @abstractmethod
    def position(self) -> str:
        """This position in one line of text (docs/record.md)."""

    @abstractmethod
    def still_in(self) -> frozenset[Seat]:
        """The seats that have neither left nor been put out."""

    @abstractmethod
    def to_act(self) -> frozenset[Seat]:
        """The seats that owe an order now: one, several at once, or none when the match is over."""

    @abstractmethod
    def longest_order(self, seat: Seat) -> int:
        """The length of the longest canonical order that `seat` could have here, legal or not."""

    def room(self, seat: Seat) -> int:
        """The most characters read as an order of `seat`: its longest order in its widest spelling."""
        return MARGIN * self.longest_order(seat) + SOME

    def check(self, seat: Seat, order: Order) -> Order:
        """The canonical form of what `seat` typed; raises IllegalOrder with a sentence for the player.

        Text longer than `room` is refused unread, so the work is bounded.
        """
        self.check_room(seat, order)
        return self.read_order(seat, order)

    def check_room(self, seat: Seat, text: str) -> None:
        """Raises IllegalOrder if `text` is longer than any order of `seat`, finished or not, could be."""
        if len(text) > self.room(seat):
            raise self._too_long(seat, text)

    @abstractmethod
    def read_order(self, seat: Seat, order: Order) -> Order:
        """The result of `check` for a text of bounded length."""

    def _too_long(self, seat: Seat, text: str) -> IllegalOrder:
        return IllegalOrder(
            "This text has {n} characters, and an order here needs {most} at most. Please write less.",
            n=len(text),
            most=self.room(seat),
        )

    @abstractmethod
    def sample(self, seat: Seat, rng: Random) -> Order:
        """Some legal order of `seat`, canonical."""

    @abstractmethod
    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        """The canonical orders to which the choices of `plan` lead, each once; None if more than `most`.

        Its work is bounded: it stops as soon as there are too many, preferably before it makes any.
        """

    @abstractmethod
    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        """The positions that follow from all canonical orders of a turn; the last starts the next turn."""

    @abstractmethod
    def leave(self, seats: frozenset[Seat]) -> Self:
        """The position after these seats have resigned while at least two others play on (G1)."""

    @abstractmethod
    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        """The same position with the match ended by agreement or resignation: one turn later, not a tick."""

    def view(self, seat: Seat | None) -> Self:
        """The position as `seat`, or a spectator (None), may know it; all of it in games without secrets."""
        return self

    def determinize(self, rng: Random) -> Self:
        """A whole position that is consistent with this view, at random if there are several."""
        return self

    def worlds(self, rng: Random, count: int) -> list[Self]:
        """`count` whole positions that fit this view, each drawn independently."""
        return [self.determinize(rng) for _ in range(count)]

    def pieces(self) -> int:
        """The most pieces a turn moves: the cost of playing it, relative to the game's other positions."""
        return len(self.to_act())

    def conceals(self, turn: int, seat: Seat) -> bool:
        """Tell whether the order that `seat` played in `turn` is still secret."""
        return False

    def side(self, seat: Seat) -> str:
        """The side that the seat plays, for its colour: a lower-case letter."""
        return seat.lower()

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Up to `most` different orders of `seat` that are worth trying; which ones may depend on chance."""
        return list(dict.fromkeys(self.sample(seat, rng) for _ in range(most)))

    def evaluate(self, seat: Seat) -> float:
        """The share of the point that `seat` may expect, from 0 to 1; nothing in this position is hidden."""
        if self.ended:
            return self.ended.scores[seat]
        still_in = self.still_in()
        return 1 / len(still_in) if seat in still_in else 0.0

    def idle(self) -> int:
        """The number of turns since a lasting change, 0 if unknown; after many, programs agree to a draw."""
        return 0

    def outcome(self) -> Outcome | None:
        """The outcome of the match, or None while it goes on."""
        return self.ended
