"""Learning a game: lessons, puzzles, examples of the rules, its things, and the game on paper."""
