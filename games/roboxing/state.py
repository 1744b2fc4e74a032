"""A position of Roboxing as players and programs meet it: the rules, and all that is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from games.core import Event, Order, Plan, Seat, Sentence
from games.roboxing import bot, picture, planner, story, worlds, xray
from games.roboxing.rules import Position


class RoboxingState(Position):
    """A position of Roboxing, or what somebody may know of it."""

    __slots__ = ()

    def determinize(self, rng: Random) -> Self:
        """The same with a layout for every hidden robot in the ring, as all that was seen allows."""
        return self._replace(layouts=worlds.world(self, rng)) if self.layouts else self

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        every = super().ideas(seat, rng, most)
        if self.layouts:
            return every
        return [one for one in every if all(map(bot.is_sound, self.read_layouts(one)))] or every

    def evaluate(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else bot.evaluate(self, seat)

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def tell(self, event: Event) -> Sentence:
        return story.tell(self, event)

    def highlight(self, event: Event) -> int:
        return story.highlight(event)

    def words(self) -> list[Sentence]:
        return story.words(self)

    def look_back(self) -> list[xray.Opened] | None:
        return xray.look_back(self)

    def drawing(self) -> dict[str, Any]:
        return picture.drawing(self)

    def cell(self, seat: Seat) -> picture.Cell | None:
        return picture.cell(self, seat)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial, guesses)
