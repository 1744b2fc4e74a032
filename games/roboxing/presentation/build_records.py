"""The data of a plan to build robots: the robots, their slots, and a preview of the robot being edited."""

from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, Plan, Sentence
from games.roboxing.presentation.picture import Part
from games.roboxing.ring import Run


class BuildSlot(NamedTuple):
    """A slot of a robot under construction, at (x, y) from its centre, and the choice of a tap on it."""

    slot: str
    x: int
    y: int
    letter: str
    part: str
    picked: bool
    key: str
    tap_name: Sentence
    degrees: int
    name: Sentence
    gone: bool = False


class BuildRobot(NamedTuple):
    """A robot under construction, and the choice that selects it; "" if there is only one."""

    robot: str
    number: int
    side: str
    slots: tuple[BuildSlot, ...]
    tag: str
    current: bool
    key: str
    hurt: int = 0

    @property
    def parts(self) -> tuple[BuildSlot, ...]:
        return self.slots


class Thrust(NamedTuple):
    """The longest move of an engine: from (x, y) to (x2, y2), or with the booster to (x3, y3)."""

    x: float
    y: float
    x2: float
    y2: float
    x3: float
    y3: float


class Trial(NamedTuple):
    """The robot under construction, drawn in the middle of the ring to show what its parts can do.

    `thrusts` are the longest moves of the picked engine or, if none is, of all. `near` and `far` are the
    squares that the picked laser covers without the booster, and those that it adds.
    """

    x: float
    y: float
    square: str
    side: str
    tag: str
    parts: tuple[Part, ...]
    thrusts: tuple[Thrust, ...]
    near: tuple[Run, ...]
    far: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class BuildPlan(Plan):
    """A plan to build robots.

    `parts` and `letters` change the picked slot, `shuffles` build at random, and `tabs` select a robot.
    `hint` explains the next tap, and `does` what the parts can do.
    """

    building: bool = True
    robots: tuple[BuildRobot, ...] = ()
    parts: tuple[Choice, ...] = ()
    letters: tuple[Choice, ...] = ()
    shuffles: tuple[Choice, ...] = ()
    tabs: tuple[Choice, ...] = ()
    current: int = 1
    trial: Trial | None = None
    hint: Sentence | None = None
    does: tuple[Sentence, ...] = ()
    picked: bool = False
