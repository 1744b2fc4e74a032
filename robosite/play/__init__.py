"""The pages of a match for its players and watchers: board, planner, film, clock, requests for lost seats."""
