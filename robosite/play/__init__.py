"""A match as its players and watchers meet it: its page, planner and film, time, a lost seat."""
