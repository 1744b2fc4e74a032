"""One round of two living pigs as a zero-sum game: payoffs of programs, and exact best responses.

The payoff is hits landed less hits taken; a repair cancels one, and the match's end counts LAST.
`Stakes` may say otherwise, and `PoseValue` values the poses after the round.

Best responses are exact, over all programs. The search extends programs command by command; of prefixes with
the same possible gains against every program of the other side's mix, only the best goes on. A prefix is
dropped if even a player who knew the other program could not reach the payoff of a program found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import inf
from operator import itemgetter, mul
from typing import Any, NamedTuple

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
"""The value of winning the match, in hits. It is added to the value of the winning hit itself."""

Program = tuple[int, ...]
"""Five commands, each as its index in COMMANDS."""
Mix = Mapping[Program, float]
"""A mixed strategy: the probability of each program. The probabilities add up to 1."""

MOVES = tuple(COMMANDS.index(command) for command in FREE)
DAMAGE_INDEX, REPAIR_INDEX = COMMANDS.index(DAMAGE), COMMANDS.index(REPAIR)
REPAIRED: Program = tuple(COMMANDS.index(command) for command in REPAIRS)
SAFE = 99
"""The number of lives that stands for a pig that can no longer be destroyed in this round."""
OVER = 0
"""The number of the situation in which the match, or the round, has ended."""


TINY = 1e-9
"""An upper bound on rounding errors, in hits."""
WIDTH = 8
"""The least number of prefixes that the first, quick search extends in each step."""

NOTHING: frozenset[int] = frozenset()
POSES_AFTER = tuple(AFTER[command] for command in COMMANDS)
"""The pose after a command without interference, by the command's index and by the pose before it."""
ATTACKED_SQUARES = tuple(
    tuple(map(frozenset, REACH)) if command == FIRE else FIST if command == HIT else (NOTHING,) * len(POSES)
    for command in COMMANDS
)
"""The squares that a command attacks, by the command's index and by the attacker's pose."""
DIAGONALS = frozenset(COMMANDS.index(command) for command in DIAGONAL)


PoseValue = Callable[[Pose, Pose], float]
"""A function that values both sides' poses after a round, unless the match ends, in hits for side 0."""
Situation = tuple[tuple[Pose, ...], tuple[int, int]]
"""The poses of all pigs and hulks before a step, and the lives left to sides 0 and 1, in hits, or SAFE."""
StepResult = tuple[tuple[Pose, ...], int, int]
"""The result of a step: the poses after it, the hits that side 0 takes, and the hits that side 0 lands."""


class Stakes(NamedTuple):
    """The values of a round's events to side 0 (the pig of the earlier seat), in hits."""

    landed: float = 1.0
    taken: float = 1.0
    repair_values: tuple[float, float] = (1.0, 1.0)
    """The value of a repair by side 0 to side 0, and of a repair by side 1 to side 1 (ruling P10)."""
    ends: tuple[float, float, float] | None = None
    """The payoffs to side 0 of a round that wins, draws or loses the match; if None, hits and LAST."""


HITS = Stakes()


class CommandResults(NamedTuple):
    """The gain of each command of a side in a step, and the number of the situation after it."""

    follows: tuple[int, ...]
    gains: tuple[float, ...]


class Response(NamedTuple):
    """A program that answers the other side's mix, and its average payoff in hits."""

    value: float
    program: Program


@dataclass(frozen=True, eq=False, slots=True)
class Future:
    """The rest of a round for one side if the other's program is known; equal ones are one object."""

    gains: tuple[float, ...]
    """The gain of each command in the next step, in hits, by the command's index."""
    follows: tuple[Future, ...]
    """The future after each command, by the command's index."""
    hope: float
    """The highest total gain in the rest of the round, in hits, of any commands without a repair."""


Futures = tuple[Future, ...]
"""One future for each program of a mix, in the mix's order."""
Shares = tuple[float, ...]
NO_FUTURE = Future((), (), 0.0)


