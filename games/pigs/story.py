"""What happened in a step of Robo Battle Pigs: as data, as sentences, and as numbers for the drawing.

Everything is derived from the position before the step and the commands in it (`Cause`), so nothing is worked
out while a match is merely played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from games.core import Event, Seat, Sentence
from games.grid import Square
from games.pigs.steps import (
    AFTER,
    FIRE,
    GONE,
    HIT,
    LIVES,
    NAMES,
    RAY,
    REPAIR,
    SIZE,
    STEPS,
    TURNS,
    WALKS,
    Cause,
    Pose,
    in_line,
    square_of,
    struck,
    wishes,
)

if TYPE_CHECKING:
    from games.pigs.rules import PigsState

HEADINGS = ("north", "east", "south", "west")


def facing(p: Pose) -> str:
    return HEADINGS[p % 4]


def events(state: PigsState) -> list[Event]:
    """What happened on the way here, in the order of the rules: moves and turns, attacks, damage.

    Kinds: `walked` (with `instead` "^" where P6 made it walk forward), `turned`, `stopped` (`cause` is wall
    or pig; `to` is where it wanted to go), `flattened`, `fired`, `hit`, `hurt`, `repeats` (P15: the last
    command of its list, so many `times`), `repaired`, `destroyed`; every one with its `step` from 0, its pig
    `by`, squares by name.
    """
    cause = state.cause
    if not isinstance(cause, Cause):
        return [dict(event) for event in cause]
    return [*_moves(state, cause), *_attacks(state, cause), *_damage(state, cause)]


def _moves(state: PigsState, cause: Cause) -> list[Event]:
    told: list[Event] = []
    wanted_poses = wishes(cause.poses, cause.commands, state.options.side_cross == "forward")
    for seat, before, after, command, wanted in zip(
        state.seats, cause.poses, state.poses, cause.commands, wanted_poses, strict=True
    ):
        base = {"step": cause.step, "by": seat}
        if command in TURNS:
            told.append(
                {"kind": "turned", **base, "at": str(square_of(after)), "way": command, "to": facing(after)}
            )
        elif command in WALKS:
            here, there = str(square_of(before)), str(square_of(after))
            if here != there:
                walked = {"kind": "walked", **base, "command": command, "from": here, "to": there}
                if wanted != AFTER[command][before]:
                    walked["instead"] = "^"
                told.append(walked)
            elif wanted == before:
                told.append({"kind": "stopped", **base, "command": command, "at": here, "cause": "wall"})
            else:
                to = str(square_of(wanted))
                told.append(
                    {"kind": "stopped", **base, "command": command, "at": here, "to": to, "cause": "pig"}
                )
    for seat, before, after in zip(state.seats, cause.poses, state.poses, strict=True):
        if after == GONE != before:
            told.append({"kind": "flattened", "step": cause.step, "by": seat, "at": str(square_of(before))})
    return told


def _attacks(state: PigsState, cause: Cause) -> list[Event]:
    told: list[Event] = []
    for i, (seat, command) in enumerate(zip(state.seats, cause.commands, strict=True)):
        if command not in (FIRE, HIT):
            continue
        victims = [state.seats[j] for j in struck(i, command, state.poses, cause.damage)]
        event: Event = {
            "kind": "fired" if command == FIRE else "hit",
            "step": cause.step,
            "by": seat,
            "from": str(square_of(state.poses[i])),
            "to": facing(state.poses[i]),
            "at": victims,
            "hit": bool(victims),
        }
        if command == FIRE and not victims and (j := in_line(i, state.poses)) is not None:
            event["hulk"] = state.seats[j]
        told.append(event)
    return told


def _damage(state: PigsState, cause: Cause) -> list[Event]:
    told: list[Event] = []
    for i, (seat, before, after) in enumerate(zip(state.seats, cause.damage, state.damage, strict=True)):
        base = {"step": cause.step, "by": seat}
        repaired = cause.commands[i] == REPAIR and cause.step == STEPS - 1
        hits = sum(
            i in struck(j, command, state.poses, cause.damage) for j, command in enumerate(cause.commands)
        )
        if hits:
            told.append({"kind": "hurt", **base, "points": hits, "damage": after})
        if hits and state.lists and after < LIVES:  # P15
            told.append({"kind": "repeats", **base, "times": hits, "length": len(state.lists[i])})
        if repaired:
            told.append({"kind": "repaired", **base, "damage": after})
        if before < LIVES <= after:
            told.append({"kind": "destroyed", **base, "at": str(square_of(state.poses[i]))})
    return told


WALKED = {
    "^": "{by} walks forward to {to}.",
    "v": "{by} walks back to {to}.",
    "\\": "{by} steps ahead left to {to}.",
    "/": "{by} steps ahead right to {to}.",
}
TURNED = {"TL": "{by} turns left and faces {to}.", "TR": "{by} turns right and faces {to}."}


def tell(event: Event) -> Sentence:
    facts = {key: value for key, value in event.items() if key not in ("kind", "step", "cause", "points")}
    facts["by"] = Seat(event["by"])
    if event.get("to") in HEADINGS:
        facts["to"] = Sentence(event["to"])
    match event:
        case {"kind": "walked", "instead": _}:  # P6
            return Sentence("{by} would cross the pig beside it, so it walks forward to {to}.", **facts)
        case {"kind": "walked", "command": command}:
            return Sentence(WALKED[command], **facts)
        case {"kind": "turned", "way": way}:
            return Sentence(TURNED[way], **facts)
        case {"kind": "stopped", "cause": "wall"}:
            return Sentence("{by} walks into the wall and stays on {at}.", **facts)
        case {"kind": "stopped"}:
            return Sentence("{by} wants to go to {to}, is bumped and stays on {at}.", **facts)
        case {"kind": "flattened"}:
            return Sentence("The wreck of {by} on {at} is flattened.", **facts)
        case {"kind": "fired" | "hit", "at": victims}:
            return _told_attack(event, [Seat(v) for v in victims], facts)
        case {"kind": "hurt"}:
            return Sentence("{by} has {damage} damage now.", **facts)
        case {"kind": "repeats", "times": 1}:
            return Sentence("{by} repeats the last command of the list, which has {length} now.", **facts)
        case {"kind": "repeats"}:
            return Sentence(
                "{by} repeats the last command of the list {times} times; it has {length} now.", **facts
            )
        case {"kind": "repaired"}:
            return Sentence("{by} is repaired and has {damage} damage now.", **facts)
        case {"kind": "destroyed"}:
            return Sentence("{by} is destroyed!", **facts)
    raise ValueError(f"no sentence for {event}")


def _told_attack(event: Event, victims: list[Seat], facts: dict[str, Any]) -> Sentence:
    facts = {key: value for key, value in facts.items() if key not in ("at", "hit")}
    fires = event["kind"] == "fired"
    match victims:
        case []:
            if fires and "hulk" in event:
                facts["hulk"] = Seat(event["hulk"])
                return Sentence("{by} fires {to} and strikes the wreck of {hulk}.", **facts)
            return Sentence(
                "{by} fires {to} and misses." if fires else "{by} swings and hits nothing.", **facts
            )
        case [one]:
            return Sentence(
                "{by} fires {to} and hits {at}!" if fires else "{by} punches {at}!", at=one, **facts
            )
        case [one, two]:
            return Sentence("{by} punches {at} and {other}!", at=one, other=two, **facts)
        case [one, two, three]:
            return Sentence(
                "{by} punches {at}, {other} and {third}!", at=one, other=two, third=three, **facts
            )
    raise ValueError(f"no sentence for {event}")


def words(state: PigsState) -> list[Sentence]:
    told = []
    for seat, p, damage in zip(state.seats, state.poses, state.damage, strict=True):
        if p == GONE:
            told.append(Sentence("{by} is destroyed and gone from the board.", by=seat))
        elif damage >= LIVES:
            told.append(Sentence("{by} is a wreck on {at}.", by=seat, at=str(square_of(p))))
        else:
            template = {0: "{by} stands on {at}, faces {to}, and has no damage."}.get(
                damage, "{by} stands on {at}, faces {to}, and has {damage} damage."
            )
            told.append(
                Sentence(template, by=seat, at=str(square_of(p)), to=Sentence(facing(p)), damage=damage)
            )
            if listed := state.listed(seat):
                told.append(Sentence("{by} has {n} commands on the list.", by=seat, n=len(listed)))
    return told


class Piece(NamedTuple):
    """A pig as the board draws it: its square's centre in board units, y downwards; degrees from north.

    `queued`: how many commands are on its list in continuous feedback.
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


