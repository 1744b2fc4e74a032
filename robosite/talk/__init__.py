"""Messages among players or watchers of a match, and the texts that players write beside their turns."""
