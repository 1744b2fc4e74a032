"""Pictures to share: boards, animated turns, comic strips, and the cards in previews of links."""
