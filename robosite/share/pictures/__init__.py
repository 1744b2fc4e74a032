"""Pictures to share: boards as SVG and PNG, animated turns, comic strips, cards for links."""
