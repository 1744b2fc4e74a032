"""The strength of each place, estimated from results by the Bradley–Terry model. Pure functions.

P(i wins) = e^θi / Σ e^θj over the places in a match; a shared win is divided. With more than two seats, it is
the first choice of the Plackett–Luce model. The strengths θ are the most probable ones under a normal prior
of mean 0 and standard deviation PRIOR; errors follow from the curvature there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log, sqrt
from typing import Any, NamedTuple

from games.core import Game

PRIOR = 1.5
"""The standard deviation of the prior on θ."""
ELO = 400 / log(10)
ENOUGH = 5
"""The minimum number of results for which a place's strength is shown."""
STEPS, CLOSE = 100, 1e-12

Shares = tuple[tuple[int, float], ...]
"""The result of a match: pairs of a place and its share of the win (0 to 1), sorted by place."""


class Strength(NamedTuple):
    """A participant's estimated strength on the Elo scale, with its standard error."""

    elo: float
    error: float


def strengths_of(
    matches: Iterable[Mapping[int, float]],
    *,
    fixed: Mapping[int, float] | None = None,
    prior: float | None = PRIOR,
) -> dict[int, Strength]:
    """Returns each participant's estimated strength, by place number; `fixed` are known strengths θ."""
    thetas, errors = _fitted(_counted(matches), prior, dict(fixed or {}))
    return {place: Strength(ELO * thetas[place], ELO * errors[place]) for place in thetas}


def _counted(matches: Iterable[Mapping[int, float]]) -> list[tuple[Shares, int]]:
    return sorted(Counter(tuple(sorted(match.items())) for match in matches).items())


def _fitted(
    counted: Sequence[tuple[Shares, int]], prior: float | None, fixed: Mapping[int, float]
) -> tuple[dict[int, float], dict[int, float]]:
    """Returns the strengths θ and their standard errors by place number, found by Newton's method."""
    places = sorted({place for shares, _ in counted for place, _ in shares})
    free = [place for place in places if place not in fixed]
    thetas = {place: fixed.get(place, 0.0) for place in places}
    weight = 1 / prior**2 if prior else 0.0
    for _ in range(STEPS):
        gradient, curvature = _derivatives(counted, thetas, free, weight)
        step = _solved(curvature, [[value] for value in gradient])
        longest = max((abs(row[0]) for row in step), default=0.0)
        for place, (change,) in zip(free, step, strict=True):
            thetas[place] += change / max(1.0, longest)
        if longest < CLOSE:
            break
    _, curvature = _derivatives(counted, thetas, free, weight)
    unit = [[float(i == j) for j in range(len(free))] for i in range(len(free))]
    inverse = _solved(curvature, unit)
    errors = dict.fromkeys(places, 0.0)
    errors |= {place: sqrt(inverse[at][at]) for at, place in enumerate(free)}
    return thetas, errors


def _derivatives(
    counted: Sequence[tuple[Shares, int]],
    thetas: Mapping[int, float],
    free: Sequence[int],
    weight: float,
) -> tuple[list[float], list[list[float]]]:
    """Returns the gradient of the log-posterior, and the matrix of its negative second derivatives."""
    at = {place: index for index, place in enumerate(free)}
    gradient = [-weight * thetas[place] for place in free]
    curvature = [[weight * (i == j) for j in range(len(free))] for i in range(len(free))]
    for shares, times in counted:
        won = sum(share for _, share in shares)
        top = max(thetas[place] for place, _ in shares)
        powers = {place: exp(thetas[place] - top) for place, _ in shares}
        chances = {place: power / sum(powers.values()) for place, power in powers.items()}
        for place, share in shares:
            if place not in at:
                continue
            gradient[at[place]] += times * (share - won * chances[place])
            curvature[at[place]][at[place]] += times * won * chances[place]
            for other in chances.keys() & at.keys():
                curvature[at[place]][at[other]] -= times * won * chances[place] * chances[other]
    return gradient, curvature


def _solved(matrix: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    size = len(matrix)
    rows = [[*matrix[i], *right[i]] for i in range(size)]
    for i in range(size):
        pivot = rows[i][i]
        rows[i] = [value / pivot for value in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                factor = rows[j][i]
                rows[j] = [value - factor * own for value, own in zip(rows[j], rows[i], strict=True)]
    return [row[size:] for row in rows]


Strengths = dict[tuple[str, str, int], dict[str, int]]
"""The measured Elo of each bot, keyed by game, preset and number of seats."""

STRENGTHS: dict[int, Strengths] = {
    1: {
        ("pigs", "standard", 2): {"random": -799, "hasty": -512, "quick": 0, "thorough": 398},
        ("roboxing", "standard", 2): {"random": -560, "hasty": -319, "quick": 0, "thorough": 366},
        ("roboxing", "melee", 3): {"quick": 0, "thorough": 295},
        ("roboxing", "melee", 4): {"quick": 0, "thorough": 573},
        ("robosoccer", "standard", 2): {"random": -332, "hasty": -166, "quick": 0, "thorough": 269},
        ("robble", "standard", 2): {"random": -402, "hasty": -287, "quick": 0, "thorough": 301},
    },
    2: {
        ("pigs", "standard", 2): {"random": -629, "hasty": -342, "quick": 0, "thorough": 512},
        ("roboxing", "standard", 2): {"random": -649, "hasty": -64, "quick": 0, "thorough": 366},
        ("robosoccer", "standard", 2): {"random": -625, "hasty": -338, "quick": 0, "thorough": 269},
        ("robble", "standard", 2): {"random": -499, "hasty": -338, "quick": 0, "thorough": 301},
    },
    3: {
        ("roboxing", "standard", 2): {"random": -282, "hasty": -84, "quick": 0, "thorough": 289},
    },
    4: {
        ("roboxing", "melee", 3): {"random": -414, "hasty": -161, "quick": 0, "thorough": 253},
        ("roboxing", "melee", 4): {"random": -287, "hasty": -135, "quick": 0, "thorough": 235},
    },
}
"""The strengths by the scale that added or changed them; records name scales, so extend by a new one only."""
SCALE = max(STRENGTHS)


def strengths_on(scale: int) -> Strengths:
    return {key: known for number in range(1, scale + 1) for key, known in STRENGTHS[number].items()}


def fixed_points(
    game: Game, given: Any, table_seats: int, players: Mapping[int, str], *, scale: int
) -> dict[int, float]:
    """Returns the measured strengths θ of the bots in a league, by place number."""
    known: Mapping[str, int] = {}
    strengths = strengths_on(scale)
    for key in game.presets_with(game.write_options(game.read_options(given))):
        known = strengths.get((game.slug, key, table_seats), known)
    return {place: known[player] / ELO for place, player in players.items() if player in known}
