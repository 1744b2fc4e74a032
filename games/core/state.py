"""The `State` contract: a position with everything that the site shows of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from games.core.outcome import Tally
from games.core.plan import Otherwise, Plan
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
        """Returns the plan for the unfinished order `partial` of `seat`; never raises, whatever the text.

        `guesses` are supposed orders of other seats. A partial order longer than `room` is replaced with an
        empty one, and the plan's `missing` gives the reason.
        """
        known = {at: text if len(text) <= self.room(at) else "" for at, text in (guesses or {}).items()}
        if len(partial) <= self.room(seat):
            return self.make_plan(seat, partial, known)
        return replace(self.make_plan(seat, "", known), missing=self._too_long(seat, partial).sentence)

    @abstractmethod
    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        """Does the work of `plan` for texts whose length is already bounded."""

    def glimpse(self, seat: Seat, order: Order) -> Plan | None:
        """Returns a cheap plan for an order, with only what the board draws right after a tap.

        None means that the whole plan is needed. For games with so many choices that a page cannot hold the
        whole plan of each in advance. No choice may depend on earlier ones.
        """
        return None

    def guessing(self, seat: Seat, partial: Order) -> Plan:
        """Returns the plan for guessing what another seat, `seat`, may order, based on what this view shows.

        As in `plan`, text longer than `room` is not parsed.
        """
        if len(partial) <= self.room(seat):
            return self.make_guess(seat, partial)
        return replace(self.make_guess(seat, ""), missing=self._too_long(seat, partial).sentence)

    def make_guess(self, seat: Seat, partial: Order) -> Plan:
        """Does the work of `guessing` for a text whose length is already bounded."""
        return self.make_plan(seat, partial, {})

    def novelties(self, seat: Seat) -> tuple[Sentence | None, ...]:
        """Sentences on features that `seat` can use now and may not have met; None for one not possible now.

        At most five, always in the same order. A newcomer is shown each sentence once.
        """
        return ()

    def otherwise(self, seat: Seat, order: Order, film: Sequence[Self]) -> Otherwise | None:
        """Returns the first departure of a played turn from the planned `order`; None if none is shown.

        `film` begins with this position.
        """
        return None

    def instead(self, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> Plan:
        """Returns the plan to draw for an order that `seat` could have played against the others' orders.

        Only for a match that is over, since nothing in the position is hidden.
        """
        return self.plan(seat, order, others)

    @property
    def is_reviewed(self) -> bool:
        """Tell whether `review` judges the turns of this match."""
        return False

    def review(self, orders: Mapping[Seat, Order]) -> Review | None:
        """Returns the review of a turn's canonical orders; None if the game does not judge turns.

        A review takes seconds and reveals sealed orders, so it is only for matches that are over.
        """
        return None

    def look_back(self) -> Any:
        """Returns the data for the game's `ending.html`, in the last position of a finished match, or None.

        Nothing is secret any more by then.
        """
        return None

    def tally(self, seat: Seat) -> Tally | None:
        """A seat's progress, for the list of players; None if the game counts none."""
        return None

    @abstractmethod
    def tell(self, event: Event) -> Sentence:
        """Returns the sentence for an event of this position."""

    def highlight(self, event: Event) -> int:
        """Rates an event of this position for highlights: 0 for nothing special, about 5 for a hit."""
        return 1

    @abstractmethod
    def words(self) -> list[Sentence]:
        """The board in words: the square of each piece and what it faces."""

    @abstractmethod
    def drawing(self) -> dict[str, Any]:
        """Returns the data for the board's template: lists of named tuples, with lengths in squares.

        `effects`, if present, shows the step that led to this position.
        """

    @abstractmethod
    def cell(self, seat: Seat) -> Any:
        """The entry of `seat` in the table of orders, for the step that led to this position, or None."""
