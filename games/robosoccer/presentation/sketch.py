"""A board that a match's creator draws: its text form, the taps that change it, and its faults.

In `6x8 c3|c4 a3>a4 d2>>d3`, six columns and eight rows have a red line, a small arrow and a fixed arrow. A
board's JSON data is accepted instead.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from games.core import IllegalOption, Sentence
from games.robosoccer.board import (
    BUILT_IN,
    LEAST_COLUMNS,
    LEAST_ROWS,
    MOST,
    Board,
    Edge,
    Spec,
    board_of,
    read_spec,
)

LINE, ARROW, FIXED = "|", ">", ">>"
LONGEST = 12_000
"""The most characters of a text: enough for the largest board with every edge taken, even as JSON."""
SIZE = re.compile(r"(\d{1,2})x(\d{1,2})")
ITEM = re.compile(r"([a-p]\d{1,2})(\||>>?)([a-p]\d{1,2})")
PAIR = re.compile(r'\[\s*"([^"]*)"\s*,\s*"([^"]*)"\s*\]')


class EdgeContent(NamedTuple):
    """A possible content of an edge, the tap that puts it there, and True for the present one."""

    tap: str
    kind: str
    name: Sentence
    here: bool


class PickedEdge(NamedTuple):
    """An edge of the tapped square, its possible contents, and the square beyond it."""

    to: str
    degrees: int
    name: Sentence
    choices: tuple[EdgeContent, ...]


class Sketch(NamedTuple):
    """A board that a match's creator is drawing; `squares` are (name, column, row), from the upper left.

    `warnings` are on sides that can never win by a goal here. `picked` is the square whose `edges` are
    offered, or "". With a `fault`, `text` is the faulty text, and `spec` is the built-in board.
    """

    text: str
    spec: Spec
    fault: Sentence | None
    warnings: tuple[Sentence, ...]
    picked: str
    edges: tuple[PickedEdge, ...]
    squares: tuple[tuple[str, int, int], ...]

    @property
    def setup(self) -> dict[str, Any] | None:
        return None if self.fault else {"board": data_of(self.spec)}


class Fault(Exception):
    """A fault in a board's text, at the character offset `at`; the template has {line} and {column}."""

    def __init__(self, template: str, at: int, **facts: object) -> None:
        super().__init__(template)
        self.template, self.at, self.facts = template, at, facts

    def sentence(self, text: str) -> Sentence:
        line, column = text.count("\n", 0, self.at) + 1, self.at - text.rfind("\n", 0, self.at)
        return Sentence(self.template, line=line, column=column, **self.facts)


def sketch(given: Mapping[str, Any]) -> Sketch:
    """Returns the board in the field `board` of a form, after the tap in `board-tap`.

    A tap is `at c3` (picks a square), `c3|c4`, `c3>c4`, `c3>>c4`, `c3 c4` (puts a line, an arrow, a fixed
    arrow, nothing on an edge, with `board-mirror` also on the opposite one), `size`, `standard` or
    `empty`. A faulty text stays, with its `fault`, until `standard` is tapped.
    """
    text, tap = str(given.get("board") or "").replace("\r\n", "\n"), str(given.get("board-tap") or "")
    if tap == "standard" or not text.strip():
        text = text_of(BUILT_IN)
    try:
        spec = read(text)
    except Fault as fault:
        return _drawn(text, BUILT_IN, str(given.get("board-at") or ""), fault.sentence(text))
    before, spec = spec, _tapped(spec, tap, given)
    picked = tap.removeprefix("at ") if tap.startswith("at ") else str(given.get("board-at") or "")
    return _drawn(text if spec == before and tap != "standard" else text_of(spec), spec, picked, None)


