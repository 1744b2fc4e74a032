"""The command lists of continuous feedback (ruling P15), in full and as other players know them."""

from random import Random
from typing import NamedTuple

from games.pigs.steps import FREE

UNKNOWN = "?"
FIRST, LATER = 3, 1
"""The number of commands in a pig's first order, and in each later one (ruling P15)."""


class Queued(NamedTuple):
    """A command on a pig's list, UNKNOWN if the reader may not know it (ruling P15).

    `repeat` is True for a copy that a hit added; `turn` is that of the order that gave the command.
    """

    command: str
    turn: int
    repeat: bool = False


List = tuple[Queued, ...]


def add(listed: List, commands: tuple[str, ...], turn: int) -> List:
    return listed + tuple(Queued(command, turn) for command in commands)


def repeat_last(listed: List, times: int) -> List:
    """Returns the list with its last command repeated for each of `times` hits (P15); () stays ()."""
    return listed + (listed[-1]._replace(repeat=True),) * times if listed else listed


def mask(listed: List) -> List:
    """Returns a list as others know it: all secret but copies at its beginning, which were seen."""
    known = 0
    while known < len(listed) and listed[known].repeat:
        known += 1
    return listed[:known] + tuple(queued._replace(command=UNKNOWN) for queued in listed[known:])


def determinize(listed: List, rng: Random) -> List:
    guessed: list[Queued] = []
    for queued in listed:
        if queued.command == UNKNOWN:
            command = guessed[-1].command if queued.repeat and guessed else rng.choice(FREE)
            guessed.append(queued._replace(command=command))
        else:
            guessed.append(queued)
    return tuple(guessed)


def text(listed: List, hidden: bool) -> str:
    r"""Returns a list as text, such as `[F,\]`; if it is `hidden`, its length, as in `[2]`."""
    return f"[{len(listed)}]" if hidden else f"[{','.join(queued.command for queued in listed)}]"


def read(written: str) -> tuple[List, bool]:
    """Parses a list's text into the list and True if it is hidden; raises ValueError for any other text."""
    inside = written[1:-1]
    if written[:1] != "[" or written[-1:] != "]":
        raise ValueError(f"“{written}” is no list of commands.")
    if inside.isascii() and inside.isdigit():
        return (Queued(UNKNOWN, 0),) * int(inside), True
    commands = inside.split(",") if inside else []
    if any(command not in FREE for command in commands):
        raise ValueError(f"“{written}” has what is no command of a list.")
    return tuple(Queued(command, 0) for command in commands), False
