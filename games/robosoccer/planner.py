"""Planning in Robosoccer: lining up, placing the ball, and turns by taps on the board.

An unfinished turn is text like a finished one; a square after the actions is the piece that is picked up
(`c2-c3 d4`). An unfinished line-up has `.` for a free square and `_` for the one that is filled next (without
one, the leftmost).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from games.core import Choice, IllegalOrder, Order, Plan, Seat, Sentence
from games.robosoccer.board import (
    BALL,
    BIG,
    BLACK,
    EMPTY,
    JUMP,
    LETTERS,
    MEDIUM,
    MOVE,
    PUSH,
    SMALL,
    SWITCH,
    Action,
    Board,
    kind,
    owner,
)
from games.robosoccer.story import (
    ACTION_NAMES,
    NAMES,
    VERBS,
    Arrow,
    Effect,
    Line,
    Piece,
    action_name,
    centre,
    edges_of,
    icon,
    paths,
    pieces,
)
from games.robosoccer.turns import (
    ACTIONS,
    MEETING,
    PLAYING,
    actions,
    after,
    ball,
    can,
    leads_on,
    may_end,
    robots,
    scored,
    step,
    switch,
    why_not,
    why_not_end,
)

if TYPE_CHECKING:
    from games.robosoccer.rules import RobosoccerState

FREE, NEXT = ".", "_"
CHANCE = "chance"
SIZES = {LETTERS[code]: code for code in (BIG, MEDIUM, SMALL)}
OF_A_SIZE = 2


class Slot(NamedTuple):
    """One of the turn's two actions, "" while it is free; `key` is the choice that takes it back."""

    number: int
    sign: str
    icon: str
    name: Sentence | None
    key: str
    tap_name: Sentence


class Tap(NamedTuple):
    """A square that can be tapped: `key` is its choice.

    `kind`: `pick` or `picked` (an own piece), `move`, `push`, `jump`, `switch` (what the picked piece would
    do there), `place` or `placed` (setup). `acts`: whether a piece to pick can do anything. `why`: what
    forbids what the kind says; for a piece to pick, what keeps it from switching with the one picked.
    `column` and `row` are counted from 1 at the upper left. `degrees`: where the robot goes, from north
    clockwise.
    """

    key: str
    kind: str
    allowed: bool
    acts: bool
    name: Sentence
    why: Sentence | None
    x: float
    y: float
    column: int
    row: int
    degrees: int = 0


class Sign(NamedTuple):
    """What a mark on the board means: the icon of a kind of action, and its name."""

    icon: str
    name: Sentence


LEGEND = {
    VERBS[MOVE]: Sign(icon(MOVE), Sentence("move")),
    VERBS[PUSH]: Sign(icon(PUSH), Sentence("push")),
    VERBS[JUMP]: Sign(icon(JUMP), Sentence("jump")),
    VERBS[SWITCH]: Sign(icon(SWITCH), Sentence("switch with the ball")),
}


class Left(NamedTuple):
    """A square that looks different after the planned actions; `empty`: what stood there is gone."""

    x: float
    y: float
    empty: bool


class Ghost(NamedTuple):
    """The way of a piece in the planned action of that number, for the drawing."""

    number: int
    path: Effect


