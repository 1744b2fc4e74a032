"""Guests: their sessions, names, ways back, limits and personal data. No module here imports `matches`."""
