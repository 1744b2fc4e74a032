"""Robosoccer, by José Carlos de Diego Guerrero: its `State`, and its `Game` with options and texts."""

from collections.abc import Mapping
from random import Random
from types import ModuleType
from typing import Any, ClassVar

from games.core import (
    SHARE,
    Box,
    BubbleTarget,
    Event,
    Game,
    IllegalOption,
    Order,
    Plan,
    Preset,
    Seat,
    Sentence,
    Setup,
    Wish,
)
from games.robosoccer.board import BUILT_IN, SIGNS, Spec, board_of, read_spec
from games.robosoccer.bot import evaluate, search
from games.robosoccer.presentation import picture, planner, story
from games.robosoccer.presentation.picture import spots_of
from games.robosoccer.presentation.sketch import Sketch, sketch
from games.robosoccer.rules import SEATS, Options, Position
from games.robosoccer.teaching.described import DESCRIBED, THINGS
from games.robosoccer.teaching.examples import EXAMPLES
from games.robosoccer.teaching.lesson import LESSON, SECOND_LESSON
from games.robosoccer.teaching.puzzle_prover import PUZZLE_PROVER
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
        return self.ended.scores[seat] if self.ended else evaluate(self, SEATS.index(seat))

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def bounds(self) -> list[tuple[Sentence, tuple[str, ...]]]:
        return story.bounds(self.board)

    def ground(self) -> list[Sentence]:
        return story.ground_words(self.board)

    def ready(self, seat: Seat, rng: Random) -> Order:
        """Returns LINE_UP if it fits the board, else a random setup order; "" once the setup is over."""
        if self.stage >= PLAYING or seat not in self.to_act():
            return ""
        if self.stage < len(SEATS) and self.board.columns == len(LINE_UP):
            return LINE_UP
        return self.sample(seat, rng)

    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        return planner.plan(self, seat, partial)


class _Robosoccer(Game):
    """Robosoccer, whose setup may have a `board` of its own, and a sign for each of its `arrows`."""

    draws_boards = True

    def seats(self, options: Options) -> range:
        return range(2, 3)

    def draw(self, options: Options, seats: int, rng: Random, wish: Setup) -> Setup:
        spec = self._check(options, wish)
        setup = dict(wish)
        if options.arrows == "custom" and "arrows" not in setup:
            setup["arrows"] = spec.drawn(rng)
        return setup

    def check_setup(self, options: Options, seats: int, setup: Setup) -> None:
        self._check(options, setup)
        if options.arrows == "custom" and "arrows" not in setup:
            raise IllegalOption("Custom arrows need “arrows” in the setup: a sign each, + or -.", at="arrows")

    def wishes(self, options: Options) -> tuple[Wish, ...]:
        """A question on the direction of each small arrow of the built-in board, if they are `custom`."""
        if options.arrows != "custom":
            return ()
        board = board_of(BUILT_IN)
        names = board.names
        edges = [(names[from_], names[to]) for from_, to in BUILT_IN.arrows]
        return tuple(
            Wish(
                key=str(n),
                says=Sentence("Between {one} and {other}", one=from_, other=to),
                answers={
                    "+": Sentence("from {one} to {other}", one=from_, other=to),
                    "-": Sentence("from {one} to {other}", one=to, other=from_),
                },
                spot=spot,
            )
            for n, ((from_, to), spot) in enumerate(zip(edges, spots_of(board), strict=True))
        )

    def wish(self, options: Options, answers: Mapping[str, str]) -> Setup:
        wishes = self.wishes(options)
        return {"arrows": "".join(answers.get(wish.key, "+") for wish in wishes)} if wishes else {}

    def sketch(self, given: Mapping[str, Any]) -> Sketch:
        return sketch(given)

    def begins(self, options: Options, seats: int, seat: Seat) -> Sentence | None:
        """A sentence on when the seat sets up and moves (ruling S1)."""
        return Sentence(
            "You set up first." if seat == SEATS[0] else "You set up second, then make the first move."
        )

    def goal(self, options: Options, seats: int) -> Sentence:
        """A sentence on the aim of a match (ruling S8)."""
        return Sentence("Be the first to get your ball to the far row.")

    def things(self, options: Options) -> Mapping[str, Sentence]:
        return THINGS

    def introduce(self, options: Options, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        """The bubbles of the setup: the ends (S1), the signs (S2), the robots' sizes (S5, S6)."""
        return (
            Sentence("Your home row. Your six robots stand ready; your ball comes next."),
            Sentence(
                "Your ball wins on this row. It moves only by changing places with one of your robots: to "
                "the left or right, or along a diagonal, with nothing in between."
            ),
            Sentence("Robots go up, down and sideways, but mind these signs:"),
            Sentence(
                "Size matters: a robot pushes opponents that aren’t bigger, and jumps over bigger "
                "ones. Play this line-up, or tap a robot to change it."
            ),
        )

    def points_at(self, turn: int, seats: int) -> tuple[BubbleTarget, ...]:
        return ("home", "goal", "ground", "plan") if turn < PLAYING // 2 else ()

    def _check(self, options: Options, setup: Setup) -> Spec:
        """Returns the board of a setup, or of a wish; raises IllegalOption for the first error."""
        for key in setup:
            if key not in ("board", "arrows"):
                raise IllegalOption(
                    "A setup of {game} has “board” and “arrows”, not “{key}”.",
                    at="setup",
                    game=self.name,
                    key=key,
                )
        spec = read_spec(setup["board"]) if "board" in setup else BUILT_IN
        if "arrows" in setup:
            signs, n = setup["arrows"], len(spec.arrows)
            if options.arrows != "custom":
                raise IllegalOption("Only custom arrows can be set; these stay as on the board.", at="arrows")
            if not isinstance(signs, str) or len(signs) != n or set(signs) - {*SIGNS}:
                raise IllegalOption(
                    "“arrows” is a text of {n} signs, each + or -, one for each small arrow.",
                    at="arrows",
                    n=n,
                )
        return spec


ROBOSOCCER = _Robosoccer(
    slug="robosoccer",
    name="Robosoccer",
    designer="José Carlos de Diego Guerrero",
    brief="Push, jump, switch: get your ball to the far row.",
    says="Move, push and jump with your robots to get your ball to the far row, "
    "on a board that wraps around.",
    box=Box(
        mechanics="Up to two actions a turn: moving, pushing, jumping, ball control",
        notes=(
            "The idea behind it is a football match between robots, and a rough one.",
            (
                "The designer made it a game of ball control in which no one ever kicks the ball: it "
                "changes places with a robot."
            ),
        ),
    ),
    options=Options,
    notation="First your robots from a to f, like LMSSML, then the square of your ball, like c2. "
    "In later turns, write one or two actions: c2-c3 moves, c2>c3 pushes, c2^c4 jumps, c2=e4 changes places "
    "with the ball.",
    lesson=LESSON,
    described=DESCRIBED,
    more_lessons=(SECOND_LESSON,),
    examples=EXAMPLES,
    second_person=story.SECOND_PERSON,
    puzzle_prover=PUZZLE_PROVER,
    state=RobosoccerState,
    presets={
        "standard": Preset(
            "Standard", "The arrows as on the board.", range(2, 3), {}, brief="the printed arrows"
        ),
        "custom": Preset(
            "Custom arrows",
            "The arrows’ directions are random, the same for both sides.",
            range(2, 3),
            {"arrows": "custom"},
            brief="random arrows",
        ),
    },
)
