"""What happened in a turn of Roboxing: as data, as sentences, and as numbers for the drawing.

All of it is told from the public past and the layouts that the position holds: a view, which holds no enemy's
layout, tells and draws no more than its viewer may know (X12). So of an enemy's move only the ends are drawn.
"""

from __future__ import annotations

from math import ceil, hypot, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from games.core import Event, Seat, Sentence
from games.grid import FILES
from games.roboxing.guessing import target_of
from games.roboxing.orders import STAY, boosted, legs_of, power, reach, spent
from games.roboxing.ring import OFF, At, Options, Ring
from games.roboxing.robot import (
    BIT,
    COUNT,
    DEGREES,
    IN_MASK,
    PART_NAMES,
    ROW,
    SLOT_NAMES,
    SLOTS,
    Layout,
    towards,
)

if TYPE_CHECKING:
    from games.roboxing.rules import Cause, RoboxingState


def events(state: RoboxingState) -> list[Event]:
    """What happened on the way here: after the moves the moves, after the damage shots and damage.

    Kinds: `built` (a seat's robots), `moved` (`move`, `from`, `to`), `stayed` (`at`), `shot` (`at` the robot
    aimed at, `letter`, `hit`), `destroyed` (`letter`), `knocked out` (`from`), `out` (a seat). `by` is a
    robot, or the seat where it is a seat's.
    """
    if state.news or not state.past:
        return [dict(event) for event in state.news]
    cause = state.past[-1]
    return _damage(state, cause) if state.tick else _moves(state.ring, cause)


def _moves(ring: Ring, cause: Cause) -> list[Event]:
    told: list[Event] = []
    for name, act, before, after in zip(ring.names, cause.acts, cause.before, cause.after, strict=True):
        move = act.partition(" ")[0]
        if move == STAY:
            told.append({"kind": "stayed", "by": name, "at": str(ring.square(before))})
        elif move:
            way = {"from": str(ring.square(before)), "to": str(ring.square(after))}
            told.append({"kind": "moved", "by": name, "move": move, **way})
    return told


def _damage(state: RoboxingState, cause: Cause) -> list[Event]:
    ring, told = state.ring, []
    hurt: dict[tuple[int, str], None] = {}
    for i, hit in enumerate(cause.hits):
        if hit is None:
            continue
        shot = cause.acts[i].partition(" ")[2]
        target, letter = target_of(ring, i, shot), shot[-1]
        at, by = ring.names[target], ring.names[i]
        told.append({"kind": "shot", "by": by, "at": at, "letter": letter, "hit": hit})
        if hit:
            hurt[target, letter] = None
    told += [
        {"kind": "destroyed", "by": ring.names[target], "letter": letter} for target, letter in sorted(hurt)
    ]
    fallen = [i for i, at in enumerate(cause.after) if at != OFF == state.squares[i]]
    told += [
        {"kind": "knocked out", "by": ring.names[i], "from": str(ring.square(cause.after[i]))} for i in fallen
    ]
    for seat in dict.fromkeys(ring.owners[i] for i in fallen):
        if not state.robots(seat):
            told.append({"kind": "out", "by": seat})
    return told


def robot(ring: Ring, name: str) -> Seat | Sentence:
    """How a robot is called: by its player, and by its number where each has several."""
    if ring.options.robots == 1:
        return Seat(name[0])
    return Sentence("{by}’s robot {n}", by=Seat(name[0]), n=int(name[1:]))


def tell(state: RoboxingState, event: Event) -> Sentence:
    by = Seat(event["by"]) if event["kind"] in ("built", "out") else robot(state.ring, event["by"])
    match event:
        case {"kind": "built"}:
            if state.options.robots == 1:
                return Sentence("{by} has built a robot.", by=by)
            return Sentence("{by} has built {n} robots.", by=by, n=state.options.robots)
        case {"kind": "moved", "move": move, "from": square, "to": to}:
            return Sentence("{by} moves {move}, from {at} to {to}.", by=by, move=move, at=square, to=to)
        case {"kind": "stayed", "at": square}:
            return Sentence("{by} stays on {at}.", by=by, at=square)
        case {"kind": "shot", "at": at, "letter": letter, "hit": hit}:
            facts = {"by": by, "at": robot(state.ring, at), "letter": letter, "turret": _turret(state, event)}
            if hit:
                return Sentence("{by} fires turret {turret} at slot {letter} of {at} and hits!", **facts)
            return Sentence("{by} fires turret {turret} at slot {letter} of {at} and misses.", **facts)
        case {"kind": "destroyed", "letter": letter}:
            return Sentence("Slot {letter} of {by} is destroyed.", by=by, letter=letter)
        case {"kind": "knocked out", "from": square}:
            return Sentence("{by} is knocked out on {at}!", by=by, at=square)
        case {"kind": "out"}:
            return Sentence("{by} has no robot left.", by=by)
    raise ValueError(f"no sentence for {event}")


