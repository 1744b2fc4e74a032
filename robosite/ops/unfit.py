"""Unfit, the exception for a backup, a restore or a move between databases that cannot be done."""

from __future__ import annotations


class Unfit(Exception):
    """Raised if a backup, a restore or a move is impossible; the message says why. Data is unchanged."""