class Effect(NamedTuple):
    """Something seen in a step: from x, y to x2, y2, by a pig of that side."""

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


def pieces(state: PigsState) -> list[Piece]:
    return [
        Piece(
            seat,
            state.side(seat),
            *centre(p),
            p % 4 * 90,
            d,
            d >= LIVES,
            str(square_of(p)),
            facing(p),
            len(state.listed(seat)) if d < LIVES else 0,
        )
        for seat, p, d in zip(state.seats, state.poses, state.damage, strict=True)
        if p != GONE
    ]


def centre(p: Pose) -> tuple[float, float]:
    return square_of(p).centre(SIZE)


def beam_end(p: Pose, stopped_by: Pose | None) -> tuple[float, float]:
    """Where the laser of a pig in that pose ends: at what it strikes, else at the edge of the board."""
    if stopped_by is not None:
        return centre(stopped_by)
    x, y = centre(RAY[p][-1] * 4 if RAY[p] else p)
    dx, dy = ((0, -0.5), (0.5, 0), (0, 0.5), (-0.5, 0))[p % 4]
    return x + dx, y + dy


def effects(state: PigsState) -> list[Effect]:
    """What a drawing of this position shows of the step that led here."""
    cause = state.cause
    if not isinstance(cause, Cause):
        return []
    drawn = []
    for event in state.events:
        i = state.seats.index(event["by"])
        p, side = state.poses[i], state.side(event["by"])
        here = centre(p if p != GONE else cause.poses[i])
        match event["kind"]:
            case "fired":
                j = in_line(i, state.poses)
                end = beam_end(p, None if j is None else state.poses[j])
                drawn.append(Effect("fire", side, *here, *end, degrees=p % 4 * 90, hit=event["hit"]))
            case "hit":
                drawn.append(Effect("hit", side, *here, degrees=p % 4 * 90, hit=event["hit"]))
            case "stopped":
                wall = event["cause"] == "wall"
                to = _over_the_wall(p, event["command"]) if wall else Square.named(event["to"]).centre(SIZE)
                drawn.append(Effect("bump", side, *here, *to, wall=wall))
            case "hurt":
                drawn.append(Effect("hurt", side, *here, points=event["points"]))
            case "destroyed" | "repaired":
                drawn.append(Effect(event["kind"], side, *here))
            case "flattened":
                drawn.append(Effect("crushed", side, *here))
    return drawn


