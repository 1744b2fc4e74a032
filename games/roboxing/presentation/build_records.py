"""The data of a plan to build robots: the robots, their slots, and a preview of the robot being edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, Plan, Sentence
from games.roboxing.presentation.picture import Part, Run


class BuildSlot(NamedTuple):
    """A slot of a robot under construction, in slots from its centre, and the choice of a tap on it."""

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
        """Another name for `slots`, which the templates that draw robots use."""
        return self.slots


class Thrust(NamedTuple):
    """The longest move of an engine: from (x, y) to (x2, y2), or with the booster to (x3, y3)."""

    letter: str
    x: float
    y: float
    x2: float
    y2: float
    x3: float
    y3: float


class Trial(NamedTuple):
    """The robot that the player is building, drawn in the middle of the ring to show what its parts can do.

    `thrusts` are the longest moves of the picked engine or, if no part is picked, of all engines that can
    move the robot. `near` are the squares that the picked laser covers without the booster, and `far` are
    those that the booster adds. If no laser is picked, `near` and `far` are ().
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

    `parts` and `letters` are the choices that change the picked slot. `shuffles` are the choices that build
    at random. `tabs` are the choices that select a robot. `hint` explains the next tap, and `does` explains
    what the parts can do.
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
    free: bool = False
