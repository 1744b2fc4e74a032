"""The planner of turns of Robosoccer (ruling S7): planned actions, and taps on the board for the next one.

An unfinished turn may end with the square of the picked piece, as in `c2-c3 d4`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from games.core import Choice, IllegalOrder, Order, Sentence
from games.robosoccer.board import BALL, JUMP, MOVE, PUSH, SWITCH, Action, Board, kind, owner
from games.robosoccer.presentation.picture import paths
from games.robosoccer.presentation.plan_records import (
    ClosedSide,
    Ghost,
    RobosoccerPlan,
    Slot,
    Tap,
    shown,
    tap_on,
    undoing,
)
from games.robosoccer.presentation.story import ACTION_NAMES, NAMES, VERBS, action_name, icon
from games.robosoccer.rules import Position
from games.robosoccer.turns import (
    ACTIONS,
    MEETING,
    actions,
    ball,
    can,
    cells_after,
    leads_on,
    may_end,
    robots,
    scored,
    step,
    switch,
    why_not,
    why_not_end,
)

NO_SECOND = Sentence("After this no second action is possible, and in this match a turn is two.")


@dataclass(slots=True)
class _Draft:
    """An unfinished turn: its planned actions, and the square of the piece picked for the next, or -1.

    `boards` are the board before the first action, and after each. `fault` is on what the text had wrong.
    """

    state: Position
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


def turn(state: Position, partial: Order) -> RobosoccerPlan:
    board, side = state.board, state.mover
    draft = _read_turn(state, partial)
    goal = scored(board, draft.cells, side)
    full = len(draft.actions) == ACTIONS or goal
    ends = goal or (len(draft.actions) >= state.least and may_end(board, state.cells, draft.cells, side))
    if full:
        draft.picked = -1
    pairs = _taps(draft, goal) if full else _open_taps(draft)
    taps, choices = [tap for tap, _ in pairs], [choice for _, choice in pairs]
    slots, undo_choices = _slots(draft)
    one_less = (
        " ".join(action.text for action in draft.actions[:-1]) if draft.picked < 0 else draft.leading_to()
    )
    undo = undoing(draft.order, one_less, "", bool(draft.actions) or draft.picked >= 0)
    return RobosoccerPlan(
        order=draft.order,
        choices=(*choices, *undo_choices, *undo),
        missing=draft.fault or _missing(draft, ends, [tap.key for tap in taps if tap.once]),
        words=_words(draft, goal, ends),
        stage="turn",
        slots=tuple(slots),
        taps=tuple(sorted(taps, key=lambda tap: (tap.row, tap.column))),
        ghosts=tuple(
            Ghost(i, path)
            for i, (before, action) in enumerate(zip(draft.boards, draft.actions, strict=False), 1)
            for path in paths(state, before, action)
        ),
        closed=tuple(_closed(draft)) if draft.picked >= 0 else (),
        picked=board.names[draft.picked] if draft.picked >= 0 else "",
        goal=goal,
        one_way=bool(board.arrows),
        **shown(state, draft.cells),
    )


def _read_turn(state: Position, partial: Order) -> _Draft:
    draft = _Draft(state, [], [state.cells])
    words = partial.replace(",", " ").split()
    for i, word in enumerate(words):
        try:
            if i == len(words) - 1 and word.lower() in state.board.names:
                square = state.board.square(word.lower())
                if draft.cells[square] and owner(draft.cells[square]) == state.mover:
                    draft.picked = square
                else:
                    draft.fault = Sentence("No piece of yours stands on {square}.", square=word.lower())
            elif len(draft.actions) == ACTIONS:
                draft.fault = Sentence("A turn is two actions at most.")
            elif scored(state.board, draft.cells, state.mover):
                draft.fault = Sentence("The goal is scored: the turn ends here.")
            else:
                action = state.read_action(draft.cells, word)
                draft.boards.append(cells_after(draft.cells, action))
                draft.actions.append(action)
                continue
        except IllegalOrder as fault:
            draft.fault = fault.sentence
        break
    return draft


def _own(draft: _Draft) -> list[int]:
    side = draft.state.mover
    return [*robots(draft.cells, side), ball(draft.cells, side)]


def _taps(draft: _Draft, goal: bool) -> list[tuple[Tap, Choice]]:
    """Returns taps and choices for the player's pieces, all refused, since the turn is complete."""
    if goal:
        why = Sentence("The goal is scored: the turn ends here.")
    else:
        why = Sentence("Two actions are planned. Undo one to do something else.")
    return [_pick_tap(draft, square, why, acts=False, allowed=False) for square in _own(draft)]