def _over_the_wall(p: Pose, command: str) -> tuple[float, float]:
    """Where a walk into the wall would have ended, drawn off the board."""
    x, y = centre(p)
    right, ahead = WALKS[command]
    dx, dy = ((right, -ahead), (ahead, right), (-right, ahead), (-ahead, -right))[p % 4]
    return x + dx, y + dy


class Queue(NamedTuple):
    """A command on a list (P15) as the reader knows it, `icon` "" if secret; `repeat`: a hit put it there."""

    icon: str
    name: Sentence
    repeat: bool


class Cell(NamedTuple):
    """One command of a played program, what came of it, and what is on the list after it (P15)."""

    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence
    queue: tuple[Queue, ...] = ()


MARKS = {"walked": "moved", "turned": "turned", "stopped": "bumped", "repaired": "repaired"}


def cell(state: PigsState, seat: Seat) -> Cell | None:
    """What the programs' table shows of `seat` in the step that led here, or None."""
    cause = state.cause
    if not isinstance(cause, Cause):
        return None
    command = cause.commands[state.seats.index(seat)]
    if not command:
        return None
    mark = ""
    for event in state.events:
        if event["by"] != seat:
            continue
        match event["kind"]:
            case "fired" | "hit":
                mark = "hit" if event["hit"] else "missed"
            case kind if kind in MARKS:
                mark = MARKS[kind]
    queue = tuple(
        Queue(icon(queued.command), Sentence(NAMES[queued.command]), queued.repeat)
        if queued.command in NAMES
        else Queue("", Sentence("secret"), queued.repeat)
        for queued in state.listed(seat)
    )
    return Cell(command, icon(command), Sentence(NAMES[command]), mark, Sentence(mark), queue)


def icon(command: str) -> str:
    """The name of a command's drawn symbol."""
    return f"cmd-{NAMES[command].replace(' ', '-')}"
