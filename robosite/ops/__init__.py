"""Operations: backups, checks of stored data, key rotation, deletion of old data, and management commands."""

from django.core.management.base import CommandError


class Unfit(CommandError):
    """Raised if a backup, a restore or a move is impossible; the message says why. Data is unchanged."""
