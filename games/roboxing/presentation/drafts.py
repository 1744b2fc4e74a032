"""An unfinished order in the fight: the planned move and shot of each robot, and the parts still open.

`_` stands for an open part. With several robots, `>` may mark the one being planned, else it is the first
with an incomplete order, or the first of all.
"""

from typing import NamedTuple

from games.core import IllegalOrder, Order, Seat, Sentence
from games.grid import Square
from games.roboxing import orders
from games.roboxing.ring import OFF, At, robot
from games.roboxing.robot import CENTRE, FAR, IN_MASK, ZONES, longest, reach
from games.roboxing.rules import Position

OPEN, CURRENT = "_", ">"


class Draft(NamedTuple):
    """An unfinished order of a robot; `stays` is True if the player has chosen not to move.

    With more than two robots, `target` has the enemy's name: `B2:e`; `B2:_` only shows its letters.
    """

    legs: tuple[orders.Leg, ...] = ()
    stays: bool = False
    turret: str = ""
    target: str = ""

    def __str__(self) -> str:
        move = orders.write_legs(self.legs) if self.legs or self.stays else OPEN
        if self.turret or self.target:
            return f"{move} {self.turret or OPEN} {self.target or OPEN}"
        return move

    @property
    def empty(self) -> bool:
        return not (self.legs or self.stays or self.turret or self.aims)

    @property
    def aims(self) -> bool:
        """True if the draft names a target letter."""
        return bool(self.target) and not self.target.endswith(OPEN)

    @property
    def whole(self) -> bool:
        return not self.empty and bool(self.turret) == self.aims

    def final(self) -> Order:
        move = orders.write_legs(self.legs)
        return f"{move} {self.turret} {self.target}" if self.turret else move


class TeamDraft(NamedTuple):
    """The unfinished orders of a seat's `robots` in the ring, which have these indices in the match.

    `current` and the argument `n` of methods are indices in `robots`; `marked`: the text names the
    current one.
    """

    state: Position
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
        """Returns the number by which players know robot `n`, such as 2 for B2."""
        return int(self.state.ring.names[self.robots[n]][1:])

    def end(self, n: int) -> At:
        """Returns the square of robot `n` after its planned move."""
        return orders.walk(self.state, self.robots[n], self.drafts[n].legs)

    def limit(self, n: int) -> int:
        return longest(self.state.layout(self.robots[n]), self.state.gone[self.robots[n]])

    def reach(self, n: int) -> int:
        i = self.robots[n]
        return reach(self.state.layout(i), self.state.gone[i], orders.spent(self.drafts[n].legs))

    def with_draft(self, draft: Draft) -> str:
        drafts = (*self.drafts[: self.current], draft, *self.drafts[self.current + 1 :])
        return str(self._replace(drafts=drafts, marked=True))

    @property
    def seat(self) -> Seat:
        return self.state.ring.owners[self.robot]

    @property
    def enemies(self) -> list[int]:
        """The indices of the enemy robots that are still in the ring."""
        return [j for j in self.state.ring.enemies(self.seat) if self.state.squares[j] != OFF]

    @property
    def opened(self) -> int:
        """The index of the enemy robot whose letters are shown as targets; -1 if no enemy is left."""
        state, here = self.state, self.state.squares[self.robot]
        if not state.ring.is_one_on_one and self.draft.target:
            return state.ring.index[self.draft.target.partition(":")[0]]
        return min(self.enemies, key=lambda j: ZONES[CENTRE].get(state.squares[j] - here, 0), default=-1)

    def aims_at(self, draft: Draft, j: int) -> bool:
        ring = self.state.ring
        return draft.aims and (ring.is_one_on_one or draft.target.startswith(f"{ring.names[j]}:"))

    def target_key(self, j: int, letter: str) -> str:
        return f"target {self.state.ring.names[j]}:{letter}"

    def is_stuck(self, n: int) -> bool:
        """Returns True if no engine can move robot `n` from its present square."""
        i = self.robots[n]
        layout, room = self.state.layout(i), self.state.ring.room
        here, engines = self.state.squares[i], layout.movers & ~self.state.gone[i]
        return not any(room[layout.steps[letter]][here] for letter in IN_MASK[engines])

    def square(self, n: int) -> Square:
        return self.state.ring.square(self.state.squares[self.robots[n]])

    def covers(self, n: int, at: At) -> bool:
        """Returns True if the chosen laser of robot `n` covers `at` after the planned move."""
        turret = self.drafts[n].turret
        return bool(turret) and self.reaches(n, turret, at)

    def reaches(self, n: int, turret: str, at: At) -> bool:
        zone = self.state.layout(self.robots[n]).zones[turret]
        return zone.get(at - self.end(n), FAR) <= self.reach(n)

    def aimed_at(self, n: int) -> int:
        return next(j for j in self.enemies if self.aims_at(self.drafts[n], j))


