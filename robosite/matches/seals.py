"""Keeping a secret and committing to it: encryption at rest, and the seal that all may see.

The seal itself (SHA-256 over a fixed text) is `games.record.seal`, since anybody must be able to check it
without this site.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db.models import Model

T = TypeVar("T", bound=Model)

PADDED = 12 * 1024
"""Bytes to which a secret is padded before it is encrypted, so that its length tells nothing: enough for
2,000 characters of four bytes each, escaped line breaks, place and nonce."""
STEP, AROUND = 256, 128
"""The multiple of bytes to which shorter secrets are padded, and the room for what stands around the text."""


class KeyMissing(Exception):
    """No key of this site opens this secret: the key is lost, or the row was altered."""


class Secret(NamedTuple):
    """A player's text for a turn, and the nonce of its seal; of a draft, the marks of its taps, or ""."""

    text: str
    nonce: str = ""


def new_nonce() -> str:
    """64 hex digits."""
    return secrets.token_hex(32)


def encrypt_secret(
    place: str, secret: Secret, *, room: int | None = None, keys: Sequence[str] | None = None
) -> bytes:
    """The secret, encrypted under the newest key and bound to its `place` (match, turn and seat).

    `room`: the length in bytes of the longest text possible there, if less padding than PADDED will do.
    `keys`: others than SEAL_KEYS.
    Raises ValueError for a secret that does not fit into the padding.
    """
    plain = json.dumps([place, secret.text, secret.nonce], ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    size = PADDED if room is None else -(-(room + AROUND) // STEP) * STEP
    if len(plain) > size:
        raise ValueError("a secret is too long to hide its length")
    return _keys(tuple(keys or settings.SEAL_KEYS)).encrypt(plain.ljust(size))


def decrypt_secret(place: str, locked: bytes | memoryview) -> Secret:
    """The secret that was encrypted for this place; raises KeyMissing if no key opens it."""
    try:
        plain = _opened(tuple(settings.SEAL_KEYS), bytes(locked))
    except InvalidToken:
        raise KeyMissing(place) from None
    at, text, nonce = json.loads(plain)
    if at != place:
        raise KeyMissing(place)
    return Secret(text, nonce)


@lru_cache(128)
def _opened(keys: tuple[str, ...], locked: bytes) -> str:
    """The decrypted text, without its padding.

    The last 128 are cached in memory, where the keys are too: a page asks for its draft twice, and each tap
    for the same again.
    """
    return _keys(keys).decrypt(locked).rstrip().decode("utf-8", "surrogatepass")


ENCRYPTED: list[tuple[type[Model], str]] = []
"""Every column that is locked here: when the keys change, it is locked anew (`manage.py rotate_keys`)."""


def encrypted(column: str) -> Callable[[type[T]], type[T]]:
    """A decorator that registers a model's column whose values are encrypted here (or null)."""

    def note(model: type[T]) -> type[T]:
        ENCRYPTED.append((model, column))
        return model

    return note


def is_readable(locked: bytes | memoryview) -> bool:
    """Tell whether any key opens this encrypted value."""
    try:
        _keys(tuple(settings.SEAL_KEYS)).decrypt(bytes(locked))
    except InvalidToken:
        return False
    return True


def is_new(locked: bytes | memoryview) -> bool:
    """Tell whether the newest key opens this encrypted value."""
    try:
        _keys(tuple(settings.SEAL_KEYS[:1])).decrypt(bytes(locked))
    except InvalidToken:
        return False
    return True


def reencrypt(locked: bytes | memoryview) -> bytes:
    """The same secret under the newest key; raises KeyMissing if no key opens it."""
    try:
        return _keys(tuple(settings.SEAL_KEYS)).rotate(bytes(locked))
    except InvalidToken:
        raise KeyMissing("under no known key") from None


@lru_cache
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    """The keys as Fernet wants them, 32 bytes in base64: each key is hashed to that."""
    return MultiFernet([Fernet(base64.urlsafe_b64encode(hashlib.sha256(k.encode()).digest())) for k in keys])
