"""Matches, seats and sealed programs: one flow for all games."""
