"""Reviews of finished matches: the cost of each order, computed in another process, and the page."""
