"""The site: pages, API and sockets around the games."""

__version__ = "2026.11.26.4"
