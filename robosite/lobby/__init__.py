"""Before a match and between matches: making one, inviting, importing, My games."""
