"""Roboxing, by Thomas Gale: its `State`, and its `Game` with options, setup, presets and texts."""

from collections.abc import Mapping
from random import Random
from types import ModuleType
from typing import ClassVar, Self

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
    seat_letters,
)
from games.roboxing.bot import bout, evaluate, is_sound, search, worlds
from games.roboxing.presentation import building, fight, picture, story, xray
from games.roboxing.ring import OFF, Options, corners
from games.roboxing.robot import shuffled_to_move, write_slots
from games.roboxing.rules import Position
from games.roboxing.teaching.described import DESCRIBED, things
from games.roboxing.teaching.examples import EXAMPLES
from games.roboxing.teaching.lesson import LESSON, SECOND_LESSON
from games.roboxing.teaching.puzzle_prover import PUZZLE_PROVER


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
        """Returns random orders; in the first turn, if possible, orders that build sound robots."""
        if self.layouts:
            return super().ideas(seat, rng, most)
        every = super().ideas(seat, rng, 2 * most)
        return [one for one in every if all(map(is_sound, self.read_layouts(one)))][:most] or every[:most]

    def pieces(self) -> int:
        return len(self.squares) - self.squares.count(OFF)

    def evaluate(self, seat: Seat) -> float:
        if self.ended or self.ring.is_one_on_one:
            return self.evaluate_closely(seat)
        return evaluate(self, seat)

    def evaluate_closely(self, seat: Seat) -> float:
        return self.ended.scores[seat] if self.ended else bout.evaluate(self, seat)

    @property
    def events(self) -> list[Event]:
        return story.events(self)

    def ready(self, seat: Seat, rng: Random) -> Order:
        """Returns an order that builds random robots which can all move; "" in later turns."""
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


def _to_build(alone: bool) -> tuple[Sentence, ...]:
    return (
        Sentence("Your robot. Its nine parts are a secret: the other player sees only letters.")
        if alone
        else Sentence("Your robot. Its nine parts are a secret: others see only letters."),
        Sentence("You win once all lasers or all engines of this robot are gone.")
        if alone
        else Sentence("A robot without lasers or without engines is out. The last one wins."),
        Sentence("Four arrows to move, four circles to fire, a booster. It’s ready: seal it."),
    )


def _to_fight(alone: bool) -> tuple[Sentence, ...]:
    return (
        Sentence("Move: tap a square in reach, or an engine of your robot."),
        Sentence("Fire: tap a laser, one a turn. It hits its squares once all have moved."),
        Sentence("Aim: tap a letter of the other robot. You can only guess what it is.")
        if alone
        else Sentence("Aim: tap a letter of another robot. You can only guess what it is."),
    )


def _to_guess(alone: bool) -> tuple[Sentence, ...]:
    return (
        Sentence("A letter shows what it is once it has been used:"),
        Sentence("Destroy all four lasers or all four engines of your opponent, and you win.")
        if alone
        else Sentence("A robot without lasers or without engines is out."),
    )


class _Roboxing(Game):
    things = staticmethod(things)

    def seats(self, options: Options) -> range:
        return range(2, 5)

    def last_standing(self, options: Options) -> bool:
        return True

    def goal(self, options: Options, seats: int) -> Sentence:
        """A sentence on the aim of a match (ruling X11)."""
        if seats == 2 and options.robots == 1:
            return Sentence("Destroy all lasers or all engines of the other robot.")
        return Sentence(
            "Be the last with a robot: one that has lost all its lasers, or all its engines, is out."
        )

    def introduce(self, options: Options, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        alone = seats == 2 and options.robots == 1
        return (_to_build, _to_fight, _to_guess)[turn](alone)

    def points_at(self, turn: int, seats: int) -> tuple[BubbleTarget, ...]:
        aims: tuple[tuple[BubbleTarget, ...], ...] = (
            ("own", "other", "plan"),
            ("own", "plan", "other"),
            ("aims", "other"),
        )
        return aims[turn] if turn < len(aims) else ()

    def keeps_bubbles(self, turn: int) -> bool:
        return turn == 0

    def draw(self, options: Options, seats: int, rng: Random, wish: Setup) -> Setup:
        """Returns random corners of the ring for the seats, opposite ones for two (ruling X2)."""
        if wish:
            raise IllegalOption("The starting corners are random; you cannot choose one.", at="setup")
        chosen = list(corners(options))
        if seats == 2:
            first = rng.choice((0, 2))
            chosen = chosen[first : first + 2]
        rng.shuffle(chosen)
        return {"corners": dict(zip(map(str, seat_letters(seats)), chosen, strict=False))}

    def check_setup(self, options: Options, seats: int, setup: Setup) -> None:
        all_corners, letters = corners(options), seat_letters(seats)
        chosen = setup.get("corners")
        if setup.keys() != {"corners"} or not isinstance(chosen, dict) or chosen.keys() != set(letters):
            raise IllegalOption(
                "A setup for Roboxing has “corners”, with a corner for each of {seats}.",
                at="setup",
                seats=", ".join(letters),
            )
        taken = [chosen[seat] for seat in letters]
        if any(corner not in all_corners for corner in taken) or len(set(taken)) < seats:
            raise IllegalOption(
                "Each seat starts in a corner of its own: {corners}.",
                at="setup",
                corners=", ".join(all_corners),
            )
        if seats == 2 and all_corners.index(taken[0]) // 2 != all_corners.index(taken[1]) // 2:
            raise IllegalOption("Two players start in opposite corners.", at="setup")


ROBOXING = _Roboxing(
    slug="roboxing",
    name="Roboxing",
    designer="Thomas Gale",
    notation="A robot is nine slots, row by row: a is an engine, (a) a laser, [a] the booster. An order is a "
    "move, a laser and a target: a2+d1 g b. Write - to stay. With several robots, separate layouts by a"
    " space and orders by ;",
    brief="Build, move, shoot – and guess where it hurts.",
    says="Build a robot in secret. Then move, shoot, and guess where it hurts.",
    box=Box(
        year=2004,
        mechanics="Secret building, simultaneous orders, deduction",
        notes=(
            "The idea was a game that needs little more than paper, and in which you first "
            "configure, then play. It was meant to be simple, but with enough to vary and customise "
            "that luck doesn’t decide everything. In the end it reminded the designer a little of "
            "RoboRally.",
            "The published rules are for two; more players, several robots and other rings are among their "
            "optional rules.",
        ),
        address="galegames.com",
    ),
    options=Options,
    guided=3,
    lesson=LESSON,
    described=DESCRIBED,
    more_lessons=(SECOND_LESSON,),
    examples=EXAMPLES,
    second_person=story.SECOND_PERSON,
    puzzle_prover=PUZZLE_PROVER,
    manner="orders",
    state=RoboxingState,
    presets={
        "standard": Preset(
            "Standard", "One robot each, in opposite corners.", range(2, 3), {}, brief="one robot each"
        ),
        "free-centre": Preset(
            "Free centre",
            "Any part may sit in the centre, and the booster anywhere.",
            range(2, 3),
            {"centre": "free"},
            brief="any part in the centre",
        ),
        "melee": Preset(
            "Melee",
            "Three or four robots; the last one standing wins.",
            range(3, 5),
            {},
            brief="three or four robots",
        ),
        "tag-team": Preset(
            "Tag team", "Two robots each.", range(2, 3), {"robots": 2}, brief="two robots each"
        ),
        "arena": Preset(
            "Arena",
            "Two robots each in a ring of twelve by twelve.",
            range(2, 5),
            {"width": 12, "height": 12, "robots": 2},
            brief="two each, in a big ring",
        ),
    },
)
