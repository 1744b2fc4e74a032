"""The standings of players: results, friends, the figures of a game."""
