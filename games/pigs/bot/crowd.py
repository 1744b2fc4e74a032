"""The search among three to eight pigs: the program that does best against what the others are likely to do.

Each other pig is expected to play plainly (`PigsState.expected`), or a program that is good against plain
ones. The others' part of a round is played once, without the own pig, and again only where that pig is in
the way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush, nlargest
from itertools import count
from math import exp
from random import Random
from typing import NamedTuple, TypeVar

from games.core import Order, Seat, after_turn
from games.pigs.rules import Position
from games.pigs.steps import (
    AFTER,
    COMMAND_EFFECTS,
    DAMAGE,
    FIRE,
    FIST,
    FREE,
    GONE,
    HIT,
    HULK,
    LIVES,
    POSES,
    RAY,
    REPAIR,
    REPAIRS,
    STEPS,
    Pose,
    attack,
    struck,
)

PLAIN = 0.3
"""The probability with which another pig is expected to play plainly."""
USUAL = 4
"""The number of pigs beyond which fewer programs are tried: half with twice as many pigs."""
AIM = 0.3
"""The value of another pig in line at the end of the round, as a fraction of a hit."""
NO_PROGRAM = ("",) * STEPS

Item = TypeVar("Item")
Program = tuple[str, ...]
Hits = tuple[int, ...]
"""The change that the own pig makes to the hits each pig takes; last, the hits that the own pig lands."""


class Effort(NamedTuple):
    """The numbers of promising and random programs tried for a pig, and of sampled rounds that they meet."""

    rounds: int
    promising: int
    random: int
    first: int
    """The number of rounds in which all programs are tried; the best `kept` are tried in all others too."""
    kept: int
    heat: float
    """The loss of value, as a share of the point, that makes a program less likely by a factor of e."""


OTHERS = Effort(rounds=48, promising=60, random=60, first=12, kept=40, heat=0.004)
OWN = Effort(rounds=64, promising=200, random=100, first=16, kept=60, heat=0.002)


def order(state: Position, seat: Seat, rng: Random) -> Order:
    others = sorted(state.still_in() - {seat})
    likely = {
        other: good(state, other, plain_rounds(state, other, rng, OTHERS.rounds), OTHERS, rng)
        for other in others
    }
    rounds = [
        {
            other: state.expected(other, rng) if rng.random() < PLAIN else rng.choices(*likely[other])[0]
            for other in others
        }
        for _ in range(OWN.rounds)
    ]
    return rng.choices(*good(state, seat, rounds, OWN, rng))[0]


def plain_rounds(state: Position, seat: Seat, rng: Random, number: int) -> list[dict[Seat, Order]]:
    others = sorted(state.still_in() - {seat})
    return [{other: state.expected(other, rng) for other in others} for _ in range(number)]


def good(
    state: Position, seat: Seat, rounds: Sequence[dict[Seat, Order]], effort: Effort, rng: Random
) -> tuple[list[Order], list[float]]:
    """Returns good programs of a seat against these orders of the others, and each program's weight."""
    share = min(1.0, USUAL / len(state.still_in())) / (2 if state.dealt else 1)
    table = Table(state, seat, rounds)
    ideas = [*Outlook(table).programs(int(effort.promising * share))]
    ideas += [tuple(idea.split(" ")) for idea in state.ideas(seat, rng, int(effort.random * share))]
    if table.owed:
        ideas.append(REPAIRS)
    hopes = {idea: table.hope(idea, table.rounds[: effort.first]) for idea in ideas}
    best = nlargest(int(effort.kept * share), hopes, key=hopes.__getitem__)
    means = [table.hope(idea, table.rounds) / len(rounds) for idea in best]
    weights = [exp((mean - max(means)) / effort.heat) for mean in means]
    return [" ".join(idea) for idea in best], weights


