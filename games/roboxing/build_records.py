"""The parts of a building plan: robots with their slots, and a trial of the robot being edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, Plan, Sentence
from games.roboxing.picture import Part, Run


class BuildSlot(NamedTuple):
    """A slot of a robot under construction; `x` and `y` count from the robot's centre, in slots.

    `key` is the choice that a tap on the slot makes.
    """

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
    """A robot under construction.

    `key` is the choice that selects the robot for editing, "" if it is the only one. `current` is True for
    the robot that is selected.
    """

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
        """The robot's slots, under the name that drawings of robots use."""
        return self.slots


class Thrust(NamedTuple):
    """An engine's longest move from (x, y): to (x2, y2) without the booster, to (x3, y3) with it."""

    letter: str
    x: float
    y: float
    x2: float
    y2: float
    x3: float
    y3: float


class Trial(NamedTuple):
    """The robot being edited, drawn in the middle of the ring to show what its parts do there.

    `thrusts` are the longest moves of the picked engine, or of all engines if no part is picked; an engine in
    the centre has none. `near` are the squares that a picked laser covers without the booster, `far` the
    squares that the booster adds. Both are () if no laser is picked.
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

    `parts` and `letters` are the choices that change the picked slot, `shuffles` those that build at random,
    `tabs` those that select a robot. `hint` explains the next tap, `does` what the parts can do.
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
