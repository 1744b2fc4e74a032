"""Counts of finished matches: wins by seat, length, reasons for the end; nothing about a single match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Any, NamedTuple, Self

from games.core import DRAW, Game, Outcome, Seat, Sentence, State, play_turn
from games.search import hasty_order

LEAST = 30
"""The minimum number of matches for which figures are shown, so that they give away no single match."""
Z = 1.959964
"""The number of standard deviations that a 95 % interval extends to each side."""
LONGEST = 2_000
"""The maximum number of turns that a tally distinguishes, so that it stays small."""


REASONS = {
    "destroyed": Sentence("destroyed"),
    "five hits": Sentence("five hits landed"),
    "knockout": Sentence("knockout"),
    "out of reach": Sentence("no one could hit any more"),
    "largest group": Sentence("the biggest group"),
    "cancelled": Sentence("all groups cancelled out"),
    "repetition": Sentence("repetition"),
    "goal": Sentence("a goal"),
    "no legal turn": Sentence("no legal turn left"),
    "resigned": Sentence("resigned"),
    "agreed": Sentence("a draw by agreement"),
}
"""The wording of each reason for a match's end (docs/record.md)."""


class Share(NamedTuple):
    """The share of the matches with a certain result, and the ends of its 95 % confidence interval."""

    share: float
    low: float
    high: float


def wilson(count: float, of: int) -> Share:
    """Returns `count` / `of` with its Wilson score interval; 0 in 0 to 1 if `of` is 0."""
    if not of:
        return Share(0.0, 0.0, 1.0)
    share, squared = count / of, Z * Z / of
    centre = (share + squared / 2) / (1 + squared)
    half = Z * sqrt(share * (1 - share) / of + squared / (4 * of)) / (1 + squared)
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == of else min(1.0, centre + half)
    return Share(share, low, high)


class Finished(NamedTuple):
    """The facts that a tally counts about a finished match; `sides` are those at its end."""

    outcome: Outcome
    turns: int
    sides: Mapping[Seat, str]
    swapped: bool = False


@dataclass(slots=True)
class Tally:
    """Counts over finished matches, such as a preset's; in `shared` ones, no seat got the whole point."""

    matches: int = 0
    seats: Counter[str] = field(default_factory=Counter)
    """Wins by seat: the number of matches in which the seat got the whole point."""
    sides: Counter[str] = field(default_factory=Counter)
    """Wins by the winner's side at the end of the match."""
    reasons: Counter[str] = field(default_factory=Counter)
    turns: Counter[int] = field(default_factory=Counter)
    shared: int = 0
    swaps: int = 0

    def add(self, match: Finished) -> None:
        self.matches += 1
        winner = next((seat for seat, share in match.outcome.scores.items() if share == 1), None)
        if winner is None:
            self.shared += 1
        else:
            self.seats[str(winner)] += 1
            self.sides[match.sides[winner]] += 1
        self.reasons[match.outcome.reason] += 1
        self.turns[min(match.turns, LONGEST)] += 1
        self.swaps += match.swapped

    def __iadd__(self, other: Tally) -> Self:
        self.matches += other.matches
        self.shared += other.shared
        self.swaps += other.swaps
        for name in ("seats", "sides", "reasons", "turns"):
            getattr(self, name).update(getattr(other, name))
        return self

    @property
    def is_publishable(self) -> bool:
        return self.matches >= LEAST

    def length(self, part: float) -> int:
        """The turns within which the share `part` (0 to 1) of the matches ended; 0.5 is the median."""
        left = part * self.matches
        for turns in sorted(self.turns):
            left -= self.turns[turns]
            if left <= 0:
                return turns
        return 0

    def as_json(self) -> dict[str, Any]:
        return {
            "matches": self.matches,
            "shared": self.shared,
            "swaps": self.swaps,
            "seats": dict(sorted(self.seats.items())),
            "sides": dict(sorted(self.sides.items())),
            "reasons": dict(sorted(self.reasons.items())),
            "turns": {str(turns): count for turns, count in sorted(self.turns.items())},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Tally:
        return cls(
            matches=data["matches"],
            seats=Counter(data["seats"]),
            sides=Counter(data["sides"]),
            reasons=Counter(data["reasons"]),
            turns=Counter({int(turns): count for turns, count in data["turns"].items()}),
            shared=data["shared"],
            swaps=data["swaps"],
        )


def sides_after(state: State, turns: Sequence[Mapping[Seat, str]]) -> tuple[dict[Seat, str], bool]:
    """Plays `turns` from `state`; returns each seat's last side, and True if any side changed."""
    before = {seat: state.side(seat) for seat in state.seats}
    for orders in turns:
        *_, state = play_turn(state, orders)
    after = {seat: state.side(seat) for seat in state.seats}
    return after, before != after


def preset_of(game: Game, options: Any, seats: int, setup: Mapping[str, Any]) -> str | None:
    """Returns the preset with exactly these options and number of players; None if `setup` has a board."""
    if "board" in setup:
        return None
    same = game.presets_with(game.write_options(options))
    return next((key for key in same if seats in game.presets[key].seats), None)


IDLE, MOST = 60, 240
"""Turns without a lasting change, and turns in all, after which hasty players agree to a draw."""


def play_hastily(game: Game, preset: str, rng: Random) -> Finished:
    """Plays a whole match of a preset between hasty players; returns the facts that statistics count."""
    options, count = game.read_options(game.presets[preset].options), game.presets[preset].usual_seats
    state = game.state.start(options, count, game.draw(options, count, rng, {}))
    sides_before = {seat: state.side(seat) for seat in state.seats}
    while (outcome := state.outcome()) is None:
        if state.turn >= MOST or state.turns_without_change() >= IDLE:
            orders = dict.fromkeys(state.still_in(), DRAW)
        else:
            orders = {seat: hasty_order(state.view(seat), seat, rng) for seat in sorted(state.to_act())}
        *_, state = play_turn(state, orders)
    sides_after = {seat: state.side(seat) for seat in state.seats}
    return Finished(outcome, state.turn, sides_after, sides_before != sides_after)
