"""What the planner of the building shows: robots with their slots, and the one on the bench tried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, Plan, Sentence
from games.roboxing.picture import Part, Run


class BuildSlot(NamedTuple):
    """A slot of a robot that is built; x and y from its centre. `key` is the choice that a tap makes."""

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
    """A robot that is built; `key` is the choice that brings it to the bench, "" where there is but one."""

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
        """Its slots, as every drawing of a robot asks for them."""
        return self.slots


class Thrust(NamedTuple):
    """Where an engine takes its robot from x, y: to x2, y2 by itself, to x3, y3 with the booster."""

    letter: str
    x: float
    y: float
    x2: float
    y2: float
    x3: float
    y3: float


class Trial(NamedTuple):
    """The robot on the bench, put in the middle of the ring to try out what its parts do there.

    `thrusts` are of the engine that is picked up, or of all; `near` and `far` is what a laser that is picked
    up covers without and with the booster.
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
    """`parts` and `letters` are what the slot that is picked up may become; `shuffles` build by chance.

    `tabs` bring another robot to the bench, `hint` says what a tap does next, `does` what the parts can do.
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
