"""The `Position` contract: the rules' half of a game's state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Self

from games.core.outcome import Outcome
from games.core.sentences import Event, IllegalOrder, Order, Seat, Setup

MARGIN, SOME = 4, 40
"""The most characters of an order as typed: MARGIN times the longest canonical order, plus SOME."""


class Position(ABC):
    """A position as the rules see it, immutable. `play` returns the positions that follow.

    Attributes of every position: `turn`, the number of turns played; `tick`, True if this position is part of
    the record (others are pictures in between); `ended`, the outcome, None while the match goes on.
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
        """Returns the opening position for this many seats."""

    @classmethod
    @abstractmethod
    def read(cls, text: str, options: Any, seats: int) -> Self:
        """Parses what `position()` wrote, as the start of a turn; ValueError for any other text."""

    @abstractmethod
    def position(self) -> str:
        """This position in one line of text (docs/record.md)."""

    @abstractmethod
    def still_in(self) -> frozenset[Seat]:
        """The seats that have neither resigned nor been eliminated."""

    @abstractmethod
    def to_act(self) -> frozenset[Seat]:
        """The seats that owe an order now: one, several, or none when the match is over."""

    @abstractmethod
    def longest_order(self, seat: Seat) -> int:
        """The length in characters of the longest canonical order `seat` could have here, legal or not."""

    def room(self, seat: Seat) -> int:
        """The maximum length of a typed order: MARGIN times that of the longest canonical one, plus SOME."""
        return MARGIN * self.longest_order(seat) + SOME

    def check(self, seat: Seat, order: Order) -> Order:
        """Returns the canonical form of an order that `seat` typed; IllegalOrder explains why it is refused.

        Text longer than `room` is refused without parsing, so the work is bounded.
        """
        self.check_room(seat, order)
        return self.read_order(seat, order)

    def check_room(self, seat: Seat, text: str) -> None:
        """Raises IllegalOrder if `text` is longer than any order of `seat`, finished or not, could be."""
        if len(text) > self.room(seat):
            raise self._too_long(seat, text)

    @abstractmethod
    def read_order(self, seat: Seat, order: Order) -> Order:
        """Does the work of `check` for a text whose length is already bounded."""

    def _too_long(self, seat: Seat, text: str) -> IllegalOrder:
        return IllegalOrder(
            "This text has {n} characters, and an order here needs {most} at most. Please write less.",
            n=len(text),
            most=self.room(seat),
        )

    @abstractmethod
    def sample(self, seat: Seat, rng: Random) -> Order:
        """Returns a random legal order of `seat`, in canonical form."""

    @abstractmethod
    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        """Returns every canonical order that the choices of `plan` can produce, once; None if more than
        `most`.

        The work is bounded: an implementation stops once there are too many, preferably before it generates
        any.
        """

    @abstractmethod
    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        """Returns the positions that follow from a turn's canonical orders; the last starts the next turn."""

    @abstractmethod
    def leave(self, seats: frozenset[Seat]) -> Self:
        """Returns the position after `seats` have resigned while at least two others play on (G1)."""

    @abstractmethod
    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        """Returns the position with the match ended by agreement or resignation: a turn later, not a tick."""

    def view(self, seat: Seat | None) -> Self:
        """Returns the position with everything hidden that `seat`, or a spectator (None), may not know.

        In games without secrets this is the whole position.
        """
        return self

    def determinize(self, rng: Random) -> Self:
        """Returns a complete position consistent with this view, a random one if several are."""
        return self

    def worlds(self, rng: Random, count: int) -> list[Self]:
        """Returns `count` complete positions consistent with this view, each drawn independently."""
        return [self.determinize(rng) for _ in range(count)]

    def pieces(self) -> int:
        """The most pieces that a turn can move from here: a measure of the cost of playing one."""
        return len(self.to_act())

    def conceals(self, turn: int, seat: Seat) -> bool:
        """Tell whether the order that `seat` played in `turn` is still secret in this position."""
        return False

    def side(self, seat: Seat) -> str:
        """The side that `seat` plays, which determines its colour: a lower-case letter."""
        return seat.lower()

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Returns up to `most` different orders of `seat` that are worth trying, perhaps chosen at random."""
        return list(dict.fromkeys(self.sample(seat, rng) for _ in range(most)))

    def evaluate(self, seat: Seat) -> float:
        """Estimates the share of the point, 0 to 1, that `seat` may expect; nothing here may be hidden."""
        if self.ended:
            return self.ended.scores[seat]
        still_in = self.still_in()
        return 1 / len(still_in) if seat in still_in else 0.0

    def idle(self) -> int:
        """The number of turns since the last lasting change, 0 if unknown; after many, bots agree to a
        draw."""
        return 0

    def outcome(self) -> Outcome | None:
        """Returns the outcome of the match, or None while it goes on."""
        return self.ended
