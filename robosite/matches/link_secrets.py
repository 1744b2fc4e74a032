"""The random parts of addresses: a match's public key, and the secrets of links, stored as hashes alone."""

from __future__ import annotations

import base64
import hashlib
import secrets

from django.conf import settings
from django.utils.crypto import salted_hmac

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_key() -> str:
    """A new public key for a match: 12 letters and digits that cannot be confused, about 59 bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def new_secret() -> str:
    """The secret part of a link, 192 bits."""
    return secrets.token_urlsafe(24)


def first_secret(key: str, letter: str) -> str:
    """The secret of the first link to a seat of a match that begins with all its players seated, 192 bits.

    No browser is there to be given it, so it follows from the seat and SECRET_KEY, and a page that the seat's
    holder opens shows it (`secret_behind`). Neither the database nor a backup opens it.
    """
    return _first_secret(key, letter, settings.SECRET_KEY)


def secret_behind(link_hash: str, key: str, letter: str) -> str | None:
    """The `first_secret` of a seat, as long as its link is that one; None once it has another one."""
    secret_keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    found = (_first_secret(key, letter, one) for one in secret_keys)
    return next((secret for secret in found if hash_secret(secret) == link_hash), None)


def _first_secret(key: str, letter: str, secret_key: str) -> str:
    found = salted_hmac("robosite.first link", f"{key}/{letter}", secret=secret_key, algorithm="sha256")
    return base64.urlsafe_b64encode(found.digest()[:24]).decode()


def hash_secret(secret: str) -> str:
    """SHA-256 in hexadecimal digits; enough, since secrets are random."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
