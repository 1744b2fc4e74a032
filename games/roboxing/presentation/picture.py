"""The data for drawing Roboxing; of a robot whose layout is hidden, only the ends of moves (ruling X12)."""

from math import atan2, ceil, degrees, hypot, sqrt
from typing import Any, NamedTuple

from games.core import Event, Seat, Sentence
from games.grid import FILES
from games.roboxing.deduction import gone_before
from games.roboxing.orders import STAY, legs_of, spent
from games.roboxing.presentation.story import _turret, in_words
from games.roboxing.ring import OFF, At, Cause, Options, Ring, Run, robot, runs
from games.roboxing.robot import (
    BIT,
    COUNT,
    DEGREES,
    PART_NAMES,
    SLOTS,
    Layout,
    reach,
    towards,
)
from games.roboxing.rules import Position


class Part(NamedTuple):
    """A slot of a robot, at (x, y) from its centre, y downwards; `degrees` is clockwise from north."""

    slot: str
    x: int
    y: int
    letter: str
    part: str
    gone: bool
    degrees: int


class Piece(NamedTuple):
    """A robot as the board draws it; `x` and `y` are in squares, y downwards.

    `parts` are () if its layout is hidden or not built yet. `hurt` is the damage drawn, from 0 to 4.
    `place` is its number among the `crowd` on its square (ruling X6). `tag` is a short label, unique in
    the match.
    """

    robot: str
    seat: Seat
    number: int
    side: str
    x: float
    y: float
    square: str
    parts: tuple[Part, ...]
    name: Seat | Sentence
    place: int
    crowd: int
    scale: float
    hurt: int
    tag: str


class Path(NamedTuple):
    """A robot's move from (x, y) to (x2, y2), and the points between; () if its layout is hidden."""

    kind: str
    robot: str
    side: str
    x: float
    y: float
    x2: float
    y2: float
    legs: tuple[tuple[float, float], ...]


class Shot(NamedTuple):
    """A shot from (x, y) at a robot on (x2, y2); not `aimed` if the target had already left the ring.

    The beam ends at (end_x, end_y), before the target for a miss. `zone` is () if the layout is hidden.
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
        """The x and y by which a beam is moved to its right, so that two opposite beams are both visible."""
        x, y = self.x2 - self.x, self.y2 - self.y
        far = hypot(x, y)
        return (round(-y / far * ASIDE, 3), round(x / far * ASIDE, 3)) if far else (0, 0)


class Mark(NamedTuple):
    """A mark for the slots that a robot has lost in this turn; `letter` is "" for a knockout."""

    kind: str
    robot: str
    side: str
    x: float
    y: float
    letter: str
    tag: str


def drawing(state: Position) -> dict[str, Any]:
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
        "brief": bool(state.news) and all(event["kind"] == "built" for event in state.news),
    }


LARGE = 10
"""The longest ring, in squares, with normal labels and margins; in larger ones they grow too."""


def box(options: Options) -> str:
    """Returns the SVG viewBox of the ring, with its coordinates and a margin."""
    margin = 0.9 if max(options.width, options.height) > LARGE else 0.6
    return f"{-margin} -0.25 {options.width + margin + 0.2:.2f} {options.height + margin + 0.25:.2f}"


def aside(place: int, crowd: int) -> tuple[float, float, float]:
    """Returns the offset of a robot from its square's centre, and its scale, by its `place` (ruling X6)."""
    columns = ceil(sqrt(crowd))
    rows = ceil(crowd / columns)
    x = (place % columns + 0.5) / columns - 0.5
    y = (place // columns + 0.5) / rows - 0.5
    wider = WIDER if crowd > 1 else 1
    return round(x * wider, 3), round(y * wider, 3), round(wider / columns, 3)


WIDER = 1.36
"""The width of several robots on one square, as a multiple of the width of that square."""


def hurt(gone: int) -> int:
    return min(4, (gone + 1) // 2 + (gone > 1))


def tag(ring: Ring, name: str) -> str:
    """Returns the label of a robot: its seat's letter, with a number if each player has several robots."""
    return name if ring.options.robots > 1 else name[0]


def pieces(state: Position) -> list[Piece]:
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
                robot=name,
                seat=seat,
                number=int(name[1:]),
                side=state.side(seat),
                x=x + dx,
                y=y + dy,
                square=str(ring.square(at)),
                parts=parts(layout, state.gone[i]) if layout else (),
                name=robot(ring, name),
                place=place,
                crowd=crowd,
                scale=scale,
                hurt=hurt(COUNT[state.gone[i]]),
                tag=tag(ring, name),
            )
        )
    return drawn


