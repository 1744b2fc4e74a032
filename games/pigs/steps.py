"""The rules of a single step of Robo Battle Pigs: walking, bumping, firing and hitting.

A pig's *pose* is its square's number times four, plus 0 to 3 for heading north, east, south or west.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from games.core import IllegalOrder
from games.grid import Square

SIZE = 8
STEPS = 5
LIVES = 5
HULK = 100
"""The damage of a hulk (a destroyed or resigned pig); no living pig reaches it, not even in a race."""
GOAL = 5
"""The number of landed hits that wins a race (ruling P14)."""
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
    HIT: "punch",
    REPAIR: "repair",
    DAMAGE: "damage",
}
DIAGONAL = ("\\", "/")
REPAIRS = (REPAIR,) * STEPS

Pose = int
GONE: Pose = SIZE * SIZE * 4
"""The pose of a hulk that was removed from the board."""


class Cause(NamedTuple):
    """The step that led to a position: poses and damage before it, and each pig's command."""

    poses: tuple[Pose, ...]
    damage: tuple[int, ...]
    commands: tuple[str, ...]
    step: int


def pose(text: str) -> Pose:
    """Parses a pose written as a square and a heading, such as `d8S`; raises ValueError for other texts."""
    square, heading = Square.named(text[:-1]), HEADINGS.find(text[-1:])
    if heading < 0 or not square.on(SIZE, SIZE):
        raise ValueError(f"“{text}” is no place for a pig.")
    return (square.rank * SIZE + square.file) * 4 + heading


def square_of(p: Pose) -> Square:
    return Square(p // 4 % SIZE, p // 4 // SIZE)


def _ahead(p: Pose, right: int, ahead: int) -> Square:
    """Returns the square `right` and `ahead` steps from a pig, as it faces; it may be off the board."""
    file, rank = square_of(p)
    dx, dy = ((right, ahead), (ahead, -right), (-right, -ahead), (-ahead, right))[p % 4]
    return Square(file + dx, rank + dy)


def _after(p: Pose, command: str) -> Pose:
    """Returns the pose after a command without interference (ruling P4: a wall stops the pig)."""
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
"""Poses as text, such as `d8S`, which `pose` parses."""
AFTER = {command: (*(_after(p, command) for p in POSES), GONE) for command in (*COMMANDS, "")}
"""The pose after each command without interference, by the command ("" for a hulk) and the pose before it."""
RAY = tuple(_cells([_ahead(p, 0, n) for n in range(1, SIZE)]) for p in POSES)
REACH = tuple({square: far for far, square in enumerate(ray)} for ray in RAY)
FIST = tuple(frozenset(_cells([_ahead(p, side, 1) for side in (-1, 0, 1)])) for p in POSES)

Squares = int
"""A set of squares as an integer, with one bit for each square."""


class CommandEffect(NamedTuple):
    """The effect of a command without interference: the next pose, and the squares touched and attacked.

    A pig touches where it starts and ends and, on a diagonal, the squares beside its path (ruling P6).
    Pigs that touch no square in common cannot be in each other's way.
    """

    goal: Pose
    touches: Squares
    attacks: Squares


def _command_effect(p: Pose, command: str) -> CommandEffect:
    goal = _after(p, command)
    (file, rank), (to_file, to_rank) = square_of(p), square_of(goal)
    touched = _cells([Square(x, y) for x in {file, to_file} for y in {rank, to_rank}])
    attacked = {FIRE: RAY[p], HIT: FIST[p]}.get(command, ())
    return CommandEffect(goal, touches=_bits(touched), attacks=_bits(attacked))


def _bits(cells: Iterable[int]) -> Squares:
    return sum(1 << cell for cell in cells)


COMMAND_EFFECTS = {
    command: (*(_command_effect(p, command) for p in POSES), CommandEffect(GONE, 0, 0))
    for command in (*COMMANDS, "")
}
"""The effect of each command ("" for a hulk), by the command and by the pose before it."""


def walk(poses: tuple[Pose, ...], commands: tuple[str, ...], forward: bool) -> tuple[Pose, ...]:
    """Returns the poses after all pigs have moved and turned at once (rulings P4, P5, P6, P12)."""
    goals = intended_poses(poses, commands, forward)
    if not _nobody_in_the_way(poses, goals):
        _bump(poses, commands, goals)
        if "" in commands:
            _flatten(poses, goals, commands)
    return tuple(goals)


def _bump(poses: tuple[Pose, ...], commands: tuple[str, ...], goals: list[Pose]) -> None:
    """Puts stopped pigs back into their old poses in `goals`, and those that these stop in turn (P5).

    Hulks stop nobody, since a pig that walks onto a hulk flattens it (ruling P12).
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


def _nobody_in_the_way(poses: tuple[Pose, ...], goals: list[Pose]) -> bool:
    wanted = {g >> 2 for g in goals}
    if len(wanted) < len(goals):
        return False
    for p, g in zip(poses, goals, strict=True):  # noqa: SIM110 - a generator would cost a tenth of the step
        if p >> 2 != g >> 2 and p >> 2 in wanted:
            return False
    return True


def intended_poses(poses: tuple[Pose, ...], commands: tuple[str, ...], forward: bool) -> list[Pose]:
    """Returns the poses that the pigs would reach if none bumped into another (rulings P4 and P6)."""
    goals = [AFTER[c][p] for p, c in zip(poses, commands, strict=True)]
    if forward:
        _cross_forward(poses, commands, goals)
    return goals


def _stopped(i: int, poses: tuple[Pose, ...], goals: list[Pose], living: list[int]) -> bool:
    """Returns True if another living pig stops the moving pig `i` (ruling P5)."""
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
    """Makes pigs that would cross walk forward, in `goals`; an exchange of squares is no crossing (P6)."""
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
    (ax, ay), (bx, by) = square_of(a), square_of(b)
    return ax + bx, ay + by


def _flatten(before: tuple[Pose, ...], after: list[Pose], commands: tuple[str, ...]) -> None:
    """Gives each flattened hulk the pose GONE (P12)."""
    taken = {
        now >> 2 for was, now, c in zip(before, after, commands, strict=True) if c and was >> 2 != now >> 2
    }
    for i, c in enumerate(commands):
        if not c and after[i] >> 2 in taken:
            after[i] = GONE


def attack(
    poses: tuple[Pose, ...], damage: tuple[int, ...], commands: tuple[str, ...], through: bool
) -> tuple[int, ...]:
    """Returns each pig's damage after all attacks of a step, at once from the new poses (rulings P3, P7)."""
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
    """Returns the living pigs that pig `i` damages; a laser may go `through` pigs and hulks (ruling P7)."""
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
    """Returns the first pig or wreck in front of pig `i`'s laser, or None (P7)."""
    reach = REACH[poses[i]]
    first, nearest = None, SIZE
    for j, p in enumerate(poses):
        far = reach.get(p >> 2, SIZE)
        if far < nearest:
            first, nearest = j, far
    return first


def all_in_line(i: int, poses: tuple[Pose, ...]) -> list[int]:
    """Returns all pigs and wrecks in front of pig `i`'s laser, nearest first (ruling P7)."""
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
    """Parses commands as players type them; raises IllegalOrder for the first word that is no command."""
    commands = []
    for word in text.replace(",", " ").split():
        command = SPELLINGS.get(word.upper())
        if command is None:
            raise IllegalOrder(
                "“{word}” is not a command. The commands are {all}.", word=word, all=" ".join(COMMANDS)
            )
        commands.append(command)
    return commands
