"""The bracket of a cup: the ties of each round, their matches and winners, final ranks. Pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from robosite.leagues.arithmetic.pairing import drawn
from robosite.leagues.arithmetic.table import Decided, Result

LEAST, MOST = 3, 32
"""The minimum and the maximum number of places of a cup."""
NOBODY = 0
"""The value for a missing entrant of a tie, and for the winner of a tie from which nobody advances."""


class Stage(IntEnum):
    """A stage of a tie, in which two entrants of a cup meet.

    A pair with swapped seats; if it is level, a decider; if that is drawn, a replay. Nothing follows a stage
    to which nobody came, or that ended level because the cup's last day had come.
    """

    PAIR = 1
    DECIDER = 2
    REPLAY = 3


class CupMatch(NamedTuple):
    """A match of a cup.

    `round` and `tie` count from 1; `seats` are the place numbers at A and B.
    """

    round: int
    tie: int
    stage: Stage
    seats: tuple[int, int]


Results = Mapping[CupMatch, Result]


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie of a cup: two entrants who meet in a round.

    Entrants are place numbers, the better seed first once both are known; None if not known yet, NOBODY if
    there is none. `winner` is None until the tie is decided, NOBODY if neither advances.
    """

    round: int
    number: int
    entrants: tuple[int | None, int | None]
    matches: tuple[CupMatch, ...] = ()
    winner: int | None = None
    by_seed: bool = False

    @property
    def is_bye(self) -> bool:
        """Returns True if an entrant is missing; the other entrant, if any, advances without playing."""
        return NOBODY in self.entrants


class CupProgress(NamedTuple):
    """The progress of a participant in a cup; `place` is their number in the cup, not a rank.

    `round` is the last round reached; for the winner, one more than there are.
    """

    place: int
    round: int
    out: bool
    rank: int
    worst: int
    """The worst final rank that is still possible for the place; the rank itself if the place is out."""


@dataclass(frozen=True)
class Bracket:
    """All rounds of a cup, each with its ties from top to bottom; `seeds` are place numbers, best first."""

    seeds: tuple[int, ...]
    rounds: tuple[tuple[Tie, ...], ...] = field(repr=False)

    @property
    def winner(self) -> int | None:
        """The place number of the winner; None while the cup goes on, NOBODY if nobody won the final."""
        return self.rounds[-1][0].winner

    @property
    def ties(self) -> Iterator[Tie]:
        for ties in self.rounds:
            yield from ties

    @property
    def matches(self) -> list[CupMatch]:
        """The matches that were played or can be played now, round by round."""
        return [match for tie in self.ties for match in tie.matches]

    def seed(self, place: int) -> int:
        return self.seeds.index(place) + 1

    def next_tie(self, place: int) -> Tie | None:
        """Returns the undecided tie of the participant with number `place`; None if there is none."""
        return next((tie for tie in self.ties if tie.winner is None and place in tie.entrants), None)

    def first_round(self, place: int) -> int:
        """Returns the first round in which a participant has an opponent: 1, or a later round after a bye."""
        return next(tie.round for tie in self.ties if place in tie.entrants and not tie.is_bye)

    def feeders(self, tie: Tie) -> tuple[Tie, Tie] | None:
        """Returns the two ties of the previous round whose winners meet in `tie`; None in the first round."""
        if tie.round == 1:
            return None
        before = self.rounds[tie.round - 2]
        return before[2 * tie.number - 2], before[2 * tie.number - 1]

    def contenders(self, tie: Tie) -> set[int]:
        """Returns the place numbers of all participants who play in a tie, or who can still reach it."""
        known = {place for place in tie.entrants if place}
        coming = (one for one in self.feeders(tie) or () if one.winner is None)
        return known.union(*(self.contenders(one) for one in coming))

    @cached_property
    def standings(self) -> list[CupProgress]:
        """The progress of all participants: first those still in the cup, then those who were eliminated.

        Participants in the same round share a rank, in the order of their seeds; the rank of one who is out
        is final.
        """
        last = len(self.rounds)
        reached = {place: self._reached(place) for place in self.seeds}
        here = [at for at, out in reached.values() if not out]
        standings = []
        for place, (at, out) in reached.items():
            worst = 1 if at > last else 2 ** (last - at) + 1
            rank = worst if out else 1 + sum(other > at for other in here)
            standings.append(CupProgress(place, at, out, rank, worst))
        return sorted(standings, key=lambda one: (one.out, -one.round))

    def _reached(self, place: int) -> tuple[int, bool]:
        """Returns the last round that a participant has reached, and True if they were eliminated."""
        at = max(tie.round for tie in self.ties if place in tie.entrants)
        tie = next(one for one in self.rounds[at - 1] if place in one.entrants)
        if tie.winner == place:
            return at + 1, False
        return at, tie.winner is not None


