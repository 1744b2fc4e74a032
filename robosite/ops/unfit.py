"""The exception of backups and of moves between databases."""

from __future__ import annotations


class Unfit(Exception):
    """Raised if a backup, a restore or a move is impossible; the message says why. Data is unchanged."""
