"""Measures the difference in strength between two bots, which hold the seats of a match alternately."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log, log10
from random import Random
from typing import Any

from games.core import DRAW, Game, Seat, State, play_turn
from games.figures import wilson
from games.players import PATIENCE, PLAYERS, is_stuck

RUNGS = (("hasty", "random"), ("quick", "hasty"), ("thorough", "quick"), ("thorough", "random"))
"""The pairs of bots to compare, each as the keys of the stronger and the weaker one."""
SPRT_SHARES = 0.5, 1 / (1 + 10**-0.25)
"""The shares of the points that the sequential test tells apart: 0 and 100 Elo."""
ERROR = 0.05
"""The probability with which the sequential test may take either share for the other."""


def elo(share: float) -> float | None:
    """Returns the Elo difference for a share of the points; None for 0 and 1, where it is infinite."""
    return 400 * log10(share / (1 - share)) if 0 < share < 1 else None


@dataclass(slots=True)
class Rung:
    """Results of matches of two bots; `first` has the stronger one's points on A, C …, `second` on B, D ….

    `seconds` are the times of answers by bot, as measured by `clock`.
    """

    stronger: str
    weaker: str
    clock: Callable[[], float] = lambda: 0.0
    seats: int = 0
    """The number of players; 0 for the number that the preset proposes."""
    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    drawn: int = 0
    seconds: dict[str, list[float]] = field(default_factory=dict)

    @property
    def matches(self) -> int:
        return len(self.turns)

    @property
    def share(self) -> float:
        return (sum(self.first) + sum(self.second)) / self.matches

    def sprt(self) -> str:
        """Returns "H1" (100 Elo) or "H0" (equal) if Wald's test has decided, else ""; draws are half wins."""
        share0, share1 = SPRT_SHARES
        won, bound = self.share * self.matches, log((1 - ERROR) / ERROR)
        evidence = won * log(share1 / share0) + (self.matches - won) * log((1 - share1) / (1 - share0))
        return "H1" if evidence >= bound else "H0" if evidence <= -bound else ""

    def play(self, game: Game, preset: str, seed: str, number: int) -> None:
        """Plays match `number` and adds its result; an odd one repeats the setup with seats exchanged."""
        rng = Random(f"{seed}/{game.slug}/{preset}/{self.stronger}/{self.weaker}/{number // 2}")
        seats = self.seats or game.presets[preset].usual_seats
        options = game.read_options(game.presets[preset].options)
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        # A team game's sides take turns; everybody on a side is the same program.
        stronger = {seat: (at + number) % 2 == 0 for at, seat in enumerate(state.seats)}
        while (outcome := state.outcome()) is None:
            if state.turn >= PATIENCE or is_stuck(state):
                orders = dict.fromkeys(state.still_in(), DRAW)
            else:
                orders = {
                    seat: self._order(state, seat, stronger[seat], rng) for seat in sorted(state.to_act())
                }
            *_, state = play_turn(state, orders)
        got = sum(share for seat, share in outcome.scores.items() if stronger[seat])
        (self.second if number % 2 else self.first).append(got)
        self.turns.append(state.turn)
        self.drawn += got == 1 / 2

    def _order(self, state: State, seat: Seat, is_stronger: bool, rng: Random) -> str:
        bot = PLAYERS[self.stronger if is_stronger else self.weaker]
        view = state.view(seat)
        before = self.clock()
        order = bot.order(view, seat, rng)
        self.seconds.setdefault(bot.key, []).append(self.clock() - before)
        return order

    def as_json(self) -> dict[str, Any]:
        """Returns the results as JSON data; an end of the Elo interval is None where it is infinite."""
        points = sum(self.first) + sum(self.second)
        share, low, high = wilson(points, self.matches)
        return {
            "stronger": self.stronger,
            "weaker": self.weaker,
            "matches": self.matches,
            "points": points,
            "first": sum(self.first),
            "second": sum(self.second),
            "drawn": self.drawn,
            "turns": round(sum(self.turns) / self.matches, 1),
            "elo": _rounded(elo(share)),
            "from": _rounded(elo(low)),
            "to": _rounded(elo(high)),
            "sprt": self.sprt(),
        }

    def read(self, row: dict[str, Any]) -> None:
        """Takes over the results of `as_json`, to play on from there."""
        self.first, self.second = [row["first"]], [row["second"]]
        self.turns, self.drawn = [row["turns"]] * row["matches"], row["drawn"]

    def milliseconds(self, bot: str, part: float) -> int:
        """Returns a quantile (0 to 1) of a bot's times, in milliseconds; 0 if there are none."""
        seconds = sorted(self.seconds.get(bot, [0.0]))
        return round(1000 * seconds[int(part * (len(seconds) - 1))])


def _rounded(elo: float | None) -> int | None:
    return None if elo is None else round(elo)
