"""The parts of a fight plan: the player's robots and slots, enemies and their letters, squares to tap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, Order, Plan, Seat, Sentence
from games.roboxing.notes import LetterNote
from games.roboxing.picture import Run, hurt


class BodySlot(NamedTuple):
    """A slot of the player's robot; `key` is the choice that a tap on it makes, "" if there is none.

    `steps` is the number of spaces that its engine moves the robot in the plan, `covers` tells whether an
    enemy is now in its laser's zone, `name` describes a tap, `why` is the reason why a tap is forbidden now.
    """

    slot: str
    x: int
    y: int
    letter: str
    part: str
    gone: bool
    picked: bool
    key: str
    degrees: int
    steps: int
    covers: bool
    name: Sentence
    why: Sentence | None


class Pip(NamedTuple):
    """A space that a robot may move: `taken` if the plan uses it, `boost` if it needs the booster."""

    taken: bool
    boost: bool


class LegShown(NamedTuple):
    """A leg of the planned move from x0, y0 to x, y; `key` is the choice to remove it and all later legs."""

    number: int
    letter: str
    spaces: int
    way: str
    x0: float
    y0: float
    x: float
    y: float
    key: str
    middle_x: float
    middle_y: float
    degrees: int
    says: Sentence


class TurretShown(NamedTuple):
    """An intact laser: its danger zone from the robot's new square, and the enemies now in it."""

    letter: str
    slot: str
    key: str
    picked: bool
    zone: tuple[Run, ...]
    covers: tuple[str, ...]


class RobotShown(NamedTuple):
    """A robot of the player in the plan, which moves from x0, y0 to x, y.

    It moves `moved` of `limit` spaces, and `left` remain; more than `power` spend the booster, which is
    "free", "spent" or "gone" (X5). `reach` is doubled if the booster is free.
    """

    robot: str
    number: int
    side: str
    name: Seat | Sentence
    current: bool
    key: str
    slots: tuple[BodySlot, ...]
    legs: tuple[LegShown, ...]
    moved: int
    left: int
    power: int
    limit: int
    booster: str
    lasers: int
    reach: int
    turrets: tuple[TurretShown, ...]
    turret: str
    target: str
    square: str
    x0: float
    y0: float
    x: float
    y: float
    scale: float
    order: Order
    tag: str
    pips: tuple[Pip, ...]
    stays: bool
    fires: Sentence | None

    @property
    def parts(self) -> tuple[BodySlot, ...]:
        """The robot's slots, under the name that drawings of robots use."""
        return self.slots

    @property
    def hurt(self) -> int:
        return hurt(sum(slot.gone for slot in self.slots))


class TargetLetter(NamedTuple):
    """A letter of an enemy's damage sheet, with what is known of it; `name` describes a tap.

    `fresh`: the last turn has revealed something new about it.
    """

    letter: str
    key: str
    gone: bool
    picked: bool
    note: LetterNote
    degrees: int
    name: Sentence
    why: Sentence | None
    fresh: bool


class EnemyShown(NamedTuple):
    """An enemy's robot and its letters; `covered`: the chosen laser would reach it on its present square.

    `current`: its damage sheet is open; `key` is the choice that opens it, "" for the only enemy.
    """

    robot: str
    side: str
    name: Seat | Sentence
    square: str
    x: float
    y: float
    covered: bool
    letters: tuple[TargetLetter, ...]
    tag: str
    current: bool
    key: str
    target: str
    noted: bool

    @property
    def news(self) -> tuple[Sentence, ...]:
        """Sentences on what the last turn has revealed about its letters for the first time."""
        return tuple(letter.note.words for letter in self.letters if letter.fresh)


class Tap(NamedTuple):
    """A square of the board that the current robot may move to next; `boosts`: that spends its booster.

    `column` and `row` count the squares from the upper left corner, from 1.
    """

    square: str
    x: float
    y: float
    key: str
    letter: str
    spaces: int
    boosts: bool
    column: int
    row: int
    name: Sentence


class Guessed(NamedTuple):
    """An enemy's robot on a square where the player guesses it.

    `hit` tells whether a planned shot would hit it there; None if none is planned at it.
    """

    robot: str
    side: str
    square: str
    x: float
    y: float
    hit: bool | None


@dataclass(frozen=True, slots=True)
class FightPlan(Plan):
    """A plan for a turn of the fight. Its choices are the current robot's; those in `tabs` switch robots.

    `columns` and `rows` are the ring's width and height in squares. `ends` warns that the planned moves would
    end the fight (X13), `astray` that the planned shot covers no enemy's present square.
    """

    building: bool = False
    robots: tuple[RobotShown, ...] = ()
    current: int = 0
    engines: tuple[Choice, ...] = ()
    turrets: tuple[Choice, ...] = ()
    targets: tuple[Choice, ...] = ()
    actions: tuple[Choice, ...] = ()
    enemies: tuple[EnemyShown, ...] = ()
    tabs: tuple[Choice, ...] = ()
    columns: int = 0
    rows: int = 0
    can_undo: bool = False
    taps: tuple[Tap, ...] = ()
    guessed: tuple[Guessed, ...] = ()
    ends: Sentence | None = None
    astray: Sentence | None = None
