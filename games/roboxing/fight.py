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
    COUNT,
    ENGINE,
    FAR,
    IN_MASK,
    LASER,
    LETTERS,
    PART_NAMES,
    SLOT_NAMES,
    SLOTS,
    Layout,
    towards,
)
from games.roboxing.story import Run, robot, runs

if TYPE_CHECKING:
    from games.roboxing.rules import RoboxingState

OPEN, CURRENT = "_", ">"


class Draft(NamedTuple):
    """An unfinished order of a robot; `stays` if it was told to."""

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
        return self == Draft()

    @property
    def whole(self) -> bool:
        return not self.empty and bool(self.turret) == bool(self.target)

    def final(self) -> Order:
        move = write_legs(self.legs)
        return f"{move} {self.turret} {self.target}" if self.turret else move


class BodySlot(NamedTuple):
    """A slot of an own robot; `key` is the choice that a tap on it makes, "" if there is none."""

    slot: str
    x: int
    y: int
    letter: str
    part: str
    gone: bool
    picked: bool
    key: str


class LegShown(NamedTuple):
    """A leg of the planned move. `key` takes it out, and all legs after it."""

    number: int
    letter: str
    spaces: int
    way: str
    x0: float
    y0: float
    x: float
    y: float
    key: str


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


class TargetLetter(NamedTuple):
    letter: str
    key: str
    gone: bool
    picked: bool


class EnemyShown(NamedTuple):
    """An enemy's robot and its letters; `covered` if the picked turret would reach it where it stands now."""

    robot: str
    side: str
    name: Seat | Sentence
    square: str
    x: float
    y: float
    covered: bool
    letters: tuple[TargetLetter, ...]