class Duel:
    """One round of the two living pigs as a game; side 0 is the pig of the earlier seat.

    Raises ValueError in continuous feedback (ruling P15), or if not just two pigs live.
    """

    def __init__(
        self, position: Position, stakes: Stakes = HITS, pose_value: PoseValue | None = None
    ) -> None:
        seats = sorted(position.still_in())
        if len(seats) != 2 or position.lists:
            raise ValueError("A duel is a round of two pigs.")
        self.stakes, self.pose_value = stakes, pose_value
        self.seats: tuple[Seat, Seat] = (seats[0], seats[1])
        self.owed = tuple(position.owed(seat) for seat in seats)
        self._places = tuple(position.seats.index(seat) for seat in seats)
        self._damage = tuple(0 if d < HULK else HULK for d in position.damage)
        self._forward = position.options.side_cross == "forward"
        self._through = position.options.laser == "through"
        one, two = self._places
        if position.dealt:  # P14: five landed hits win
            lives = (GOAL - position.dealt[two], GOAL - position.dealt[one])
        else:
            lives = (LIVES - position.damage[one], LIVES - position.damage[two])
        self._commands = tuple(range(len(COMMANDS)) if owed else MOVES for owed in self.owed)
        self._situations: list[list[Situation]] = [[((), (0, 0))] for _ in range(STEPS + 1)]
        self._numbers: list[dict[Situation, int]] = [{} for _ in range(STEPS + 1)]
        self._known_command_results: list[list[dict[int, CommandResults]]] = _by_side_and_step()
        self._futures: list[list[dict[tuple[int, Program], Future]]] = _by_side_and_step()
        self._alike: tuple[dict[tuple[tuple[float, ...], Futures], Future], ...] = ({}, {})
        self._known_step_results: tuple[dict[tuple[tuple[Pose, ...], int], list[StepResult]], ...] = ({}, {})
        self._lives = lives
        self._start = self._number(0, position.poses, lives)

    @property
    def work(self) -> int:
        """The amount of computation so far, as a number of tree nodes (`Future`)."""
        return sum(len(known) for side in self._futures for known in side)

    def payoff(self, first: Program, second: Program) -> float:
        """Returns the payoff to side 0, in hits."""
        number, gained = self._start, 0.0
        for step, (one, two) in enumerate(zip(first, second, strict=True)):
            results = self._command_results(0, step, number, two)
            number = results.follows[one]
            gained += results.gains[one]
        return gained

    def expected(self, first: Mix, second: Mix) -> float:
        """Returns the average payoff to side 0, in hits."""
        return sum(p * q * self.payoff(one, two) for one, p in first.items() for two, q in second.items())

    def respond(self, side: int, mix: Mix) -> Response:
        """Returns a best response of `side` to the other side's mix, out of all programs."""
        return self.responses(side, mix, 1)[0]

    def responses(self, side: int, mix: Mix, most: int) -> list[Response]:
        """Returns at most `most` good responses to the other side's mix; the first is a best response."""
        found = self._free_programs(side, mix, most)
        if self.owed[side]:  # P10
            sign = 1 - 2 * side
            pairs = ((REPAIRED, other) if side == 0 else (other, REPAIRED) for other in mix)
            payoffs = (self.payoff(*pair) for pair in pairs)
            value = sign * sum(share * payoff for share, payoff in zip(mix.values(), payoffs, strict=True))
            found.append(Response(value, REPAIRED))
        return nlargest(most, found)

    def _free_programs(self, side: int, mix: Mix, most: int) -> list[Response]:
        """Returns the best programs without a repair; for each future, only the best prefix goes on."""
        shares = tuple(mix.values())
        start = tuple(self._future(side, 0, self._start, program) for program in mix)
        some = self._search(side, shares, start, width=max(most, WIDTH))
        least = nlargest(most, some)[-1].value - TINY if len(some) >= most else -inf
        return self._search(side, shares, start, least=least)

    def _search(
        self, side: int, shares: Shares, start: Futures, least: float = -inf, width: int | None = None
    ) -> list[Response]:
        """Returns programs without a repair: all that gain `least`, or those of the `width` best prefixes."""
        layer: dict[tuple[Futures, int], tuple[float, Program]] = {(start, self.owed[side]): (0.0, ())}
        for slots in range(STEPS, 1, -1):
            following: dict[tuple[Futures, int], tuple[float, Program]] = {}
            for value, prefix, futures, marks in _hopeful(layer, shares, least, width):
                gains = list(zip(*[future.gains for future in futures], strict=True))
                follows = list(zip(*[future.follows for future in futures], strict=True))
                for command in allowed(marks, slots):
                    now = value + sum(map(mul, shares, gains[command]))
                    key = follows[command], marks - (command == DAMAGE_INDEX)
                    known = following.get(key)
                    if known is None or now > known[0]:
                        following[key] = now, (*prefix, command)
            layer = following
        found = []
        for value, prefix, futures, marks in _hopeful(layer, shares, least, width):
            gains = list(zip(*[future.gains for future in futures], strict=True))
            gained, last = max((sum(map(mul, shares, gains[c])), c) for c in allowed(marks, 1))
            found.append(Response(value + gained, (*prefix, last)))
        return found

    def _future(self, side: int, step: int, number: int, rest: Program) -> Future:
        if not rest:
            return NO_FUTURE
        known = self._futures[side][step]
        future = known.get((number, rest))
        if future is None:
            results = self._command_results(side, step, number, rest[0])
            follows = tuple(
                [
                    NO_FUTURE if command == REPAIR_INDEX else self._future(side, step + 1, follow, rest[1:])
                    for command, follow in zip(self._commands[side], results.follows, strict=True)
                ]
            )
            hope = max(
                [results.gains[c] + follows[c].hope for c in self._commands[side] if c != REPAIR_INDEX]
            )
            future = Future(results.gains, follows, hope)
            future = known[number, rest] = self._alike[side].setdefault((results.gains, follows), future)
        return future

    def _command_results(self, side: int, step: int, number: int, other: int) -> CommandResults:
        known = self._known_command_results[side][step]
        results = known.get(number * 16 + other)
        if results is None:
            own = self._commands[side]
            if number == OVER:
                outcomes = [(OVER, 0.0)] * len(own)
            else:
                poses, lives = self._situations[step][number]
                step_results = self._step_results(side, poses, other)
                pairs = [(command, other) if side == 0 else (other, command) for command in own]
                outcomes = [
                    self._outcome(step, lives, result, pair)
                    for result, pair in zip(step_results, pairs, strict=True)
                ]
            sign = 1 - 2 * side
            results = known[number * 16 + other] = CommandResults(
                tuple([follows for follows, _ in outcomes]), tuple([sign * gain for _, gain in outcomes])
            )
        return results

    def _outcome(
        self, step: int, lives: tuple[int, int], result: StepResult, pair: tuple[int, int]
    ) -> tuple[int, float]:
        """Returns the number of the situation after a step, and side 0's gain in it."""
        poses, taken, landed = result
        stakes = self.stakes
        gain = stakes.landed * landed - stakes.taken * taken
        if step == STEPS - 1 and REPAIR_INDEX in pair:  # P10: with the fifth R
            repairs, other_repairs = pair[0] == REPAIR_INDEX, pair[1] == REPAIR_INDEX
            taken, landed = taken - repairs, landed - other_repairs
            gain += stakes.repair_values[0] * repairs - stakes.repair_values[1] * other_repairs
        left = lives[0] - taken, lives[1] - landed
        if left[0] <= 0 or left[1] <= 0:  # P11, P14
            end = (left[1] <= 0) - (left[0] <= 0)
            if stakes.ends:
                return OVER, stakes.ends[1 - end] - self._before(lives)
            return OVER, gain + LAST * end
        if step == STEPS - 1:
            one, two = self._places
            return OVER, gain + self.pose_value(poses[one], poses[two]) if self.pose_value else gain
        return self._number(step + 1, poses, left), gain

    def _before(self, lives: tuple[int, int]) -> float:
        (own, other), stakes = self._lives, self.stakes
        return stakes.landed * (other - lives[1]) - stakes.taken * (own - lives[0])

    def _step_results(self, side: int, poses: tuple[Pose, ...], other: int) -> list[StepResult]:
        known = self._known_step_results[side]
        step_results = known.get((poses, other))
        if step_results is None:
            pairs = [(own, other) if side == 0 else (other, own) for own in self._commands[side]]
            step_results = known[poses, other] = [self._step_result(poses, *pair) for pair in pairs]
        return step_results

    def _step_result(self, poses: tuple[Pose, ...], one: int, two: int) -> StepResult:
        if len(poses) == 2 and not (self._forward and one in DIAGONALS and two in DIAGONALS):
            poses_after = POSES_AFTER[one][poses[0]], POSES_AFTER[two][poses[1]]
            here, there = poses_after[0] >> 2, poses_after[1] >> 2
            if here != there and here != poses[1] >> 2 and there != poses[0] >> 2:  # nobody is in the way
                return (
                    poses_after,
                    here in ATTACKED_SQUARES[two][poses_after[1]],
                    there in ATTACKED_SQUARES[one][poses_after[0]],
                )
        return self._by_the_rules(poses, one, two)

    def _by_the_rules(self, poses: tuple[Pose, ...], one: int, two: int) -> StepResult:
        """Computes a step by the full rules; needed for the rare ones with bumps, crossings or hulks."""
        commands = [""] * len(poses)
        commands[self._places[0]], commands[self._places[1]] = COMMANDS[one], COMMANDS[two]
        poses_after = walk(poses, tuple(commands), self._forward)
        landed, taken = (
            len(struck(i, commands[i], poses_after, self._damage, through=self._through))
            for i in self._places
        )
        return poses_after, taken, landed

    def _number(self, step: int, poses: tuple[Pose, ...], lives: tuple[int, int]) -> int:
        """Returns the number of a situation, giving it one if it is new; lives beyond reach become SAFE."""
        steps = STEPS - step
        one, two = lives
        if not self.stakes.ends or min(lives) > steps:
            one, two = one if one <= steps else SAFE, two if two <= steps else SAFE
        situation = poses, (one, two)
        numbers = self._numbers[step]
        number = numbers.get(situation)
        if number is None:
            number = numbers[situation] = len(self._situations[step])
            self._situations[step].append(situation)
        return number