def parts(layout: Layout, gone: int) -> tuple[Part, ...]:
    slots = enumerate(zip(layout.letters, layout.parts, strict=True))
    return tuple(Part(**slot_drawn(i, letter, part, gone)) for i, (letter, part) in slots)


def slot_drawn(i: int, letter: str, part: str, gone: int = 0) -> dict[str, Any]:
    """Returns the fields of a `Part`, which other drawings of a slot have as well."""
    (x, y), lost = towards(i), bool(gone & BIT[letter])
    place = {"slot": SLOTS[i], "x": x, "y": -y, "degrees": DEGREES[i]}
    return {**place, "letter": letter, "part": PART_NAMES[part], "gone": lost}


def effects(state: Position) -> list[Path | Shot | Mark]:
    if state.news or not state.past:
        return []
    happened = state.events
    lost: dict[str, list[str]] = {}
    for event in happened:
        if event["kind"] == "destroyed":
            lost.setdefault(event["by"], []).append(event["letter"])
    drawn: list[Path | Shot | Mark] = []
    for event in happened:
        match event:
            case {"kind": "moved"}:
                drawn.append(_path(state, event))
            case {"kind": "shot"}:
                drawn.append(_shot(state, event))
            case {"kind": "destroyed", "by": name} if name in lost:
                drawn.append(_mark(state, event, " ".join(lost.pop(name))))
            case {"kind": "knocked out"}:
                drawn.append(_mark(state, event, ""))
    return drawn


def _path(state: Position, event: Event) -> Path:
    cause, i = state.past[-1], state.ring.index[event["by"]]
    (x, y), (x2, y2) = (state.ring.centre(at) for at in (cause.before[i], cause.after[i]))
    side = state.side(state.ring.owners[i])
    return Path(kind="path", robot=event["by"], side=side, x=x, y=y, x2=x2, y2=y2, legs=_corners(state, i))


def _shot(state: Position, event: Event) -> Shot:
    ring, after, turret = state.ring, state.past[-1].after, _turret(state, event)
    i, target = ring.index[event["by"]], after[ring.index[event["at"]]]
    here = ring.centre(after[i])
    end = here if target == OFF else ring.centre(target)
    end_x, end_y = end if event["hit"] else _short(here, end)
    return Shot(
        kind="shot",
        robot=event["by"],
        side=state.side(ring.owners[i]),
        x=here[0],
        y=here[1],
        x2=end[0],
        y2=end[1],
        aimed=target != OFF,
        hit=event["hit"],
        turret=turret,
        letter=event["letter"],
        zone=_zone(state, i, turret),
        end_x=end_x,
        end_y=end_y,
    )


def _mark(state: Position, event: Event, letters: str) -> Mark:
    ring, i = state.ring, state.ring.index[event["by"]]
    x, y = ring.centre(state.past[-1].after[i])
    side, name = state.side(ring.owners[i]), event["by"]
    return Mark(kind=event["kind"], robot=name, side=side, x=x, y=y, letter=letters, tag=tag(ring, name))


ASIDE = 0.08


MISSES = 0.62
"""The fraction of the distance to its target over which a missing beam is drawn."""


