"""The random parts of addresses: a match's public key, and the secrets of links, stored as hashes alone."""

from __future__ import annotations

import hashlib
import secrets

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_key() -> str:
    """A new public key for a match: 12 letters and digits that cannot be confused, about 59 bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def new_secret() -> str:
    """The secret part of a link, 192 bits."""
    return secrets.token_urlsafe(24)


def hash_secret(secret: str) -> str:
    """SHA-256 in hexadecimal digits; enough, since secrets are random."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
