"""The rules of a single step of Robo Battle Pigs: walking, bumping, firing and hitting.

A pig's *pose* is one number, square times four plus heading, so that a step can be looked up in tables that
are computed here from the rules. Rulings are named where they are coded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from games.core import IllegalOrder
from games.grid import Square

SIZE = 8
STEPS = 5
LIVES = 5
HULK = 100
"""The damage of a hulk (a destroyed or resigned pig): more than any living pig's, also in a race (P14)."""
GOAL = 5
"""The number of hits that wins a race (P14)."""
HEADINGS = "NESW"
FACINGS = ("north", "east", "south", "west")

# What a command does, in the pig's own eyes: steps to its right, steps ahead, quarter turns to its right.
WALKS = {"^": (0, 1), "v": (0, -1), "\\": (-1, 1), "/": (1, 1)}
TURNS = {"TL": -1, "TR": 1}
FIRE, HIT, REPAIR, DAMAGE = "F", "H", "R", "X"
FREE = (*WALKS, *TURNS, FIRE, HIT)
COMMANDS = (*FREE, REPAIR, DAMAGE)
ATTACKS = (FIRE, HIT)
NAMES = {
    "^": "forward",
    "v": "back",
    "\\": "ahead left",
    "/": "ahead right",
    "TL": "turn left",
    "TR": "turn right",
    FIRE: "fire",
    HIT: "hit",
    REPAIR: "repair",
    DAMAGE: "damage",
}
DIAGONAL = ("\\", "/")
REPAIRS = (REPAIR,) * STEPS

Pose = int
GONE: Pose = SIZE * SIZE * 4
"""The pose of a hulk that was removed from the board."""


class Cause(NamedTuple):
    """The step that led to a position: the poses and damage before it, and the command of each pig."""

    poses: tuple[Pose, ...]
    damage: tuple[int, ...]
    commands: tuple[str, ...]
    step: int


def pose(text: str) -> Pose:
    """Parses a pose written as a square and a heading, such as `d8S`; ValueError if there is none."""
    square, heading = Square.named(text[:-1]), HEADINGS.find(text[-1:])
    if heading < 0 or not square.on(SIZE, SIZE):
        raise ValueError(f"“{text}” is no place for a pig.")
    return (square.rank * SIZE + square.file) * 4 + heading


