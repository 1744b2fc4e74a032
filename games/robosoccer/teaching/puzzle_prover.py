"""Finds the solutions of Robosoccer's puzzles: turns that score."""

from games.core import Order, PuzzleRequirements, Sentence
from games.proofs import TriedAgainstAll


class Goals(TriedAgainstAll):
    """Proves puzzles that ask for a turn that scores; only the puzzle's player acts in it."""

    asks = Sentence("You’re {seat}. Score this turn.")
    requirements = PuzzleRequirements(("standard", "custom"), share=0.012, least=80)

    def hint(self, answer: Order) -> Sentence:
        return Sentence("The first action begins on {at}.", at=answer[:2])


PUZZLE_PROVER = Goals()
