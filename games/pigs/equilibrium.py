"""A near-equilibrium of one round of two pigs, by double oracle, with a certificate that anybody can check.

Both sides begin with a few programs. The small (restricted) game among those programs is solved repeatedly.
Each time, each side adds best responses to the other's mix, out of all its programs, until they gain no more
than is allowed.

The same method finds a mix against a player whose programs can be predicted, but not for certain.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from games.pigs.duel import DAMAGED, MOVES, Duel, Mix, Program, Response
from games.pigs.steps import STEPS
from games.zero_sum import solve

GAP = 0.05
"""The most hits that the best responses of both sides together may gain over the mixes."""
MOST = 120
"""The most times that the restricted game is solved."""
WIDER = 5
"""The number of good responses that join the restricted game at a time, so that fewer solutions are
needed."""
IDLE = 6
"""The number of solutions without use in a mix after which a program leaves the restricted game."""
RARE = 1e-6
"""The probability below which a program is left out of a mix."""


class Certificate(NamedTuple):
    """Two mixes, their value to side 0, and a best response of each side: a near-equilibrium's proof, in
    hits.

    The true value of the round to side 0 is at least minus the value of side 1's response (side 0's mix
    guarantees that much), and at most the value of side 0's response (side 1's mix guarantees that).
    """

    mixes: tuple[Mix, Mix]
    value: float
    responses: tuple[Response, Response]

    @property
    def gaps(self) -> tuple[float, float]:
        """The gain of each side's best response over its mix, in hits."""
        return self.responses[0].value - self.value, self.responses[1].value + self.value

    @property
    def gap(self) -> float:
        return self.responses[0].value + self.responses[1].value


def certify(duel: Duel, mixes: tuple[Mix, Mix]) -> Certificate:
    """Computes the certificate of any two mixes from the mixes alone."""
    responses = duel.respond(0, mixes[1]), duel.respond(1, mixes[0])
    return Certificate(mixes, duel.expected(*mixes), responses)


def near_equilibrium(duel: Duel, gap: float = GAP, most: int = MOST) -> Certificate:
    """Returns mixes on which the best responses of both sides together gain at most `gap` hits, certified.

    A mix's guarantee does not depend on the other side's mix, so each side keeps its safest mix of all
    solutions. After `most` solutions, or if no new program is found, these mixes are returned whatever their
    gap.
    """
    game = _Restricted(duel)
    mixes = game.mixes()
    safest, conceded = list(mixes), [inf, inf]
    for _ in range(most):
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
    """Returns the best mix of `side` against one who plays `expected` with probability `trust`.

    Otherwise, the opponent knows the mix and answers it best: a restricted Nash response (Johanson, Zinkevich
    and Bowling, 2007). With a trust of 0 it is an equilibrium, with 1 a best response. The result is the
    safest mix of at most `most` solutions. The search stops earlier if no mix promises `gap` hits more, or
    once the duel has done `work` (`Duel.work`).
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
    """The restricted game: only a few programs of each side."""

    def __init__(self, duel: Duel) -> None:
        self.duel = duel
        seeds = _seeds(duel.owed[0]), _seeds(duel.owed[1])
        self.programs = [[response.program for response in found] for found in self.responses(seeds)]
        self.matrix = [[self.payoff(one, two) for two in self.programs[1]] for one in self.programs[0]]
        self._idle: list[dict[Program, int]] = [{}, {}]

    def payoff(self, one: Program, two: Program) -> float:
        """The payoff of side 0, in hits, if the two sides play these programs."""
        return self.duel.payoff(one, two)

    def responses(self, mixes: tuple[Mix, Mix]) -> tuple[list[Response], list[Response]]:
        """Returns good responses of each side to the other's mix, the best first."""
        return self.duel.responses(0, mixes[1], WIDER), self.duel.responses(1, mixes[0], WIDER)

    def mixes(self) -> tuple[Mix, Mix]:
        """Returns optimal mixes of the restricted game."""
        solution = solve(self.matrix)
        one = dict(zip(self.programs[0], solution.rows, strict=True))
        two = dict(zip(self.programs[1], solution.columns, strict=True))
        for side, mix in enumerate((one, two)):
            self._idle[side] = {
                p: 0 if share > RARE else self._idle[side].get(p, 0) + 1 for p, share in mix.items()
            }
        return _without_rare(one), _without_rare(two)

    def widen(self, responses: tuple[list[Response], list[Response]]) -> bool:
        """Adds responses to the restricted game and drops programs long unused; True if any is new."""
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
            [i for i, p in enumerate(self.programs[side]) if self._idle[side][p] < IDLE] for side in (0, 1)
        ]
        self.programs = [[self.programs[side][i] for i in supports[side]] for side in (0, 1)]
        self.matrix = [[self.matrix[i][j] for j in supports[1]] for i in supports[0]]


class _Expecting(_Restricted):
    """The restricted game in which the other side plays an expected mix with probability `trust`."""

    def __init__(self, duel: Duel, side: int, expected: Mix, trust: float) -> None:
        self.side, self.expected, self.trust = side, expected, trust
        self._against: dict[Program, float] = {}
        super().__init__(duel)

    def payoff(self, one: Program, two: Program) -> float:
        expected = self.against(one) if self.side == 0 else -self.against(two)
        return self.trust * expected + (1 - self.trust) * self.duel.payoff(one, two)

    def against(self, own: Program) -> float:
        """The average payoff of a program of this side against the expected mix, in hits."""
        known = self._against.get(own)
        if known is None:
            alone: Mix = {own: 1.0}
            first = self.duel.expected(
                *((alone, self.expected) if self.side == 0 else (self.expected, alone))
            )
            known = self._against[own] = first if self.side == 0 else -first
        return known

    def responses(self, mixes: tuple[Mix, Mix]) -> tuple[list[Response], list[Response]]:
        """Returns good responses of this side to the other's combined mix, and of the other side to this
        mix."""
        answered = list(mixes)
        theirs = 1 - self.side
        answered[theirs] = together((self.trust, self.expected), (1 - self.trust, answered[theirs]))
        return super().responses((answered[0], answered[1]))

    def least(self, own: Mix, conceded: float) -> float:
        """The payoff of mix `own` for this side, if the other side gets `conceded` when not as expected."""
        expected = sum(share * self.against(program) for program, share in own.items())
        return self.trust * expected - (1 - self.trust) * conceded


def together(*parts: tuple[float, Mix]) -> Mix:
    """Combines several mixes, each given with its probability, into one mix."""
    whole: dict[Program, float] = {}
    for part, mix in parts:
        for program, share in mix.items():
            whole[program] = whole.get(program, 0.0) + part * share
    return whole


def _seeds(owed: int) -> Mix:
    """Simple programs, equally likely, for the first responses: the X owed, then one command repeated."""
    programs = [(DAMAGED,) * owed + (move,) * (STEPS - owed) for move in MOVES]
    return {program: 1 / len(programs) for program in programs}


def _without_rare(mix: Mix) -> Mix:
    frequent = {program: share for program, share in mix.items() if share > RARE}
    total = sum(frequent.values())
    return {program: share / total for program, share in frequent.items()}
