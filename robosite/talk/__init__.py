"""Messages at a table, and notes beside turns."""
