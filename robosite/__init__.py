"""The Django site around the games: its pages, its JSON API and its WebSockets."""

__version__ = "2026.11.29"
