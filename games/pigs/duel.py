"""One round of two living pigs as a zero-sum game: what programs give against each other, best responses.

The payoff is a heuristic, in hits: the hits that the first pig lands less those that it takes, a repair
counted as a hit taken back, and LAST more hits for the one that ends the match. The worth of a position
beyond the round is not in it.

A best response is exact, over all programs that a seat may seal. Programs of one's own that lead to the same
positions against every program of a mix have the same future, so only the best of them is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest
from operator import mul
from typing import NamedTuple

from games.core import Order, Seat
from games.pigs.rules import Position
from games.pigs.steps import (
    AFTER,
    COMMANDS,
    DAMAGE,
    DIAGONAL,
    FIRE,
    FIST,
    FREE,
    GOAL,
    HIT,
    HULK,
    LIVES,
    POSES,
    REACH,
    REPAIR,
    REPAIRS,
    STEPS,
    Pose,
    struck,
    walk,
)

LAST = 2.0
"""By how many hits more than a hit the one counts that ends the match."""

Program = tuple[int, ...]
"""The places of five commands in COMMANDS."""
Mix = Mapping[Program, float]
"""How often each program is played; the shares add up to one."""

MOVES = tuple(COMMANDS.index(command) for command in FREE)
DAMAGED, MENDED = COMMANDS.index(DAMAGE), COMMANDS.index(REPAIR)
REPAIRED: Program = tuple(COMMANDS.index(command) for command in REPAIRS)
SAFE = 99
"""The lives of a pig that cannot fall any more in this round."""
OVER = 0
"""The number of the situation after the match has ended."""


NOTHING: frozenset[int] = frozenset()
GOALS = tuple(AFTER[command] for command in COMMANDS)
"""The pose after a command that nobody interferes with, by the command and the pose before it."""
AIMS = tuple(
    tuple(map(frozenset, REACH)) if command == FIRE else FIST if command == HIT else (NOTHING,) * len(POSES)
    for command in COMMANDS
)
"""The squares that a command hits, by the command and the pose from which it attacks."""
DIAGONALS = frozenset(COMMANDS.index(command) for command in DIAGONAL)


class Situation(NamedTuple):
    """What a step begins with: where all pigs and hulks stand, and the hits that each of the two survives."""

    poses: tuple[Pose, ...]
    lives: tuple[int, int]


class Row(NamedTuple):
    """What comes of each command of one pig, by its place in COMMANDS: the next situation, and the gain."""

    follows: tuple[int, ...]
    gains: tuple[float, ...]


class Response(NamedTuple):
    """A program, and what it gives its own pig on average, in hits."""

    value: float
    program: Program


class _Level(NamedTuple):
    """The prefixes of so many commands in a mix: each one's parent, its last command, and its share."""

    parents: tuple[int, ...]
    commands: tuple[int, ...]
    shares: tuple[float, ...]


