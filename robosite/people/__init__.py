"""Guests: the guest at a browser, names, ways back, limits, personal data. It does not import `matches`."""
