"""A position of Roboxing as players and programs meet it: the rules, and all that is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from games.core import Event, Order, Plan, Seat, Sentence
from games.roboxing import bot, deduction, picture, planner, story
from games.roboxing.ring import OFF
from games.roboxing.rules import Position


class RoboxingState(Position):
    """A position of Roboxing, or what somebody may know of it."""

    __slots__ = ()

    def determinize(self, rng: Random) -> Self:
        """The same with a layout for every hidden robot in the ring, one that all that was seen allows."""
        if not self.layouts:
            return self
        return self._replace(
            layouts=tuple(
                layout or (deduction.determinize(self, i, rng) if self.squares[i] != OFF else None)
                for i, layout in enumerate(self.layouts)
            )
        )

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

    def words(self) -> list[Sentence]:
        return story.words(self)

    def drawing(self) -> dict[str, Any]:
        return picture.drawing(self)

    def cell(self, seat: Seat) -> picture.Cell | None:
        return picture.cell(self, seat)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial, guesses)
