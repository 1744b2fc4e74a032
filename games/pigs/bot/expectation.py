"""The rounds of three to eight pigs that could have been expected, and what programs bring in them.

Regret matching among a few programs of each pig (Gray et al., 2021) yields rounds. Their shares are then
changed little by little, until no program that was tried gains more than GAP hits: a coarse correlated
equilibrium of these programs, which says nothing of others.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from operator import mul
from random import Random
from typing import NamedTuple

from games.core import Order, Seat
from games.pigs.bot import crowd
from games.pigs.bot.crowd import Effort, Hits, Others, Program, Table
from games.pigs.bot.duel import LAST
from games.pigs.rules import PLACES, Position
from games.pigs.steps import ATTACKS, GOAL, HULK, LIVES, REPAIR, STEPS, Pose, struck


def hits(position: Position, orders: Mapping[Seat, Order]) -> dict[Seat, tuple[int, int]]:
    """Returns the hits of each seat's pig in the round, as (landed, taken)."""
    landed, taken = [0] * len(position.seats), [0] * len(position.seats)
    through = position.options.laser == "through"
    for position_after in position.play(orders):
        cause = position_after.cause
        assert cause
        for i, command in enumerate(cause.commands):
            for j in struck(i, command, position_after.poses, cause.damage, through=through):
                landed[i] += 1
                taken[j] += 1
    return {seat: (landed[PLACES[seat]], taken[PLACES[seat]]) for seat in position.seats}


def payoff(position: Position, seat: Seat, orders: Mapping[Seat, Order]) -> float:
    """Returns the payoff of the round to the seat's pig, in hits landed less taken."""
    return sum([gained(position_after, seat) for position_after in position.play(orders)])


def gained(position_after: Position, seat: Seat) -> float:
    """Returns the payoff to the seat's pig, in hits, of the step that led to a position."""
    cause, own = position_after.cause, PLACES[seat]
    assert cause
    command = cause.commands[own]
    value = _ending(position_after, seat) if position_after.ended else 0.0
    if not command:
        return value
    through, poses = position_after.options.laser == "through", position_after.poses
    value += len(struck(own, command, poses, cause.damage, through=through))
    value -= sum(
        struck(i, one, poses, cause.damage, through=through).count(own)
        for i, one in enumerate(cause.commands)
        if one in ATTACKS
    )
    value += command == REPAIR and cause.step == STEPS - 1
    fell = position_after.damage[own] == HULK
    return value - LAST * (fell and not position_after.ended)


def _ending(position_after: Position, seat: Seat) -> float:
    """Returns LAST for a sole winner, minus LAST / (seats - 1) for a loser; sharers lie between."""
    assert position_after.ended
    seats = len(position_after.seats)
    return LAST * (seats * position_after.ended.scores[seat] - 1) / (seats - 1)


GAP = 0.05
"""The most hits that a program may gain if mixes are to be shown; the search ends a little below."""
CLOSE = 0.9
WORK = 900
"""The number of rounds of regret matching times the number of pigs."""
PASSES = 400
"""The most changes of the rounds' shares."""
EASY = Effort(rounds=24, promising=30, random=12, first=8, kept=12, heat=0.004)
GUESSES, PLAIN = 7, 6
"""The numbers of a pig's programs: PLAIN plain ones, GUESSES that answer these, GUESSES that answer those."""

Payoffs = Sequence[Sequence[float]]
"""The payoffs of a seat's programs, by round and program."""


class Expectation(NamedTuple):
    """Rounds and their probabilities (`shares`); a round has the index of each seat's program."""

    programs: Mapping[Seat, Sequence[Order]]
    rounds: Sequence[Mapping[Seat, int]]
    payoffs: Mapping[Seat, Payoffs]
    shares: Sequence[float]

    def values(self, seat: Seat) -> dict[Order, float]:
        """Returns the mean payoff of each of the seat's programs, the others playing these rounds."""
        columns = zip(*self.payoffs[seat], strict=True)
        means = [sum(map(mul, self.shares, column)) for column in columns]
        return dict(zip(self.programs[seat], means, strict=True))

    def value(self, seat: Seat) -> float:
        """Returns the mean payoff to the seat in these rounds."""
        rows = zip(self.shares, self.rounds, self.payoffs[seat], strict=True)
        return sum(share * row[played[seat]] for share, played, row in rows)

    def gap(self, seat: Seat) -> float:
        """Returns what the best of the seat's programs gains over what the seat plays, or 0."""
        return max(0.0, max(self.values(seat).values()) - self.value(seat))

    def mix(self, seat: Seat) -> dict[Order, float]:
        """Returns the probability with which the seat plays each program."""
        mix: dict[Order, float] = {}
        for share, played in zip(self.shares, self.rounds, strict=True):
            order = self.programs[seat][played[seat]]
            mix[order] = mix.get(order, 0.0) + share
        return mix


