"""Pages outside of matches: creating one, invitations, open tables, importing, My games."""
