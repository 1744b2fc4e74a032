"""The rules of Robo Battle Pigs, by Randy Cox: programmed combat of robot pigs, five commands at a time.

The rulings P1 to P15 are in docs/rulings.md: those on a step in `steps.py`, those on lists in `lists.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from math import comb
from random import Random
from typing import Any, NamedTuple, Self

from games.core import (
    Event,
    IllegalOrder,
    Order,
    Outcome,
    Seat,
    Setup,
    State,
    seat_letters,
)
from games.pigs import lists, notation
from games.pigs.lists import FIRST, LATER, List
from games.pigs.options import Options
from games.pigs.steps import (
    COMMAND_EFFECTS,
    COMMANDS,
    DAMAGE,
    FREE,
    GOAL,
    HULK,
    LIVES,
    REPAIR,
    REPAIRS,
    STEPS,
    Cause,
    Pose,
    attack,
    pose,
    read_commands,
    struck,
    walk,
)

SIDES = tuple(map(pose, ("d8S", "e1N", "h5W", "a4E")))  # P1
RING = tuple(map(pose, ("d6N", "e6N", "f5E", "f4E", "e3S", "d3S", "c4W", "c5W")))  # P2


class Fields(NamedTuple):
    """The fields of a position; `poses` to `dealt` have one entry for each pig, in seat order.

    `damage` is HULK for a pig that was destroyed or whose player resigned. `lists` is () except in
    continuous feedback, `hidden` is () if no list is hidden, and `dealt`, the hits landed, is () except
    in a race (ruling P14). `led` has the members of the `Cause` or, if no step led to this position, the
    events that did.
    """

    options: Options
    poses: tuple[Pose, ...]
    damage: tuple[int, ...]
    turn: int = 0
    tick: bool = True
    ended: Outcome | None = None
    lists: tuple[List, ...] = ()
    hidden: tuple[bool, ...] = ()
    dealt: tuple[int, ...] = ()
    led: tuple[Any, ...] = ()


_new = tuple.__new__  # a named tuple without the detour over keywords: each step makes one
PLACES = {seat: i for i, seat in enumerate(seat_letters(8))}
LETTERS = {count: seat_letters(count) for count in range(1, 9)}
NOBODY = frozenset[Seat]()
VOID = ("",) * STEPS
"""The program of a hulk, which has no command in any step."""


class Position(Fields, State):
    __slots__ = ()

    def __hash__(self) -> int:
        return hash(self[:-1])  # `led` may hold events, which cannot be hashed

    @classmethod
    def start(cls, options: Options, seats: int, setup: Setup) -> Self:
        if options.start == "sides":
            poses = SIDES[:seats]  # P1
        else:
            poses = tuple(RING[i * len(RING) // seats] for i in range(seats))  # P2
        return cls(
            options,
            poses,
            (0,) * seats,
            lists=((),) * seats if options.mode == "continuous" else (),
            dealt=(0,) * seats if options.race else (),
        )

    @classmethod
    def read(cls, text: str, options: Options, seats: int) -> Self:
        lasting = options.mode == "continuous"
        pigs = notation.read(text, seats, lasting=lasting, race=options.race)
        poses, damage, dealt, listed = zip(*pigs, strict=True)
        shown, hidden = zip(*listed, strict=True)
        return cls(
            options,
            poses,
            damage,
            lists=shown if lasting else (),
            hidden=hidden if any(hidden) else (),
            dealt=dealt if options.race else (),
        )

    def position(self) -> str:
        pigs = [
            f"{seat}={notation.pig_text(p, d)}"
            for seat, p, d in zip(self.seats, self.poses, self.damage, strict=True)
        ]
        if self.dealt:  # P14
            told = zip(pigs, self.damage, self.dealt, strict=True)
            pigs = [f"{pig}+{hits}" if d < HULK else pig for pig, d, hits in told]
        if self.lists:
            hidden = self.hidden or (False,) * len(pigs)
            pigs = [
                pig + lists.text(listed, secret) if d < HULK else pig
                for pig, d, listed, secret in zip(pigs, self.damage, self.lists, hidden, strict=True)
            ]
        return " ".join(pigs)

    @property
    def cause(self) -> Cause | None:
        return Cause(*self.led) if self.led and isinstance(self.led[0], tuple) else None

    @property
    def seats(self) -> tuple[Seat, ...]:
        return LETTERS[len(self.poses)]

    def still_in(self) -> frozenset[Seat]:
        return NOBODY if self.ended else _living(self.damage)

    to_act = still_in

    def owed(self, seat: Seat) -> int:
        """The number of X in the seat's program: its damage, or 0 (rulings P9, P14, P15)."""
        return self.damage[PLACES[seat]] if self.repairs else 0

    @property
    def repairs(self) -> bool:
        """True if damage takes slots and can be repaired; False under rulings P14 and P15."""
        return self.options.damage_moves and not self.lists

    def asked(self, seat: Seat) -> int:
        """The number of commands of the seat's next order (rulings P9 and P15)."""
        if not self.lists:
            return STEPS
        return LATER if self.lists[self.seats.index(seat)] else FIRST

    def listed(self, seat: Seat) -> List:
        """The pig's list of commands in continuous feedback (ruling P15), or ()."""
        return self.lists[self.seats.index(seat)] if self.lists else ()

    def longest_order(self, seat: Seat) -> int:
        secret = sum(queued.command == lists.UNKNOWN for queued in self.listed(seat))  # guesses contain them
        return len(" ".join([max(COMMANDS, key=len)] * (secret + self.asked(seat))))

    def read_order(self, seat: Seat, order: Order) -> Order:
        commands = read_commands(order)
        owed = self.owed(seat)
        shown = " ".join(commands)
        if self.lists:
            return self._check_listed(seat, commands, shown)
        if len(commands) != STEPS:
            raise IllegalOrder("A program is five commands; “{order}” has {n}.", order=shown, n=len(commands))
        if REPAIR in commands:  # P10
            if not self.options.damage_moves:  # P14
                raise IllegalOrder("There is no repair in this variant: “{order}”.", order=shown)
            if not owed:
                raise IllegalOrder("Your pig has no damage to repair: “{order}”.", order=shown)
            if tuple(commands) != REPAIRS:
                raise IllegalOrder("A repair takes all five slots, R R R R R, not “{order}”.", order=shown)
        elif commands.count(DAMAGE) != owed:  # P9
            raise self.wrong_damage(seat, commands.count(DAMAGE), shown)
        return shown

    def wrong_damage(self, seat: Seat, marks: int, shown: Order) -> IllegalOrder:
        """Returns the error for a program `shown` with a wrong number of X (rulings P9, P14)."""
        owed = self.owed(seat)
        if not self.options.damage_moves:
            return IllegalOrder(
                "Damage takes no slots in this variant, so there is no X: “{order}”.", order=shown
            )
        if not owed:
            return IllegalOrder("Your pig has no damage, so no command can be X: “{order}”.", order=shown)
        return IllegalOrder(
            "Your pig has {owed} damage, so exactly {owed} of the five commands must be X; "
            "“{order}” has {n}.",
            owed=owed,
            order=shown,
            n=marks,
        )

    def _check_listed(self, seat: Seat, commands: list[str], shown: Order) -> Order:
        """Returns an order of three commands or one, without R and X (P15); raises IllegalOrder."""
        asked = self.asked(seat)
        if len(commands) != asked:
            template = (
                "Your list begins with three commands; “{order}” has {n}."
                if asked == FIRST
                else "Your list takes one new command; “{order}” has {n}."
            )
            raise IllegalOrder(template, order=shown, n=len(commands))
        for command in commands:
            if command not in FREE:
                raise IllegalOrder(
                    "There is no {sign} in continuous feedback: “{order}”.", sign=command, order=shown
                )
        return shown

    def sample(self, seat: Seat, rng: Random) -> Order:
        if self.lists:
            return " ".join(rng.choices(FREE, k=self.asked(seat)))
        owed = self.damage[PLACES[seat]]
        if owed and not self.options.damage_moves:
            owed = 0
        if owed and rng.random() < 0.1:
            return " ".join(REPAIRS)
        programs = _programs(owed)
        return programs[int(rng.random() * len(programs))]

    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        if seat not in self.to_act():
            return []
        if self.lists:
            n = self.asked(seat)
            return [" ".join(c) for c in product(FREE, repeat=n)] if len(FREE) ** n <= most else None
        owed = self.owed(seat)
        repairs = [" ".join(REPAIRS)] if owed else []  # P10
        if comb(STEPS, owed) * len(FREE) ** (STEPS - owed) + len(repairs) > most:
            return None
        return [*_programs(owed), *repairs]

    def play(self, orders: Mapping[Seat, Order]) -> Iterator[Self]:
        if self.lists:
            return iter((self._play_first(orders),))
        programs = [orders[seat].split(" ") if seat in orders else VOID for seat in self.seats]
        return self._steps(zip(*programs, strict=True))

    def _play_first(self, orders: Mapping[Seat, Order]) -> Self:
        """Plays the first command of each list; returns the position after it, with new lists (P15)."""
        longer = [
            lists.add(listed, _program(orders[seat]), self.turn) if seat in orders else listed
            for seat, listed in zip(self.seats, self.lists, strict=True)
        ]
        lives = [d < HULK for d in self.damage]
        commands = tuple(
            listed[0].command if alive else "" for listed, alive in zip(longer, lives, strict=True)
        )
        position_after = self.step(commands, 0)
        left = tuple(
            lists.repeat_last(listed[1:], repeats) if alive else listed
            for listed, alive, repeats in zip(longer, lives, self.repeats(position_after), strict=True)
        )
        return position_after._replace(turn=self.turn + 1, lists=left)

    def repeats(self, position_after: Self) -> list[int]:
        """Returns how often hits repeat the last command of each pig's list (P15)."""
        if not self.options.damage_moves:
            return [0] * len(self.damage)
        return [
            now - before if now < HULK else 0
            for before, now in zip(self.damage, position_after.damage, strict=True)
        ]

    def step(self, commands: tuple[str, ...], step: int) -> Self:
        return next(self._steps((commands,), step))

    def _steps(self, written: Iterable[tuple[str, ...]], first: int = 0) -> Iterator[Self]:
        """Yields the position after each step: all pigs move and turn, then all attack (P3)."""
        made, ended = type(self), None
        options, poses, damage, turn, _, _, listed, hidden, dealt, _ = self
        for step, commands in enumerate(written, first):
            before, hurt_before = poses, damage
            if HULK in damage:  # P11: a hulk's program is void
                commands = tuple(c if d < HULK else "" for c, d in zip(commands, damage, strict=True))  # noqa: PLW2901
            goals, touched, attacked, apart = [], 0, 0, True
            for command, p in zip(commands, poses):  # noqa: B905 - they are as many, and this is the core
                goal, touches, attacks = COMMAND_EFFECTS[command][p]
                goals.append(goal)
                if touched & touches:
                    apart = False
                touched |= touches
                if attacks:
                    attacked |= attacks
            poses = tuple(goals) if apart else walk(before, commands, options.side_cross == "forward")
            if attacked & touched:  # else nobody stands where anybody attacks
                damage = attack(poses, damage, commands, options.laser == "through")
            if step == STEPS - 1:
                turn += 1
                if REPAIR in commands:  # P10: with the fifth R, in the instant of its hits
                    damage = tuple(d - 1 if c == REPAIR else d for d, c in zip(damage, commands, strict=True))
            if damage is not hurt_before:
                damage, dealt, ended = self._judged(hurt_before, damage, dealt, poses, commands)
                turn = self.turn + 1 if ended else turn
            led = (before, hurt_before, commands, step)
            yield _new(made, (options, poses, damage, turn, True, ended, listed, hidden, dealt, led))
            if ended:
                return

    def _judged(
        self,
        before: tuple[int, ...],
        damage: tuple[int, ...],
        dealt: tuple[int, ...],
        poses: tuple[Pose, ...],
        commands: tuple[str, ...],
    ) -> tuple[tuple[int, ...], tuple[int, ...], Outcome | None]:
        """Returns the damage, with HULK for destroyed pigs (P11), hits dealt, and an outcome or None."""
        if dealt:  # P14
            through = self.options.laser == "through"
            dealt = tuple(
                hits + len(struck(i, command, poses, before, through=through))
                for i, (hits, command) in enumerate(zip(dealt, commands, strict=True))
            )
            pigs = zip(self.seats, dealt, damage, strict=True)
            first = {seat for seat, hits, d in pigs if hits >= GOAL and d < HULK}
            return damage, dealt, Outcome.shared(first, self.seats, "five hits") if first else None
        if max(damage) < LIVES:
            return damage, dealt, None
        hulks = tuple(HULK if d >= LIVES else d for d in damage)  # P11
        return hulks, dealt, self._judge(before, damage)

    def _judge(self, before: tuple[int, ...], damage: tuple[int, ...]) -> Outcome | None:
        """Returns the outcome after a step, if not in a race (rulings P11 and P13), or None."""
        pigs = list(zip(self.seats, before, damage, strict=True))
        standing = {seat: now for seat, _, now in pigs if now < LIVES}
        fallen = {seat for seat, was, now in pigs if was < LIVES <= now}
        if not fallen:
            return None
        if not standing:
            return Outcome.shared(fallen, self.seats, "destroyed")
        if self.options.ends == "first_down":
            least = min(standing.values())
            winners = {seat for seat, points in standing.items() if points == least}
            return Outcome.shared(winners, self.seats, "destroyed")
        return Outcome.shared(set(standing), self.seats, "destroyed") if len(standing) == 1 else None

    def leave(self, seats: frozenset[Seat]) -> Self:
        damage = tuple(HULK if s in seats else d for s, d in zip(self.seats, self.damage, strict=True))
        events = tuple({"kind": "resigned", "by": seat} for seat in self.seats if seat in seats)
        return self._replace(damage=damage, tick=False, led=events)

    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        return self._replace(turn=self.turn + 1, tick=False, ended=outcome, led=tuple(events))

    def view(self, seat: Seat | None) -> Self:
        if not self.lists or self.ended:
            return self
        hidden = tuple(other != seat for other in self.seats)
        masked = tuple(
            lists.mask(listed) if secret else listed
            for listed, secret in zip(self.lists, hidden, strict=True)
        )
        return self._replace(lists=masked, hidden=hidden)

    def determinize(self, rng: Random) -> Self:
        return self._replace(lists=tuple(lists.determinize(listed, rng) for listed in self.lists), hidden=())

    def pieces(self) -> int:
        return len(self.poses)

    def conceals(self, turn: int, seat: Seat) -> bool:
        """Returns True while a command of that order is still on the seat's list, copies aside."""
        return not self.ended and any(q.turn == turn and not q.repeat for q in self.listed(seat))


@lru_cache(maxsize=4_096)
def _living(damage: tuple[int, ...]) -> frozenset[Seat]:
    return frozenset(seat for seat, d in zip(LETTERS[len(damage)], damage, strict=True) if d < HULK)


@cache
def _programs(owed: int) -> tuple[Order, ...]:
    """Returns all programs with exactly `owed` X and without repairs (ruling P9)."""
    return tuple(
        " ".join(commands)
        for commands in product((*FREE, DAMAGE), repeat=STEPS)
        if commands.count(DAMAGE) == owed
    )


@lru_cache(maxsize=4_096)
def _program(order: Order) -> tuple[str, ...]:
    return tuple(order.split(" "))