@dataclass(frozen=True, slots=True)
class RobosoccerPlan(Plan):
    """`stage` is robots, ball, turn, or nothing; `may_end`: the turn can be sent; `goal`: it scores.

    `pieces` stand as the planned actions leave them; `moved` are those that stand elsewhere now, `left` the
    squares that look different, `lines` and `arrows` those at their edges. `side` is whose plan it is;
    `legend` what the piece picked up may do.
    """

    stage: str = ""
    slots: tuple[Slot, ...] = ()
    palette: tuple[Choice, ...] = ()
    taps: tuple[Tap, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    pieces: tuple[Piece, ...] = ()
    moved: tuple[Piece, ...] = ()
    left: tuple[Left, ...] = ()
    lines: tuple[Line, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    side: str = ""
    legend: tuple[Sign, ...] = ()
    picked: str = ""
    may_end: bool = False
    goal: bool = False


def plan(state: RobosoccerState, seat: Seat, partial: Order) -> RobosoccerPlan:
    if seat not in state.to_act():
        over = Sentence("The match is over.") if state.ended else Sentence("It is not your turn.")
        return RobosoccerPlan("", (), over, (), **_shown(state, state.cells))
    if state.stage < 2:
        return _line_up(state, partial)
    if state.stage < PLAYING:
        return _place_ball(state, partial)
    return _turn(state, partial)


def _shown(state: RobosoccerState, cells: bytes) -> dict[str, Any]:
    """What a drawing shows of the board as the plan leaves it."""
    board = state.board
    stand = pieces(state, cells)
    changed = [square for square, code in enumerate(cells) if code != state.cells[square]]
    names = {board.names[square] for square in changed}
    lines, arrows = edges_of(board, [square for square in changed if state.cells[square]])
    return {
        "lines": lines,
        "arrows": arrows,
        "side": state.side(state.seats[state.mover]),
        "pieces": tuple(stand),
        "moved": tuple(piece for piece in stand if piece.square in names),
        "left": tuple(
            Left(*centre(board, square), not cells[square]) for square in changed if state.cells[square]
        ),
    }


def _place(board: Board, square: int) -> tuple[float, float, int, int]:
    """Where a tap is: x, y, column and row."""
    x, y = centre(board, square)
    return x, y, int(x) + 1, int(y) + 1


def _in_reading_order(taps: Iterable[Tap]) -> tuple[Tap, ...]:
    return tuple(sorted(taps, key=lambda tap: (tap.row, tap.column)))


# Lining up


def _line_up(state: RobosoccerState, partial: Order) -> RobosoccerPlan:
    board = state.board
    home = board.homes[state.mover]
    slots, unread = _read_line_up(partial, board.columns)
    order = "".join(slots)
    left = {letter: OF_A_SIZE - slots.count(letter) for letter in SIZES}
    missing = unread
    if not unread and any(left.values()):
        n = sum(left.values())
        missing = Sentence(
            "Fill the marked square: {n} robots to go."
            if n > 1
            else "Fill the marked square: one robot to go.",
            n=n,
        )
    elif not unread:
        order = order.replace(NEXT, FREE)
    palette = tuple(_fill(letter, slots, left[letter]) for letter in SIZES)
    taps = [_empty(board.names[home.start + i], i, slots) for i in range(board.columns)]
    cells = bytearray(state.cells)
    for i, letter in enumerate(slots):
        cells[home.start + i] = SIZES[letter] + BLACK * state.mover if letter in SIZES else EMPTY
    undoing = _undoing(
        order, _last_out(slots), "".join([FREE] * board.columns), any(s in SIZES for s in slots)
    )
    return RobosoccerPlan(
        order,
        (*palette, *taps, _by_chance(state), *undoing),
        missing,
        (),
        stage="robots",
        palette=palette,
        taps=tuple(
            Tap(
                choice.key,
                "placed" if slots[i] in SIZES else "place",
                True,
                _next(slots) == i,
                choice.name,
                None,
                *_place(board, home.start + i),
            )
            for i, choice in enumerate(taps)
        ),
        may_end=missing is None,
        **_shown(state, bytes(cells)),
    )


def _by_chance(state: RobosoccerState) -> Choice:
    seat = state.seats[state.mover]
    example = "LMSSML".ljust(state.board.columns, FREE)
    return Choice(CHANCE, Sentence("Line up by chance"), example, draws=lambda rng: state.sample(seat, rng))


def _read_line_up(partial: Order, columns: int) -> tuple[list[str], Sentence | None]:
    text = "".join(partial.split()).upper()
    free = [FREE] * columns
    strange = [letter for letter in text if letter not in SIZES and letter not in (FREE, NEXT)]
    if strange:
        return free, Sentence("“{letter}” is no robot; they are L, M and S.", letter=strange[0])
    if len(text) > columns:
        return free, Sentence("Your home row has only {columns} squares.", columns=columns)
    for letter in SIZES:
        if text.count(letter) > OF_A_SIZE:
            return free, Sentence("You have only two {letter}.", letter=letter)
    slots = list(text.ljust(columns, FREE))
    return _marked(slots, slots.index(NEXT) if NEXT in slots else None), None


def _marked(slots: list[str], next_: int | None) -> list[str]:
    """The slots with a mark on the one to fill next, unless that is the leftmost anyway."""
    slots = [FREE if sign == NEXT else sign for sign in slots]
    if next_ is not None and slots[next_] == FREE and slots.index(FREE) != next_:
        slots[next_] = NEXT
    return slots


def _next(slots: list[str]) -> int | None:
    if NEXT in slots:
        return slots.index(NEXT)
    return slots.index(FREE) if FREE in slots else None


def _fill(letter: str, slots: list[str], left: int) -> Choice:
    """Choosing a size: a robot of it goes to the next free square."""
    code, at = SIZES[letter], _next(slots)
    why = None
    if not left:
        why = Sentence("Both of these robots are on the row. Tap one to take it out.")
    after_ = _marked([letter if i == at else sign for i, sign in enumerate(slots)], None)
    return Choice(
        letter,
        Sentence("{size} robot", size=Sentence(NAMES[code])),
        "".join(slots if why else after_),
        sign=letter,
        icon=f"robot-{NAMES[code]}",
        why=why,
    )


def _empty(name: str, i: int, slots: list[str]) -> Choice:
    """Tapping a square of the home row: what stands there comes out, and it is filled next."""
    if slots[i] in SIZES:
        told = Sentence("{square}: take the {size} robot out", square=name, size=_size(slots[i]))
    else:
        told = Sentence("{square}: fill this square next", square=name)
    return Choice(name, told, _taken_out(slots, i))


def _size(letter: str) -> Sentence:
    return Sentence(NAMES[SIZES[letter]])


def _taken_out(slots: list[str], i: int) -> Order:
    return "".join(_marked([FREE if j == i else sign for j, sign in enumerate(slots)], i))


def _last_out(slots: list[str]) -> Order:
    filled = [i for i, sign in enumerate(slots) if sign in SIZES]
    return _taken_out(slots, filled[-1]) if filled else ""


def _undoing(order: Order, back: Order, clear: Order, anything: bool) -> tuple[Choice, Choice]:
    """Undoing the last tap that counts, and all of them."""
    why = None if anything else Sentence("There is nothing to take back.")
    return (
        Choice("back", Sentence("Take the last one back"), order if why else back, why=why),
        Choice("clear", Sentence("Start again"), order if why else clear, why=why),
    )


# Placing the ball


def _place_ball(state: RobosoccerState, partial: Order) -> RobosoccerPlan:
    board, row = state.board, state.board.second_rows[state.mover]
    order, missing = "", Sentence("Tap a dashed square for your ball.")
    if partial.strip():
        try:
            order = state.check(state.seats[state.mover], partial)
        except IllegalOrder as fault:
            missing = fault.sentence
    squares = range(row.start, row.stop)
    names = [board.names[square] for square in squares]
    choices = [Choice(name, Sentence("ball on {square}", square=name), name, sign=name) for name in names]
    cells = bytearray(state.cells)
    if order:
        cells[board.square(order)] = BALL + BLACK * state.mover
    return RobosoccerPlan(
        order,
        (*choices, *_undoing(order, "", "", bool(order))),
        None if order else missing,
        (),
        stage="ball",
        taps=tuple(
            Tap(
                c.key,
                "placed" if c.key == order else "place",
                True,
                True,
                c.name,
                None,
                *_place(board, square),
            )
            for square, c in zip(squares, choices, strict=True)
        ),
        may_end=bool(order),
        **_shown(state, bytes(cells)),
    )


# A turn


@dataclass(slots=True)
class _Draft:
    """What has been planned of a turn: actions, the boards before and after each, the piece picked up."""

    state: RobosoccerState
    actions: list[Action]
    boards: list[bytes]
    picked: int = -1
    fault: Sentence | None = None

    @property
    def cells(self) -> bytes:
        return self.boards[-1]

    @property
    def order(self) -> Order:
        return self.leading_to(self.picked)

    def leading_to(self, picked: int = -1, *more: Action) -> Order:
        words = [action.text for action in (*self.actions, *more)]
        return " ".join([*words, self.state.board.names[picked]] if picked >= 0 else words)


def _turn(state: RobosoccerState, partial: Order) -> RobosoccerPlan:
    board, side = state.board, state.mover
    draft = _read_turn(state, partial)
    goal = scored(board, draft.cells, side)
    full = len(draft.actions) == ACTIONS or goal
    ends = bool(draft.actions) and may_end(board, state.cells, draft.cells, side)
    if full:
        draft.picked = -1
    taps, choices = _taps(draft, goal) if full else _open_taps(draft)
    slots = tuple(_slot(draft, i) for i in range(ACTIONS))
    return RobosoccerPlan(
        draft.order,
        (*choices, *_slot_choices(draft), *_undo_turn(draft)),
        draft.fault or _missing(draft, ends),
        _words(draft, goal, ends),
        stage="turn",
        slots=slots,
        taps=_in_reading_order(taps),
        ghosts=tuple(
            Ghost(i, path)
            for i, (before, action) in enumerate(zip(draft.boards, draft.actions, strict=False), 1)
            for path in paths(state, before, action)
        ),
        legend=tuple(LEGEND[kind] for kind in LEGEND if any(t.kind == kind and t.allowed for t in taps)),
        picked=board.names[draft.picked] if draft.picked >= 0 else "",
        may_end=ends and draft.picked < 0,
        goal=goal,
        **_shown(state, draft.cells),
    )


def _read_turn(state: RobosoccerState, partial: Order) -> _Draft:
    draft = _Draft(state, [], [state.cells])
    words = partial.replace(",", " ").split()
    for i, word in enumerate(words):
        try:
            if i == len(words) - 1 and word.lower() in state.board.names:
                draft.picked, draft.fault = _pick(draft, state.board.square(word.lower()))
            elif len(draft.actions) == ACTIONS:
                draft.fault = Sentence("A turn is one or two actions, no more.")
            elif scored(state.board, draft.cells, state.mover):
                draft.fault = Sentence("The goal is scored: the turn ends here.")
            else:
                action = state.read_action(draft.cells, word)
                draft.boards.append(after(draft.cells, action))
                draft.actions.append(action)
                continue
        except IllegalOrder as fault:
            draft.fault = fault.sentence
        break
    return draft


def _pick(draft: _Draft, square: int) -> tuple[int, Sentence | None]:
    code = draft.cells[square]
    if code and owner(code) == draft.state.mover:
        return square, None
    return -1, Sentence("No piece of yours stands on {square}.", square=draft.state.board.names[square])


def _own(draft: _Draft) -> list[int]:
    side = draft.state.mover
    return [*robots(draft.cells, side), ball(draft.cells, side)]


def _taps(draft: _Draft, goal: bool) -> tuple[list[Tap], list[Choice]]:
    """The own pieces when nothing more can be done in this turn."""
    if goal:
        why = Sentence("The goal is scored: the turn ends here.")
    else:
        why = Sentence("Two actions are planned. Take one back to do something else.")
    made = [_pick_tap(draft, square, why, acts=False, allowed=False) for square in _own(draft)]
    return [tap for tap, _ in made], [choice for _, choice in made]


def _open_taps(draft: _Draft) -> tuple[list[Tap], list[Choice]]:
    """The own pieces to pick up, and what the one picked may do, or why not."""
    made: dict[int, tuple[Tap, Choice]] = {}
    reasons: dict[int, Sentence] = {}
    if draft.picked >= 0:
        for square, action, sign, why in _reach(draft):
            if why and draft.cells[square] and owner(draft.cells[square]) == draft.state.mover:
                reasons[square] = why
            elif square not in made or action:
                made[square] = _target(draft, square, action, sign, why)
    acting = _acting(draft)
    for square in _own(draft):
        if square not in made:
            made[square] = _pick_tap(draft, square, reasons.get(square), acts=square in acting, allowed=True)
    return [tap for tap, _ in made.values()], [choice for _, choice in made.values()]


def _acting(draft: _Draft) -> set[int]:
    """The own pieces that can do something now."""
    state = draft.state
    found: set[int] = set()
    for action in actions(state.board, draft.cells, state.mover):
        squares = {action.start, action.end} if action.sign == SWITCH else {action.start}
        if not squares <= found and _why_not_then(draft, action) is None:
            found |= squares
    return found


def _pick_tap(
    draft: _Draft, square: int, why: Sentence | None, *, acts: bool, allowed: bool
) -> tuple[Tap, Choice]:
    state, picked = draft.state, square == draft.picked
    key, size = state.board.names[square], Sentence(NAMES[kind(draft.cells[square])])
    if kind(draft.cells[square]) == BALL:
        template = "{square}: let the ball be" if picked else "{square}: your ball"
    else:
        template = "{square}: let the {size} robot be" if picked else "{square}: your {size} robot"
    name = Sentence(template, square=key, size=size)
    leads_to = draft.leading_to(-1 if picked else square) if allowed else draft.order
    tap = Tap(key, "picked" if picked else "pick", allowed, acts, name, why, *_place(state.board, square))
    return tap, Choice(key, name, leads_to, sign=key, why=None if allowed else why)


Reached = tuple[int, Action | None, str, Sentence | None]


def _reach(draft: _Draft) -> Iterable[Reached]:
    """What the picked piece may do and may not: the square to tap, the action, its sign, why not."""
    state, cells, picked = draft.state, draft.cells, draft.picked
    board, side = state.board, state.mover
    if kind(cells[picked]) == BALL:
        for robot in robots(cells, side):
            yield _switching(draft, robot, picked, robot)
        return
    for direction in range(4):
        near = board.next(picked, direction)
        if near < 0:
            continue
        action = step(board, cells, picked, direction)
        if action:
            yield action.end, action, action.sign, _why_not_then(draft, action)
            continue
        sign = MEETING[cells[picked]][cells[near]] or MOVE
        far = board.next(near, direction)
        if sign == JUMP and far >= 0:
            why = why_not(board, cells, side, JUMP, picked, far)
        elif sign == JUMP:
            why = Sentence("Behind {square} is the end of the board.", square=board.names[near])
        else:
            why = why_not(board, cells, side, sign, picked, near)
        if not (cells[near] and owner(cells[near]) == side):
            yield near, None, sign, why
    yield _switching(draft, picked, ball(cells, side), ball(cells, side))


def _switching(draft: _Draft, robot: int, ball_at: int, tapped: int) -> Reached:
    state, cells = draft.state, draft.cells
    for ray in state.board.rays[ball_at]:
        action = switch(cells, ray, state.mover)
        if action and action.start == robot:
            return tapped, action, SWITCH, _why_not_then(draft, action)
    return tapped, None, SWITCH, why_not(state.board, cells, state.mover, SWITCH, robot, ball_at)


def _why_not_then(draft: _Draft, action: Action) -> Sentence | None:
    """Why an action that can be done may not be the next of this turn (S9, S10)."""
    state = draft.state
    board, side, then = state.board, state.mover, after(draft.cells, action)
    if not draft.actions:
        if leads_on(board, state.cells, then, side):
            return None
        why = why_not_end(board, state.cells, then, side)
        return Sentence("{why} No second action would mend it.", why=why)
    return why_not_end(board, state.cells, then, side)


def _target(
    draft: _Draft, square: int, action: Action | None, sign: str, why: Sentence | None
) -> tuple[Tap, Choice]:
    board = draft.state.board
    key = board.names[square]
    if action:
        name = action_name(board, action)
    else:
        name = Sentence(ACTION_NAMES[sign], at=board.names[draft.picked], to=key)
        why = why or Sentence("This cannot be done.")
    leads_to = draft.leading_to(-1, action) if action and not why else draft.order
    degrees = 0 if sign == SWITCH else _degrees(board, draft.picked, square)
    tap = Tap(key, VERBS[sign], why is None, why is None, name, why, *_place(board, square), degrees)
    text = action.text if action else ""
    return tap, Choice(key, name, leads_to, sign=text, icon=icon(sign), why=why)


def _degrees(board: Board, start: int, to: int) -> int:
    """Which way a square lies that is one or two squares away, from north clockwise."""
    for direction in range(4):
        near = board.next(start, direction)
        if to in (near, board.next(near, direction) if near >= 0 else near):
            return direction * 90
    return 0


def _slot(draft: _Draft, i: int) -> Slot:
    board, key = draft.state.board, f"slot {i + 1}"
    if i < len(draft.actions):
        action = draft.actions[i]
        name = action_name(board, action)
        return Slot(i + 1, action.text, icon(action.sign), name, key, _tap_name(draft, i))
    return Slot(i + 1, "", "", None, key, _tap_name(draft, i))


def _tap_name(draft: _Draft, i: int) -> Sentence:
    if i < len(draft.actions):
        name = action_name(draft.state.board, draft.actions[i])
        return Sentence("Action {n}: {name}. Take it back.", n=i + 1, name=name)
    return Sentence("Action {n}: free.", n=i + 1)


def _slot_choices(draft: _Draft) -> list[Choice]:
    """Tapping a slot takes its action back; the other one stays if it can be done without it."""
    choices = []
    for i in range(ACTIONS):
        why, leads_to = None, draft.order
        if i >= len(draft.actions):
            why = Sentence("There is nothing to take back.")
        else:
            leads_to = _without(draft, i)
        choices.append(Choice(f"slot {i + 1}", _tap_name(draft, i), leads_to, why=why))
    return choices


def _without(draft: _Draft, i: int) -> Order:
    state = draft.state
    rest = _Draft(state, [], [state.cells])
    for action in draft.actions[:i] + draft.actions[i + 1 :]:
        if not can(state.board, rest.cells, state.mover, action) or _why_not_then(rest, action):
            break
        rest.boards.append(after(rest.cells, action))
        rest.actions.append(action)
    return rest.order


def _undo_turn(draft: _Draft) -> tuple[Choice, Choice]:
    back = draft.leading_to()
    if draft.picked < 0:
        back = " ".join(action.text for action in draft.actions[:-1])
    return _undoing(draft.order, back, "", bool(draft.actions) or draft.picked >= 0)


def _missing(draft: _Draft, ends: bool) -> Sentence | None:
    state = draft.state
    if draft.picked >= 0:
        return Sentence(
            "Tap where {square} goes; tap {square} to let it be.",
            square=state.board.names[draft.picked],
        )
    if not draft.actions:
        return Sentence("Tap one of your robots, or your ball.")
    if ends:
        return None
    why = why_not_end(state.board, state.cells, draft.cells, state.mover)
    if len(draft.actions) < ACTIONS and leads_on(state.board, state.cells, draft.cells, state.mover):
        return Sentence("{why} Mend it with a second action.", why=why)
    return why


def _words(draft: _Draft, goal: bool, ends: bool) -> tuple[Sentence, ...]:
    state = draft.state
    told = [
        Sentence("{n}: {name}.", n=i, name=action_name(state.board, action))
        for i, action in enumerate(draft.actions, 1)
    ]
    if goal:
        told.append(Sentence("Goal!"))
    elif ends and len(draft.actions) < ACTIONS:
        told.append(Sentence("You may send this, or do something more."))
    return tuple(told)
