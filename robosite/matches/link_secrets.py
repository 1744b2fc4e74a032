"""The random parts of URLs: public keys of matches, and secrets of links, of which only hashes are stored."""

from __future__ import annotations

import base64
import hashlib
import secrets

from django.conf import settings
from django.utils.crypto import salted_hmac

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_key() -> str:
    """A new random public key for a match: 12 letters and digits, about 59 bits.

    Characters that look like others are not used.
    """
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def new_secret() -> str:
    """A new random secret for a link, 192 bits in 32 characters."""
    return secrets.token_urlsafe(24)


def first_secret(key: str, letter: str) -> str:
    """Derives a link's first secret, if the link is made while no browser can receive it.

    An example is a seat's link in the next match of a series, which begins with all players seated. The
    secret (192 bits) is derived from `key` (the match's), `letter` (the seat's) and SECRET_KEY, so the seat's
    page can later show the link to the holder (`secret_behind`). The secret is neither in the database nor in
    a backup. For a season's invite, `key` is the season's key, and `letter` a fixed word.
    """
    return _first_secret(key, letter, settings.SECRET_KEY)


def secret_behind(link_hash: str, key: str, letter: str) -> str | None:
    """The `first_secret` of a seat if that secret has this hash; None if the seat has got another link."""
    secret_keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    found = (_first_secret(key, letter, one) for one in secret_keys)
    return next((secret for secret in found if hash_secret(secret) == link_hash), None)


def _first_secret(key: str, letter: str, secret_key: str) -> str:
    found = salted_hmac("robosite.first link", f"{key}/{letter}", secret=secret_key, algorithm="sha256")
    return base64.urlsafe_b64encode(found.digest()[:24]).decode()


def hash_secret(secret: str) -> str:
    """The SHA-256 hash of a secret in hexadecimal. No slow hash is needed, since secrets are random."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
