"""The command lists of continuous feedback (P15): what each pig will do, and what others may know of it."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from games.pigs.steps import FREE

UNKNOWN = "?"
FIRST, LATER = 3, 1
"""The numbers of commands in the first order and in each later one."""


class Queued(NamedTuple):
    """A command on a list; it is UNKNOWN if the reader may not know it.

    `turn` is the turn whose order added the command. `repeat`: a hit added it, as a copy of the command
    before it.
    """

    command: str
    turn: int
    repeat: bool = False


List = tuple[Queued, ...]


def add(listed: List, commands: tuple[str, ...], turn: int) -> List:
    return listed + tuple(Queued(command, turn) for command in commands)


def repeat_last(listed: List, times: int) -> List:
    """Returns the list after `times` hits: each one repeats the list's last command (P15)."""
    return listed + (listed[-1]._replace(repeat=True),) * times if listed else listed


def mask(listed: List) -> List:
    """Returns the list as others know it: all UNKNOWN, except copies of an already executed command."""
    known = 0
    while known < len(listed) and listed[known].repeat:
        known += 1
    return listed[:known] + tuple(queued._replace(command=UNKNOWN) for queued in listed[known:])


def determinize(listed: List, rng: Random) -> List:
    """Returns a list with UNKNOWN commands guessed: copies as the command before, others at random."""
    guessed: list[Queued] = []
    for queued in listed:
        if queued.command == UNKNOWN:
            command = guessed[-1].command if queued.repeat and guessed else rng.choice(FREE)
            guessed.append(queued._replace(command=command))
        else:
            guessed.append(queued)
    return tuple(guessed)


def text(listed: List, hidden: bool) -> str:
    r"""Returns a list as text: `[F,\]` for a reader who may know it, or just its length, `[2]`."""
    return f"[{len(listed)}]" if hidden else f"[{','.join(queued.command for queued in listed)}]"


def read(written: str) -> tuple[List, bool]:
    """Parses what `text` wrote: the list, and whether it is hidden; ValueError for any other text."""
    inside = written[1:-1]
    if written[:1] != "[" or written[-1:] != "]":
        raise ValueError(f"“{written}” is no list of commands.")
    if inside.isascii() and inside.isdigit():
        return (Queued(UNKNOWN, 0),) * int(inside), True
    commands = inside.split(",") if inside else []
    if any(command not in FREE for command in commands):
        raise ValueError(f"“{written}” has what is no command of a list.")
    return tuple(Queued(command, 0) for command in commands), False
