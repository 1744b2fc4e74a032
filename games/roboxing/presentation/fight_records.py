"""The data of a plan for a turn of the fight: the player's robots, enemy robots, and squares to tap."""

from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, Plan, Seat, Sentence
from games.roboxing.notes import LetterNote
from games.roboxing.presentation.picture import hurt
from games.roboxing.ring import Run


class BodySlot(NamedTuple):
    """One of the nine slots of the player's robot, as the planner draws it.

    `key` is the choice of a tap on it, "" for the booster. `steps` is how far its engine moves the robot
    in the plan. `covers`: its laser covers an enemy's present square after the move. `why` forbids a tap,
    or is None.
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
    """One of the spaces that a robot may move, `taken` by the plan; `boost` needs the booster."""

    taken: bool
    boost: bool


class LegShown(NamedTuple):
    """A leg of the planned move, from the leg before to (x, y)."""

    letter: str
    spaces: int
    x: float
    y: float
    middle_x: float
    middle_y: float
    degrees: int
    says: Sentence


class TurretShown(NamedTuple):
    """An intact laser, the squares that it covers after the planned move, and the enemies on them now."""

    letter: str
    slot: str
    picked: bool
    zone: tuple[Run, ...]
    covers: tuple[str, ...]


class RobotShown(NamedTuple):
    """A robot of the player in the plan, with a planned move from (x0, y0) to (x, y).

    A long move spends the booster, which is "free", "spent" or "gone" (ruling X5).
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
    limit: int
    booster: str
    reach: int
    turrets: tuple[TurretShown, ...]
    turret: str
    square: str
    x0: float
    y0: float
    x: float
    y: float
    scale: float
    tag: str
    pips: tuple[Pip, ...]
    fires: Sentence | None

    @property
    def parts(self) -> tuple[BodySlot, ...]:
        return self.slots

    @property
    def hurt(self) -> int:
        return hurt(sum(slot.gone for slot in self.slots))


class TargetLetter(NamedTuple):
    """A letter of an enemy robot, and what everybody knows about it; `fresh`: the last turn added to it."""

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
    """An enemy robot and its letters; `current` if the planner shows them, by the choice `key`.

    `covered`: the chosen laser of the current robot would cover its present square.
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
        """Sentences on the news of the last turn about the robot's letters."""
        return tuple(letter.note.words for letter in self.letters if letter.fresh)


class Tap(NamedTuple):
    """A square to which the current robot may move next; columns and rows count from 1 at the upper left."""

    x: float
    y: float
    key: str
    boosts: bool
    column: int
    row: int
    name: Sentence


@dataclass(frozen=True, slots=True)
class FightPlan(Plan):
    """A plan for a turn of the fight; actions and taps are of the current robot.

    `ends` warns that the planned moves would end the fight (ruling X13), `astray` that the chosen laser
    covers no enemy's present square.
    """

    building: bool = False
    robots: tuple[RobotShown, ...] = ()
    current: int = 0
    actions: tuple[Choice, ...] = ()
    enemies: tuple[EnemyShown, ...] = ()
    tabs: tuple[Choice, ...] = ()
    columns: int = 0
    rows: int = 0
    taps: tuple[Tap, ...] = ()
    ends: Sentence | None = None
    astray: Sentence | None = None

    @property
    def awaits_letter(self) -> bool:
        """True if the current robot's laser still needs a letter to aim at."""
        shown = [robot for robot in self.robots if robot.current and robot.fires is None]
        return any(turret.picked for robot in shown for turret in robot.turrets)
