"""A position of Robo Battle Pigs with all that the site shows of it: plans, events, drawings, reviews."""

from collections.abc import Mapping, Sequence
from random import Random
from types import ModuleType
from typing import ClassVar, Self

from games.core import HITS, Departure, Event, Order, Progress, Review, Seat
from games.pigs.bot import evaluation, review, search
from games.pigs.presentation import picture, planner, preview, story
from games.pigs.rules import Position
from games.pigs.steps import DAMAGE, FIRE, STEPS

STANDS = 0.3
"""The probability with which another pig is expected to stay and fire; with 0.15, bots lost to such a pig."""


class PigsState(Position):
    """The `State` of Robo Battle Pigs; its methods are functions of this package."""

    __slots__ = ()
    search: ClassVar[ModuleType] = search
    tell = staticmethod(story.tell)
    highlight = staticmethod(story.highlight)
    words = story.words
    reaches = story.reaches
    drawing = picture.drawing
    cell = picture.cell
    make_plan = planner.plan
    make_guess = planner.guess
    hypothetical_plan = planner.hypothetical_plan

    def expected(self, seat: Seat, rng: Random) -> Order:
        """Returns a random program or, with a probability of STANDS, that of a pig that stays and fires."""
        if self.lists or rng.random() >= STANDS:
            return self.sample(seat, rng)
        parts = [[FIRE] * (STEPS - self.owed(seat)), [DAMAGE] * self.owed(seat)]
        rng.shuffle(parts)
        return " ".join(parts[0] + parts[1])

    def evaluate(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else evaluation.evaluate(self, seat)

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def progress(self, seat: Seat) -> Progress | None:
        return story.hit_progress(self, seat) or story.damage_progress(self, seat)

    def departure_from_plan(self, seat: Seat, order: Order, film: Sequence[Self]) -> Departure | None:
        return preview.departure_from_plan(self, seat, order, film) if seat in self.still_in() else None

    @property
    def review_unit(self) -> str:
        return "" if self.lists else HITS

    def review(self, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
        return None if self.lists or orders.keys() != self.to_act() else review.review(self, orders, rng)