def _open_taps(draft: _Draft) -> list[tuple[Tap, Choice]]:
    """Returns the taps and choices that pick a piece, and those for the actions of the picked piece."""
    targets: dict[int, tuple[Tap, Choice]] = {}
    reasons: dict[int, Sentence] = {}
    if draft.picked >= 0:
        for square, action, sign, why in _reach(draft):
            if why and draft.cells[square] and owner(draft.cells[square]) == draft.state.mover:
                reasons[square] = why
            elif square not in targets or action:
                targets[square] = _target(draft=draft, square=square, action=action, sign=sign, why=why)
    acting, switching = _acting(draft)
    for square in _own(draft):
        if square not in targets:
            tap, choice = _pick_tap(draft, square, reasons.get(square), acts=square in acting, allowed=True)
            targets[square] = tap._replace(switches=square in switching and draft.picked < 0), choice
    return list(targets.values())


def _acting(draft: _Draft) -> tuple[set[int], set[int]]:
    """Returns the squares of own pieces that can act next, and of robots that can switch."""
    state = draft.state
    found: set[int] = set()
    switching: set[int] = set()
    for action in actions(state.board, draft.cells, state.mover):
        switches = action.sign == SWITCH
        squares = {action.start, action.end} if switches else {action.start}
        if (switches or not squares <= found) and _why_not_then(draft, action) is None:
            found |= squares
            if switches:
                switching.add(action.start)
    return found, switching


def _pick_tap(
    draft: _Draft, square: int, why: Sentence | None, *, acts: bool, allowed: bool
) -> tuple[Tap, Choice]:
    state, picked = draft.state, square == draft.picked
    key, size = state.board.names[square], Sentence(NAMES[kind(draft.cells[square])])
    if kind(draft.cells[square]) == BALL:
        template = "{square}: put the ball back" if picked else "{square}: your ball"
    elif picked:
        template = "{square}: put the {size} robot back"
    elif allowed and not acts:
        template = "{square}: your {size} robot, blocked"
    else:
        template = "{square}: your {size} robot"
    name = Sentence(template, square=key, size=size)
    leads_to = draft.leading_to(-1 if picked else square) if allowed else draft.order
    tap = tap_on(
        state.board,
        square,
        key=key,
        kind="picked" if picked else "pick",
        allowed=allowed,
        acts=acts,
        name=name,
        why=why,
    )
    return tap, Choice(key, name, leads_to, sign=key, why=None if allowed else why)


CLOSED_NAMES = {PUSH: "push {to}", JUMP: "jump over {to}"}
"""The names of impossible pushes and jumps, by sign; other actions are named as in ACTION_NAMES."""


def _closed(draft: _Draft) -> Iterable[ClosedSide]:
    """Yields each side on which the picked robot can do nothing, with the reason in a word or two."""
    board, cells, picked = draft.state.board, draft.cells, draft.picked
    if kind(cells[picked]) == BALL:
        return
    for direction in range(4):
        near = board.next(picked, direction)
        if near < 0 or step(board, cells, picked, direction):
            continue
        far = board.next(near, direction)
        if board.has_line(picked, near):
            why = Sentence("a red line stops robots, not a switch")
        elif board.has_arrow(near, picked):
            why = Sentence("the arrow points the other way")
        elif owner(cells[near]) == draft.state.mover:
            why = Sentence("your own")
        elif kind(cells[near]) == BALL:
            why = Sentence("robots don’t push balls")
        elif far < 0:
            why = Sentence("the board ends behind it")
        elif cells[far]:
            why = Sentence("no room behind it")
        else:
            why = Sentence("blocked behind it")
        yield ClosedSide(board.names[near], why)


