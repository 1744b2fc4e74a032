"""Finds the solutions of Robble's puzzles: orders with which a player forces a win in a few stones."""

from collections.abc import Iterator, Sequence
from typing import cast

from games.core import Order, PlayedOut, PuzzleProver, PuzzleRequirements, Seat, Sentence, State, after_turn
from games.proofs import Orders
from games.robble.rules import Position

Line = tuple[Order, ...]
"""A line of play: orders of the two players, one after the other."""


class ForcedWins(PuzzleProver):
    asks = Sentence(
        "You’re {colour} ({seat}). Win with your next {n} stones at the latest, whatever your opponent "
        "replies. Place the first one."
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
    for order in line:
        (seat,) = state.to_act()
        yield {seat: order}
        state = after_turn(state, {seat: order})


def forced_win(state: Position, seat: Seat, order: Order, moves: int) -> tuple[bool, Line]:
    """Returns (True, longest line) if `order` forces a win, else (False, a line that prevents the win)."""
    (position_after,) = state.play({seat: order})
    if position_after.ended:
        return position_after.ended.scores[seat] == 1, (order,)
    if moves <= 1:
        return False, (order,)
    (other,) = position_after.to_act()
    longest: Line = ()
    for reply in position_after.legal(other, len(position_after.board.names)) or ():
        won, line = _answer(position_after, other, reply, seat, moves)
        if not won:
            return False, (order, reply)
        longest = max(longest, (reply, *line), key=len)
    return True, (order, *longest)


def _answer(position_after: Position, other: Seat, reply: Order, seat: Seat, moves: int) -> tuple[bool, Line]:
    (position,) = position_after.play({other: reply})
    if position.ended:
        return position.ended.scores[seat] == 1, ()
    for order in position.legal(seat, len(position.board.names)) or ():
        won, line = forced_win(position, seat, order, moves - 1)
        if won:
            return True, line
    return False, ()


PUZZLE_PROVER = ForcedWins()
