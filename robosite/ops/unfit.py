"""The exception of backups and of moves between databases."""

from __future__ import annotations


class Unfit(Exception):
    """Raised if a backup cannot be made, restored or moved; the message says why, and existing data is
    untouched."""
