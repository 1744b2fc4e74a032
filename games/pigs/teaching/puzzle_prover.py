"""Finds the solutions of puzzles with two pigs: programs that win in this round, whatever the other does."""

from games.core import Order, PuzzleRequirements, Sentence
from games.proofs import TriedAgainstAll


class Rounds(TriedAgainstAll):
    asks = Sentence("You’re pig {seat}. Win in this round, whatever the other pig does.")
    requirements = PuzzleRequirements(("standard", "crossing", "kids"), share=0.004, least=500)

    def hint(self, answer: Order) -> Sentence:
        commands = answer.split()
        if "F" in commands:
            return Sentence("Fire in step {n}. The other steps are yours to find.", n=commands.index("F") + 1)
        return Sentence("Punch in step {n}. The other steps are yours to find.", n=commands.index("H") + 1)


PUZZLE_PROVER = Rounds()
