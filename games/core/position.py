"""The `Position` contract: a position as the rules see it.

The subclass `State` adds plans, events as sentences, drawings and reviews.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Self

from games.core.outcome import Outcome
from games.core.sentences import Event, IllegalOrder, Order, Seat, Setup

MARGIN, SPELLING_SLACK = 4, 40
"""The two numbers that limit the length of a typed order, in characters.

The limit is MARGIN times the length of the longest canonical order, plus SPELLING_SLACK.
"""


class Position(ABC):
    """A position as the rules see it. Positions are immutable; `play` returns the positions that follow.

    `turn` is the number of turns played. `tick` is True if the record of the match counts this position, and
    False if the position is only shown in the animation of a turn. `ended` is the outcome; None as long as
    the match goes on.
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
        """Returns the opening position for this number of players."""

    @classmethod
    @abstractmethod
    def read(cls, text: str, options: Any, seats: int) -> Self:
        """Parses a position at the start of a turn from the text that `position()` returned.

        Raises ValueError for any other text.
        """

    @abstractmethod
    def position(self) -> str:
        """This position as one line of text, in the notation of docs/record.md."""

    @abstractmethod
    def still_in(self) -> frozenset[Seat]:
        """The seats that have neither resigned nor been eliminated; empty if the match is over."""

    @abstractmethod
    def to_act(self) -> frozenset[Seat]:
        """The seats that must give an order in this position; empty if the match is over."""

    @abstractmethod
    def longest_order(self, seat: Seat) -> int:
        """The length, in characters, of the longest canonical order that `seat` could type in this position.

        The maximum is over all orders in the notation, including those that the rules forbid at present.
        """

    def max_order_length(self, seat: Seat) -> int:
        """The maximum number of characters that `seat` may type for an order.

        The maximum is MARGIN times the length of the longest canonical order, plus SPELLING_SLACK.
        """
        return MARGIN * self.longest_order(seat) + SPELLING_SLACK

    def check(self, seat: Seat, order: Order) -> Order:
        """Returns the canonical form of an order that `seat` typed.

        Raises IllegalOrder, which tells the player why, if the rules refuse the order or if its text is
        longer than `max_order_length`.
        """
        self.check_order_length(seat, order)
        return self.read_order(seat, order)

    def check_order_length(self, seat: Seat, text: str) -> None:
        """Raises IllegalOrder if `text` is longer than `max_order_length`.

        `text` is a whole or an unfinished order of `seat`.
        """
        if len(text) > self.max_order_length(seat):
            raise self._too_long(seat, text)

    @abstractmethod
    def read_order(self, seat: Seat, order: Order) -> Order:
        """Returns the canonical form of an order that `seat` typed; `check` calls this method.

        `order` is no longer than `max_order_length`. Raises IllegalOrder, which tells the player why, if the
        rules refuse the order.
        """

    def _too_long(self, seat: Seat, text: str) -> IllegalOrder:
        return IllegalOrder(
            "This text has {n} characters, and an order here needs {most} at most. Please write less.",
            n=len(text),
            most=self.max_order_length(seat),
        )

    @abstractmethod
    def sample(self, seat: Seat, rng: Random) -> Order:
        """Returns a random legal order of `seat`, in canonical form."""

    @abstractmethod
    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        """Returns all canonical orders that can be built with the choices of `State.plan`, each order once.

        Returns [] if no order is expected from `seat`, and None if there are more than `most` orders. An
        implementation stops as soon as it knows that there are too many orders, preferably before it
        generates any.
        """

    @abstractmethod
    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        """Returns the positions that follow from the canonical orders of a turn.

        The last of these positions starts the next turn, or is the end of the match.
        """

    @abstractmethod
    def leave(self, seats: frozenset[Seat]) -> Self:
        """Returns the position after `seats` have resigned (ruling G1).

        Call this method only if at least two other seats are still in the match.
        """

    @abstractmethod
    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        """Returns the last position of a match that ends by agreement or resignation, with these events.

        In the position returned, `turn` is one higher than in this position, and `tick` is False.
        """

    def view(self, seat: Seat | None) -> Self:
        """Returns what `seat` may know of this position; for None, what a spectator may know.

        By default, as in a game in which nothing is hidden, returns the whole position.
        """
        return self

    def determinize(self, rng: Random) -> Self:
        """Returns a random complete position that is consistent with this view.

        By default, as in a game in which nothing is hidden, returns this position.
        """
        return self

    def worlds(self, rng: Random, count: int) -> list[Self]:
        """Returns `count` complete positions consistent with this view, each drawn independently."""
        return [self.determinize(rng) for _ in range(count)]

    def pieces(self) -> int:
        """The maximum number of pieces that the next turn can move.

        Bots choose the size of their search by this number.
        """
        return len(self.to_act())

    def conceals(self, turn: int, seat: Seat) -> bool:
        """Returns True if the order that `seat` played in `turn` is still hidden in this position."""
        return False

    def side(self, seat: Seat) -> str:
        """The side that `seat` plays, as a lower-case letter, which determines the seat's colour."""
        return seat.lower()

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Returns up to `most` different orders of `seat` that a bot should try.

        Which orders are returned may depend on chance (`rng`).
        """
        return list(dict.fromkeys(self.sample(seat, rng) for _ in range(most)))

    def evaluate(self, seat: Seat) -> float:
        """Estimates the share of the match's one point, from 0 to 1, that `seat` may expect in the end.

        Call this method only if nothing in this position is hidden.
        """
        if self.ended:
            return self.ended.scores[seat]
        still_in = self.still_in()
        return 1 / len(still_in) if seat in still_in else 0.0

    def turns_without_change(self) -> int:
        """The number of turns since the last lasting change, such as a hit; 0 if the game does not count.

        After many turns without a change, bots agree to a draw.
        """
        return 0

    def outcome(self) -> Outcome | None:
        """Returns the outcome of the match, or None while the match goes on."""
        return self.ended
