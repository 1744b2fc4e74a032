"""Pages outside of matches: creating a match, invites, open tables, importing records, My games."""
