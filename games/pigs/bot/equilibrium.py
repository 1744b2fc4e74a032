"""Finds a near-equilibrium of one round of two pigs, with a certificate that anybody can check.

The method is the double oracle: a restricted game among a few programs is solved, then each side adds best
responses out of all its programs to the other's mix, until these gain no more than is allowed. The same
method finds a mix against a player whose programs can be predicted with some probability.
"""

from math import inf
from typing import NamedTuple

from games.pigs.bot.duel import DAMAGE_INDEX, MOVES, Duel, Mix, Program, Response
from games.pigs.steps import STEPS
from games.zero_sum import solve

GAP = 0.05
"""The total gain of both sides' best responses over their mixes, in hits, at which the search ends."""
MAX_ENLARGEMENTS = 120
"""The maximum number of times that the restricted game is enlarged."""
RESPONSES_ADDED = 5
"""The most responses that a side adds at a time; with several, the game is solved less often."""
UNUSED_LIMIT = 6
"""The number of solutions in a row after which the restricted game drops a program that none of them uses."""
RARE = 1e-6
"""The highest probability at which a program is left out of a mix."""


class Certificate(NamedTuple):
    """A proof of how near two mixes are to an equilibrium, in hits; `value` is the payoff to side 0.

    The round's value to side 0 is between minus the value of side 1's response and the value of side 0's.
    """

    mixes: tuple[Mix, Mix]
    value: float
    responses: tuple[Response, Response]

    @property
    def gaps(self) -> tuple[float, float]:
        """The gain of each side's best response over the side's own mix, in hits."""
        return self.responses[0].value - self.value, self.responses[1].value + self.value

    @property
    def gap(self) -> float:
        return self.responses[0].value + self.responses[1].value


def certify(duel: Duel, mixes: tuple[Mix, Mix]) -> Certificate:
    responses = duel.respond(0, mixes[1]), duel.respond(1, mixes[0])
    return Certificate(mixes, duel.expected(*mixes), responses)


def near_equilibrium(duel: Duel, gap: float = GAP) -> Certificate:
    """Returns the safest mixes found, with their certificate.

    Ends once both best responses together gain at most `gap` hits, if there is no new program, or after
    MAX_ENLARGEMENTS solutions.
    """
    game = _Restricted(duel)
    mixes = game.mixes()
    safest, conceded = list(mixes), [inf, inf]
    for _ in range(MAX_ENLARGEMENTS):
        responses = game.responses(mixes)
        for side in (0, 1):
            if responses[1 - side][0].value < conceded[side]:
                conceded[side], safest[side] = responses[1 - side][0].value, mixes[side]
        if sum(conceded) <= gap or not game.widen(responses):
            break
        mixes = game.mixes()
    return certify(duel, (safest[0], safest[1]))


def restricted_response(
    duel: Duel, side: int, expected: Mix, trust: float, gap: float, most: int, work: int | None = None
) -> Mix:
    """Returns the safest mix against a player who plays `expected` with probability `trust`.

    Otherwise that player knows the mix and answers with a best response: a restricted Nash response
    (Johanson, Zinkevich and Bowling, 2007), from an equilibrium mix for a `trust` of 0 to a best response
    for 1. Ends once no mix could guarantee `gap` hits more, if there is no new program, after `most`
    solutions, or when `duel.work` has reached `work`.
    """
    game = _Expecting(duel, side, expected, trust)
    mixes = game.mixes()
    safest, sure = mixes[side], -inf
    for _ in range(most):
        responses = game.responses(mixes)
        least = game.least(mixes[side], responses[1 - side][0].value)
        if least > sure:
            safest, sure = mixes[side], least
        enough = responses[side][0].value - sure <= gap or (work is not None and duel.work >= work)
        if enough or not game.widen(responses):
            break
        mixes = game.mixes()
    return safest


