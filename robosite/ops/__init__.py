"""Operations: backups, checks of stored data, key rotation, deletion of old data, and management commands."""


class Unfit(Exception):
    """Raised if a backup, a restore or a move is impossible; the message says why. Data is unchanged."""