def _short(here: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    x, y = (round(a + (b - a) * MISSES, 2) for a, b in zip(here, end, strict=True))
    return x, y


def _corners(state: Position, i: int) -> tuple[tuple[float, float], ...]:
    """Returns the start of robot `i`'s last move and the end of each leg; () if its layout is hidden."""
    layout, cause = state.layouts[i], state.past[-1]
    if not layout:
        return ()
    at = cause.before[i]
    corners = [state.ring.centre(at)]
    for letter, n in legs_of(cause.acts[i].partition(" ")[0]):
        at += layout.steps[letter] * n
        corners.append(state.ring.centre(at))
    return tuple(corners)


def _zone(state: Position, i: int, turret: str) -> tuple[Run, ...]:
    """Returns runs of squares that a laser covered last turn, before damage (X3); () if that is hidden."""
    layout, cause = state.layouts[i], state.past[-1]
    if not layout:
        return ()
    gone = gone_before(state, i)
    moved = spent(legs_of(cause.acts[i].partition(" ")[0]))
    covered = state.ring.covered(layout.slot(turret), cause.after[i], reach(layout, gone, moved))
    return runs(state.ring, covered)


class ActionCell(NamedTuple):
    """The action of one robot in a step, its result, and words for screen readers, None if `name` will do."""

    tag: str
    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence
    says: Sentence | None = None


class Cell(NamedTuple):
    """A cell of the table of orders: one seat's actions in one step, one by one and in sum."""

    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence
    acts: tuple[ActionCell, ...] = ()


def cell(state: Position, seat: Seat) -> Cell | None:
    if state.news:
        if any(event == {"kind": "built", "by": seat} for event in state.news):
            return Cell(sign="", icon="act-build", name=Sentence("built"), mark="", mark_name=Sentence(""))
        return None
    if not state.past:
        return None
    cause, team = state.past[-1], state.ring.team[seat]
    act_of = _shown_shot if state.tick else _shown_move
    acts = tuple(act_of(state.ring, cause, i) for i in team if cause.acts[i])
    if not acts:
        return None
    if len(acts) == 1:
        return Cell(*acts[0][1:6], acts)
    signs = "; ".join(act.sign for act in acts)
    mark = next((mark for mark in ("hit", "missed", "moved") if any(act.mark == mark for act in acts)), "")
    icon = next((act.icon for act in acts if act.mark == mark), acts[0].icon)
    return Cell(
        sign=signs,
        icon=icon,
        name=Sentence("{acts}", acts=signs),
        mark=mark,
        mark_name=Sentence(mark),
        acts=acts,
    )


def _shown_move(ring: Ring, cause: Cause, i: int) -> ActionCell:
    move = cause.acts[i].partition(" ")[0]
    if move == STAY:
        return _act(ring, i, sign=STAY, icon="act-stay", name=Sentence("stays"))
    to, way = str(ring.square(cause.after[i])), " + ".join(f"{letter}×{n}" for letter, n in legs_of(move))
    name, says = (
        Sentence("to {to} ({way})", to=to, way=way),
        Sentence("to {to}: {way}", to=to, way=in_words(move)),
    )
    icon = _way_icon(ring, cause.before[i], cause.after[i])
    return _act(ring, i, sign=move, icon=icon, name=name, mark="moved")._replace(says=says)


def _act(ring: Ring, i: int, *, sign: str, icon: str, name: Sentence, mark: str = "") -> ActionCell:
    number = ring.names[i] if ring.options.robots > 1 else ""
    mark_name = Sentence("a hit") if mark == "hit" else Sentence(mark)
    return ActionCell(tag=number, sign=sign, icon=icon, name=name, mark=mark, mark_name=mark_name)


def _way_icon(ring: Ring, before: At, after: At) -> str:
    (x, y), (x2, y2) = ring.centre(before), ring.centre(after)
    if before == after:
        return "act-move"
    return f"act-move-{round(degrees(atan2(x2 - x, y - y2)) / 45) % 8 * 45}"


def _shown_shot(ring: Ring, cause: Cause, i: int) -> ActionCell:
    shot = cause.acts[i].partition(" ")[2]
    if not shot:
        return _act(ring, i, sign=STAY, icon="act-hold", name=Sentence("no shot"))
    turret, target = shot.split(" ")
    name = Sentence("laser {turret} at {target}", turret=turret, target=target)
    return _act(ring, i, sign=shot, icon="act-shoot", name=name, mark="hit" if cause.hits[i] else "missed")
