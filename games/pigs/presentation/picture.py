"""The data for drawing Robo Battle Pigs: the pigs, the effects of a step, and the table of programs."""

from typing import Any, NamedTuple

from games.core import Event, Progress, Seat, Sentence
from games.grid import Square
from games.pigs.presentation.story import damage_progress, facing, hit_progress
from games.pigs.rules import Position
from games.pigs.steps import (
    GONE,
    HULK,
    LIVES,
    NAMES,
    RAY,
    SIZE,
    WALKS,
    Pose,
    in_line,
    square_of,
)


class Piece(NamedTuple):
    """A pig or hulk as the board draws it, with (x, y) in squares, y downwards.

    `degrees` is clockwise from north. `queued` counts the commands on its list in continuous feedback.
    `tally` is the number of hits landed in a race (P14), `harm` the damage in other matches.
    """

    seat: Seat
    side: str
    x: float
    y: float
    degrees: int
    damage: int
    hulk: bool
    square: str
    facing: str
    queued: int = 0
    tally: Progress | None = None
    harm: Progress | None = None


class Effect(NamedTuple):
    """A visible effect of a step at (x, y), of a pig of `side`; a `fire` or `bump` leads to (x2, y2).

    `kind` is `fire`, `hit`, `bump`, `hurt`, `scored`, `destroyed`, `repaired` or `crushed`. `hit` is True
    if a fist, or a laser that ends at the first pig, hits; `struck` are the centres of all pigs hit by a
    laser that goes through pigs (ruling P7). `points` counts hits taken or landed; for `hurt` in a race,
    it is 0.
    """

    kind: str
    side: str
    x: float
    y: float
    x2: float = 0
    y2: float = 0
    degrees: int = 0
    hit: bool = False
    wall: bool = False
    points: int = 0
    struck: tuple[tuple[float, float], ...] = ()


def drawing(state: Position) -> dict[str, Any]:
    return {
        "pieces": pieces(state),
        "effects": effects(state),
        "lasting": bool(state.lists),
    }


def pieces(state: Position) -> list[Piece]:
    return [
        _piece(state, seat, p, damage)
        for seat, p, damage in zip(state.seats, state.poses, state.damage, strict=True)
        if p != GONE
    ]


def _piece(state: Position, seat: Seat, p: Pose, damage: int) -> Piece:
    x, y = centre(p)
    hulk = damage == HULK
    return Piece(
        seat=seat,
        side=state.side(seat),
        x=x,
        y=y,
        degrees=p % 4 * 90,
        damage=LIVES if hulk else damage,
        hulk=hulk,
        square=str(square_of(p)),
        facing=facing(p),
        queued=0 if hulk else len(state.listed(seat)),
        tally=hit_progress(state, seat),
        harm=damage_progress(state, seat) if 0 < damage < HULK else None,
    )


def centre(p: Pose) -> tuple[float, float]:
    return square_of(p).centre(SIZE)


def beam_end(state: Position, i: int, poses: tuple[Pose, ...]) -> tuple[float, float]:
    """Returns the point where pig `i`'s laser ends if the pigs stand in `poses` (ruling P7)."""
    p = poses[i]
    stopped_by = in_line(i, poses) if state.options.laser == "first" else None
    if stopped_by is not None:
        return centre(poses[stopped_by])
    x, y = centre(RAY[p][-1] * 4 if RAY[p] else p)
    dx, dy = ((0, -0.5), (0.5, 0), (0, 0.5), (-0.5, 0))[p % 4]
    return x + dx, y + dy


def effects(state: Position) -> list[Effect]:
    cause = state.cause
    if not cause:
        return []
    drawn = []
    for event in state.events:
        i = state.seats.index(event["by"])
        p, side = state.poses[i], state.side(event["by"])
        x, y = centre(p if p != GONE else cause.poses[i])
        match event["kind"]:
            case "fired":
                drawn.append(_fire(state, i, event))
            case "hit":
                drawn.append(Effect("hit", side, x, y, degrees=p % 4 * 90, hit=event["hit"]))
            case "stopped":
                wall = event["cause"] == "wall"
                to = _over_the_wall(p, event["command"]) if wall else Square.named(event["to"]).centre(SIZE)
                drawn.append(Effect("bump", side, x, y, x2=to[0], y2=to[1], wall=wall))
            case "hurt":
                drawn.append(Effect("hurt", side, x, y, points=0 if state.dealt else event["points"]))
            case "scored":
                drawn.append(Effect("scored", side, x, y, points=event["points"]))
            case "destroyed" | "repaired":
                drawn.append(Effect(event["kind"], side, x, y))
            case "flattened":
                drawn.append(Effect("crushed", side, x, y))
    return drawn


def _fire(state: Position, i: int, event: Event) -> Effect:
    """Returns the effect of a laser's shot, which ends at the first pig or wreck, or goes through (P7)."""
    p, through = state.poses[i], state.options.laser == "through"
    struck = [centre(state.poses[state.seats.index(seat)]) for seat in event["at"]]
    x, y = centre(p)
    x2, y2 = beam_end(state, i, state.poses)
    return Effect(
        "fire",
        state.side(event["by"]),
        x,
        y,
        x2=x2,
        y2=y2,
        degrees=p % 4 * 90,
        hit=event["hit"] and not through,
        struck=tuple(struck) if through else (),
    )


def _over_the_wall(p: Pose, command: str) -> tuple[float, float]:
    x, y = centre(p)
    right, ahead = WALKS[command]
    dx, dy = ((right, -ahead), (ahead, right), (-right, ahead), (-ahead, -right))[p % 4]
    return x + dx, y + dy


class Queue(NamedTuple):
    """A command on a pig's list, as far as the viewer may know it (ruling P15); `icon` is "" if secret."""

    icon: str
    name: Sentence
    repeat: bool


class Cell(NamedTuple):
    """A cell of the table of programs: one executed command, its result, and the pig's list after it."""

    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence
    queue: tuple[Queue, ...] = ()
    hits: int = 0


MARKS = {"walked": "moved", "turned": "turned", "stopped": "bumped", "repaired": "repaired"}


def cell(state: Position, seat: Seat) -> Cell | None:
    cause = state.cause
    if not cause:
        return None
    command = cause.commands[state.seats.index(seat)]
    if not command:
        return None
    mark, hits = "", 0
    for event in state.events:
        if event["by"] != seat:
            continue
        match event["kind"]:
            case "fired" | "hit":
                mark = "hit" if event["hit"] else "missed"
            case "scored":
                hits = event["points"]
            case kind if kind in MARKS:
                mark = MARKS[kind]
    queue = tuple(
        Queue(icon(queued.command), Sentence(NAMES[queued.command]), queued.repeat)
        if queued.command in NAMES
        else Queue("", Sentence("secret"), queued.repeat)
        for queued in state.listed(seat)
    )
    return Cell(
        sign=command,
        icon=icon(command),
        name=Sentence(NAMES[command]),
        mark=mark,
        mark_name=Sentence("a hit") if mark == "hit" else Sentence(mark),
        queue=queue,
        hits=hits,
    )


def icon(command: str) -> str:
    return f"cmd-{NAMES[command].replace(' ', '-')}"
