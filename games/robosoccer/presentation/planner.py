"""The planner of Robosoccer: lining up the robots and placing the ball (ruling S1), and turns by taps.

In an unfinished line-up, `.` is a free square and `_` the one filled next, else the leftmost is.
"""

from functools import partial as bound
from random import Random

from games.core import Choice, IllegalOrder, Order, Seat, Sentence
from games.robosoccer.board import BALL, BIG, BLACK, EMPTY, JUMP, LETTERS, MEDIUM, PUSH, SMALL, kind
from games.robosoccer.presentation.plan_records import RobosoccerPlan, shown, tap_on, undoing
from games.robosoccer.presentation.story import NAMES
from games.robosoccer.presentation.turn_planner import turn
from games.robosoccer.rules import Position
from games.robosoccer.turns import MOST_AT_HOME, PLAYING, actions, cells_after, leads_on

FREE, NEXT = ".", "_"
CHANCE = "chance"
SIZES = {LETTERS[code]: code for code in (BIG, MEDIUM, SMALL)}
OF_A_SIZE = 2


def plan(state: Position, seat: Seat, partial: Order) -> RobosoccerPlan:
    if seat not in state.to_act():
        why_not = Sentence("The match is over.") if state.ended else Sentence("It isn’t your turn.")
        return RobosoccerPlan(order="", choices=(), missing=why_not, words=(), **shown(state, state.cells))
    if state.stage < 2:
        return line_up(state, partial)
    if state.stage < PLAYING:
        return place_ball(state, partial)
    return turn(state, partial)


def novelties(state: Position, seat: Seat) -> tuple[Sentence | None, ...]:
    """Sentences on a push, a jump, turns, arrows and switches, in this order; None for what is not due."""
    if state.stage < PLAYING or seat not in state.to_act():
        return (None,) * 5
    return (
        _first_of(state, PUSH),
        _first_of(state, JUMP),
        Sentence(
            "Tap a piece that can act, then where it goes. A turn is one or two actions; after it at most "
            "{most} of your pieces, ball included, may stand on your home row."
            if state.least == 1
            else "Tap a piece that can act, then where it goes. A turn is two actions; after it at most "
            "{most} of your pieces, ball included, may stand on your home row.",
            most=MOST_AT_HOME,
        ),
        Sentence(
            "Yellow arrows are one-way: robots pass only as they point. No robot passes a red line, only the "
            "ball does."
        ),
        Sentence(
            "Two bent arrows beside a robot: nothing stands between it and your ball on their row or "
            "diagonal, so they can change places."
        ),
    )


def _first_of(state: Position, sign: str) -> Sentence | None:
    """A sentence on a push or jump with which a legal turn can begin, or None (S5, S6)."""
    board, cells = state.board, state.cells
    for action in actions(board, cells, state.mover):
        if action.sign == sign and leads_on(
            board, cells, cells_after(cells, action), state.mover, state.least
        ):
            met = action.end if sign == PUSH else action.middle
            facts = {
                "size": Sentence(NAMES[kind(cells[action.start])]),
                "at": board.names[action.start],
                "other": Sentence(NAMES[kind(cells[met])]),
                "square": board.names[met],
            }
            if sign == PUSH:
                return Sentence(
                    "You can push: your {size} robot on {at} moves the {other} one on {square} back, "
                    "which isn’t bigger.",
                    **facts,
                )
            return Sentence(
                "You can jump: your {size} robot on {at} gets over the {other} one on {square}, which is "
                "bigger.",
                **facts,
            )
    return None


def line_up(state: Position, partial: Order) -> RobosoccerPlan:
    board, home = state.board, state.board.homes[state.mover]
    slots, unread = _read_line_up(partial, board.columns)
    left = {letter: OF_A_SIZE - slots.count(letter) for letter in SIZES}
    missing = unread or _robots_to_go(sum(left.values()), state, slots)
    order = "".join(slots)
    if not missing:
        order = order.replace(NEXT, FREE)
    palette = tuple(_fill(letter, slots, left[letter]) for letter in SIZES)
    squares = [_empty(board.names[home.start + i], i, slots) for i in range(board.columns)]
    cells = bytearray(state.cells)
    for i, letter in enumerate(slots):
        cells[home.start + i] = SIZES[letter] + BLACK * state.mover if letter in SIZES else EMPTY
    filled = [i for i, sign in enumerate(slots) if sign in SIZES]
    back = _taken_out(slots, filled[-1]) if filled else ""
    undo = undoing(order, back, FREE * board.columns, bool(filled))
    return RobosoccerPlan(
        order=order,
        choices=(*palette, *squares, _by_chance(state, slots), *undo),
        missing=missing,
        words=tuple(
            Sentence("{square}: {size} robot.", square=board.names[home.start + i], size=_size(slots[i]))
            for i in filled
        ),
        stage="robots",
        palette=palette,
        taps=tuple(
            tap_on(
                board,
                home.start + i,
                key=choice.key,
                kind="placed" if slots[i] in SIZES else "place",
                name=choice.name,
                acts=_next(slots) == i,
            )
            for i, choice in enumerate(squares)
        ),
        **shown(state, bytes(cells)),
    )


