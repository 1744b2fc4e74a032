"""Matches, their seats and sealed programs, and all code that changes them: the same for all games."""
