"""Finds the solutions of Robble's puzzles: orders with which a player forces a win in a few stones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from games.core import Order, PlayedOut, PuzzleProver, PuzzleRequirements, Seat, Sentence, State
from games.proofs import Orders, position_after
from games.robble.forced_wins import Line, forced_win
from games.robble.rules import Position


class ForcedWins(PuzzleProver):
    """Proves puzzles of Robble, by a search of all lines of play within the number of moves."""

    asks = Sentence(
        "You are {seat}. Win with your next {n} stones at the latest, whatever the other player replies. "
        "Place the first one."
    )
    requirements = PuzzleRequirements(
        ("standard", "small", "big"), share=0.34, least=3, room={2: 12, 3: 9, 4: 7}
    )

    def hint(self, answer: Order) -> Sentence:
        return Sentence("Look at column {column}.", column=answer[0])

    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        solved, line = forced_win(cast(Position, state), seat, order, moves)
        return PlayedOut(state, tuple(_in_turn(state, line)), solved)

    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        return [order for order in legal if forced_win(cast(Position, state), seat, order, moves)[0]]


def _in_turn(state: State, line: Line) -> Iterator[Orders]:
    """Yields the orders of a line of play, beginning with `state`, each as {seat: order}."""
    for order in line:
        (seat,) = state.to_act()
        yield {seat: order}
        state = position_after(state, {seat: order})


PUZZLE_PROVER = ForcedWins()