def _robots_to_go(n: int, state: Position, slots: list[str]) -> Sentence | None:
    if not n:
        return None
    square = state.board.names[state.board.homes[state.mover].start + (_next(slots) or 0)]
    if n > 1:
        return Sentence("Choose a robot for {square}: {n} to go.", square=square, n=n)
    return Sentence("Choose the last robot, for {square}.", square=square)


def _by_chance(state: Position, slots: list[str]) -> Choice:
    """Returns the choice of filling the free slots at random or, if all or none are filled, all of them."""
    seat, example = state.seats[state.mover], "LMSSML".ljust(state.board.columns, FREE)
    if 0 < sum(sign in SIZES for sign in slots) < OF_A_SIZE * len(SIZES):
        name = Sentence("Fill at random")
        return Choice(CHANCE, name, example, draws=bound(_filled, slots), replaces=True)
    name = Sentence("Random line-up")
    return Choice(CHANCE, name, example, draws=bound(state.sample, seat), replaces=True)


def _filled(slots: list[str], rng: Random) -> Order:
    left = [letter for letter in SIZES for _ in range(OF_A_SIZE - slots.count(letter))]
    filled = [sign if sign in SIZES else FREE for sign in slots]
    free = [i for i, sign in enumerate(filled) if sign == FREE]
    for i, letter in zip(rng.sample(free, len(left)), left, strict=True):
        filled[i] = letter
    return "".join(filled)


def _read_line_up(partial: Order, columns: int) -> tuple[list[str], Sentence | None]:
    text = "".join(partial.split()).upper()
    free = [FREE] * columns
    strange = [letter for letter in text if letter not in SIZES and letter not in (FREE, NEXT)]
    if strange:
        return free, Sentence("“{letter}” is not a robot; robots are L, M and S.", letter=strange[0])
    if len(text) > columns:
        return free, Sentence("Your home row has only {columns} squares.", columns=columns)
    for letter in SIZES:
        if text.count(letter) > OF_A_SIZE:
            return free, Sentence("You have only two {letter}.", letter=letter)
    slots = list(text.ljust(columns, FREE))
    return _marked(slots, slots.index(NEXT) if NEXT in slots else None), None


def _marked(slots: list[str], next_: int | None) -> list[str]:
    """Returns the slots with NEXT on `next_` alone; on none if that is taken or the leftmost free one."""
    slots = [FREE if sign == NEXT else sign for sign in slots]
    if next_ is not None and slots[next_] == FREE and slots.index(FREE) != next_:
        slots[next_] = NEXT
    return slots


def _next(slots: list[str]) -> int | None:
    if NEXT in slots:
        return slots.index(NEXT)
    return slots.index(FREE) if FREE in slots else None


def _fill(letter: str, slots: list[str], left: int) -> Choice:
    code, at = SIZES[letter], _next(slots)
    why = None
    if not left:
        why = Sentence("Both of these robots are on the row. Take one out first.")
    slots_after = _marked([letter if i == at else sign for i, sign in enumerate(slots)], None)
    return Choice(
        letter,
        Sentence("{size} robot", size=Sentence(NAMES[code])),
        "".join(slots if why else slots_after),
        sign=letter,
        icon=f"robot-{NAMES[code]}",
        why=why,
    )


def _empty(square: str, i: int, slots: list[str]) -> Choice:
    if slots[i] in SIZES:
        name = Sentence("{square}: take the {size} robot out", square=square, size=_size(slots[i]))
    else:
        name = Sentence("{square}: fill this square next", square=square)
    return Choice(square, name, _taken_out(slots, i))


def _size(letter: str) -> Sentence:
    return Sentence(NAMES[SIZES[letter]])


def _taken_out(slots: list[str], i: int) -> Order:
    return "".join(_marked([FREE if j == i else sign for j, sign in enumerate(slots)], i))


def place_ball(state: Position, partial: Order) -> RobosoccerPlan:
    """Returns the plan of a setup turn that places the ball (ruling S1: the second player moves next)."""
    board, row = state.board, state.board.second_rows[state.mover]
    rank = row.start // board.columns + 1
    order, missing = "", Sentence("Tap a square in row {row} for your ball.", row=rank)
    if state.mover:
        missing = Sentence("Tap a square in row {row} for your ball. After that you move first.", row=rank)
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
        order=order,
        choices=(*choices, *undoing(order, "", "", bool(order))),
        missing=None if order else missing,
        words=(Sentence("Your ball is on {square}.", square=order),) if order else (),
        stage="ball",
        taps=tuple(
            tap_on(
                board,
                square,
                key=choice.key,
                kind="placed" if choice.key == order else "place",
                name=choice.name,
            )
            for square, choice in zip(squares, choices, strict=True)
        ),
        **shown(state, bytes(cells)),
    )
