"""The lessons, examples, explanations and puzzles of Robosoccer."""
