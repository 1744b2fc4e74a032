"""A position with what the site shows of it."""

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
    """A position with all that the site shows of it: plans, events as sentences, drawings, reviews."""

    __slots__ = ()

    @property
    @abstractmethod
    def events(self) -> list[Event]:
        """The events on the way to this position from the one before it."""

    def plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order] | None = None) -> Plan:
        """The plan that the unfinished order `partial` of `seat` gives; never raises, whatever the text.

        Text longer than `room` is not read: the plan is then that of an empty order, and says why.
        """
        known = {at: text if len(text) <= self.room(at) else "" for at, text in (guesses or {}).items()}
        if len(partial) <= self.room(seat):
            return self.make_plan(seat, partial, known)
        return replace(self.make_plan(seat, "", known), missing=self._too_long(seat, partial).sentence)

    @abstractmethod
    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        """The result of `plan` for texts of bounded length."""

    def glimpse(self, seat: Seat, order: Order) -> Plan | None:
        """The plan of a choice with what the board draws of it at once, and no more; None: plan it whole.

        For games with so many choices that a page cannot have the whole plan of each ahead of a tap. No
        choice may depend on those before it.
        """
        return None

    def guessing(self, seat: Seat, partial: Order) -> Plan:
        """The plan for guessing what another seat may order, from what this view shows.

        As in `plan`, text longer than `room` is not read.
        """
        if len(partial) <= self.room(seat):
            return self.make_guess(seat, partial)
        return replace(self.make_guess(seat, ""), missing=self._too_long(seat, partial).sentence)

    def make_guess(self, seat: Seat, partial: Order) -> Plan:
        """The result of `guessing` for a text of bounded length."""
        return self.make_plan(seat, partial, {})

    def novelties(self, seat: Seat) -> tuple[Sentence | None, ...]:
        """Sentences on what `seat` can do now and may not have met yet; None for what is not possible now.

        Five at most, always in the same order: a newcomer is told each of them once.
        """
        return ()

    def otherwise(self, seat: Seat, order: Order, film: Sequence[Self]) -> Otherwise | None:
        """The turn's first departure in `film` from the `order` that `seat` planned; None if none is shown.

        `film` begins with this position.
        """
        return None

    def instead(self, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> Plan:
        """The plan to draw for an order that `seat` did not play, with the others' orders as they were.

        Only for a match that is over: the position hides nothing.
        """
        return self.plan(seat, order, others)

    @property
    def is_reviewed(self) -> bool:
        """Tell whether `review` judges the turns of this match."""
        return False

    def review(self, orders: Mapping[Seat, Order]) -> Review | None:
        """The review of a turn's canonical orders; None if the game does not judge them.

        It takes seconds and reveals all that was sealed, so it is only for matches that are over.
        """
        return None

    def look_back(self) -> Any:
        """The data for the game's `ending.html`, in the last position of a match that is over, or None.

        Nothing is secret any more then.
        """
        return None

    def tally(self, seat: Seat) -> Tally | None:
        """A seat's progress for the list of players; None if the game counts none."""
        return None

    @abstractmethod
    def tell(self, event: Event) -> Sentence:
        """An event of this position as a sentence."""

    def highlight(self, event: Event) -> int:
        """The highlight value of an event of this position: 0 for nothing special, about 5 for a hit."""
        return 1

    @abstractmethod
    def words(self) -> list[Sentence]:
        """The board in words: where each piece stands and what it faces."""

    @abstractmethod
    def drawing(self) -> dict[str, Any]:
        """The data that the board's template draws: lists of named tuples, with lengths in squares.

        `effects`, if present, is what is to be seen of the step that led here.
        """

    @abstractmethod
    def cell(self, seat: Seat) -> Any:
        """The entry of `seat` in the table of orders for the step that led here, or None."""
