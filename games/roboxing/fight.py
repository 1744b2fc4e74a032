"""Planning a turn of the fight: for every robot a move, a turret and a target (X3 to X10).

An unfinished order is text like a finished one, with `_` for what is still open, and `>` before the robot
that is being planned where there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial as bound
from typing import TYPE_CHECKING, NamedTuple

from games.core import Choice, IllegalOrder, Order, Plan, Seat, Sentence
from games.grid import Square
from games.roboxing.notes import LetterNote, notes
from games.roboxing.orders import (
    DASHES,
    STAY,
    Leg,
    boosted,
    check_engine,
    check_target,
    check_turret,
    longest,
    parted,
    power,
    reach,
    read_legs,
    read_target,
    spent,
    walk,
    write_legs,
)
from games.roboxing.ring import OFF, At
from games.roboxing.robot import (
    BIT,
    CENTRE,
    COUNT,
    DEGREES,
    ENGINE,
    FAR,
    IN_MASK,
    LASER,
    LETTERS,
    PART_NAMES,
    SLOT_NAMES,
    SLOTS,
    ZONES,
    Layout,
    towards,
)
from games.roboxing.story import Run, hurt, robot, runs, tag

if TYPE_CHECKING:
    from games.roboxing.rules import RoboxingState

OPEN, CURRENT = "_", ">"


class Draft(NamedTuple):
    """An unfinished order of a robot; `stays` if it was told to. A target may be open still: `B2:_`."""

    legs: tuple[Leg, ...] = ()
    stays: bool = False
    turret: str = ""
    target: str = ""

    def __str__(self) -> str:
        move = write_legs(self.legs) if self.legs or self.stays else OPEN
        if self.turret or self.target:
            return f"{move} {self.turret or OPEN} {self.target or OPEN}"
        return move

    @property
    def empty(self) -> bool:
        """Whether nothing is ordered; a sheet may lie open."""
        return not (self.legs or self.stays or self.turret or self.aims)

    @property
    def aims(self) -> bool:
        """Whether it names a target, and not only the robot whose sheet is looked at."""
        return bool(self.target) and not self.target.endswith(OPEN)

    @property
    def whole(self) -> bool:
        return not self.empty and bool(self.turret) == self.aims

    def final(self) -> Order:
        move = write_legs(self.legs)
        return f"{move} {self.turret} {self.target}" if self.turret else move


class BodySlot(NamedTuple):
    """A slot of an own robot; `key` is the choice that a tap on it makes, "" if there is none.

    `steps` is how far the planned move uses it, `covers` whether its turret would reach an enemy that stands
    now in its zone, `name` what a tap does, `why` why it cannot be done now.
    """

    slot: str
    x: int
    y: int
    letter: str
    part: str
    gone: bool
    picked: bool
    key: str
    degrees: int
    steps: int
    covers: bool
    name: Sentence
    why: Sentence | None


class Pip(NamedTuple):
    """A space that may be moved: `taken` by the plan or not; `boost` if it needs the booster."""

    taken: bool
    boost: bool


class LegShown(NamedTuple):
    """A leg of the planned move from x0, y0 to x, y. `key` takes it out, and all legs after it."""

    number: int
    letter: str
    spaces: int
    way: str
    x0: float
    y0: float
    x: float
    y: float
    key: str
    middle_x: float
    middle_y: float
    degrees: int
    says: Sentence


class TurretShown(NamedTuple):
    """An intact turret: its danger zone from where the robot will stand, and the enemies now in it."""

    letter: str
    slot: str
    key: str
    picked: bool
    zone: tuple[Run, ...]
    covers: tuple[str, ...]


class RobotShown(NamedTuple):
    """An own robot in the plan: from x0, y0 it will come to stand on x, y.

    It moves `moved` of `limit` spaces and `left` are left; more than `power` spend the booster, which is
    "free", "spent" or "gone" (X5). `reach` counts it.
    """

    robot: str
    number: int
    side: str
    name: Seat | Sentence
    current: bool
    key: str
    slots: tuple[BodySlot, ...]
    legs: tuple[LegShown, ...]
    moved: int
    left: int
    power: int
    limit: int
    booster: str
    lasers: int
    reach: int
    turrets: tuple[TurretShown, ...]
    turret: str
    target: str
    square: str
    x0: float
    y0: float
    x: float
    y: float
    order: Order
    tag: str
    pips: tuple[Pip, ...]
    stays: bool
    fires: Sentence | None

    @property
    def parts(self) -> tuple[BodySlot, ...]:
        """Its slots, as every drawing of a robot asks for them."""
        return self.slots

    @property
    def hurt(self) -> int:
        return hurt(sum(slot.gone for slot in self.slots))


class TargetLetter(NamedTuple):
    """A letter of an enemy's damage sheet, with what it has shown so far; `name` is what a tap does."""

    letter: str
    key: str
    gone: bool
    picked: bool
    note: LetterNote
    degrees: int
    name: Sentence
    why: Sentence | None