class Others:
    """A round of the other pigs, played without the own pig, in which that pig's programs are then tried."""

    def __init__(self, without: Position, orders: Mapping[Seat, Order]) -> None:
        self.orders = orders
        self.programs = [
            tuple(orders[seat].split(" ")) if seat in orders else NO_PROGRAM for seat in without.seats
        ]
        self.repairs = [program[0] == REPAIR for program in self.programs]
        self.poses: list[tuple[Pose, ...]] = []
        self.touched: list[int] = []
        self.attacked: list[int] = []
        before = without
        for step, position in enumerate(without.play(orders)):
            self._add(before.poses, position.poses, [program[step] for program in self.programs])
            before = position
        self.damage = before.damage
        self.dealt = before.dealt
        self.must_replay = bool(before.ended) or before.damage.count(HULK) > without.damage.count(HULK)
        """A flag: True if the full rules must replay the round: a pig is destroyed, or the match ends."""
        self.known_hits: dict[tuple[int, Pose, str], Hits] = {}
        self.known_values: dict[tuple[Pose, Hits], float | None] = {}

    def _add(self, before: Sequence[Pose], after: tuple[Pose, ...], commands: Sequence[str]) -> None:
        touched = attacked = 0
        for was, now, command in zip(before, after, commands, strict=True):
            _, touches, attacks = COMMAND_EFFECTS[command][was]
            touched |= touches if now == GONE else touches | 1 << (now >> 2)
            attacked |= attacks
        self.poses.append(after)
        self.touched.append(touched)
        self.attacked.append(attacked)


class Table:
    """The values of a seat's programs in sampled rounds of the others, the same as full replays give."""

    replays_races = True

    def __init__(self, state: Position, seat: Seat, rounds: Iterable[Mapping[Seat, Order]]) -> None:
        self.state, self.seat = state, seat
        self.place, self.owed = state.seats.index(seat), state.owed(seat)
        self.through = state.options.laser == "through"
        without = state._replace(
            poses=with_item(state.poses, self.place, GONE), damage=with_item(state.damage, self.place, HULK)
        )
        self.replays_all = self.replays_races and bool(state.dealt)
        self.rounds = [Others(without, orders) for orders in rounds]

    def hope(self, program: Program, rounds: Sequence[Others]) -> float:
        steps, at = [], self.state.poses[self.place]
        for command in program:
            at, touches, attacks = COMMAND_EFFECTS[command][at]
            steps.append((touches, attacks, at, command))
        return sum([self._value(program, steps, others) for others in rounds])

    def _value(self, program: Program, steps: Sequence[tuple[int, int, Pose, str]], others: Others) -> float:
        if self.replays_all or others.must_replay or program[0] == REPAIR:
            return self._replayed(program, others)
        hits: Hits = ()
        for step, (touches, attacks, at, command) in enumerate(steps):
            touched = others.touched[step]
            if touches & touched:
                return self._replayed(program, others)
            if attacks & touched or touches & others.attacked[step]:
                key = step, at, command if attacks else ""
                more = others.known_hits.get(key)
                if more is None:
                    more = others.known_hits[key] = self._hits(others, *key)
                if more:
                    hits = tuple(map(int.__add__, hits, more)) if hits else more
        end = steps[-1][2], hits
        if end not in others.known_values:
            others.known_values[end] = self._value_of(others, *end)
        value = others.known_values[end]
        return self._replayed(program, others) if value is None else value

    def _replayed(self, program: Program, others: Others) -> float:
        return after_turn(self.state, {**others.orders, self.seat: " ".join(program)}).evaluate(self.seat)

    def _hits(self, others: Others, step: int, at: Pose, command: str) -> Hits:
        """The hits that a step gains or loses because the own pig is at `at`; () without a change."""
        place = self.place
        commands = tuple(program[step] for program in others.programs)
        alive = tuple(0 if damage < HULK else HULK for damage in others.damage)
        before = attack(others.poses[step], alive, commands, self.through)
        poses = with_item(others.poses[step], place, at)
        after = attack(poses, with_item(alive, place, 0), with_item(commands, place, command), self.through)
        changes = tuple(now - was for was, now in zip(with_item(before, place, 0), after, strict=True))
        landed = len(struck(place, command, poses, alive, through=self.through))
        return (*changes, landed) if landed or any(changes) else ()

    def _value_of(self, others: Others, at: Pose, hits: Hits) -> float | None:
        """Returns the value after a round in which nobody was in the way; None if a pig is destroyed."""
        damage = with_item(others.damage, self.place, self.state.damage[self.place])
        if hits:
            damage = tuple(map(int.__add__, damage, hits))
            if any(LIVES <= d + r < HULK for d, r in zip(damage, others.repairs, strict=True)):
                return None
        poses = with_item(others.poses[-1], self.place, at)
        return self.state._replace(poses=poses, damage=damage).evaluate(self.seat)