def square_of(p: Pose) -> Square:
    return Square(p // 4 % SIZE, p // 4 // SIZE)


def pose_text(p: Pose) -> str:
    """Returns the text of a pose, such as `d8S`, which `pose` parses."""
    return POSE_TEXTS[p]


def _ahead(p: Pose, right: int, ahead: int) -> Square:
    """The square `right` steps to a pig's right and `ahead` steps ahead of it, on the board or off it."""
    file, rank = square_of(p)
    dx, dy = ((right, ahead), (ahead, -right), (-right, -ahead), (-ahead, right))[p % 4]
    return Square(file + dx, rank + dy)


def _after(p: Pose, command: str) -> Pose:
    """The pose after a command if nothing interferes; a pig that would leave the board stays (P4)."""
    if command in TURNS:
        return p - p % 4 + (p + TURNS[command]) % 4
    if command in WALKS:
        to = _ahead(p, *WALKS[command])
        if to.on(SIZE, SIZE):
            return (to.rank * SIZE + to.file) * 4 + p % 4
    return p


def _cells(squares: Sequence[Square]) -> tuple[int, ...]:
    return tuple(s.rank * SIZE + s.file for s in squares if s.on(SIZE, SIZE))


POSES = range(SIZE * SIZE * 4)
POSE_TEXTS = tuple(f"{square_of(p)}{HEADINGS[p % 4]}" for p in POSES)
AFTER = {command: (*(_after(p, command) for p in POSES), GONE) for command in (*COMMANDS, "")}
"""The pose after each command, by command and pose before it; the command "" is a hulk's."""
RAY = tuple(_cells([_ahead(p, 0, n) for n in range(1, SIZE)]) for p in POSES)
REACH = tuple({square: far for far, square in enumerate(ray)} for ray in RAY)
FIST = tuple(frozenset(_cells([_ahead(p, side, 1) for side in (-1, 0, 1)])) for p in POSES)

Squares = int
"""A set of squares, as the bits of an integer."""


class Deed(NamedTuple):
    """The action of a pig if nobody interferes: its next pose, and the squares that it touches and attacks.

    A pig touches its start and its goal; if it walks diagonally, also the two squares beside its path, where
    another pig may cross it (P6). Pigs that touch no square in common cannot be in each other's way.
    """

    goal: Pose
    touches: Squares
    attacks: Squares


def _deed(p: Pose, command: str) -> Deed:
    goal = _after(p, command)
    (file, rank), (to_file, to_rank) = square_of(p), square_of(goal)
    touched = _cells([Square(x, y) for x in {file, to_file} for y in {rank, to_rank}])
    attacked = {FIRE: RAY[p], HIT: FIST[p]}.get(command, ())
    return Deed(goal, touches=_bits(touched), attacks=_bits(attacked))


def _bits(cells: Iterable[int]) -> Squares:
    return sum(1 << cell for cell in cells)


DEEDS = {command: (*(_deed(p, command) for p in POSES), Deed(GONE, 0, 0)) for command in (*COMMANDS, "")}
"""The deeds of a pig, by its command and by its pose before the command."""


def walk(poses: tuple[Pose, ...], commands: tuple[str, ...], forward: bool) -> tuple[Pose, ...]:
    """Returns the pigs' poses after they all move and turn at once, bumps included (P4 to P6, P12).

    `commands` has "" for a hulk. `forward`: pigs that would cross walk forward instead.
    """
    goals = wishes(poses, commands, forward)
    if not _roomy(poses, goals):
        _bump(poses, commands, goals)
        if "" in commands:
            _flatten(poses, goals, commands)
    return tuple(goals)


def _bump(poses: tuple[Pose, ...], commands: tuple[str, ...], goals: list[Pose]) -> None:
    """Sends pigs that cannot reach their goals back to their squares, until nothing changes (P5).

    Changes `goals`. Hulks are no obstacle here: a pig that walks onto one flattens it (P12).
    """
    moving = [i for i, p in enumerate(poses) if p >> 2 != goals[i] >> 2]
    living = [i for i, c in enumerate(commands) if c]
    while True:
        stopped = [i for i in moving if _stopped(i, poses, goals, living)]
        if not stopped:
            return
        for i in stopped:
            goals[i] = poses[i]
            moving.remove(i)


def _roomy(poses: tuple[Pose, ...], goals: list[Pose]) -> bool:
    """Tell whether no pig can be in another's way: all goals differ, and none is a square just left."""
    wanted = {g >> 2 for g in goals}
    if len(wanted) < len(goals):
        return False
    for p, g in zip(poses, goals, strict=True):  # noqa: SIM110 - a generator would cost a tenth of the step
        if p >> 2 != g >> 2 and p >> 2 in wanted:
            return False
    return True


def wishes(poses: tuple[Pose, ...], commands: tuple[str, ...], forward: bool) -> list[Pose]:
    """The poses that the pigs would reach without bumps; walls (P4) and crossings (P6) are considered."""
    goals = [AFTER[c][p] for p, c in zip(poses, commands, strict=True)]
    if forward:
        _cross_forward(poses, commands, goals)
    return goals


def _stopped(i: int, poses: tuple[Pose, ...], goals: list[Pose], living: list[int]) -> bool:
    """Tell whether a moving pig is stopped by another living one (P5)."""
    here, there = poses[i] // 4, goals[i] // 4
    for j in living:
        if j == i:
            continue
        if goals[j] // 4 == there:  # the other pig moves to this square too, or stays on it
            return True
        if poses[j] // 4 == there and goals[j] // 4 == here:  # they would exchange squares
            return True
    return False


def _cross_forward(poses: tuple[Pose, ...], commands: tuple[str, ...], goals: list[Pose]) -> None:
    """Replaces the diagonal moves of pigs side by side that would cross by one step forward (P6).

    Changes `goals`. Two diagonal moves with the same midpoint are a crossing or an exchange; pigs in an
    exchange are left out.
    """
    diagonal = [i for i, c in enumerate(commands) if c in DIAGONAL and poses[i] != goals[i]]
    if len(diagonal) < 2:
        return
    exchanging = {
        k
        for i, j in combinations(diagonal, 2)
        if poses[i] // 4 == goals[j] // 4 and poses[j] // 4 == goals[i] // 4
        for k in (i, j)
    }
    crossing = {
        k
        for i, j in combinations([i for i in diagonal if i not in exchanging], 2)
        if _midpoint(poses[i], goals[i]) == _midpoint(poses[j], goals[j])
        for k in (i, j)
    }
    for i in crossing:
        goals[i] = AFTER["^"][poses[i]]  # never off the board where a diagonal is not


def _midpoint(a: Pose, b: Pose) -> tuple[int, int]:
    """Twice the coordinates of the point midway between two squares."""
    (ax, ay), (bx, by) = square_of(a), square_of(b)
    return ax + bx, ay + by


def _flatten(before: tuple[Pose, ...], after: list[Pose], commands: tuple[str, ...]) -> None:
    """Removes each hulk whose square a living pig actually moved onto (P12). Changes `after`."""
    taken = {
        now >> 2 for was, now, c in zip(before, after, commands, strict=True) if c and was >> 2 != now >> 2
    }
    for i, c in enumerate(commands):
        if not c and after[i] >> 2 in taken:
            after[i] = GONE


def attack(
    poses: tuple[Pose, ...], damage: tuple[int, ...], commands: tuple[str, ...], through: bool
) -> tuple[int, ...]:
    """The damage after all attacks of a step, made at once from the pigs' new poses (P3)."""
    if FIRE not in commands and HIT not in commands:
        return damage
    hurt = None
    for i, command in enumerate(commands):
        if command in ATTACKS:
            for j in struck(i, command, poses, damage, through=through):
                hurt = hurt or list(damage)
                hurt[j] += 1
    return tuple(hurt) if hurt else damage


def struck(
    i: int, command: str, poses: tuple[Pose, ...], damage: tuple[int, ...], *, through: bool
) -> list[int]:
    """The indices of the living pigs that pig `i` damages; `through`: its laser goes through pigs (P7)."""
    if command == FIRE:
        if through:
            return [j for j in all_in_line(i, poses) if damage[j] < HULK]
        j = in_line(i, poses)
        return [j] if j is not None and damage[j] < HULK else []
    if command == HIT:  # P8
        fist = FIST[poses[i]]
        return [j for j, p in enumerate(poses) if p >> 2 in fist and damage[j] < HULK]
    return []


def in_line(i: int, poses: tuple[Pose, ...]) -> int | None:
    """The index of the first pig or hulk in the line of pig `i`'s laser, or None (P7)."""
    reach = REACH[poses[i]]
    first, nearest = None, SIZE
    for j, p in enumerate(poses):
        far = reach.get(p >> 2, SIZE)
        if far < nearest:
            first, nearest = j, far
    return first


def all_in_line(i: int, poses: tuple[Pose, ...]) -> list[int]:
    """The indices of all pigs and hulks in the line of pig `i`'s laser, nearest first (P7)."""
    reach = REACH[poses[i]]
    return sorted((j for j, p in enumerate(poses) if p >> 2 in reach), key=lambda j: reach[poses[j] >> 2])


SPELLINGS = {c.upper(): c for c in COMMANDS} | {
    "↑": "^",
    "↓": "v",
    "↖": "\\",
    "↗": "/",
    "↶": "TL",
    "↷": "TR",
    "↺": "TL",
    "↻": "TR",
}


def read_commands(text: str) -> list[str]:
    """Parses the commands of a program as people type it; IllegalOrder names the first word that is none.

    Words may be separated by spaces or commas, in upper or lower case; arrows may be used for the signs.
    """
    commands = []
    for word in text.replace(",", " ").split():
        command = SPELLINGS.get(word.upper())
        if command is None:
            raise IllegalOrder(
                "“{word}” is not a command. The commands are {all}.", word=word, all=" ".join(COMMANDS)
            )
        commands.append(command)
    return commands