Reached = tuple[int, Action | None, str, Sentence | None]


def _reach(draft: _Draft) -> Iterable[Reached]:
    """Yields the possible next actions of the picked piece, and the impossible ones with the reason."""
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
            why = why_not(board, cells, side, sign=JUMP, start=picked, end=far)
        elif sign == JUMP:
            why = Sentence("Behind {square} is the end of the board.", square=board.names[near])
        else:
            why = why_not(board, cells, side, sign=sign, start=picked, end=near)
        if not (cells[near] and owner(cells[near]) == side):
            yield near, None, sign, why
    yield _switching(draft, picked, ball(cells, side), ball(cells, side))


def _switching(draft: _Draft, robot: int, ball_at: int, tapped: int) -> Reached:
    state, cells = draft.state, draft.cells
    for ray in state.board.rays[ball_at]:
        action = switch(cells, ray, state.mover)
        if action and action.start == robot:
            return tapped, action, SWITCH, _why_not_then(draft, action)
    why = why_not(state.board, cells, state.mover, sign=SWITCH, start=robot, end=ball_at)
    return tapped, None, SWITCH, why


def _why_not_then(draft: _Draft, action: Action) -> Sentence | None:
    """The reason why an action must not come next; None if it may (rulings S7 to S10)."""
    state = draft.state
    board, side, then = state.board, state.mover, cells_after(draft.cells, action)
    if not draft.actions:
        if leads_on(board, state.cells, then, side, state.least):
            return None
        why = why_not_end(board, state.cells, then, side)
        if why is None:
            return NO_SECOND
        return Sentence("{why} No second action can fix that.", why=why)
    return why_not_end(board, state.cells, then, side)


