"""Guests: the current one, names, ways back, limits, personal data. Imports nothing of matches."""
