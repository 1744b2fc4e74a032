"""A position of Robosoccer with all that the site shows of it: plans, events, drawings."""

from collections.abc import Mapping
from random import Random
from types import ModuleType
from typing import ClassVar

from games.core import SHARE, Event, Order, Plan, Seat, Sentence
from games.robosoccer.bot import evaluation, search
from games.robosoccer.presentation import picture, planner, story
from games.robosoccer.rules import SEATS, Position
from games.robosoccer.turns import PLAYING

LINE_UP = "LMSSML"
"""The line-up that a newcomer is offered on a row of six squares."""


class RobosoccerState(Position):
    """The `State` of Robosoccer; its methods are functions of this package."""

    __slots__ = ()
    search: ClassVar[ModuleType] = search
    tell = staticmethod(story.tell)
    highlight = staticmethod(story.highlight)
    words = story.words
    on_squares = story.squares
    reaches = story.reaches
    drawing = picture.drawing
    cell = picture.cell
    novelties = planner.novelties
    review = search.judge
    review_unit = SHARE

    def evaluate(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else evaluation.evaluate(self, SEATS.index(seat))

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def bounds(self) -> list[tuple[Sentence, tuple[str, ...]]]:
        return story.bounds(self.board)

    def ground(self) -> list[Sentence]:
        return story.ground_words(self.board)

    def ready(self, seat: Seat, rng: Random) -> Order:
        """Returns a line-up with the big robots outside, or a square for the ball; "" in later turns."""
        if self.stage >= PLAYING or seat not in self.to_act():
            return ""
        if self.stage < len(SEATS) and self.board.columns == len(LINE_UP):
            return LINE_UP
        return self.sample(seat, rng)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial)
