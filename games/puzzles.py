"""Puzzles: positions from played matches in which only a few orders win, whatever the others do.

They are in games/puzzles.json; `make puzzles` finds them in matches between bots.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from games import newest
from games.core import Order, PlayedOut, PuzzleProver, Seat, Sentence, State, play_turn
from games.proofs import Orders


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle in which `seat` can force a win within `moves` moves of its own.

    The turns of `before` lead from `position` to the position to solve. `solutions` of `orders` legal
    orders force the win, `answer` among them. `found` is where `make puzzles` found it: seed, preset,
    match and turn.
    """

    game: str
    seat: Seat
    position: str
    moves: int
    orders: int
    solutions: int
    answer: Order
    found: str
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    before: tuple[Orders, ...] = ()

    def state(self) -> State:
        """Returns the position to solve; nothing in it is hidden."""
        game = newest(self.game)
        state = game.state.read(self.position, game.read_options(self.options), self.seats)
        for orders in self.before:
            *_, state = play_turn(state, orders)
        return state

    def proofs(self) -> PuzzleProver:
        return proofs_of(self.game)

    def play_out(self, state: State, order: Order) -> PlayedOut:
        return self.proofs().play_out(state, self.seat, order, self.moves)

    def hint(self) -> Sentence:
        return self.proofs().hint(self.answer)

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ({}, ())}


def proofs_of(slug: str) -> PuzzleProver:
    """Returns the prover of a game's puzzles; raises ValueError if the game has none."""
    proofs = newest(slug).puzzle_prover
    if proofs is None:
        raise ValueError(f"{slug} has no puzzles.")
    return proofs


def read(text: str) -> dict[str, tuple[Puzzle, ...]]:
    """Parses games/puzzles.json; returns the puzzles of each game, by slug, in the order of the file."""
    return {
        slug: tuple(Puzzle(**{**row, "before": tuple(row.get("before", ()))}) for row in rows)
        for slug, rows in json.loads(text).items()
    }
