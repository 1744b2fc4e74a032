"""Learning a game: lessons, puzzles, examples of the rules, the game on paper."""