class _Restricted:
    """A `Duel` in which each side may choose only from a few of its programs."""

    def __init__(self, duel: Duel) -> None:
        self.duel = duel
        seeds = _seeds(duel.owed[0]), _seeds(duel.owed[1])
        self.programs = [[response.program for response in found] for found in self.responses(seeds)]
        self.matrix = [[self.payoff(one, two) for two in self.programs[1]] for one in self.programs[0]]
        self._idle: list[dict[Program, int]] = [{}, {}]

    def payoff(self, one: Program, two: Program) -> float:
        return self.duel.payoff(one, two)

    def responses(self, mixes: tuple[Mix, Mix]) -> tuple[list[Response], list[Response]]:
        """Returns good responses of each side to the other's mix in `mixes`, best first."""
        duel = self.duel
        return duel.responses(0, mixes[1], RESPONSES_ADDED), duel.responses(1, mixes[0], RESPONSES_ADDED)

    def mixes(self) -> tuple[Mix, Mix]:
        """Returns an optimal mix for each side, without rare programs; notes which programs went unused."""
        solution = solve(self.matrix)
        one = dict(zip(self.programs[0], solution.rows, strict=True))
        two = dict(zip(self.programs[1], solution.columns, strict=True))
        for side, mix in enumerate((one, two)):
            self._idle[side] = {
                p: 0 if share > RARE else self._idle[side].get(p, 0) + 1 for p, share in mix.items()
            }
        return _without_rare(one), _without_rare(two)

    def widen(self, responses: tuple[list[Response], list[Response]]) -> bool:
        """Drops programs long unused, then adds new ones; returns True if any was added."""
        self._narrow()
        new = [
            [r.program for r in found if r.program not in self.programs[side]]
            for side, found in enumerate(responses)
        ]
        for one in new[0]:
            self.programs[0].append(one)
            self.matrix.append([self.payoff(one, two) for two in self.programs[1]])
        for two in new[1]:
            self.programs[1].append(two)
            for one, row in zip(self.programs[0], self.matrix, strict=True):
                row.append(self.payoff(one, two))
        return any(new)

    def _narrow(self) -> None:
        supports = [
            [i for i, p in enumerate(self.programs[side]) if self._idle[side][p] < UNUSED_LIMIT]
            for side in (0, 1)
        ]
        self.programs = [[self.programs[side][i] for i in supports[side]] for side in (0, 1)]
        self.matrix = [[self.matrix[i][j] for j in supports[1]] for i in supports[0]]


class _Expecting(_Restricted):
    """A restricted game in which `side` expects the other side's mix `expected`, with probability `trust`."""

    def __init__(self, duel: Duel, side: int, expected: Mix, trust: float) -> None:
        self.side, self.expected, self.trust = side, expected, trust
        self._against: dict[Program, float] = {}
        super().__init__(duel)

    def payoff(self, one: Program, two: Program) -> float:
        expected = self.against(one) if self.side == 0 else -self.against(two)
        return self.trust * expected + (1 - self.trust) * self.duel.payoff(one, two)

    def against(self, own: Program) -> float:
        """Returns the average payoff to `side` of its program `own` against the mix `expected`."""
        known = self._against.get(own)
        if known is None:
            alone: Mix = {own: 1.0}
            first = self.duel.expected(
                *((alone, self.expected) if self.side == 0 else (self.expected, alone))
            )
            known = self._against[own] = first if self.side == 0 else -first
        return known

    def responses(self, mixes: tuple[Mix, Mix]) -> tuple[list[Response], list[Response]]:
        answered = list(mixes)
        theirs = 1 - self.side
        answered[theirs] = together((self.trust, self.expected), (1 - self.trust, answered[theirs]))
        return super().responses((answered[0], answered[1]))

    def least(self, own: Mix, conceded: float) -> float:
        """Returns the payoff to `side` that `own` guarantees if a best response to it gains `conceded`."""
        expected = sum(share * self.against(program) for program, share in own.items())
        return self.trust * expected - (1 - self.trust) * conceded


def together(*parts: tuple[float, Mix]) -> Mix:
    whole: dict[Program, float] = {}
    for part, mix in parts:
        for program, share in mix.items():
            whole[program] = whole.get(program, 0.0) + part * share
    return whole


def _seeds(owed: int) -> Mix:
    programs = [(DAMAGE_INDEX,) * owed + (move,) * (STEPS - owed) for move in MOVES]
    return {program: 1 / len(programs) for program in programs}


def _without_rare(mix: Mix) -> Mix:
    frequent = {program: share for program, share in mix.items() if share > RARE}
    total = sum(frequent.values())
    return {program: share / total for program, share in frequent.items()}