def _by_side_and_step() -> list[list[dict[Any, Any]]]:
    return [[{} for _ in range(STEPS)] for _ in (0, 1)]


def allowed(marks: int, slots: int) -> tuple[int, ...]:
    """Returns the commands, other than R, that the first of `slots` can have if `marks` X must fit (P9)."""
    if not marks:
        return MOVES
    return (DAMAGE_INDEX,) if marks == slots else (*MOVES, DAMAGE_INDEX)


def _hopeful(
    layer: Mapping[tuple[Futures, int], tuple[float, Program]],
    shares: Shares,
    least: float,
    width: int | None,
) -> list[tuple[float, Program, Futures, int]]:
    """Returns the prefixes that may gain at least `least` hits: all, or the `width` most promising ones."""
    found = []
    for (futures, marks), (value, prefix) in layer.items():
        hope = value + sum(map(mul, shares, [future.hope for future in futures]))
        if hope >= least:
            found.append((hope, (value, prefix, futures, marks)))
    if width and len(found) > width:
        found = nlargest(width, found, key=itemgetter(0))
    return [prefix for _, prefix in found]


def encode(order: Order) -> Program:
    """Converts an order in canonical form into indices in COMMANDS."""
    return tuple(COMMANDS.index(command) for command in order.split(" "))


def decode(program: Program) -> Order:
    return " ".join(COMMANDS[command] for command in program)