class EnemyShown(NamedTuple):
    """An enemy's robot and its letters; `covered` if the picked turret would reach it where it stands now.

    `current` is the one whose sheet lies open, `key` the choice that opens it, "" where there is but one.
    """

    robot: str
    side: str
    name: Seat | Sentence
    square: str
    x: float
    y: float
    covered: bool
    letters: tuple[TargetLetter, ...]
    tag: str
    current: bool
    key: str
    target: str
    noted: bool


class Tap(NamedTuple):
    """A square of the board that the current robot may move to next; `boosts` if that spends its booster.

    `column` and `row` count the squares from the upper left corner, from 1.
    """

    square: str
    x: float
    y: float
    key: str
    letter: str
    spaces: int
    boosts: bool
    column: int
    row: int
    name: Sentence


class Guessed(NamedTuple):
    """What if: an enemy's robot, supposed on a square, and whether a planned shot at it would hit there."""

    robot: str
    side: str
    square: str
    x: float
    y: float
    hit: bool | None


@dataclass(frozen=True, slots=True)
class FightPlan(Plan):
    """Choices are for the current robot; `robot 2` (in `tabs`) makes another one current.

    `columns` and `rows` is how many squares the ring has each way.
    """

    building: bool = False
    robots: tuple[RobotShown, ...] = ()
    current: int = 0
    engines: tuple[Choice, ...] = ()
    turrets: tuple[Choice, ...] = ()
    targets: tuple[Choice, ...] = ()
    actions: tuple[Choice, ...] = ()
    enemies: tuple[EnemyShown, ...] = ()
    tabs: tuple[Choice, ...] = ()
    columns: int = 0
    rows: int = 0
    can_undo: bool = False
    taps: tuple[Tap, ...] = ()
    guessed: tuple[Guessed, ...] = ()


class Sheet(NamedTuple):
    """The drafts of all robots that a seat has in the ring, and which of them is current."""

    state: RoboxingState
    robots: tuple[int, ...]
    drafts: tuple[Draft, ...]
    current: int
    marked: bool

    def __str__(self) -> str:
        several = len(self.robots) > 1
        return ";".join(
            f"{CURRENT if several and self.marked and n == self.current else ''}{draft}"
            for n, draft in enumerate(self.drafts)
        )

    @property
    def draft(self) -> Draft:
        return self.drafts[self.current]

    @property
    def robot(self) -> int:
        return self.robots[self.current]

    def number(self, n: int) -> int:
        """What the player calls the n-th of the robots that are left."""
        return int(self.state.ring.names[self.robots[n]][1:])

    def end(self, n: int) -> At:
        """Where the n-th robot will stand."""
        return walk(self.state, self.robots[n], self.drafts[n].legs)

    def limit(self, n: int) -> int:
        return longest(self.state.layout(self.robots[n]), self.state.gone[self.robots[n]])

    def reach(self, n: int) -> int:
        i = self.robots[n]
        return reach(self.state.layout(i), self.state.gone[i], spent(self.drafts[n].legs))

    def with_draft(self, draft: Draft) -> str:
        drafts = (*self.drafts[: self.current], draft, *self.drafts[self.current + 1 :])
        return str(self._replace(drafts=drafts, marked=True))