def expected(state: Position, rng: Random, also: Mapping[Seat, Iterable[Order]]) -> Expectation:
    """Returns likely rounds among a few programs of each pig, including the programs in `also`."""
    programs = {
        seat: list(dict.fromkeys([*orders, *also[seat]])) for seat, orders in _candidates(state, rng).items()
    }
    rounds, payoffs = _matched(state, programs, rng)
    return Expectation(programs, rounds, payoffs, _shares(rounds, payoffs))


def _candidates(state: Position, rng: Random) -> dict[Seat, list[Order]]:
    seats = sorted(state.still_in())
    plain = {
        seat: crowd.good(state, seat, crowd.plain_rounds(state, seat, rng, EASY.rounds), EASY, rng)
        for seat in seats
    }
    found = {}
    for seat in seats:
        others = [other for other in seats if other != seat]
        rounds = [{other: rng.choices(*plain[other])[0] for other in others} for _ in range(EASY.rounds)]
        answers, _ = crowd.good(state, seat, rounds, EASY, rng)
        usual = [state.expected(seat, rng) for _ in range(PLAIN)]
        found[seat] = [*plain[seat][0][:GUESSES], *answers[:GUESSES], *usual]
    return found


def _matched(
    state: Position, programs: Mapping[Seat, Sequence[Order]], rng: Random
) -> tuple[list[Mapping[Seat, int]], dict[Seat, list[list[float]]]]:
    """Returns rounds in which each pig plays what it regrets not to have played, and their payoffs."""
    commands = {seat: [tuple(order.split(" ")) for order in orders] for seat, orders in programs.items()}
    regrets = {seat: [1.0] * len(orders) for seat, orders in programs.items()}
    rounds: list[Mapping[Seat, int]] = []
    payoffs: dict[Seat, list[list[float]]] = {seat: [] for seat in programs}
    for _ in range(WORK // len(programs)):
        played = {seat: rng.choices(range(len(one)), one)[0] for seat, one in regrets.items()}
        rounds.append(played)
        orders = {seat: programs[seat][at] for seat, at in played.items()}
        for seat, one in regrets.items():
            table = HitsTable(state, seat, [{at: orders[at] for at in orders if at != seat}])
            gains = [table.hope(program, table.rounds) for program in commands[seat]]
            payoffs[seat].append(gains)
            mean = sum(map(mul, one, gains)) / sum(one)
            matched = [max(0.0, regret + gain - mean) for regret, gain in zip(one, gains, strict=True)]
            regrets[seat] = matched if any(matched) else [1.0] * len(matched)
    return rounds, payoffs


def _shares(rounds: Sequence[Mapping[Seat, int]], payoffs: Mapping[Seat, Payoffs]) -> list[float]:
    """Returns the rounds' shares: even at first, then changed step by step until no program gains much."""
    regrets = [
        [gain - row[played[seat]] for gain, row, played in zip(column, rows, rounds, strict=True)]
        for seat, rows in payoffs.items()
        for column in zip(*rows, strict=True)
    ]
    shares = [1 / len(rounds)] * len(rounds)
    for _ in range(PASSES):
        most, regretted = max((sum(map(mul, shares, regret)), regret) for regret in regrets)
        if most <= CLOSE * GAP:
            break
        spread = sum(map(mul, shares, map(mul, regretted, regretted)))
        step = most / max(spread, most * max(map(abs, regretted)))
        weights = [share * exp(-step * regret) for share, regret in zip(shares, regretted, strict=True)]
        total = sum(weights)
        shares = [weight / total for weight in weights]
    return shares


class HitsTable(Table):
    """The payoffs of a seat's programs in hits, as `payoff` counts them."""

    replays_races = False

    def _replayed(self, program: Program, others: Others) -> float:
        return payoff(self.state, self.seat, {**others.orders, self.seat: " ".join(program)})

    def _value_of(self, others: Others, at: Pose, hits: Hits) -> float | None:
        if not hits:
            return 0.0
        *taken, landed = hits
        return None if self._may_end(others, taken, landed) else float(landed - taken[self.place])

    def _may_end(self, others: Others, taken: Sequence[int], landed: int) -> bool:
        """Returns True if a pig may be destroyed, or a race won."""
        if self.state.dealt:  # P14
            own = self.state.dealt[self.place] + landed
            return max(own, *[dealt + taken[self.place] for dealt in others.dealt]) >= GOAL
        damage = crowd.with_item(others.damage, self.place, self.state.damage[self.place])
        return any(
            LIVES <= was + more + repairs < HULK
            for was, more, repairs in zip(damage, taken, others.repairs, strict=True)
        )
