"""Robble, by Luis Bolaños Mures: its `State`, and its `Game` with options, presets and texts."""

from collections.abc import Mapping
from types import ModuleType
from typing import ClassVar

from games.core import SEATS, SHARE, Box, Event, Game, Order, Plan, Preset, Seat, Sentence
from games.robble.bot import evaluate, search
from games.robble.presentation import picture, planner, story
from games.robble.presentation.story import COLOURS
from games.robble.rules import Options, Position
from games.robble.stones import LETTERS
from games.robble.teaching.described import DESCRIBED, things
from games.robble.teaching.examples import EXAMPLES
from games.robble.teaching.lesson import LESSON, SECOND_LESSON
from games.robble.teaching.puzzle_prover import PUZZLE_PROVER


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
        return evaluate(self.board, self.stones, self.colour(seat))

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def glimpse(self, seat: Seat, order: Order) -> Plan:
        return planner.glimpse(self, order)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial)


TWO = range(2, 3)


class _Robble(Game):
    things = staticmethod(things)

    def seats(self, options: Options) -> range:
        return TWO

    def begins(self, options: Options, seats: int, seat: Seat) -> Sentence | None:
        """A sentence on the seat's colour, and its first turn or its right to swap (ruling B2)."""
        if seat == SEATS[0]:
            return Sentence("Black: places the first stone.")
        return Sentence("White: may swap colours at once." if options.pie else "White: places second.")

    def goal(self, options: Options, seats: int) -> Sentence:
        return Sentence("Have the biggest group when the board is full. Groups of the same size cancel out.")

    def introduce(self, options: Options, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        return (
            Sentence("Have the biggest group when the board is full. Two equal groups cancel out:"),
            Sentence(
                "Place a stone on any empty square. It pushes its neighbours away, even off the board. "
                "One that can’t move turns over."
            ),
            Sentence("Tap a square to see what happens before you play it."),
        )

    def colour(self, side: str) -> Sentence:
        return COLOURS[LETTERS.index(side)]


ROBBLE = _Robble(
    slug="robble",
    name="Robble",
    designer="Luis Bolaños Mures",
    brief="Every stone pushes or flips its neighbours.",
    says="Every stone that you place pushes its neighbours, turns them over, or throws them off the board.",
    box=Box(
        year=2020,
        minutes=(20, 60),
        age=5,
        mechanics="Abstract strategy: placing, pushing and turning over stones to build groups",
        notes=(
            "The designer published it on the web. Two other games inspired it: Gekitai and Pathwayz.",
            (
                "It’s meant for boards from five to nine squares a side. On five, a position hardly ever "
                "comes back; on larger boards that’s thought impossible."
            ),
        ),
    ),
    options=Options,
    lesson=LESSON,
    described=DESCRIBED,
    more_lessons=(SECOND_LESSON,),
    examples=EXAMPLES,
    second_person=story.SECOND_PERSON,
    puzzle_prover=PUZZLE_PROVER,
    state=RobbleState,
    sides={"b": Sentence("Black"), "w": Sentence("White")},
    sides_fixed_after=2,
    notation="A square, like d4; on White’s first turn also swap",
    presets={
        "standard": Preset("Standard", "Seven squares a side.", TWO, {}, brief="seven squares a side"),
        "small": Preset(
            "Small", "Five squares a side: short and sharp.", TWO, {"size": 5}, brief="five: short and sharp"
        ),
        "big": Preset(
            "Big", "Nine squares a side: the long game.", TWO, {"size": 9}, brief="nine: the long game"
        ),
    },
)
