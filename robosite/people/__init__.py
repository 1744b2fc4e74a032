"""Guests: the guest at a browser, names, ways back, limits, personal data. Nothing here imports `matches`."""