def read_drafts(
    state: Position, robots: tuple[int, ...], partial: Order
) -> tuple[tuple[Draft, ...], int | None, Sentence | None]:
    """Returns drafts, each up to its fault, the index of the robot marked with `>`, and the first fault.

    Raises IllegalOrder if there are more orders than robots.
    """
    acts = orders.parted(partial)
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


def _read_draft(state: Position, i: int, written: list[str]) -> tuple[Draft, Sentence | None]:
    draft = Draft()
    move, turret, target, *more = [*written, *[OPEN] * 3][: max(3, len(written))]
    try:
        if move in orders.DASHES:
            draft = draft._replace(stays=True)
        elif move != OPEN:
            for leg in orders.read_legs(move):
                orders.walk(state, i, (*draft.legs, leg))
                draft = draft._replace(legs=(*draft.legs, leg))
        if turret != OPEN:
            orders.check_turret(state, i, turret)
            draft = draft._replace(turret=turret)
        if target.endswith(f":{OPEN}"):
            draft = draft._replace(target=_read_sheet(state, i, target))
        elif target != OPEN:
            draft = draft._replace(target=orders.read_target(state, i, target))
        if more:
            raise IllegalOrder("“{word}” is too much: nothing follows after the target.", word=more[0])
    except IllegalOrder as fault:
        return draft, fault.sentence
    return draft, None


def _read_sheet(state: Position, i: int, word: str) -> str:
    """Returns the draft of a target without its letter, such as `B2:_`; may raise IllegalOrder."""
    name = word.partition(":")[0].upper()
    for j in state.ring.enemies(state.ring.owners[i]):
        if state.ring.names[j] == name and state.squares[j] != OFF and not state.ring.is_one_on_one:
            return f"{name}:{OPEN}"
    raise IllegalOrder("“{word}” is not a robot to aim at.", word=name)


def missing_in(team: TeamDraft) -> Sentence | None:
    for n in (team.current, *range(len(team.drafts))):
        draft, several = team.drafts[n], len(team.robots) > 1
        number = team.number(n)
        if draft.empty and several:
            return Sentence("Robot {n} has no order yet: move, shoot, or stay.", n=number)
        if draft.empty and team.is_stuck(n):
            return Sentence("No engine can move you from here: shoot, or stay.")
        if draft.empty:
            return Sentence("Move, shoot, or stay.")
        if draft.turret and not draft.aims:
            return Sentence("Choose a letter for laser {turret}.", turret=draft.turret)
        if draft.aims and not draft.turret:
            return _missing_laser(team, n)
    return None


def _missing_laser(team: TeamDraft, n: int) -> Sentence:
    i, at = team.robots[n], team.state.squares[team.aimed_at(n)]
    lasers = IN_MASK[team.state.layout(i).lasers & ~team.state.gone[i]]
    if any(team.reaches(n, turret, at) for turret in lasers):
        return Sentence("Choose the laser that fires at slot {target}.", target=team.drafts[n].target)
    ring = team.state.ring
    return Sentence(
        "From {at} none of your lasers reaches {robot} now: move, or choose one for where it may go.",
        at=str(ring.square(team.end(n))),
        robot=robot(ring, ring.names[team.aimed_at(n)]),
    )
