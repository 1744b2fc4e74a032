"""A round of two pigs in numpy, for reviews: the payoffs of all programs of a side are computed together.

numpy is an optional extra (requirements/numerics.txt). Bots use `Duel` instead, so that they play the same
with and without numpy: among equally good programs, `VectorDuel` may choose others than `Duel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import mul
from typing import Any, NamedTuple

from games.pigs.duel import (
    ATTACKED_SQUARES,
    DAMAGE_INDEX,
    LAST,
    POSES_AFTER,
    REPAIR_INDEX,
    Duel,
    Mix,
    Program,
    Response,
    allowed,
)
from games.pigs.rules import Position
from games.pigs.steps import COMMANDS, POSES, SIZE, STEPS

Array = Any
"""A numpy array; typed as Any, since numpy may not be installed."""


class Tree(NamedTuple):
    """All programs of a side as a tree of prefixes.

    `steps` has two arrays for each step, with an entry for each prefix. The first array has the index of the
    prefix's parent in the step before, the second array the last command of the prefix. `programs` are the
    whole programs; `places` maps each program to its index in `programs`.
    """

    steps: list[tuple[Array, Array]]
    programs: list[Program]
    places: Mapping[Program, int]


def fastest_duel(position: Position) -> Duel:
    """Returns a `VectorDuel` for the position's round if it can be computed with numpy, else a `Duel`.

    A `VectorDuel` needs numpy, and a match of two pigs in which crossing pigs do not walk forward (ruling
    P6).
    """
    known = len(position.poses) == 2 and position.options.side_cross != "forward"
    return VectorDuel(position) if known and find_spec("numpy") else Duel(position)


class VectorDuel(Duel):
    """A `Duel` computed with numpy.

    There must be no hulk (destroyed pig) on the board, and `side_cross` must not be `forward` (ruling P6).
    """

    def __init__(self, position: Position) -> None:
        super().__init__(position)
        self._trees = tuple(_tree(owed) for owed in self.owed)
        self._vectors: tuple[dict[Program, Array], dict[Program, Array]] = ({}, {})

    def payoff(self, first: Program, second: Program) -> float:
        return float(self._vector(0, second)[self._trees[0].places[first]])

    def responses(self, side: int, mix: Mix, most: int) -> list[Response]:
        """Returns the `most` best responses of `side` to a mix of the other side, the best one first.

        Unlike the responses of a `Duel`, they are exactly the best programs, even if some of them are very
        similar.
        """
        np, programs = _numpy(), self._trees[side].programs
        vectors = [self._vector(side, other) for other in mix]
        shares = np.array(list(mix.values()), dtype=np.float32)
        values = np.einsum("i,ij->j", shares, np.array(vectors))  # a product of matrices would start threads
        best = np.argpartition(-values, min(most, len(values)) - 1)[:most]
        found = [
            Response(sum(map(mul, mix.values(), [float(vector[i]) for vector in vectors])), programs[i])
            for i in best.tolist()
        ]
        return sorted(found, reverse=True)

    def _vector(self, side: int, other: Program) -> Array:
        """Returns the payoff to `side` of each of its programs, in hits, if the other side plays `other`."""
        vector = self._vectors[side].get(other)
        if vector is None:
            vector = self._vectors[side][other] = self._played(side, other)
        return vector

    def _played(self, side: int, other: Program) -> Array:
        """Computes the payoffs that `_vector` returns.

        The computation goes step by step, in each step for all prefixes of programs of `side` at once.
        """
        np, (goals, aims) = _numpy(), _tables()
        poses, lives = self._situations[0][self._start]
        mine, theirs = np.array([poses[side]]), np.array([poses[1 - side]])
        left, right = np.array([lives[side]]), np.array([lives[1 - side]])
        values = np.zeros(1, np.float32)
        for step, (parents, own) in enumerate(self._trees[side].steps):
            command = other[step]
            mine, theirs, left, right = mine[parents], theirs[parents], left[parents], right[parents]
            mine, theirs = _walked(mine, theirs, goals[own, mine], goals[command, theirs])
            taken = aims[command, theirs, mine >> 2]
            landed = aims[own, mine, theirs >> 2]
            if step == STEPS - 1:  # P10: with the fifth R
                taken, landed = taken - (own == REPAIR_INDEX), landed - (command == REPAIR_INDEX)
            goes_on = (left > 0) & (right > 0)
            left, right = left - goes_on * taken, right - goes_on * landed
            ends = (right <= 0) * 1.0 - (left <= 0)  # P11, P14
            values = values[parents] + goes_on * (landed - taken + LAST * ends)
        return values.astype(np.float32)


def _walked(mine: Array, theirs: Array, goals: Array, others: Array) -> tuple[Array, Array]:
    """Returns the poses of both sides after bumps (ruling P5).

    `mine` are one side's poses before the step, and `goals` the poses that this side wants to reach; `theirs`
    and `others` are the same for the other side. If both pigs want one square, or each wants the other's
    square, no pig leaves its square.
    """
    np = _numpy()
    here, there = mine >> 2, theirs >> 2
    to, from_there = goals >> 2, others >> 2
    moves, others_move = to != here, from_there != there
    bump = (to == from_there) | ((to == there) & (from_there == here) & moves & others_move)
    return np.where(bump & moves, mine, goals), np.where(bump & others_move, theirs, others)


@cache
def _tree(owed: int) -> Tree:
    np = _numpy()
    layer: list[tuple[Program, int]] = [((), owed)]
    steps = []
    for slots in range(STEPS, 0, -1):
        parents: list[int] = []
        following: list[tuple[Program, int]] = []
        for i, (prefix, marks) in enumerate(layer):
            for command in _next(prefix, marks, slots, owed):
                parents.append(i)
                following.append(((*prefix, command), marks - (command == DAMAGE_INDEX)))
        layer = following
        steps.append((np.array(parents), np.array([prefix[-1] for prefix, _ in layer])))
    programs = [program for program, _ in layer]
    return Tree(steps, programs, {program: i for i, program in enumerate(programs)})


def _next(prefix: Program, marks: int, slots: int, owed: int) -> tuple[int, ...]:
    """Returns the commands that may follow `prefix`, as indices in COMMANDS (rulings P9 and P10).

    An X marks a slot that is lost to damage. `owed` is the number of X in a whole program without repairs. Of
    these, `marks` must still be placed in the `slots` slots after the prefix.
    """
    if REPAIR_INDEX in prefix:
        return (REPAIR_INDEX,)
    return (*allowed(marks, slots), REPAIR_INDEX) if owed and not prefix else allowed(marks, slots)


@cache
def _tables() -> tuple[Array, Array]:
    """Returns two arrays: the pose after a command, and whether a command hits a square (1 or 0).

    The first array is indexed by command and pose, the second by command, pose and square.
    """
    np = _numpy()
    aims = np.zeros((len(COMMANDS), len(POSES), SIZE * SIZE), np.int8)
    for command, squares in enumerate(ATTACKED_SQUARES):
        for pose in POSES:
            aims[command, pose, list(squares[pose])] = 1
    return np.array(POSES_AFTER), aims


@cache
def _numpy() -> Any:
    """Returns the module numpy, imported on first use, since the import takes a twentieth of a second."""
    return import_module("numpy")