def _turret(state: RoboxingState, event: Event) -> str:
    """The turret of a shot: the orders are public, so the event need not repeat it."""
    return state.past[-1].acts[state.ring.index[event["by"]]].split(" ")[1]


def words(state: RoboxingState) -> list[Sentence]:
    told = []
    for i, name in enumerate(state.ring.names):
        by, at, gone = robot(state.ring, name), state.squares[i], state.gone[i]
        if at == OFF:
            told.append(Sentence("{by} is out of the ring.", by=by))
            continue
        here = str(state.ring.square(at))
        if gone:
            lost = ", ".join(IN_MASK[gone])
            told.append(Sentence("{by} stands on {at}; destroyed: {lost}.", by=by, at=here, lost=lost))
        else:
            told.append(Sentence("{by} stands on {at}, undamaged.", by=by, at=here))
        if state.layouts and (layout := state.layouts[i]):
            told += _inside(layout, gone, by)
    return told


def _inside(layout: Layout, gone: int, by: Seat | Sentence) -> list[Sentence]:
    """What a robot can do, and what sits in its slots, row by row."""
    told = [
        Sentence(
            "{by} has {lasers} lasers, {engines} engines and a booster."
            if boosted(layout, gone)
            else "{by} has {lasers} lasers, {engines} engines and no booster.",
            by=by,
            lasers=COUNT[layout.lasers & ~gone],
            engines=power(layout, gone),
        )
    ]
    for slot, letter, part in zip(SLOTS, layout.letters, layout.parts, strict=True):
        facts = {"slot": Sentence(SLOT_NAMES[slot]), "part": Sentence(PART_NAMES[part]), "letter": letter}
        lost = BIT[letter] & gone
        told.append(
            Sentence("{slot}: {part} {letter}, destroyed." if lost else "{slot}: {part} {letter}.", **facts)
        )
    return told


class Part(NamedTuple):
    """A slot of a robot as it is drawn: x and y from the robot's centre, in slots.

    `degrees` is where the slot looks, clockwise from north; 0 for the centre.
    """

    slot: str
    x: int
    y: int
    letter: str
    part: str
    gone: bool
    degrees: int


class Piece(NamedTuple):
    """A robot as the board draws it: its centre in board units, y downwards, and its size in squares.

    `parts` are its nine slots, none if its layout is hidden; `lost` its destroyed letters, `hurt` how
    battered that makes it, from 0 to 4. `place` of `crowd` robots on its square (X6), counted from 0:
    robots that share a square are drawn smaller, side by side. `tag` tells the robots of a match apart.
    """

    robot: str
    seat: Seat
    number: int
    side: str
    x: float
    y: float
    square: str
    parts: tuple[Part, ...]
    lost: str
    name: Seat | Sentence
    place: int
    crowd: int
    scale: float
    hurt: int
    tag: str


class Path(NamedTuple):
    """A move: from x, y to x2, y2; `legs` are the corners of the way, empty where only its ends are known."""

    kind: str
    robot: str
    side: str
    x: float
    y: float
    x2: float
    y2: float
    legs: tuple[tuple[float, float], ...]


class Shot(NamedTuple):
    """A shot from x, y at a robot on x2, y2; `aimed` is false if that robot was not in the ring any more.

    A beam that misses is drawn to `end_x`, `end_y`, short of it: everybody sees who was aimed at, and
    nobody how far the lasers reach (X12). `zone` is what the turret covered, in runs of squares; empty where
    its slot is hidden.
    """

    kind: str
    robot: str
    side: str
    x: float
    y: float
    x2: float
    y2: float
    aimed: bool
    hit: bool
    turret: str
    letter: str
    zone: tuple[Run, ...]
    end_x: float
    end_y: float

    @property
    def aside(self) -> tuple[float, float]:
        """How far to its own right a beam is drawn, so that two against each other both show."""
        x, y = self.x2 - self.x, self.y2 - self.y
        far = hypot(x, y)
        return (round(-y / far * ASIDE, 3), round(x / far * ASIDE, 3)) if far else (0, 0)


class Mark(NamedTuple):
    """Slots destroyed (`letter` has all of them), or a robot knocked out, at x, y."""

    kind: str
    robot: str
    side: str
    x: float
    y: float
    letter: str
    tag: str


