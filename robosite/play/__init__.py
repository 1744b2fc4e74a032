"""The pages of a match for its players and watchers, from board and planner to requests for lost seats."""
