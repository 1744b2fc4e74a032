"""Robo Battle Pigs, by Randy Cox: its `State`, and its `Game` with options, presets and texts."""

from collections.abc import Mapping, Sequence
from random import Random
from types import ModuleType
from typing import ClassVar, Self

from games.core import (
    HITS,
    Box,
    BubbleTarget,
    Departure,
    Event,
    Game,
    Order,
    Preset,
    Progress,
    Review,
    Seat,
    Sentence,
)
from games.pigs.bot import evaluate, review, search
from games.pigs.options import Options
from games.pigs.presentation import picture, planner, preview, story
from games.pigs.rules import Position
from games.pigs.steps import DAMAGE, FIRE, STEPS
from games.pigs.teaching.described import DESCRIBED, things
from games.pigs.teaching.examples import EXAMPLES
from games.pigs.teaching.lesson import LESSON, SECOND_LESSON
from games.pigs.teaching.puzzle_prover import PUZZLE_PROVER

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
        return self.ended.scores[seat] if self.ended else evaluate(self, seat)

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


_SIDES = {
    "A": "You start at the top.",
    "B": "You start at the bottom.",
    "C": "You start on the right.",
    "D": "You start on the left.",
}
_LISTS = {
    True: "Each hit repeats the last command of the list.",
    False: "A hit repeats nothing.",
}
_KIDS = {
    "first_down": "As soon as someone has landed five hits: a race, in which no one is destroyed.",
    "last_standing": "When only one pig is left standing; a pig that has taken five hits is destroyed.",
}


class _Pigs(Game):
    things = staticmethod(things)

    def seats(self, options: Options) -> range:
        return range(2, 5) if options.start == "sides" else range(2, 9)

    def begins(self, options: Options, seats: int, seat: Seat) -> Sentence | None:
        """A sentence on where the pig starts (ruling P1); None in a ring, where all are alike (P2)."""
        return Sentence(_SIDES[seat]) if options.start == "sides" else None

    def newcomers_seat(self, options: Options, seats: int) -> Seat:
        """B, whose pig faces the top of the screen, or A in a ring."""
        return Seat("B") if options.start == "sides" else super().newcomers_seat(options, seats)

    def say_option(self, name: str, options: Options) -> Sentence:
        """A sentence on an option; those on `damage_moves` and `ends` depend on other options (P15, P14)."""
        if name == "damage_moves" and options.mode == "continuous":
            return Sentence(_LISTS[options.damage_moves])
        if name == "ends" and not options.damage_moves:
            return Sentence(_KIDS[options.ends])
        return super().say_option(name, options)

    def last_standing(self, options: Options) -> bool:
        return options.ends == "last_standing"

    def is_drawish(self, options: Options, seats: int) -> bool:
        """Returns True for two pigs in continuous feedback: 73 % had no winner in `games/balance.json`."""
        return seats == 2 and options.mode == "continuous"

    def goal(self, options: Options, seats: int) -> Sentence:
        """A sentence on the aim of a match (rulings P11 and P13; in a race, P14)."""
        if options.race:
            return Sentence("Be the first to land five hits.")
        if seats == 2:
            return Sentence("Destroy the other pig before it destroys yours. Five hits do it.")
        if options.ends == "last_standing":
            return Sentence("Be the last pig standing. Five hits destroy a pig.")
        return Sentence("Have the least damage when the first pig is destroyed.")

    def introduce(self, options: Options, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        return (
            Sentence("Your pig fires the way it faces."),
            self.goal(options, seats),
            # Two pigs start one file apart (P1): a step ahead to the left brings the other one into line.
            Sentence(
                "Choose commands: ahead left, then fire. Seal, and all pigs run theirs at the same time."
            )
            if seats == 2 and options.start == "sides" and options.mode == "rounds"
            else Sentence("Choose five commands, then seal. All pigs run theirs at the same time."),
        )

    def points_at(self, turn: int, seats: int) -> tuple[BubbleTarget, ...]:
        return ("own", "other" if seats == 2 else "own", "plan")


PIGS = _Pigs(
    slug="pigs",
    name="Robo Battle Pigs",
    designer="Randy Cox",
    brief="Five secret commands each. Then everything runs at once.",
    says="Program your pig in secret, five commands at a time. Then all programs run at once.",
    box=Box(
        year=2000,
        minutes=(25, 25),
        mechanics="Secret programming, simultaneous movement, combat",
        notes=(
            "All it takes is a chessboard, paper and pencils, and for each player a token with a clear "
            "front. The designer’s favourites are rubber pigs like those of Pass the Pigs; chess knights "
            "will do.",
            "Repairs are risky on purpose: if they were easy, a fight might never end.",
            "It was a finalist in the 8x8 Game Design Competition of 2001.",
        ),
        credits=(
            "Erik Arneson suggested the battle of eight pigs, for the About Boardgames forum; Chouser helped "
            "to work out its rules: B.A.S.H.",
            "A group of students from the Netherlands wrote a version for Windows, played over a network.",
        ),
        address="http://cox-tv.com/games",
    ),
    options=Options,
    lesson=LESSON,
    described=DESCRIBED,
    more_lessons=(SECOND_LESSON,),
    examples=EXAMPLES,
    second_person=story.SECOND_PERSON,
    puzzle_prover=PUZZLE_PROVER,
    manner="rounds",
    state=PigsState,
    notation="Commands, separated by spaces: ^ v \\ / TL TR F H R X",
    presets={
        "standard": Preset(
            "Standard",
            "The original game, as it was published.",
            range(2, 5),
            {},
            brief="five commands at a time",
        ),
        "bash": Preset(
            "B.A.S.H.",
            "Up to eight pigs in a ring, best with four or more; the last one standing wins.",
            range(2, 9),
            {"start": "ring", "ends": "last_standing"},
            usual=4,
            brief="up to eight, in a ring",
        ),
        "kids": Preset(
            "Kids",
            "Damage takes no slots. The first to land five hits wins, and no one is destroyed.",
            range(2, 5),
            {"damage_moves": False},
            brief="a race to five hits",
        ),
        "continuous": Preset(
            "Continuous feedback",
            "For advanced players: slower, and very different. Plan three commands ahead, add one after "
            "every step; a hit makes your list longer.",
            range(2, 5),
            {"mode": "continuous", "ends": "last_standing"},
            brief="one command every step",
        ),
        "continuous-ring": Preset(
            "Continuous ring",
            "For advanced players: continuous feedback for up to eight pigs in a ring.",
            range(2, 9),
            {"mode": "continuous", "ends": "last_standing", "start": "ring"},
            brief="the same, up to eight",
        ),
        "crossing": Preset(
            "No crossing",
            "Pigs side by side don’t cross; both walk forward.",
            range(2, 5),
            {"side_cross": "forward"},
            brief="side by side: straight on",
        ),
    },
)