def _drawn(text: str, spec: Spec, picked: str, fault: Sentence | None) -> Sketch:
    board = board_of(spec)
    squares = tuple(
        (name, n % spec.columns + 1, spec.rows - n // spec.columns) for n, name in enumerate(board.names)
    )
    picked = picked if picked in board.names and not fault else ""
    return Sketch(
        text=text,
        spec=spec,
        fault=fault,
        warnings=() if fault else tuple(_warnings(board)),
        picked=picked,
        edges=tuple(_picked_edges(board, picked)) if picked else (),
        squares=squares,
    )


# The text


def text_of(spec: Spec) -> str:
    names = board_of(spec).names
    rows = [
        " ".join(f"{names[from_]}{sign}{names[to]}" for from_, to in edges)
        for sign, edges in ((LINE, spec.lines), (ARROW, spec.arrows), (FIXED, spec.fixed_arrows))
    ]
    return "\n".join([f"{spec.columns}x{spec.rows}", *filter(None, rows)])


def data_of(spec: Spec) -> dict[str, Any]:
    """Returns a board as JSON data, as a record contains it (docs/record.md)."""
    names = board_of(spec).names

    def pairs(edges: tuple[Edge, ...]) -> list[list[str]]:
        return [[names[from_], names[to]] for from_, to in edges]

    data = {
        "columns": spec.columns,
        "rows": spec.rows,
        "lines": pairs(spec.lines),
        "arrows": pairs(spec.arrows),
    }
    return data | ({"fixed_arrows": pairs(spec.fixed_arrows)} if spec.fixed_arrows else {})


def read(text: str) -> Spec:
    """Parses a board from its text or its JSON data; raises Fault for the first error."""
    if len(text) > LONGEST:
        raise Fault("Line {line}, column {column}: no board needs a text that long.", LONGEST)
    if text.lstrip().startswith("{"):
        return _read_json(text)
    words = list(re.finditer(r"\S+", text))
    size = SIZE.fullmatch(words[0][0]) if words else None
    columns, rows = (int(size[1]), int(size[2])) if size else (0, 0)
    if not (LEAST_COLUMNS <= columns <= MOST and LEAST_ROWS <= rows <= MOST):
        raise Fault(
            "Line {line}, column {column}: a board begins with its size, as 6x8: {least} to {most} "
            "columns and {fewest} to {most} rows.",
            words[0].start() if words else 0,
            least=LEAST_COLUMNS,
            fewest=LEAST_ROWS,
            most=MOST,
        )
    board = board_of(Spec("", columns, rows, (), ()))
    found: dict[str, list[Edge]] = {LINE: [], ARROW: [], FIXED: []}
    for at, one, sign, other in _items(words[1:]):
        edge = _edge(board, at, one, other)
        if sign != LINE:
            _check_single(board, at, edge, found[ARROW] + found[FIXED])
        found[sign].append(edge)
    return Spec("", columns, rows, tuple(found[LINE]), tuple(found[ARROW]), tuple(found[FIXED]))


def _items(words: list[re.Match[str]]) -> Iterator[tuple[int, str, str, str]]:
    for word in words:
        item = ITEM.fullmatch(word[0])
        if not item:
            raise Fault(
                "Line {line}, column {column}: “{word}” is neither a line, as c3|c4, nor an arrow, as a3>a4.",
                word.start(),
                word=word[0][:20],
            )
        yield word.start(), item[1], item[2], item[3]


def _edge(board: Board, at: int, one: str, other: str) -> Edge:
    for name in (one, other):
        if name not in board.names:
            raise Fault("Line {line}, column {column}: {square} is not on this board.", at, square=name[:20])
    from_, to = board.names.index(one), board.names.index(other)
    if to not in [board.next(from_, direction) for direction in range(4)]:
        template = "Line {line}, column {column}: {one} and {other} do not share an edge."
        raise Fault(template, at, one=one, other=other)
    return from_, to


def _check_single(board: Board, at: int, edge: Edge, before: list[Edge]) -> None:
    if edge in before or edge[::-1] in before:
        one, other = (board.names[square] for square in edge)
        template = "Line {line}, column {column}: there are two arrows between {one} and {other}."
        raise Fault(template, at, one=one, other=other)


def _read_json(text: str) -> Spec:
    try:
        data = json.loads(text)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as fault:
        at = fault.pos if isinstance(fault, json.JSONDecodeError) else 0
        raise Fault("Line {line}, column {column}: this is not JSON.", at) from None
    try:
        return read_spec(data)._replace(name="")
    except IllegalOption as fault:
        raise _found_in_json(text, data, fault) from None


def _found_in_json(text: str, data: Any, fault: IllegalOption) -> Fault:
    columns, rows = (data.get(key) if isinstance(data, dict) else 0 for key in ("columns", "rows"))
    if type(columns) is int and type(rows) is int and columns in range(LEAST_COLUMNS, MOST + 1):
        if rows in range(LEAST_ROWS, MOST + 1):
            board = board_of(Spec("", columns, rows, (), ()))
            for pair in PAIR.finditer(text):
                try:
                    _edge(board, pair.start(), pair[1], pair[2])
                except Fault as found:
                    return found
    return Fault("Line {line}, column {column}: {what}", text.index("{"), what=fault.sentence)


# Taps


def _tapped(spec: Spec, tap: str, given: Mapping[str, Any]) -> Spec:
    if tap == "empty":
        return spec._replace(lines=(), arrows=(), fixed_arrows=())
    if tap == "size":
        return _resized(spec, str(given.get("board-columns")), str(given.get("board-rows")))
    item = ITEM.fullmatch(tap.replace(" ", LINE))
    if not item or tap.startswith("at "):
        return spec
    board, sign = board_of(spec), "" if " " in tap else item[2]
    try:
        edge = _edge(board, 0, item[1], item[3])
    except Fault:
        return spec
    last = spec.columns * spec.rows - 1
    twin = last - edge[0], last - edge[1]
    edges = {edge, twin} if given.get("board-mirror") and twin != edge[::-1] else {edge}
    for one in sorted(edges):
        spec = _put(spec, one, sign)
    return spec


def _put(spec: Spec, edge: Edge, sign: str) -> Spec:
    def changed(edges: tuple[Edge, ...], own: str) -> tuple[Edge, ...]:
        others = tuple(one for one in edges if one not in (edge, edge[::-1]))
        return (*others, edge) if sign == own else others

    return spec._replace(
        lines=changed(spec.lines, LINE),
        arrows=changed(spec.arrows, ARROW),
        fixed_arrows=changed(spec.fixed_arrows, FIXED),
    )


def _resized(spec: Spec, columns: str, rows: str) -> Spec:
    try:
        size = read(f"{columns}x{rows}")
    except Fault:
        return spec
    names, board = board_of(spec).names, board_of(size)

    def kept(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        found = []
        for from_, to in edges:
            try:
                found.append(_edge(board, 0, names[from_], names[to]))
            except Fault:
                continue
        return tuple(found)

    return size._replace(
        lines=kept(spec.lines), arrows=kept(spec.arrows), fixed_arrows=kept(spec.fixed_arrows)
    )


def _picked_edges(board: Board, picked: str) -> Iterator[PickedEdge]:
    here = board.names.index(picked)
    for direction in range(4):
        there = board.next(here, direction)
        if there < 0:
            continue
        other = board.names[there]
        name = Sentence("Between {one} and {other}", one=picked, other=other)
        yield PickedEdge(other, direction * 90, name, tuple(_choices(board, here, there)))


def _choices(board: Board, here: int, there: int) -> Iterator[EdgeContent]:
    """Yields each possible content of an edge: empty, a line, or an arrow either way."""
    one, other, spec = board.names[here], board.names[there], board.spec
    both, out, back = {"one": one, "other": other}, (here, there), (there, here)
    line, arrow = board.has_line(here, there), board.has_arrow(*out) or board.has_arrow(*back)
    nothing = Sentence("Nothing between {one} and {other}", **both)
    yield EdgeContent(f"{one} {other}", "open", nothing, not line and not arrow)
    yield EdgeContent(f"{one}|{other}", "line", Sentence("A line between {one} and {other}", **both), line)
    for sign, edges in ((ARROW, spec.arrows), (FIXED, spec.fixed_arrows)):
        small = sign == ARROW
        for way, (from_, to), edge in (("out", (one, other), out), ("back", (other, one), back)):
            ends = {"one": from_, "other": to}
            says = Sentence("An arrow from {one} to {other}", **ends)
            fixed = Sentence("A fixed arrow from {one} to {other}", **ends)
            kind = way if small else f"fixed-{way}"
            yield EdgeContent(f"{from_}{sign}{to}", kind, says if small else fixed, edge in edges)


# Who can win


def _warnings(board: Board) -> Iterator[Sentence]:
    """Yields a warning if a side, or both, can never bring the ball to the goal row."""
    able = [reaches_goal(board, side) for side in (0, 1)]
    if not any(able):
        yield Sentence("No one can ever win by a goal on this board: neither ball gets to its far row.")
    elif not able[0]:
        yield Sentence(
            "A, who lines up at the bottom, can never win by a goal: the ball never gets to the top row."
        )
    elif not able[1]:
        yield Sentence(
            "B, who lines up at the top, can never win by a goal: the ball never gets to the bottom row."
        )


def reaches_goal(board: Board, side: int) -> bool:
    """Returns True if some path leads a side's ball to its goal row on an empty board (S2, S4)."""
    everywhere = range(board.columns * board.rows)
    partners = [{other for ray in rays for other, _ in ray} for rays in board.rays]  # the same from both ends
    found: dict[bool, set[int]] = {True: set(), False: set()}  # robots, balls
    new = [(True, at) for at in everywhere[board.homes[side]]]
    new += [(False, at) for at in everywhere[board.second_rows[side]]]
    while new:
        is_robot, here = new.pop()
        if here in found[is_robot]:
            continue
        found[is_robot].add(here)
        if is_robot:
            new += [(True, to) for way in range(4) if (to := board.open(here, way)) >= 0]
        for there in partners[here] & found[not is_robot]:
            new += [(is_robot, there), (not is_robot, here)]
    return not found[False].isdisjoint(everywhere[board.goals[side]])
