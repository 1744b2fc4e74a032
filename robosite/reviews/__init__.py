"""Finished matches looked at afterwards: what each order cost, worked out beside the server, and its page."""
