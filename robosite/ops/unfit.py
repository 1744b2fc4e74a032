"""The error of backups and of moves between databases."""

from __future__ import annotations


class Unfit(Exception):
    """The reason why no backup can be made, or this one not restored or moved; existing data is untouched."""
