"""Puzzles of Robosoccer: find a turn that scores."""

from __future__ import annotations

from games.core import Order, PuzzleRequirements, Sentence
from games.proofs import TriedAgainstAll


class Goals(TriedAgainstAll):
    """Puzzles that ask for a turn that scores; only the player who solves the puzzle acts in that turn."""

    asks = Sentence("You are {seat}. Score in this turn.")
    requirements = PuzzleRequirements(("standard", "custom"), share=0.012, least=80)

    def hint(self, answer: Order) -> Sentence:
        return Sentence("The first action begins on {at}.", at=answer[:2])


PUZZLE_PROVER = Goals()
