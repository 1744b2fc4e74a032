"""How players stand: results, friends, the figures of a game."""