class Run(NamedTuple):
    """Squares side by side: the upper left corner in board units, and how many."""

    x: int
    y: int
    width: int


def drawing(state: RoboxingState) -> dict[str, Any]:
    options = state.options
    return {
        "width": options.width,
        "height": options.height,
        "box": box(options),
        "large": max(options.width, options.height) > LARGE,
        "files": [(FILES[n], n + 0.5) for n in range(options.width)],
        "ranks": [(str(n + 1), options.height - n - 0.5) for n in range(options.height)],
        "pieces": pieces(state),
        "effects": effects(state),
    }


LARGE = 10
"""Rings with a longer side than this have small squares: what is drawn beside them is drawn larger."""


def box(options: Options) -> str:
    """What a drawing shows, as a viewBox: the ring, its files and ranks, and room for heads and gloves."""
    margin = 0.9 if max(options.width, options.height) > LARGE else 0.6
    return f"{-margin} -0.25 {options.width + margin + 0.2:.2f} {options.height + margin + 0.25:.2f}"


def aside(place: int, crowd: int) -> tuple[float, float, float]:
    """How far from the centre of its square one of a crowd is drawn, and its size (X6)."""
    columns = ceil(sqrt(crowd))
    rows = ceil(crowd / columns)
    x = (place % columns + 0.5) / columns - 0.5
    y = (place // columns + 0.5) / rows - 0.5
    return round(x, 3), round(y, 3), round(1 / columns, 3)


def hurt(gone: int) -> int:
    """How battered a robot looks with so many letters gone, from 0 to 4: with seven gone it may stand."""
    return min(4, (gone + 1) // 2 + (gone > 1))


def tag(ring: Ring, name: str) -> str:
    """The plate of a robot: its seat's letter, and its number where each player has several."""
    return name if ring.options.robots > 1 else name[0]


def pieces(state: RoboxingState) -> list[Piece]:
    ring, drawn = state.ring, []
    for i, (name, at) in enumerate(zip(ring.names, state.squares, strict=True)):
        if at == OFF:
            continue
        seat, layout = ring.owners[i], state.layouts[i] if state.layouts else None
        place, crowd = state.squares[:i].count(at), state.squares.count(at)
        dx, dy, scale = aside(place, crowd)
        x, y = ring.centre(at)
        drawn.append(
            Piece(
                name,
                seat,
                int(name[1:]),
                state.side(seat),
                x + dx,
                y + dy,
                str(ring.square(at)),
                parts(layout, state.gone[i]) if layout else (),
                IN_MASK[state.gone[i]],
                robot(ring, name),
                place,
                crowd,
                scale,
                hurt(COUNT[state.gone[i]]),
                tag(ring, name),
            )
        )
    return drawn


def parts(layout: Layout, gone: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            name,
            towards(slot)[0],
            -towards(slot)[1],
            letter,
            PART_NAMES[part],
            bool(gone & BIT[letter]),
            DEGREES[slot],
        )
        for slot, (name, letter, part) in enumerate(zip(SLOTS, layout.letters, layout.parts, strict=True))
    )


def effects(state: RoboxingState) -> list[Path | Shot | Mark]:
    """What a drawing of this position shows of what led here."""
    if state.news or not state.past:
        return []
    ring, cause, drawn = state.ring, state.past[-1], list[Path | Shot | Mark]()
    for event in state.events:
        seat = Seat(event["by"][0])
        side = state.side(seat)
        if event["kind"] == "out":
            continue
        i = ring.index[event["by"]]
        here = ring.centre(cause.after[i])
        match event:
            case {"kind": "moved"}:
                drawn.append(
                    Path("path", event["by"], side, *ring.centre(cause.before[i]), *here, _corners(state, i))
                )
            case {"kind": "shot", "at": at, "letter": letter, "hit": hit}:
                to = cause.after[ring.index[at]]
                end = here if to == OFF else ring.centre(to)
                turret = _turret(state, event)
                zone = _zone(state, i, turret)
                beam = end if hit else _short(here, end)
                aimed = to != OFF
                drawn.append(
                    Shot("shot", event["by"], side, *here, *end, aimed, hit, turret, letter, zone, *beam)
                )
            case {"kind": "destroyed", "letter": letter}:
                same = [mark for mark in drawn if mark.kind == "destroyed" and mark.robot == event["by"]]
                if same and isinstance(same[0], Mark):
                    letters = f"{same[0].letter} {letter}"
                    drawn[drawn.index(same[0])] = same[0]._replace(letter=letters)
                else:
                    drawn.append(Mark("destroyed", event["by"], side, *here, letter, tag(ring, event["by"])))
            case {"kind": "knocked out"}:
                drawn.append(Mark("knocked out", event["by"], side, *here, "", tag(ring, event["by"])))
    return drawn


ASIDE = 0.08
MISSES = 0.62
"""How much of the way to its target a beam that misses is drawn."""


def _short(here: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    x, y = (round(a + (b - a) * MISSES, 2) for a, b in zip(here, end, strict=True))
    return x, y


def _corners(state: RoboxingState, i: int) -> tuple[tuple[float, float], ...]:
    """The way of a robot's last move, if its layout is known here."""
    layout, cause = state.layouts[i], state.past[-1]
    if not layout:
        return ()
    at = cause.before[i]
    corners = [state.ring.centre(at)]
    for letter, n in legs_of(cause.acts[i].partition(" ")[0]):
        at += layout.steps[letter] * n
        corners.append(state.ring.centre(at))
    return tuple(corners)


def _zone(state: RoboxingState, i: int, turret: str) -> tuple[Run, ...]:
    """What the turret covered in the last turn, if the layout is known here; damage came after it (X3)."""
    layout, cause = state.layouts[i], state.past[-1]
    if not layout:
        return ()
    gone = state.gone[i]
    for j, hit in enumerate(cause.hits):
        shot = cause.acts[j].partition(" ")[2]
        if hit and target_of(state.ring, j, shot) == i:
            gone &= ~BIT[shot[-1]]
    moved = spent(legs_of(cause.acts[i].partition(" ")[0]))
    covered = state.ring.covered(layout.slot(turret), cause.after[i], reach(layout, gone, moved))
    return runs(state.ring, covered)


def runs(ring: Ring, squares: list[At]) -> tuple[Run, ...]:
    """Squares in runs, from the top row down."""
    found: list[Run] = []
    for at in sorted(squares, key=lambda at: (-(at // ROW), at)):
        x, y = at % ROW, ring.options.height - at // ROW - 1
        if found and found[-1].y == y and found[-1].x + found[-1].width == x:
            found[-1] = found[-1]._replace(width=found[-1].width + 1)
        else:
            found.append(Run(x, y, 1))
    return tuple(found)


class Act(NamedTuple):
    """What one robot did in a picture of the turn, and what came of it. `tag` is "" where each has one."""

    tag: str
    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence


class Cell(NamedTuple):
    """What the robots of a seat did in a picture of the turn: together, and one by one in `acts`."""

    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence
    acts: tuple[Act, ...] = ()


def cell(state: RoboxingState, seat: Seat) -> Cell | None:
    """What the table of orders shows of `seat` in the step that led here, or None."""
    if state.news:
        if any(event == {"kind": "built", "by": seat} for event in state.news):
            return Cell("", "act-build", Sentence("built"), "", Sentence(""))
        return None
    if not state.past:
        return None
    cause, team = state.past[-1], state.ring.team[seat]
    act_of = _shown_shot if state.tick else _shown_move
    acts = tuple(act_of(state.ring, cause, i) for i in team if cause.acts[i])
    if not acts:
        return None
    if len(acts) == 1:
        return Cell(*acts[0][1:], acts)
    signs = "; ".join(act.sign for act in acts)
    mark = next((mark for mark in ("hit", "missed", "moved") if any(act.mark == mark for act in acts)), "")
    icon = next((act.icon for act in acts if act.mark == mark), acts[0].icon)
    return Cell(signs, icon, Sentence("{acts}", acts=signs), mark, Sentence(mark), acts)


def _shown_move(ring: Ring, cause: Cause, i: int) -> Act:
    move, number = cause.acts[i].partition(" ")[0], _number(ring, i)
    if move == STAY:
        return Act(number, STAY, "act-stay", Sentence("stays"), "", Sentence(""))
    return Act(number, move, "act-move", Sentence("{move}", move=move), "moved", Sentence("moved"))


def _shown_shot(ring: Ring, cause: Cause, i: int) -> Act:
    shot, number = cause.acts[i].partition(" ")[2], _number(ring, i)
    if not shot:
        return Act(number, STAY, "act-hold", Sentence("no shot"), "", Sentence(""))
    mark = "hit" if cause.hits[i] else "missed"
    turret, target = shot.split(" ")
    name = Sentence("turret {turret} at {target}", turret=turret, target=target)
    return Act(number, shot, "act-shoot", name, mark, Sentence(mark))


def _number(ring: Ring, i: int) -> str:
    return ring.names[i] if ring.options.robots > 1 else ""
