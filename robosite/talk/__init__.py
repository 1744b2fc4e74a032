"""Messages among players or watchers of a match, and texts that players write for single turns."""
