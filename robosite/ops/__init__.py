"""Nothing lost, and nothing kept too long: backups, checks of stored data, keys, deletion."""
