"""Settings that are addresses with a name and a password in them, checked before anything else reads them.

Knows no Django but the fault that stops the start, since the settings are made from it.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

HOW = (
    "in a user name or password write every sign but letters, digits and - . _ ~ percent-encoded: # as %23,"
    " % as %25, / as %2F, : as %3A, ? as %3F, @ as %40"
)
FILES = ("sqlite", "file", "console", "dummy", "memory", "spatialite")
"""Schemes whose address is a path, without a password."""
BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def check_url(name: str, url: str) -> str:
    """The address, if it can be read in one way alone; else ImproperlyConfigured, with nothing of it."""
    if url and url.partition(":")[0].lower() not in FILES and not _is_plain(url):
        raise unreadable(name)
    return url


def unreadable(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} cannot be read as an address: {HOW}.")


def _is_plain(url: str) -> bool:
    """Tell whether nothing in it is cut off by a sign that means something else in an address."""
    if "#" in url or not url.isprintable() or " " in url or BAD_PERCENT.search(url):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return url.count("@") == parts.netloc.count("@")  # of several there the last one ends the password