class Outlook:
    """A forecast by step: the values of hits to be landed and taken if nobody is in the own pig's way."""

    def __init__(self, table: Table) -> None:
        self.start, self.owed = table.state.poses[table.place], table.owed
        self.worth = _worth_of_hits(table.state, table.seat)
        self.through = table.through
        self.taken = [[0.0] * (len(POSES) // 4) for _ in range(STEPS)]
        self.landed: list[dict[str, dict[Pose, float]]] = [{FIRE: {}, HIT: {}} for _ in range(STEPS)]
        for others in table.rounds:
            for step, poses in enumerate(others.poses):
                self._add(step, poses, [program[step] for program in others.programs], table.place)
        self._hopes: dict[tuple[int, Pose, int], float] = {}

    def _add(self, step: int, poses: Sequence[Pose], commands: Sequence[str], place: int) -> None:
        taken, landed = self.taken[step], self.landed[step]
        here = {p >> 2 for p in poses if p != GONE}
        for p, command, worth in zip(poses, commands, self.worth, strict=True):
            if p == GONE or not worth:
                continue
            attacked = self._in_line(p, here) if command == FIRE else FIST[p] if command == HIT else ()
            for square in attacked:
                taken[square] += self.worth[place]
            for sign, aims in ((FIRE, self._aiming(p >> 2, here)), (HIT, PUNCHING[p >> 2])):
                gains = landed[sign]
                for aim in aims:
                    gains[aim] = gains.get(aim, 0.0) + worth

    def _in_line(self, p: Pose, here: set[int]) -> Iterator[int]:
        for square in RAY[p]:
            yield square
            if square in here and not self.through:
                return

    def _aiming(self, square: int, here: set[int]) -> Iterator[Pose]:
        """Yields the poses from which a laser would hit that square."""
        for heading in range(4):
            for there in self._in_line(square * 4 + (heading + 2) % 4, here):
                yield there * 4 + heading

    def programs(self, most: int) -> Iterator[Program]:
        """Yields the programs with the highest values, best first."""
        number = count()
        heap = [(0.0, next(number), self.start, self.owed, 0.0, Program())]
        for _ in range(most):
            while heap:
                _, _, p, marks, value, program = heappop(heap)
                step = len(program)
                if step == STEPS:
                    yield program
                    break
                for command, after, left, gain in self._ways(step, p, marks):
                    hope = value + gain + self._hope(step + 1, after, left)
                    heappush(heap, (-hope, next(number), after, left, value + gain, (*program, command)))

    def _ways(self, step: int, p: Pose, marks: int) -> Iterator[tuple[str, Pose, int, float]]:
        must = marks == STEPS - step
        for command in (DAMAGE,) if must else (*FREE, DAMAGE) if marks else FREE:
            after = AFTER[command][p]
            gain = self.taken[step][after >> 2]
            if command in self.landed[step]:
                gain += self.landed[step][command].get(after, 0.0)
            yield command, after, marks - (command == DAMAGE), gain

    def _hope(self, step: int, p: Pose, marks: int) -> float:
        if step == STEPS:
            return AIM * self.landed[-1][FIRE].get(p, 0.0)
        key = step, p, marks
        known = self._hopes.get(key)
        if known is None:
            known = self._hopes[key] = max(
                [gain + self._hope(step + 1, after, left) for _, after, left, gain in self._ways(*key)]
            )
        return known


PUNCHING = tuple([p for p in POSES if square in FIST[p]] for square in range(len(POSES) // 4))
"""The poses from which a punch hits a square, by the square's index."""


def _worth_of_hits(state: Position, seat: Seat) -> list[float]:
    """Returns the value to a seat of one hit on each pig: negative for the seat's own pig, 0 for a hulk."""
    now, place = state.evaluate(seat), state.seats.index(seat)
    if state.dealt:  # P14: whoever lands it gains
        dealt = with_item(state.dealt, place, state.dealt[place] + 1)
        gain = state._replace(dealt=dealt).evaluate(seat) - now
        loss = gain / (len(state.still_in()) - 1)
        return [0.0 if d == HULK else -loss if i == place else gain for i, d in enumerate(state.damage)]
    hurt = [HULK if d + 1 >= LIVES else d + 1 for d in state.damage]
    return [
        0.0 if d == HULK else state._replace(damage=with_item(state.damage, i, hurt[i])).evaluate(seat) - now
        for i, d in enumerate(state.damage)
    ]


def with_item(items: Sequence[Item], place: int, item: Item) -> tuple[Item, ...]:
    return (*items[:place], item, *items[place + 1 :])
