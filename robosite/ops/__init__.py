"""Nothing lost, and nothing kept too long: backups, checks of what is stored, keys, what is thrown away."""
