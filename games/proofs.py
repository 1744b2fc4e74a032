"""Proof that an order wins, by playing it against every combination of the others' orders in the turn."""

from collections.abc import Iterator, Sequence
from itertools import product

from games.core import Order, PlayedOut, PuzzleProver, Seat, State, after_turn

REPLIES = 700
"""The maximum number of legal orders that another seat may have; with more, `replies` raises ValueError."""

Orders = dict[Seat, Order]


class TriedAgainstAll(PuzzleProver):
    """Proves puzzles of a single turn in which nothing is hidden except the others' orders."""

    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        return against_all(state, seat, order, list(replies(state, seat)))

    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        every, found = list(replies(state, seat)), []
        for order in legal:
            tried = against_all(state, seat, order, every)
            if tried.solved:
                found.append(order)
            elif len(every) > 1:  # what refutes one order refutes many
                refuting = {at: order for at, order in tried.turns[0].items() if at != seat}
                every.insert(0, every.pop(every.index(refuting)))
        return found


def replies(state: State, seat: Seat) -> Iterator[Orders]:
    """Yields each combination of the other seats' legal orders; ValueError if one has over REPLIES."""
    others = sorted(state.to_act() - {seat})
    choices = []
    for other in others:
        legal = state.legal(other, REPLIES)
        if legal is None:
            raise ValueError(f"{other} has more than {REPLIES} orders.")
        choices.append(legal)
    for chosen in product(*choices):
        yield dict(zip(others, chosen, strict=True))


def against_all(state: State, seat: Seat, order: Order, every: Sequence[Orders]) -> PlayedOut:
    """Plays `order` against each combination in `every`; returns the first turn that fails, or the last."""
    orders = {seat: order}
    for others in every:
        orders = {**others, seat: order}
        if not has_won(after_turn(state, orders), seat):
            return PlayedOut(state, (orders,), solved=False)
    return PlayedOut(state, (orders,), solved=True)


def has_won(state: State, seat: Seat) -> bool:
    """Returns True if the match is over and `seat` alone has won it."""
    return state.ended is not None and state.ended.scores[seat] == 1
