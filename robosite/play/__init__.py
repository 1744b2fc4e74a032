"""The pages of a match for its players and watchers: board, planner, film, time, and lost seats."""
