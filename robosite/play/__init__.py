"""A match as its players and watchers meet it: its page, planner, film, time, and lost seats."""
