"""The random parts of URLs: public keys of matches, and secrets of links, of which only hashes are stored."""

import base64
import hashlib
import secrets

from django.conf import settings
from django.utils.crypto import salted_hmac

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_key() -> str:
    """A new random public key for a match: 12 letters and digits, about 59 bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def first_secret(key: str, letter: str) -> str:
    """Derives from SECRET_KEY the first secret (192 bits) of a link made while no browser can receive it."""
    return _first_secret(key, letter, settings.SECRET_KEY)


def secret_behind(link_hash: str, key: str, letter: str) -> str | None:
    """Returns the `first_secret` for `key` and `letter` if its hash is `link_hash`; otherwise None."""
    secret_keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    found = (_first_secret(key, letter, one) for one in secret_keys)
    return next((secret for secret in found if hash_secret(secret) == link_hash), None)


def _first_secret(key: str, letter: str, secret_key: str) -> str:
    found = salted_hmac("robosite.first link", f"{key}/{letter}", secret=secret_key, algorithm="sha256")
    return base64.urlsafe_b64encode(found.digest()[:24]).decode()


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def opens(secret: str, link_hash: str) -> bool:
    """Returns True if there is a link with this hash, and this is its secret."""
    return bool(link_hash) and hash_secret(secret) == link_hash