def _target(
    draft: _Draft, square: int, action: Action | None, *, sign: str, why: Sentence | None
) -> tuple[Tap, Choice]:
    board = draft.state.board
    key = board.names[square]
    if action:
        name = action_name(board, action)
    else:
        name = Sentence(CLOSED_NAMES.get(sign, ACTION_NAMES[sign]), at=board.names[draft.picked], to=key)
        why = why or Sentence("This can’t be done.")
    leads_to = draft.leading_to(-1, action) if action and not why else draft.order
    degrees = 0 if sign == SWITCH else _degrees(board, draft.picked, square)
    near = board.next(draft.picked, degrees // 90)
    arrow = board.has_arrow(draft.picked, near)
    if sign == JUMP and not arrow:
        arrow = board.has_arrow(near, board.next(near, degrees // 90))
    once = arrow and not why and sign != SWITCH
    if once:
        name = Sentence("{name}. One way: no coming back past the arrow.", name=name)
    tap = tap_on(
        board,
        square,
        key=key,
        kind=VERBS[sign],
        allowed=why is None,
        acts=why is None,
        name=name,
        why=why,
        degrees=degrees,
        once=once,
    )
    text = action.text if action else ""
    if why and sign != SWITCH:
        size, at = Sentence(NAMES[kind(draft.cells[draft.picked])]), board.names[draft.picked]
        why = Sentence("Your {size} robot on {at} is blocked there. {why}", size=size, at=at, why=why)
    return tap, Choice(key, name, leads_to, sign=text, icon=icon(sign), why=why)


def _degrees(board: Board, start: int, to: int) -> int:
    """Returns the direction, in degrees, to a square one or two away; 0 for any other square."""
    for direction in range(4):
        near = board.next(start, direction)
        if to in (near, board.next(near, direction) if near >= 0 else near):
            return direction * 90
    return 0


def _slots(draft: _Draft) -> tuple[list[Slot], list[Choice]]:
    """Returns the slots of a turn's actions, free ones included, and choices that take the actions back."""
    slots, choices = [], []
    for i in range(ACTIONS):
        key = f"slot {i + 1}"
        if i < len(draft.actions):
            action, rest = draft.actions[i], _without(draft, i)
            name = action_name(draft.state.board, action)
            undo = Sentence("Action {n}: {name}. Undo.", n=i + 1, name=name)
            slots.append(Slot(i + 1, action.text, icon(action.sign), name, key=key, tap_name=undo))
            several = len(rest.actions) < len(draft.actions) - 1
            choices.append(Choice(key, undo, rest.order, replaces=several))
        else:
            free = Sentence("Action {n}: free.", n=i + 1)
            slots.append(Slot(i + 1, sign="", icon="", name=None, key=key, tap_name=free))
            choices.append(Choice(key, free, draft.order, why=Sentence("There’s nothing to undo.")))
    return slots, choices


def _without(draft: _Draft, i: int) -> _Draft:
    """Returns the draft without its action `i`, and without later ones that depend on it."""
    state = draft.state
    rest = _Draft(state, [], [state.cells])
    for action in draft.actions[:i] + draft.actions[i + 1 :]:
        if not can(state.board, rest.cells, state.mover, action) or _why_not_then(rest, action):
            break
        rest.boards.append(cells_after(rest.cells, action))
        rest.actions.append(action)
    return rest


def _blocked(draft: _Draft) -> Sentence | None:
    """The reason why the picked piece can do nothing in this turn, or None."""
    reached = list(_reach(draft))
    if any(action and not why for _, action, _, why in reached):
        return None
    square, code = draft.state.board.names[draft.picked], kind(draft.cells[draft.picked])
    if code == BALL:
        return Sentence(
            "Your ball on {square} can’t change places now: none of your robots stands to its left or right "
            "or on a diagonal, with nothing in between.",
            square=square,
        )
    found = [why for _, _, sign, why in reached if why and sign != SWITCH]
    board, cells, side = draft.state.board, draft.cells, draft.state.mover
    near = [board.next(draft.picked, direction) for direction in range(4)]
    own = [board.names[at] for at in near if at >= 0 and cells[at] and owner(cells[at]) == side]
    if own:
        found.append(Sentence("Your own pieces stand on {squares}.", squares=", ".join(own)))
    reasons = list({str(why): why for why in found}.values()) or [Sentence("This can’t be done.")]
    reason = reduce(lambda first, second: Sentence("{first} {second}", first=first, second=second), reasons)
    facts = {"size": Sentence(NAMES[code]), "square": square, "why": reason}
    return Sentence("Your {size} robot on {square} is blocked. {why}", **facts)


def _missing(draft: _Draft, ends: bool, once: list[str]) -> Sentence | None:
    state = draft.state
    if draft.picked >= 0 and (blocked := _blocked(draft)):
        return blocked
    if draft.picked >= 0 and kind(draft.cells[draft.picked]) == BALL:
        return Sentence("Tap a robot that your ball reaches: they change places.")
    if draft.picked >= 0:
        acts = [action_name(state.board, action) for _, action, _, why in _reach(draft) if action and not why]
        named = reduce(lambda first, act: Sentence("{first}, {second}", first=first, second=act), acts)
        if once:
            return Sentence(
                "Tap where it goes: {acts}. {squares}: one way, no coming back past the arrow.",
                acts=named,
                squares=", ".join(once),
            )
        return Sentence("Tap where it goes: {acts}.", acts=named)
    if not draft.actions:
        return Sentence("Tap a piece that can act.")
    if ends:
        return None
    board, side = state.board, state.mover
    why = why_not_end(board, state.cells, draft.cells, side)
    leads = len(draft.actions) < ACTIONS and leads_on(board, state.cells, draft.cells, side, state.least)
    if why is None:
        return Sentence("One more action: in this match a turn is two.") if leads else NO_SECOND
    return Sentence("{why} A second action can fix that.", why=why) if leads else why


def _words(draft: _Draft, goal: bool, ends: bool) -> tuple[Sentence, ...]:
    state = draft.state
    words = [
        Sentence("Action {n}: {name}.", n=i, name=action_name(state.board, action))
        for i, action in enumerate(draft.actions, 1)
    ]
    if goal:
        words.append(Sentence("Goal!"))
    elif ends and draft.picked < 0 and len(draft.actions) < ACTIONS:
        words.append(Sentence("You can play this, or do more."))
    return tuple(words)