def plan(state: RoboxingState, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> FightPlan:
    robots = tuple(state.robots(seat))
    try:
        drafts, current, fault = _read_drafts(state, robots, partial)
    except IllegalOrder as illegal:
        drafts, current, fault = (Draft(),) * len(robots), None, illegal.sentence
    open_ones = [n for n, draft in enumerate(drafts) if not draft.whole]
    marked = current is not None
    if current is None:
        current = open_ones[0] if open_ones else 0
    sheet = Sheet(state, robots, drafts, current, marked)
    missing = fault or _missing(sheet)
    order = partial if fault else str(sheet) if missing else ";".join(draft.final() for draft in drafts)
    engines = _engines(sheet, order)
    taps = _taps(sheet)
    sheets = _sheets(sheet, seat)
    turrets = _turrets(sheet, order)
    targets = _targets(sheet, seat, order)
    legs = _leg_choices(sheet)
    actions = _actions(sheet, order)
    others = tuple(
        Choice(f"robot {sheet.number(n)}", Sentence("Plan robot {n}", n=sheet.number(n)), str(other))
        for n in range(len(robots))
        if len(robots) > 1
        for other in [sheet._replace(current=n, marked=True)]
    )
    does = {choice.key: choice for choice in (*engines, *turrets)}
    aimed = {choice.key: choice for choice in targets}
    moves = tuple(choice for choice, _ in taps)
    guessed, supposed = _suppose(sheet, guesses)
    return FightPlan(
        order=order,
        choices=(*engines, *moves, *legs, *turrets, *targets, *actions, *others, *sheets),
        missing=missing,
        words=(*_words(sheet), *supposed),
        robots=tuple(_robot_shown(sheet, n, does) for n in range(len(robots))),
        current=sheet.number(current),
        engines=engines,
        turrets=turrets,
        targets=targets,
        actions=actions,
        enemies=tuple(_enemy_shown(sheet, j, aimed) for j in _enemies(sheet, seat)),
        tabs=others,
        can_undo=not sheet.draft.empty,
        columns=state.options.width,
        rows=state.options.height,
        taps=tuple(tap for _, tap in taps),
        guessed=guessed,
    )


def _read_drafts(
    state: RoboxingState, robots: tuple[int, ...], partial: Order
) -> tuple[tuple[Draft, ...], int | None, Sentence | None]:
    """The drafts, what of them is legal; which robot is marked current; and the first fault."""
    acts = parted(partial)
    if len(acts) > len(robots):
        raise IllegalOrder(
            "There are {given} orders, and you have {n} robots in the ring.", given=len(acts), n=len(robots)
        )
    drafts, current, fault = [], None, None
    for n, i in enumerate(robots):
        written = acts[n] if n < len(acts) else []
        if written and written[0].startswith(CURRENT):
            current = n
            first = written[0].removeprefix(CURRENT)
            written = [first, *written[1:]] if first else written[1:]
        draft, wrong = _read_draft(state, i, written)
        drafts.append(draft)
        fault = fault or wrong
    return tuple(drafts), current, fault


def _read_draft(state: RoboxingState, i: int, written: list[str]) -> tuple[Draft, Sentence | None]:
    """As much of a robot's draft as is legal, and what is wrong with the rest."""
    draft = Draft()
    move, turret, target, *more = [*written, *[OPEN] * 3][: max(3, len(written))]
    try:
        if move in DASHES:
            draft = draft._replace(stays=True)
        elif move != OPEN:
            for leg in read_legs(move):
                walk(state, i, (*draft.legs, leg))
                draft = draft._replace(legs=(*draft.legs, leg))
        if turret != OPEN:
            check_turret(state, i, turret)
            draft = draft._replace(turret=turret)
        if target.endswith(f":{OPEN}"):
            draft = draft._replace(target=_read_sheet(state, i, target))
        elif target != OPEN:
            draft = draft._replace(target=read_target(state, i, target))
        if more:
            raise IllegalOrder("“{word}” is too much: after the target nothing follows.", word=more[0])
    except IllegalOrder as fault:
        return draft, fault.sentence
    return draft, None


def _read_sheet(state: RoboxingState, i: int, word: str) -> str:
    """`B2:_`: the enemy whose sheet lies open, before a letter is chosen from it."""
    name = word.partition(":")[0].upper()
    for j in state.ring.enemies(state.ring.owners[i]):
        if state.ring.names[j] == name and state.squares[j] != OFF and not state.ring.lone:
            return f"{name}:{OPEN}"
    raise IllegalOrder("“{word}” is no robot to aim at.", word=name)


def _missing(sheet: Sheet) -> Sentence | None:
    for n in (sheet.current, *range(len(sheet.drafts))):
        draft, several = sheet.drafts[n], len(sheet.robots) > 1
        number = sheet.number(n)
        if draft.empty and several:
            return Sentence("Robot {n} has no order yet: move, shoot, or stay.", n=number)
        if draft.empty:
            return Sentence("Move, shoot, or stay.")
        if draft.turret and not draft.aims:
            return Sentence("Choose a letter for turret {turret}.", turret=draft.turret)
        if draft.aims and not draft.turret:
            return Sentence("Choose the turret that fires at {target}.", target=draft.target)
    return None


def _choice(
    key: str,
    name: Sentence,
    sheet: Sheet,
    order: Order,
    draft: Draft,
    check: Callable[[], object],
    icon: str = "",
) -> Choice:
    """A choice that leads to `draft`, or nowhere if `check` refuses."""
    try:
        check()
    except IllegalOrder as fault:
        return Choice(key, name, order, icon=icon, why=fault.sentence)
    return Choice(key, name, sheet.with_draft(draft), icon=icon)


def _longer(legs: tuple[Leg, ...], letter: str, n: int) -> tuple[Leg, ...]:
    """The legs with `n` more steps of that engine: in its last leg, or in a new one."""
    if legs and legs[-1][0] == letter:
        return (*legs[:-1], (letter, legs[-1][1] + n))
    return (*legs, (letter, n))


def _way(layout: Layout, letter: str) -> Sentence:
    return Sentence(SLOT_NAMES[SLOTS[layout.slot(letter)]])


def _engines(sheet: Sheet, order: Order) -> tuple[Choice, ...]:
    state, i, draft = sheet.state, sheet.robot, sheet.draft
    layout, gone = state.layout(i), state.gone[i]
    chosen = []
    for letter, part in zip(layout.letters, layout.parts, strict=True):
        if part != ENGINE:
            continue
        legs = _longer(draft.legs, letter, 1)

        def check(letter: str = letter, legs: tuple[Leg, ...] = legs) -> None:
            check_engine(layout, gone, letter)
            if spent(legs) > sheet.limit(sheet.current):
                raise IllegalOrder("No more spaces are left: this robot may move {n}.", n=spent(legs) - 1)
            if not state.ring.room[layout.steps[letter]][sheet.end(sheet.current)]:
                raise IllegalOrder("The ropes are there.")
            walk(state, i, legs)

        name = Sentence("engine {letter}: one step {way}", letter=letter, way=_way(layout, letter))
        after = draft._replace(legs=legs, stays=False)
        icon = f"way-{SLOTS[layout.slot(letter)].lower()}"
        chosen.append(_choice(f"engine {letter}", name, sheet, order, after, check, icon))
    return tuple(chosen)


def _taps(sheet: Sheet) -> list[tuple[Choice, Tap]]:
    """The squares that one more leg may lead to: engines look different ways, so each by one engine only."""
    state, i, draft, ring = sheet.state, sheet.robot, sheet.draft, sheet.state.ring
    layout, gone = state.layout(i), state.gone[i]
    at, left = sheet.end(sheet.current), sheet.limit(sheet.current) - spent(draft.legs)
    found = []
    for letter in IN_MASK[layout.movers & ~gone]:
        step = layout.steps[letter]
        for n in range(1, min(left, ring.room[step][at]) + 1):
            square = str(ring.square(at + n * step))
            boosts = spent(draft.legs) + n > power(layout, gone)
            key, after = f"to {square}", draft._replace(legs=_longer(draft.legs, letter, n), stays=False)
            template = (
                "move to {square} with engine {letter} and the booster"
                if boosts
                else "move to {square} with engine {letter}"
            )
            name = Sentence(template, square=square, letter=letter)
            choice = Choice(key, name, sheet.with_draft(after), icon="tap-move")
            x, y = ring.centre(at + n * step)
            tap = Tap(square, x, y, key, letter, n, boosts, int(x) + 1, int(y) + 1, name)
            found.append((choice, tap))
    return found


def _leg_choices(sheet: Sheet) -> tuple[Choice, ...]:
    legs = sheet.draft.legs
    return tuple(
        Choice(
            f"leg {k + 1}",
            Sentence("Take {leg} out", leg=f"{letter}{n}")
            if k == len(legs) - 1
            else Sentence("Take {leg} and what follows out", leg=f"{letter}{n}"),
            sheet.with_draft(sheet.draft._replace(legs=legs[:k])),
        )
        for k, (letter, n) in enumerate(legs)
    )


def _turrets(sheet: Sheet, order: Order) -> tuple[Choice, ...]:
    state, i, draft = sheet.state, sheet.robot, sheet.draft
    layout = state.layout(i)
    chosen = []
    for letter, part in zip(layout.letters, layout.parts, strict=True):
        if part != LASER:
            continue
        picked = draft.turret == letter
        template = "turret {letter}, {way}: do not fire" if picked else "turret {letter}, {way}: fire"
        name = Sentence(template, letter=letter, way=_way(layout, letter))
        after = draft._replace(turret="" if picked else letter)
        icon = f"zone-{SLOTS[layout.slot(letter)].lower()}"
        check = bound(check_turret, state, i, letter)
        chosen.append(_choice(f"turret {letter}", name, sheet, order, after, check, icon))
    return tuple(chosen)


def _targets(sheet: Sheet, seat: Seat, order: Order) -> tuple[Choice, ...]:
    state, draft, ring = sheet.state, sheet.draft, sheet.state.ring
    chosen = []
    for j in ring.enemies(seat):
        if state.squares[j] == OFF:
            continue
        for letter in LETTERS:
            text = letter if ring.lone else f"{ring.names[j]}:{letter}"
            picked = draft.target == text
            facts = {"letter": letter, "robot": robot(ring, ring.names[j])}
            name = Sentence(
                "slot {letter} of {robot}: do not aim" if picked else "aim at slot {letter} of {robot}",
                **facts,
            )
            unaimed = "" if ring.lone else f"{ring.names[j]}:{OPEN}"
            after = draft._replace(target=unaimed if picked else text)
            check = bound(check_target, state, seat, j, letter)
            chosen.append(_choice(_target_key(sheet, j, letter), name, sheet, order, after, check))
    return tuple(chosen)


def _enemies(sheet: Sheet, seat: Seat) -> list[int]:
    """The enemies in the ring; the one whose sheet lies open is that of the target, else the nearest."""
    return [j for j in sheet.state.ring.enemies(seat) if sheet.state.squares[j] != OFF]


def _open_sheet(sheet: Sheet) -> int:
    state, here = sheet.state, sheet.state.squares[sheet.robot]
    enemies = _enemies(sheet, state.ring.owners[sheet.robot])
    if not state.ring.lone and sheet.draft.target:
        return state.ring.index[sheet.draft.target.partition(":")[0]]
    return min(enemies, key=lambda j: ZONES[CENTRE].get(state.squares[j] - here, 0), default=-1)


def _sheets(sheet: Sheet, seat: Seat) -> tuple[Choice, ...]:
    """Opening the sheet of an enemy, where there are several."""
    ring, enemies = sheet.state.ring, _enemies(sheet, seat)
    opened = _open_sheet(sheet)
    return tuple(
        Choice(
            f"enemy {ring.names[j]}",
            Sentence("Aim at {robot}", robot=robot(ring, ring.names[j])),
            sheet.with_draft(
                sheet.draft if j == opened else sheet.draft._replace(target=f"{ring.names[j]}:{OPEN}")
            ),
        )
        for j in enemies
        if len(enemies) > 1
    )


def _target_key(sheet: Sheet, j: int, letter: str) -> str:
    return f"target {sheet.state.ring.names[j]}:{letter}"


def _actions(sheet: Sheet, order: Order) -> tuple[Choice, ...]:
    """Staying, and undoing."""
    draft = sheet.draft
    nothing = None if not draft.empty else Sentence("There is nothing to take back.")
    if draft.aims:
        back = draft._replace(target="")
    elif draft.turret:
        back = draft._replace(turret="")
    elif draft.legs:
        letter, n = draft.legs[-1]
        back = draft._replace(legs=(*draft.legs[:-1], (letter, n - 1)) if n > 1 else draft.legs[:-1])
    else:
        back = Draft()
    any_order = any(not other.empty for other in sheet.drafts) or order.strip(" _;>")
    empty = sheet._replace(drafts=(Draft(),) * len(sheet.drafts), current=0, marked=False)
    return (
        Choice(
            "stay",
            Sentence("Stay"),
            order if draft.stays else sheet.with_draft(draft._replace(legs=(), stays=True)),
            sign=STAY,
            icon="act-stay",
            why=Sentence("This robot stays already.") if draft.stays else None,
        ),
        Choice(
            "back",
            Sentence("Take the last one back"),
            order if nothing else sheet.with_draft(back),
            why=nothing,
        ),
        Choice(
            "clear",
            Sentence("Begin again"),
            str(empty) if any_order else order,
            why=None if any_order else Sentence("There is nothing to take back."),
        ),
    )


def _booster(layout: Layout, gone: int, moved: int) -> str:
    """Whether the booster is gone, spent on that move, or free for the lasers (X5)."""
    if not boosted(layout, gone):
        return "gone"
    return "spent" if moved > power(layout, gone) else "free"


def _body(sheet: Sheet, n: int, does: Mapping[str, Choice]) -> tuple[BodySlot, ...]:
    """The nine slots of the n-th robot; what a tap does there is known for the current one."""
    i, draft = sheet.robots[n], sheet.drafts[n]
    layout, gone = sheet.state.layout(i), sheet.state.gone[i]
    used = {letter for letter, _ in draft.legs} | {draft.turret}
    covering = {shown.letter for shown in _turrets_shown(sheet, n) if shown.covers}
    body = []
    for slot, (letter, part) in enumerate(zip(layout.letters, layout.parts, strict=True)):
        lost = bool(gone & BIT[letter])
        key = {LASER: f"turret {letter}", ENGINE: f"engine {letter}"}.get(part, "")
        choice = does.get(key) if n == sheet.current else None
        facts = {"part": Sentence(PART_NAMES[part]), "letter": letter}
        plain = Sentence("{part} {letter}, destroyed" if lost else "{part} {letter}", **facts)
        body.append(
            BodySlot(
                SLOTS[slot],
                towards(slot)[0],
                -towards(slot)[1],
                letter,
                PART_NAMES[part],
                lost,
                letter in used,
                key,
                DEGREES[slot],
                sum(steps for used_letter, steps in draft.legs if used_letter == letter),
                letter in covering,
                choice.name if choice and not lost else plain,
                choice.why if choice else None,
            )
        )
    return tuple(body)


def _turrets_shown(sheet: Sheet, n: int) -> tuple[TurretShown, ...]:
    i = sheet.robots[n]
    return tuple(
        _turret_shown(sheet, n, letter)
        for letter in IN_MASK[sheet.state.layout(i).lasers & ~sheet.state.gone[i]]
    )


def _robot_shown(sheet: Sheet, n: int, does: Mapping[str, Choice]) -> RobotShown:
    state, i, draft = sheet.state, sheet.robots[n], sheet.drafts[n]
    ring, layout, gone, end = state.ring, state.layout(i), state.gone[i], sheet.end(n)
    legs, at = [], state.squares[i]
    for k, (letter, count) in enumerate(draft.legs):
        start, at = at, at + layout.steps[letter] * count
        slot = layout.slot(letter)
        (x0, y0), (x, y) = ring.centre(start), ring.centre(at)
        middle = (x0 + x) / 2, (y0 + y) / 2
        way, key = SLOT_NAMES[SLOTS[slot]], f"leg {k + 1}"
        says = Sentence(
            "{leg}: {way} to {to}.", leg=f"{letter}{count}", way=Sentence(way), to=str(ring.square(at))
        )
        legs.append(LegShown(k + 1, letter, count, way, x0, y0, x, y, key, *middle, DEGREES[slot], says))
    moved = spent(draft.legs)
    return RobotShown(
        ring.names[i],
        sheet.number(n),
        state.side(ring.owners[i]),
        robot(ring, ring.names[i]),
        n == sheet.current,
        f"robot {sheet.number(n)}" if len(sheet.robots) > 1 else "",
        _body(sheet, n, does),
        tuple(legs),
        moved,
        sheet.limit(n) - moved,
        power(layout, gone),
        sheet.limit(n),
        _booster(layout, gone, moved),
        COUNT[layout.lasers & ~gone],
        sheet.reach(n),
        _turrets_shown(sheet, n),
        draft.turret,
        draft.target if draft.aims else "",
        str(ring.square(end)),
        *ring.centre(state.squares[i]),
        *ring.centre(end),
        str(draft),
        tag(ring, ring.names[i]),
        tuple(Pip(k < moved, k >= power(layout, gone)) for k in range(sheet.limit(n))),
        draft.stays,
        _fires(sheet, draft),
    )


def _fires(sheet: Sheet, draft: Draft) -> Sentence | None:
    """The shot of a draft in words, or None if it is not whole."""
    if not (draft.turret and draft.aims):
        return None
    ring = sheet.state.ring
    enemy = next(j for j in ring.enemies(ring.owners[sheet.robot]) if _aims_at(sheet, draft, j))
    facts = {"turret": draft.turret, "letter": draft.target[-1], "robot": robot(ring, ring.names[enemy])}
    return Sentence("Turret {turret} fires at slot {letter} of {robot}.", **facts)


def _turret_shown(sheet: Sheet, n: int, letter: str) -> TurretShown:
    state, i = sheet.state, sheet.robots[n]
    ring, layout = state.ring, state.layout(i)
    covered = ring.covered(layout.slot(letter), sheet.end(n), sheet.reach(n))
    enemies = tuple(ring.names[j] for j in ring.enemies(ring.owners[i]) if state.squares[j] in covered)
    picked = sheet.drafts[n].turret == letter
    slot = SLOTS[layout.slot(letter)]
    return TurretShown(letter, slot, f"turret {letter}", picked, runs(ring, covered), enemies)


def _covers(sheet: Sheet, n: int, square: At) -> bool:
    """Whether the turret that the n-th robot fires covers that square from where it will stand (X7, X8)."""
    zones, turret = sheet.state.layout(sheet.robots[n]).zones, sheet.drafts[n].turret
    return bool(turret) and zones[turret].get(square - sheet.end(n), FAR) <= sheet.reach(n)


def _enemy_shown(sheet: Sheet, j: int, aimed: Mapping[str, Choice]) -> EnemyShown:
    state, ring = sheet.state, sheet.state.ring
    name, at = ring.names[j], state.squares[j]
    several = len(_enemies(sheet, ring.owners[sheet.robot])) > 1
    target = sheet.draft.target if sheet.draft.aims and _aims_at(sheet, sheet.draft, j) else ""
    return EnemyShown(
        name,
        state.side(ring.owners[j]),
        robot(ring, name),
        str(ring.square(at)),
        *ring.centre(at),
        _covers(sheet, sheet.current, at),
        tuple(_target_letter(sheet, j, note, target[-1:], aimed) for note in notes(state, j)),
        tag(ring, name),
        j == _open_sheet(sheet),
        f"enemy {name}" if several else "",
        target[-1:],
        any(note.part or note.gone for note in notes(state, j)),
    )


def _target_letter(
    sheet: Sheet, j: int, note: LetterNote, target: str, aimed: Mapping[str, Choice]
) -> TargetLetter:
    key = _target_key(sheet, j, note.letter)
    degrees = DEGREES[SLOTS.index(note.slot)] if note.slot else 0
    picked = note.letter == target
    return TargetLetter(note.letter, key, note.gone, picked, note, degrees, aimed[key].name, aimed[key].why)


BOOSTER_WORDS = {
    "free": "The booster is free: it doubles the lasers’ reach to {reach}.",
    "spent": "The booster is spent on the move: the lasers reach {reach}.",
    "gone": "The booster is destroyed: the lasers reach {reach}.",
}


def _words(sheet: Sheet) -> list[Sentence]:
    told = []
    for n, draft in enumerate(sheet.drafts):
        shown = _robot_shown(sheet, n, {})
        if len(sheet.robots) > 1:
            told.append(Sentence("Robot {n}, on {at}:", n=shown.number, at=str(_square(sheet, n))))
        told += [leg.says for leg in shown.legs]
        if draft.stays:
            told.append(Sentence("Stays on {at}.", at=shown.square))
        told.append(
            Sentence("{left} of {limit} spaces are left to move.", left=shown.left, limit=shown.limit)
        )
        told.append(Sentence(BOOSTER_WORDS[shown.booster], reach=shown.reach))
        for turret in shown.turrets:
            if turret.picked:
                told += _zone_words(sheet, draft, turret)
    return told


def _square(sheet: Sheet, n: int) -> Square:
    return sheet.state.ring.square(sheet.state.squares[sheet.robots[n]])


def _zone_words(sheet: Sheet, draft: Draft, turret: TurretShown) -> list[Sentence]:
    ring = sheet.state.ring
    way = Sentence(SLOT_NAMES[turret.slot])
    facts = {"turret": turret.letter, "way": way, "n": sum(run.width for run in turret.zone)}
    told = [Sentence("Turret {turret}, {way}, covers {n} squares.", **facts)]
    told += [
        Sentence("{robot} stands in its danger zone now.", robot=robot(ring, name)) for name in turret.covers
    ]
    for j in _enemies(sheet, ring.owners[sheet.robot]):
        if _aims_at(sheet, draft, j) and ring.names[j] not in turret.covers:
            enemy = robot(ring, ring.names[j])
            told.append(
                Sentence(
                    "{robot} is not in its danger zone now: it hits only if {robot} comes there.",
                    robot=enemy,
                )
            )
    return told


def _suppose(sheet: Sheet, guesses: Mapping[Seat, Order]) -> tuple[tuple[Guessed, ...], list[Sentence]]:
    """What if enemies stood on the squares guessed for them, `d5`, or `d5;e6` for several robots?

    An enemy's layout is secret, so a guess is a square and no order. What is no square is passed over.
    """
    state, ring = sheet.state, sheet.state.ring
    guessed: list[Guessed] = []
    told: list[Sentence] = []
    for seat in state.seats:
        if seat not in guesses or seat == ring.owners[sheet.robot]:
            continue
        for j, word in zip(state.robots(seat), guesses[seat].replace(";", " ").split(), strict=False):
            try:
                at = ring.at(word.lower())
            except ValueError:
                continue
            name, square = ring.names[j], str(ring.square(at))
            shots = [n for n, draft in enumerate(sheet.drafts) if draft.turret and _aims_at(sheet, draft, j)]
            hits = [_covers(sheet, n, at) for n in shots]
            hit = any(hits) if hits else None
            guessed.append(Guessed(name, state.side(seat), square, *ring.centre(at), hit))
            for n, covered in zip(shots, hits, strict=True):
                template = (
                    "If {robot} stands on {at}, turret {turret} hits it."
                    if covered
                    else "If {robot} stands on {at}, turret {turret} misses it."
                )
                facts = {"robot": robot(ring, name), "at": square, "turret": sheet.drafts[n].turret}
                told.append(Sentence(template, **facts))
    return tuple(guessed), told


def _aims_at(sheet: Sheet, draft: Draft, j: int) -> bool:
    ring = sheet.state.ring
    return draft.aims and (ring.lone or draft.target.startswith(f"{ring.names[j]}:"))