def slots(size: int) -> list[int]:
    """The seeds in the first round of a bracket, from top to bottom.

    For a size of 8: 1, 8, 5, 4, 3, 6, 7, 2; each two consecutive entries make a tie.
    """
    order = [1]
    while len(order) < size:
        pairs = [(seed, 2 * len(order) + 1 - seed) for seed in order]
        order = [seed for at, pair in enumerate(pairs) for seed in (pair if at % 2 == 0 else pair[::-1])]
    return order


def rounds_for(places: int) -> int:
    """Returns the number of rounds of a cup with this many participants."""
    return max(places - 1, 1).bit_length()


def bracket_of(nonce: str, places: Sequence[int], results: Results) -> Bracket:
    """Computes the bracket of a cup from the results so far; `places` are the numbers of its participants.

    If their number is not a power of two, the best seeds have byes. Results that belong to no tie are
    ignored.
    """
    seeds = drawn(nonce, places)
    size = 2 ** rounds_for(len(seeds))
    line: list[int | None] = [seeds[at - 1] if at <= len(seeds) else NOBODY for at in slots(size)]
    rounds: list[tuple[Tie, ...]] = []
    while len(line) > 1:
        ties = tuple(
            _tie(nonce, seeds, (len(rounds) + 1, at // 2 + 1), (line[at], line[at + 1]), results)
            for at in range(0, len(line), 2)
        )
        rounds.append(ties)
        line = [tie.winner for tie in ties]
    return Bracket(tuple(seeds), tuple(rounds))


def _tie(
    nonce: str,
    seeds: Sequence[int],
    at: tuple[int, int],
    entrants: tuple[int | None, int | None],
    results: Results,
) -> Tie:
    first, second = entrants
    if first is None or second is None:
        return Tie(*at, entrants)
    if NOBODY in entrants:
        return Tie(*at, entrants, winner=first or second)
    pair = (first, second) if seeds.index(first) < seeds.index(second) else (second, first)
    matches: list[CupMatch] = []
    for step in _steps(nonce, at, pair):
        matches += step
        found = [results[one] for one in step if one in results and results[one].over]
        if len(found) < len(step):
            return Tie(*at, pair, tuple(matches))
        if all(one.points is not None and not any(one.points) for one in found):
            return Tie(*at, pair, tuple(matches), NOBODY)
        points = {place: _points(found, place) for place in pair}
        ahead = [place for place in pair if points[place] == max(points.values())]
        if len(ahead) == 1:
            return Tie(*at, pair, tuple(matches), ahead[0])
        if any(one.decided == Decided.LAST_DAY for one in found):
            break  # nothing more is played
    return Tie(*at, pair, tuple(matches), pair[0], by_seed=True)


def _steps(nonce: str, at: tuple[int, int], pair: tuple[int, int]) -> Iterator[list[CupMatch]]:
    """Yields the matches of each possible stage of a tie; `at` are the numbers of round and tie, from 1."""
    lot = decider_seats(nonce, at[0], pair)
    yield [CupMatch(*at, Stage.PAIR, pair), CupMatch(*at, Stage.PAIR, pair[::-1])]
    yield [CupMatch(*at, Stage.DECIDER, lot)]
    yield [CupMatch(*at, Stage.REPLAY, lot[::-1])]


def decider_seats(nonce: str, number: int, pair: tuple[int, int]) -> tuple[int, int]:
    """Draws by lot who has seats A and B in the decider of a tie of round `number`; a replay swaps them."""
    first, second = drawn(f"{nonce}\n{number}", pair)
    return first, second


def _points(results: Sequence[Result], place: int) -> float:
    return sum(own for one in results for at, own in one.points_by_place() if at == place)
