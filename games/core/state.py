"""The `State` contract: a position (`Position`) with everything that the site shows of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from games.core.outcome import Progress
from games.core.plan import Departure, Plan
from games.core.position import Position
from games.core.review import Review
from games.core.sentences import Event, Order, Seat, Sentence


class State(Position):
    """A position with everything that the site shows of it: plans, events as sentences, drawings, reviews."""

    __slots__ = ()

    @property
    @abstractmethod
    def events(self) -> list[Event]:
        """The events that led from the previous position to this one."""

    def plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order] | None = None) -> Plan:
        """Returns the plan for the unfinished order `partial`: its result, and the choices for its next part.

        `guesses` are supposed orders of other seats. No text raises an error. Text longer than
        `max_order_length` is not parsed:
        - If `partial` is too long, the plan is that of an empty order, and `missing` gives the reason.
        - A guess that is too long counts as an empty order.
        """
        known = {
            at: text if len(text) <= self.max_order_length(at) else "" for at, text in (guesses or {}).items()
        }
        if len(partial) <= self.max_order_length(seat):
            return self.make_plan(seat, partial, known)
        return replace(self.make_plan(seat, "", known), missing=self._too_long(seat, partial).sentence)

    @abstractmethod
    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        """Returns the plan for the unfinished order `partial` of `seat`; `plan` calls this method.

        No text in `partial` or `guesses` is longer than `max_order_length`.
        """

    def glimpse(self, seat: Seat, order: Order) -> Plan | None:
        """Returns a partial plan for `order`, with only what the board draws right after a tap, or None.

        None, the default, means that the page must ask the server for the whole plan. A game can return
        partial plans if none of its choices depends on earlier ones.
        """
        return None

    def guessing(self, seat: Seat, partial: Order) -> Plan:
        """Returns the plan for `partial`, the order that a player expects from another player's `seat`.

        `partial` may be unfinished. This position must be the guessing player's own view. As in `plan`, text
        longer than `max_order_length` is not parsed.
        """
        if len(partial) <= self.max_order_length(seat):
            return self.make_guess(seat, partial)
        return replace(self.make_guess(seat, ""), missing=self._too_long(seat, partial).sentence)

    def make_guess(self, seat: Seat, partial: Order) -> Plan:
        """Returns the plan for the guessed order `partial` of `seat`; `guessing` calls this method.

        `partial` is no longer than `max_order_length`.
        """
        return self.make_plan(seat, partial, {})

    def novelties(self, seat: Seat) -> tuple[Sentence | None, ...]:
        """Sentences that explain features of the game to a newcomer as soon as `seat` can use them.

        There is one entry for each feature, at most five, always in the same order. An entry is None if
        `seat` cannot use the feature in this position. A newcomer is shown each sentence only once.
        """
        return ()

    def departure_from_plan(self, seat: Seat, order: Order, film: Sequence[Self]) -> Departure | None:
        """Returns the first point at which a played turn departed from the plan of `seat`.

        `order` is the order that `seat` played. `film` has the positions of the turn, beginning with this
        position. Returns None if the game does not compare turns with plans, or not for this seat.
        """
        return None

    def hypothetical_plan(self, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> Plan:
        """Returns the plan of an order that `seat` could have played against the others' orders.

        The page draws this plan when the match is over. Call this method only then, because the plan shows
        what is hidden from `seat` during play.
        """
        return self.plan(seat, order, others)

    @property
    def is_reviewed(self) -> bool:
        """Returns True if the method `review` judges the turns of this match."""
        return False

    def review(self, orders: Mapping[Seat, Order]) -> Review | None:
        """Returns the review of a turn's canonical orders; None if the game does not judge the turn.

        Call this method only for a match that is over: a review takes seconds and reveals sealed orders.
        """
        return None

    def look_back(self) -> Any:
        """Returns the data that the game's template `ending.html` shows; None if there is nothing to show.

        Call this method only on the last position of a match that is over, where nothing is hidden.
        """
        return None

    def progress(self, seat: Seat) -> Progress | None:
        """A seat's progress, for the list of players; None if the game counts no progress."""
        return None

    @abstractmethod
    def tell(self, event: Event) -> Sentence:
        """Returns the sentence that describes an event of this position to players."""

    def highlight(self, event: Event) -> int:
        """Rates how remarkable an event of this position is: 0 for nothing special, about 5 for a hit.

        The highest ratings select the highlights of a match.
        """
        return 1

    @abstractmethod
    def words(self) -> list[Sentence]:
        """The board in words: a sentence for each piece, with its square and, if it has one, its facing."""

    @abstractmethod
    def drawing(self) -> dict[str, Any]:
        """Returns the data for the board's template: lists of named tuples, with lengths in squares.

        The key `effects`, if present, has the visible effects of the step that led to this position.
        """

    @abstractmethod
    def cell(self, seat: Seat) -> Any:
        """The data of one cell of the table of orders: what `seat` did in the step that led to this position.

        Returns None if `seat` has no entry for this step.
        """
