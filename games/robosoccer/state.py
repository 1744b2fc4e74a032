"""A position of Robosoccer with all that the site shows of it: plans, events, drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.core import Event, Order, Plan, Seat, Sentence
from games.robosoccer import bot, picture, planner, story
from games.robosoccer.rules import SEATS, Position


class RobosoccerState(Position):
    """The `State` of Robosoccer; its methods call the modules of this package."""

    __slots__ = ()

    def evaluate(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else bot.evaluate(self, SEATS.index(seat))

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

    def novelties(self, seat: Seat) -> tuple[Sentence | None, ...]:
        return planner.novelties(self, seat)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial)
