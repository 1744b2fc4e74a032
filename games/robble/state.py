"""A position of Robble with everything that the site shows of it: plans, events, drawings."""

from collections.abc import Mapping
from types import ModuleType
from typing import ClassVar

from games.core import SHARE, Event, Order, Plan, Seat
from games.robble.bot import evaluation, search
from games.robble.presentation import picture, planner, story
from games.robble.rules import Position


class RobbleState(Position):
    """The `State` of Robble; its methods are functions of this package."""

    __slots__ = ()
    search: ClassVar[ModuleType] = search
    tell = staticmethod(story.tell)
    highlight = staticmethod(story.highlight)
    words = story.words
    on_squares = story.squares
    drawing = picture.drawing
    cell = picture.cell
    review = search.judge
    review_unit = SHARE

    def evaluate(self, seat: Seat) -> float:
        if self.ended:
            return self.ended.scores[seat]
        return evaluation.evaluate(self.board, self.stones, self.colour(seat))

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def glimpse(self, seat: Seat, order: Order) -> Plan:
        return planner.glimpse(self, order)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial)
