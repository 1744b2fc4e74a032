"""A position of Robble with everything that the site shows of it: plans, events, drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.core import Event, Order, Plan, Seat, Sentence
from games.robble import bot, picture, planner, story
from games.robble.rules import Position


class RobbleState(Position):
    """The `State` of Robble; its methods call the functions of the modules of this package."""

    __slots__ = ()

    def evaluate(self, seat: Seat) -> float:
        if self.ended:
            return self.ended.scores[seat]
        return bot.evaluate(self.board, self.stones, self.colour(seat))

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

    def glimpse(self, seat: Seat, order: Order) -> Plan:
        return planner.glimpse(self, order)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial)
