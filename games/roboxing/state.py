"""A position of Roboxing with all that the site shows of it: plans, events, drawings, guesses."""

from collections.abc import Mapping
from random import Random
from types import ModuleType
from typing import ClassVar, Self

from games.core import SHARE, Event, Order, Plan, Seat, Sentence
from games.roboxing.bot import bout, evaluation, search, worlds
from games.roboxing.presentation import building, fight, picture, story, xray
from games.roboxing.ring import OFF
from games.roboxing.robot import shuffled_to_move, write_slots
from games.roboxing.rules import Position


class RoboxingState(Position):
    """The `State` of Roboxing, or a seat's view of one; its methods are functions of this package."""

    __slots__ = ()
    search: ClassVar[ModuleType] = search
    tell = story.tell
    highlight = staticmethod(story.highlight)
    words = story.words
    look_back = xray.look_back
    reaches = story.reaches
    drawing = picture.drawing
    cell = picture.cell
    review = search.judge
    review_unit = SHARE

    def determinize(self, rng: Random) -> Self:
        return self.worlds(rng, 1)[0]

    def worlds(self, rng: Random, count: int) -> list[Self]:
        if not self.layouts:
            return [self] * count
        return [self._replace(layouts=layouts) for layouts in worlds.draw_layouts(self, rng, count)]

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Returns random orders, in the first turn such that build sound robots."""
        if self.layouts:
            return super().ideas(seat, rng, most)
        every = super().ideas(seat, rng, 2 * most)
        return [one for one in every if all(map(evaluation.is_sound, self.read_layouts(one)))][
            :most
        ] or every[:most]

    def pieces(self) -> int:
        return len(self.squares) - self.squares.count(OFF)

    def evaluate(self, seat: Seat) -> float:
        if self.ended or self.ring.is_one_on_one:
            return self.evaluate_closely(seat)
        return evaluation.evaluate(self, seat)

    def evaluate_closely(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else bout.evaluate(self, seat)

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def ready(self, seat: Seat, rng: Random) -> Order:
        """Returns built robots that can all move; "" in later turns."""
        if self.layouts:
            return ""
        free = self.options.centre == "free"
        return " ".join(write_slots(*shuffled_to_move(rng, free)) for _ in self.ring.team[seat])

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        if seat not in self.to_act():
            return Plan(partial, (), Sentence("You have no orders to give."), ())
        if not self.layouts:
            return building.plan(self, seat, partial)
        if any(self.layouts[i] is None for i in self.robots(seat)):
            return Plan(partial, (), Sentence("These robots are not yours to order."), ())
        return fight.plan(self, seat, partial, guesses)
