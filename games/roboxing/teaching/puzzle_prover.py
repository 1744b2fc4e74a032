"""Finds the solutions of Roboxing's puzzles: orders that certainly knock out the enemy in this turn."""

from collections.abc import Sequence
from random import Random
from typing import cast

from games.core import Order, PlayedOut, PuzzleProver, PuzzleRequirements, Seat, Sentence, State, after_turn
from games.proofs import has_won
from games.roboxing.bot.sure_hits import SureHits, fatal
from games.roboxing.deduction import Kinds
from games.roboxing.rules import Position

TRIES = 600
"""The maximum number of orders of the hidden enemy that are tried to find one that makes an order fail."""


class SureKnockouts(PuzzleProver):
    """Proves puzzles of knockouts from what the puzzle's player knows.

    A failing attempt is played against an enemy order that prevents the knockout, in the real position or
    in others that fit what the player knows.
    """

    asks = Sentence(
        "You’re {seat}. Knock the other robot out this turn for certain, wherever it goes and "
        "however it’s built."
    )
    requirements = PuzzleRequirements(("standard", "free-centre"), share=0.01, least=300)
    remembers = True

    def hint(self, answer: Order) -> Sentence:
        return Sentence("Aim at the letter {letter}.", letter=answer[-1])

    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        (other,) = state.to_act() - {seat}
        if SureHits(cast(Position, state), seat, exact=True).wins(order):
            return PlayedOut(state, ({seat: order, other: state.sample(other, Random(0))},), solved=True)
        untold = PlayedOut(state, ({seat: order, other: "-"},), solved=False, hidden=True)
        return _failing(state, seat, order) or untold

    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        position = cast(Position, state)
        (enemy,) = (at for at, owner in enumerate(position.ring.owners) if owner != seat)
        built = position.layout(enemy)
        if not fatal([Kinds(built.lasers, built.engines, built.booster)], position.gone[enemy]):
            return []  # however much is known of it
        sure = SureHits(position, seat, exact=True)
        found = [order for order in legal if sure.wins(order)]
        refused = (order for order in legal if not sure.wins(order))
        # A puzzle in which a refused order is not seen to fail would be none.
        return found if found and all(_failing(state, seat, order) for order in refused) else []


def _failing(state: State, seat: Seat, order: Order) -> PlayedOut | None:
    """Returns a turn in which the order does not win, or None if none is found."""
    rng = Random(0)
    (other,) = state.to_act() - {seat}
    for n in range(TRIES):
        world = state if n < TRIES // 2 else state.view(seat).determinize(rng)
        orders = {seat: order, other: world.sample(other, rng) if n else "-"}
        if not has_won(after_turn(world, orders), seat):
            return PlayedOut(world, (orders,), solved=False, hidden=n >= TRIES // 2)
    return None


PUZZLE_PROVER = SureKnockouts()
