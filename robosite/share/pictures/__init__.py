"""Pictures to share: a board at any revealed step as SVG and PNG, a turn that moves, cards for links."""
