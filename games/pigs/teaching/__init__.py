"""The lessons, examples, explanations and puzzles of Robo Battle Pigs."""
