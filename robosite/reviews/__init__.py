"""Reviews of finished matches: what each order cost its player, computed in another process, and the page."""
