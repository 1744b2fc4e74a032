"""Matches, their seats and sealed programs, and all code that changes them. It is the same for all games."""