class Tap(NamedTuple):
    """A square of the board that the current robot may move to next; `boosts` if that spends its booster."""

    square: str
    x: float
    y: float
    key: str
    letter: str
    spaces: int
    boosts: bool


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
    """Choices are for the current robot; `robot 2` makes another one current."""

    building: bool = False
    robots: tuple[RobotShown, ...] = ()
    current: int = 0
    engines: tuple[Choice, ...] = ()
    turrets: tuple[Choice, ...] = ()
    targets: tuple[Choice, ...] = ()
    actions: tuple[Choice, ...] = ()
    enemies: tuple[EnemyShown, ...] = ()
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
    moves = tuple(choice for choice, _ in taps)
    guessed, supposed = _suppose(sheet, guesses)
    return FightPlan(
        order=order,
        choices=(*engines, *moves, *legs, *turrets, *targets, *actions, *others),
        missing=missing,
        words=(*_words(sheet), *supposed),
        robots=tuple(_robot_shown(sheet, n) for n in range(len(robots))),
        current=sheet.number(current),
        engines=engines,
        turrets=turrets,
        targets=targets,
        actions=actions,
        enemies=tuple(_enemy_shown(sheet, j) for j in state.ring.enemies(seat) if state.squares[j] != OFF),
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
        if target != OPEN:
            draft = draft._replace(target=read_target(state, i, target))
        if more:
            raise IllegalOrder("“{word}” is too much: after the target nothing follows.", word=more[0])
    except IllegalOrder as fault:
        return draft, fault.sentence
    return draft, None


def _missing(sheet: Sheet) -> Sentence | None:
    for n in (sheet.current, *range(len(sheet.drafts))):
        draft, several = sheet.drafts[n], len(sheet.robots) > 1
        number = sheet.number(n)
        if draft.empty and several:
            return Sentence("Robot {n} has no order yet: move, shoot, or stay.", n=number)
        if draft.empty:
            return Sentence("Move, shoot, or stay.")
        if draft.turret and not draft.target:
            return Sentence("Turret {turret} has no target yet: choose a letter.", turret=draft.turret)
        if draft.target and not draft.turret:
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
            found.append((choice, Tap(square, *ring.centre(at + n * step), key, letter, n, boosts)))
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
            after = draft._replace(target="" if picked else text)
            check = bound(check_target, state, seat, j, letter)
            chosen.append(_choice(_target_key(sheet, j, letter), name, sheet, order, after, check))
    return tuple(chosen)


def _target_key(sheet: Sheet, j: int, letter: str) -> str:
    return f"target {sheet.state.ring.names[j]}:{letter}"


def _actions(sheet: Sheet, order: Order) -> tuple[Choice, ...]:
    """Staying, and undoing."""
    draft = sheet.draft
    nothing = None if not draft.empty else Sentence("There is nothing to take back.")
    if draft.target:
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


def _robot_shown(sheet: Sheet, n: int) -> RobotShown:
    state, i, draft = sheet.state, sheet.robots[n], sheet.drafts[n]
    ring, layout, gone, end = state.ring, state.layout(i), state.gone[i], sheet.end(n)
    legs, at = [], state.squares[i]
    for k, (letter, count) in enumerate(draft.legs):
        start, at = at, at + layout.steps[letter] * count
        way = SLOT_NAMES[SLOTS[layout.slot(letter)]]
        legs.append(
            LegShown(k + 1, letter, count, way, *ring.centre(start), *ring.centre(at), f"leg {k + 1}")
        )
    moved = spent(draft.legs)
    used = {letter for letter, _ in draft.legs} | {draft.turret}
    slots = tuple(
        BodySlot(
            SLOTS[slot],
            towards(slot)[0],
            -towards(slot)[1],
            letter,
            PART_NAMES[part],
            bool(gone & BIT[letter]),
            letter in used,
            {LASER: f"turret {letter}", ENGINE: f"engine {letter}"}.get(part, ""),
        )
        for slot, (letter, part) in enumerate(zip(layout.letters, layout.parts, strict=True))
    )
    return RobotShown(
        ring.names[i],
        sheet.number(n),
        state.side(ring.owners[i]),
        robot(ring, ring.names[i]),
        n == sheet.current,
        f"robot {sheet.number(n)}" if len(sheet.robots) > 1 else "",
        slots,
        tuple(legs),
        moved,
        sheet.limit(n) - moved,
        power(layout, gone),
        sheet.limit(n),
        _booster(layout, gone, moved),
        COUNT[layout.lasers & ~gone],
        sheet.reach(n),
        tuple(_turret_shown(sheet, n, letter) for letter in IN_MASK[layout.lasers & ~gone]),
        draft.turret,
        draft.target,
        str(ring.square(end)),
        *ring.centre(state.squares[i]),
        *ring.centre(end),
        str(draft),
    )


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


def _enemy_shown(sheet: Sheet, j: int) -> EnemyShown:
    state, ring = sheet.state, sheet.state.ring
    name, at = ring.names[j], state.squares[j]
    letters = tuple(
        TargetLetter(
            letter,
            _target_key(sheet, j, letter),
            bool(state.gone[j] & BIT[letter]),
            sheet.draft.target == (letter if ring.lone else f"{name}:{letter}"),
        )
        for letter in LETTERS
    )
    return EnemyShown(
        name,
        state.side(ring.owners[j]),
        robot(ring, name),
        str(ring.square(at)),
        *ring.centre(at),
        _covers(sheet, sheet.current, at),
        letters,
    )


BOOSTER_WORDS = {
    "free": "The booster is free: it doubles the lasers’ reach to {reach}.",
    "spent": "The booster is spent on the move: the lasers reach {reach}.",
    "gone": "The booster is destroyed: the lasers reach {reach}.",
}


def _words(sheet: Sheet) -> list[Sentence]:
    told = []
    for n, draft in enumerate(sheet.drafts):
        shown = _robot_shown(sheet, n)
        if len(sheet.robots) > 1:
            told.append(Sentence("Robot {n}, on {at}:", n=shown.number, at=str(_square(sheet, n))))
        at = _square(sheet, n)
        for leg in shown.legs:
            file, rank = at
            sx, sy = towards(SLOTS.index(_slot_of(sheet, n, leg.letter)))
            at = at._replace(file=file + sx * leg.spaces, rank=rank + sy * leg.spaces)
            told.append(
                Sentence(
                    "{leg}: {way} to {to}.",
                    leg=f"{leg.letter}{leg.spaces}",
                    way=Sentence(leg.way),
                    to=str(at),
                )
            )
        if draft.stays:
            told.append(Sentence("Stays on {at}.", at=shown.square))
        told.append(
            Sentence("{left} of {limit} spaces are left to move.", left=shown.left, limit=shown.limit)
        )
        told.append(Sentence(BOOSTER_WORDS[shown.booster], reach=shown.reach))
        for turret in shown.turrets:
            if turret.picked:
                told += _zone_words(sheet, turret)
    return told


def _square(sheet: Sheet, n: int) -> Square:
    return sheet.state.ring.square(sheet.state.squares[sheet.robots[n]])


def _slot_of(sheet: Sheet, n: int, letter: str) -> str:
    return SLOTS[sheet.state.layout(sheet.robots[n]).slot(letter)]


def _zone_words(sheet: Sheet, turret: TurretShown) -> list[Sentence]:
    ring = sheet.state.ring
    way = Sentence(SLOT_NAMES[turret.slot])
    facts = {"turret": turret.letter, "way": way, "n": sum(run.width for run in turret.zone)}
    told = [Sentence("Turret {turret}, {way}, covers {n} squares.", **facts)]
    told += [
        Sentence("{robot} stands in its danger zone now.", robot=robot(ring, name)) for name in turret.covers
    ]
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
    return bool(draft.target) and (ring.lone or draft.target.startswith(f"{ring.names[j]}:"))
