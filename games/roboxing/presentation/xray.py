"""A finished match of Roboxing in hindsight (ruling X12): all layouts, and the targets of all shots."""

from typing import NamedTuple

from games.core import Seat, Sentence
from games.roboxing.deduction import target_of
from games.roboxing.presentation.picture import Part, parts, tag
from games.roboxing.ring import robot
from games.roboxing.robot import PART_NAMES
from games.roboxing.rules import Position


class Shot(NamedTuple):
    """A shot of a finished match, with the part at which it was aimed; `turn` counts from 1."""

    turn: int
    by: Seat | Sentence
    side: str
    at: Seat | Sentence
    letter: str
    part: str
    hit: bool


class RevealedRobot(NamedTuple):
    """A robot with all its slots, including the destroyed ones, and the shots that were aimed at it."""

    name: Seat | Sentence
    seat: Seat
    side: str
    tag: str
    parts: tuple[Part, ...]
    shots: tuple[Shot, ...]


def look_back(state: Position) -> list[RevealedRobot] | None:
    """Returns all robots of a finished match and the shots at them; None if a layout is hidden."""
    if not state.layouts or not all(state.layouts):
        return None
    shots: dict[int, list[Shot]] = {i: [] for i in range(len(state.layouts))}
    unfought = bool(state.news)  # a last turn of resignations or an agreed draw
    for turn, cause in enumerate(state.past, state.turn - len(state.past) + 1 - unfought):
        for i, hit in enumerate(cause.hits):
            if hit is None:
                continue
            order = cause.acts[i].partition(" ")[2]
            target, letter = target_of(state.ring, i, order), order[-1]
            shots[target].append(
                Shot(
                    turn,
                    by=robot(state.ring, state.ring.names[i]),
                    side=state.side(state.ring.owners[i]),
                    at=robot(state.ring, state.ring.names[target]),
                    letter=letter,
                    part=PART_NAMES[state.layout(target).part(letter)],
                    hit=hit,
                )
            )
    return [
        RevealedRobot(
            name=robot(state.ring, name),
            seat=state.ring.owners[i],
            side=state.side(state.ring.owners[i]),
            tag=tag(state.ring, name),
            parts=parts(state.layout(i), state.gone[i]),
            shots=tuple(shots[i]),
        )
        for i, name in enumerate(state.ring.names)
    ]
