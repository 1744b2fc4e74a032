"""Your turn: telling people who are not looking."""
