"""A position of Robo Battle Pigs with all that the site shows of it: plans, events, drawings, reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from games.core import Departure, Event, Order, Plan, Progress, Review, Seat, Sentence
from games.pigs import bot, picture, planner, preview, review, story
from games.pigs.rules import Position


class PigsState(Position):
    """The `State` of Robo Battle Pigs; its methods call the modules of this package."""

    __slots__ = ()

    def evaluate(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else bot.evaluate(self, seat)

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def tell(self, event: Event) -> Sentence:
        return story.tell(event)

    def highlight(self, event: Event) -> int:
        return story.highlight(event)

    def words(self) -> list[Sentence]:
        return story.words(self)

    def drawing(self) -> dict[str, Any]:
        return picture.drawing(self)

    def cell(self, seat: Seat) -> picture.Cell | None:
        return picture.cell(self, seat)

    def progress(self, seat: Seat) -> Progress | None:
        return story.hit_progress(self, seat) or story.damage_progress(self, seat)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial, guesses)

    def make_guess(self, seat: Seat, partial: Order) -> Plan:
        return planner.guess(self, seat, partial)

    def departure_from_plan(self, seat: Seat, order: Order, film: Sequence[Self]) -> Departure | None:
        return preview.departure_from_plan(self, seat, order, film) if seat in self.still_in() else None

    def hypothetical_plan(self, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> Plan:
        return planner.hypothetical_plan(self, seat, order, others)

    @property
    def is_reviewed(self) -> bool:
        return not self.lists

    def review(self, orders: Mapping[Seat, Order]) -> Review | None:
        return None if self.lists or orders.keys() != self.to_act() else review.review(self, orders)
