"""Operations: backups, checks of stored data, key rotation, deletion of old data, and management commands."""
