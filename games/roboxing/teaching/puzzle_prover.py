"""Finds the solutions of Roboxing's puzzles: orders that certainly knock out the enemy in this turn."""

from collections.abc import Sequence
from random import Random
from typing import cast

from games.core import Order, PlayedOut, PuzzleProver, PuzzleRequirements, Seat, Sentence, State, after_turn
from games.proofs import has_won
from games.roboxing.bot.sure_hits import SureHits, fatal
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
        rng = Random(0)
        (other,) = state.to_act() - {seat}
        if SureHits(cast(Position, state), seat, exact=True).wins(order):
            return PlayedOut(state, ({seat: order, other: state.sample(other, rng)},), solved=True)
        for n in range(TRIES):
            world = state if n < TRIES // 2 else state.view(seat).determinize(rng)
            orders = {seat: order, other: world.sample(other, rng) if n else "-"}
            if not has_won(after_turn(world, orders), seat):
                return PlayedOut(world, (orders,), solved=False, hidden=n >= TRIES // 2)
        return PlayedOut(state, ({seat: order, other: "-"},), solved=False, hidden=True)

    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        position = cast(Position, state)
        (enemy,) = (at for at, owner in enumerate(position.ring.owners) if owner != seat)
        if not fatal([position.layouts[enemy]], position.gone[enemy]):  # however much is known of it
            return []
        sure = SureHits(position, seat, exact=True)
        return [order for order in legal if sure.wins(order)]


PUZZLE_PROVER = SureKnockouts()
