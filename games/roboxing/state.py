"""A position of Roboxing with all that the site shows of it: plans, events, drawings, guesses."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from games.core import Event, Order, Plan, Seat, Sentence
from games.roboxing import bot, picture, planner, story, worlds, xray
from games.roboxing.ring import OFF
from games.roboxing.rules import Position


class RoboxingState(Position):
    """The `State` of Roboxing, or a seat's view of one; its methods call the modules of this package."""

    __slots__ = ()

    def determinize(self, rng: Random) -> Self:
        """Returns a copy in which hidden layouts are replaced with random ones that fit the view.

        Only robots in the ring get a layout.
        """
        return self.worlds(rng, 1)[0]

    def worlds(self, rng: Random, count: int) -> list[Self]:
        """Returns `count` random positions that fit this view, with a layout for each robot in the ring.

        Before the robots are built, each of these positions is this view itself.
        """
        if not self.layouts:
            return [self] * count
        return [self._replace(layouts=layouts) for layouts in worlds.draw_layouts(self, rng, count)]

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Returns at most `most` random orders that are worth trying.

        In the first turn, orders are preferred that build robots which can leave every corner of the ring.
        """
        if self.layouts:
            return super().ideas(seat, rng, most)
        every = super().ideas(seat, rng, 2 * most)
        return [one for one in every if all(map(bot.is_sound, self.read_layouts(one)))][:most] or every[:most]

    def pieces(self) -> int:
        return len(self.squares) - self.squares.count(OFF)

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

    def look_back(self) -> list[xray.RevealedRobot] | None:
        return xray.look_back(self)

    def drawing(self) -> dict[str, Any]:
        return picture.drawing(self)

    def cell(self, seat: Seat) -> picture.Cell | None:
        return picture.cell(self, seat)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial, guesses)
