"""Puzzles: positions of played matches in which few orders win for certain, as an exhaustive search shows.

A puzzle asks for an order that wins whatever the others do: in this turn, or within a number of moves. An
order is judged anew each time it is tried (`Puzzling.play_out`), so no list of answers is needed.
games/puzzles.json holds the positions; `make puzzles` finds them in matches between programs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from games import newest
from games.core import Order, PlayedOut, Puzzling, Seat, Sentence, State, play_turn
from games.proofs import Orders


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, after the turns of `before`, in which `seat` can force a win within `moves` of its moves.

    `solutions` of its `orders` legal orders do it; `answer` is one of them. `found` says in which match of
    `make puzzles` it was found: seed, preset, match, turn.
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
        """The whole position that is to be solved, after the turns of `before`."""
        game = newest(self.game)
        state = game.state.read(self.position, game.read_options(self.options), self.seats)
        for orders in self.before:
            *_, state = play_turn(state, orders)
        return state

    def proofs(self) -> Puzzling:
        """The wording, hints and proofs of the game's puzzles."""
        return proofs_of(self.game)

    def play_out(self, state: State, order: Order) -> PlayedOut:
        """The result of a canonical order of the puzzle's seat in `state`."""
        return self.proofs().play_out(state, self.seat, order, self.moves)

    def hint(self) -> Sentence:
        """A hint about where to look, without the answer."""
        return self.proofs().hint(self.answer)

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ({}, ())}


def proofs_of(slug: str) -> Puzzling:
    """The wording and the proofs of a game's puzzles; ValueError where it has none."""
    proofs = newest(slug).puzzling
    if proofs is None:
        raise ValueError(f"{slug} has no puzzles.")
    return proofs


def read(text: str) -> dict[str, tuple[Puzzle, ...]]:
    """The puzzles of each game, in the order of their numbers, from the text of games/puzzles.json."""
    return {
        slug: tuple(Puzzle(**{**row, "before": tuple(row.get("before", ()))}) for row in rows)
        for slug, rows in json.loads(text).items()
    }