class Duel:
    """A round of the two living pigs of a position; side 0 is the first of them, side 1 the other.

    ValueError if the position has more or fewer than two, or continuous feedback (P15).
    """

    def __init__(self, position: Position, last: float = LAST) -> None:
        seats = sorted(position.still_in())
        if len(seats) != 2 or position.lists:
            raise ValueError("A duel is a round of two pigs.")
        self.last = last
        self.seats: tuple[Seat, Seat] = (seats[0], seats[1])
        self.owed = tuple(position.owed(seat) for seat in seats)
        self._places = tuple(position.seats.index(seat) for seat in seats)
        self._damage = tuple(0 if d < HULK else HULK for d in position.damage)
        self._forward = position.options.side_cross == "forward"
        self._through = position.options.laser == "through"
        one, two = self._places
        if position.dealt:  # P14: who has landed five hits has won
            lives = (GOAL - position.dealt[two], GOAL - position.dealt[one])
        else:
            lives = (LIVES - position.damage[one], LIVES - position.damage[two])
        self._commands = tuple(range(len(COMMANDS)) if owed else MOVES for owed in self.owed)
        self._situations: list[list[Situation]] = [[Situation((), (0, 0))] for _ in range(STEPS + 1)]
        self._numbers: list[dict[Situation, int]] = [{} for _ in range(STEPS + 1)]
        self._rows: tuple[list[dict[int, Row]], list[dict[int, Row]]] = (
            [{} for _ in range(STEPS)],
            [{} for _ in range(STEPS)],
        )
        self._steps: dict[tuple[tuple[Pose, ...], int, int], tuple[tuple[Pose, ...], int, int]] = {}
        self._start = self._number(0, Situation(position.poses, lives))

    def payoff(self, first: Program, second: Program) -> float:
        """What side 0 gets if the two play these programs, in hits."""
        number, gained = self._start, 0.0
        for step, (one, two) in enumerate(zip(first, second, strict=True)):
            row = self._row(0, step, number, two)
            number = row.follows[one]
            gained += row.gains[one]
        return gained

    def expected(self, first: Mix, second: Mix) -> float:
        """What side 0 gets on average, in hits."""
        return sum(p * q * self.payoff(one, two) for one, p in first.items() for two, q in second.items())

    def respond(self, side: int, mix: Mix) -> Response:
        """A best response of one side to a mix of the other, over all programs that it may seal."""
        return self.responses(side, mix, 1)[0]

    def responses(self, side: int, mix: Mix, most: int) -> list[Response]:
        """A best response, and up to `most` - 1 good ones that lead to other situations, the best first."""
        found = self._free_programs(side, mix)
        if self.owed[side]:  # P10
            sign = 1 - 2 * side
            pairs = ((REPAIRED, other) if side == 0 else (other, REPAIRED) for other in mix)
            payoffs = (self.payoff(*pair) for pair in pairs)
            value = sign * sum(share * payoff for share, payoff in zip(mix.values(), payoffs, strict=True))
            found.append(Response(value, REPAIRED))
        return nlargest(most, found)

    def _free_programs(self, side: int, mix: Mix) -> list[Response]:
        """For all situations before the last step that some program leads to, the best one of those."""
        levels = _levels(mix)
        layer: dict[tuple[tuple[int, ...], int], tuple[float, Program]] = {
            ((self._start,), self.owed[side]): (0.0, ())
        }
        for step, level in enumerate(levels[:-1]):
            following: dict[tuple[tuple[int, ...], int], tuple[float, Program]] = {}
            for (numbers, marks), (value, prefix) in layer.items():
                rows = self._rows_of(side, step, numbers, level)
                gains = list(zip(*(row.gains for row in rows), strict=True))
                follows = list(zip(*(row.follows for row in rows), strict=True))
                for command in _allowed(marks, STEPS - step):
                    now = value + sum(map(mul, level.shares, gains[command]))
                    key = follows[command], marks - (command == DAMAGED)
                    known = following.get(key)
                    if known is None or now > known[0]:
                        following[key] = now, (*prefix, command)
            layer = following
        found = []
        for (numbers, marks), (value, prefix) in layer.items():
            rows = self._rows_of(side, STEPS - 1, numbers, levels[-1])
            gains = list(zip(*(row.gains for row in rows), strict=True))
            gained, last = max(
                (sum(map(mul, levels[-1].shares, gains[command])), command) for command in _allowed(marks, 1)
            )
            found.append(Response(value + gained, (*prefix, last)))
        return found

    def _rows_of(self, side: int, step: int, numbers: tuple[int, ...], level: _Level) -> list[Row]:
        known = self._rows[side][step]
        keys = [numbers[parent] * 16 + c for parent, c in zip(level.parents, level.commands, strict=True)]
        try:
            return [known[key] for key in keys]
        except KeyError:
            return [self._row(side, step, key >> 4, key & 15) for key in keys]

    def _row(self, side: int, step: int, number: int, other: int) -> Row:
        """What comes of each command of `side` in a situation if the other side plays `other`."""
        known = self._rows[side][step]
        row = known.get(number * 16 + other)
        if row is None:
            outcomes = [
                self._step(step, number, *((own, other) if side == 0 else (other, own)))
                for own in self._commands[side]
            ]
            sign = 1 - 2 * side
            row = known[number * 16 + other] = Row(
                tuple(follows for follows, _ in outcomes), tuple(sign * gain for _, gain in outcomes)
            )
        return row

    def _step(self, step: int, number: int, one: int, two: int) -> tuple[int, float]:
        """The next situation, and what side 0 gains in this step."""
        if number == OVER:
            return OVER, 0.0
        situation = self._situations[step][number]
        poses, taken, landed = self._moved(situation.poses, one, two)
        if step == STEPS - 1:  # P10: with the fifth R
            taken -= one == MENDED
            landed -= two == MENDED
        left = situation.lives[0] - taken, situation.lives[1] - landed
        gain = float(landed - taken)
        if min(left) <= 0:  # P11, P14
            return OVER, gain + self.last * ((left[1] <= 0) - (left[0] <= 0))
        if step == STEPS - 1:
            return OVER, gain
        return self._number(step + 1, Situation(poses, left)), gain

    def _moved(self, poses: tuple[Pose, ...], one: int, two: int) -> tuple[tuple[Pose, ...], int, int]:
        """Where all stand after a step, and the hits that side 0 takes and lands in it."""
        if len(poses) == 2 and not (self._forward and one in DIAGONALS and two in DIAGONALS):
            after = GOALS[one][poses[0]], GOALS[two][poses[1]]
            here, there = after[0] >> 2, after[1] >> 2
            if here != there and here != poses[1] >> 2 and there != poses[0] >> 2:  # nobody is in the way
                return after, here in AIMS[two][after[1]], there in AIMS[one][after[0]]
        key = poses, one, two
        known = self._steps.get(key)
        if known is None:
            known = self._steps[key] = self._by_the_rules(poses, one, two)
        return known

    def _by_the_rules(self, poses: tuple[Pose, ...], one: int, two: int) -> tuple[tuple[Pose, ...], int, int]:
        """The same for pigs that meet, and among hulks."""
        commands = [""] * len(poses)
        commands[self._places[0]], commands[self._places[1]] = COMMANDS[one], COMMANDS[two]
        after = walk(poses, tuple(commands), self._forward)
        landed, taken = (
            len(struck(i, commands[i], after, self._damage, through=self._through)) for i in self._places
        )
        return after, taken, landed

    def _number(self, step: int, situation: Situation) -> int:
        """The number of a situation before a step; lives that cannot be lost any more are all alike."""
        steps = STEPS - step
        one, two = situation.lives
        situation = Situation(situation.poses, (one if one <= steps else SAFE, two if two <= steps else SAFE))
        numbers = self._numbers[step]
        number = numbers.get(situation)
        if number is None:
            number = numbers[situation] = len(self._situations[step])
            self._situations[step].append(situation)
        return number


def _allowed(marks: int, slots: int) -> tuple[int, ...]:
    """The commands that may come next while so many X are still to be placed in so many slots (P9)."""
    if not marks:
        return MOVES
    return (DAMAGED,) if marks == slots else (*MOVES, DAMAGED)


def _levels(mix: Mix) -> list[_Level]:
    """The programs of a mix by their prefixes, the shorter ones first."""
    levels = []
    parents: dict[Program, int] = {(): 0}
    for length in range(1, STEPS + 1):
        shares: dict[Program, float] = {}
        for program, share in mix.items():
            shares[program[:length]] = shares.get(program[:length], 0.0) + share
        level = _Level(
            tuple(parents[prefix[:-1]] for prefix in shares),
            tuple(prefix[-1] for prefix in shares),
            tuple(shares.values()),
        )
        levels.append(level)
        parents = {prefix: i for i, prefix in enumerate(shares)}
    return levels


def encode(order: Order) -> Program:
    """The program of a canonical order."""
    return tuple(COMMANDS.index(command) for command in order.split(" "))


def decode(program: Program) -> Order:
    """The canonical order of a program."""
    return " ".join(COMMANDS[command] for command in program)
