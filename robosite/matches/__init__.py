"""Matches, their seats and sealed programs, and all changes of them: the same code for all games."""
