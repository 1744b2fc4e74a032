"""Checks settings that are URLs, perhaps with a password, before anything parses them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

HOW = (
    "in a user name or password write every sign but letters, digits and - . _ ~ percent-encoded: # as %23,"
    " % as %25, / as %2F, : as %3A, ? as %3F, @ as %40"
)
FILES = ("sqlite", "file", "console", "dummy", "memory", "spatialite")
"""URL schemes that are followed by a path or by nothing, so that the URL contains no password."""
BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def check_url(name: str, url: str) -> str:
    """Checks the URL of the setting `name` and returns it unchanged."""
    if url and url.partition(":")[0].lower() not in FILES and not _is_plain(url):
        raise unreadable(name)
    return url


def unreadable(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} cannot be read as an address: {HOW}.")


def _is_plain(url: str) -> bool:
    """True if a URL can be parsed, and no unescaped character (# @ % or a space) cuts off its password."""
    if "#" in url or not url.isprintable() or " " in url or BAD_PERCENT.search(url):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return url.count("@") == parts.netloc.count("@")  # if there are several, the last one ends the password
