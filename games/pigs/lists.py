"""The lists of continuous feedback (P15): what each pig is going to do, and what others may know of it."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from games.pigs.steps import FREE

UNKNOWN = "?"
FIRST, LATER = 3, 1
"""The number of commands that are sealed in the first turn, and in each later one."""


class Queued(NamedTuple):
    """A command on a list, UNKNOWN where the reader may not know it.

    `turn` is that of its order; `repeat`: a hit added it, as a copy of the command before it.
    """

    command: str
    turn: int
    repeat: bool = False


List = tuple[Queued, ...]


def add(listed: List, commands: tuple[str, ...], turn: int) -> List:
    return listed + tuple(Queued(command, turn) for command in commands)


def repeat_last(listed: List, times: int) -> List:
    """The list after a pig was hit `times` times: each hit repeats its last command (P15)."""
    return listed + (listed[-1]._replace(repeat=True),) * times if listed else listed


def mask(listed: List) -> List:
    """The list as others know it: all UNKNOWN, except copies of a command that was executed already."""
    known = 0
    while known < len(listed) and listed[known].repeat:
        known += 1
    return listed[:known] + tuple(queued._replace(command=UNKNOWN) for queued in listed[known:])


def determinize(listed: List, rng: Random) -> List:
    """A list that this masked one may stand for: UNKNOWN commands at random, copies like the one before."""
    guessed: list[Queued] = []
    for queued in listed:
        if queued.command == UNKNOWN:
            command = guessed[-1].command if queued.repeat and guessed else rng.choice(FREE)
            guessed.append(queued._replace(command=command))
        else:
            guessed.append(queued)
    return tuple(guessed)


def text(listed: List, hidden: bool) -> str:
    """The list as text: `[F,\\]` for a reader who may know it, its length, `[2]`, for others."""
    return f"[{len(listed)}]" if hidden else f"[{','.join(queued.command for queued in listed)}]"


def read(written: str) -> tuple[List, bool]:
    """The list that `text` wrote, and whether it is hidden; ValueError for any other text."""
    inside = written[1:-1]
    if written[:1] != "[" or written[-1:] != "]":
        raise ValueError(f"“{written}” is no list of commands.")
    if inside.isascii() and inside.isdigit():
        return (Queued(UNKNOWN, 0),) * int(inside), True
    commands = inside.split(",") if inside else []
    if any(command not in FREE for command in commands):
        raise ValueError(f"“{written}” has what is no command of a list.")
    return tuple(Queued(command, 0) for command in commands), False
