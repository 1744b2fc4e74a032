"""Encryption of players' secrets at rest: drafts, and orders that are sealed or still concealed.

The seal itself is made by `games.record.seal`: a SHA-256 hash, which everybody may see and check.
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
"""The length in bytes to which a secret without a `room` is padded before it is encrypted.

The padding hides the secret's own length. PADDED is enough for 2,000 characters of four bytes each, escaped
line breaks, binding and nonce.
"""
STEP, AROUND = 256, 128
"""Lengths in bytes for the padding of a secret with a `room`.

The secret is padded to `room` plus AROUND, rounded up to a multiple of STEP. AROUND is for the binding and
the nonce.
"""


class KeyMissing(Exception):
    """Raised if none of SEAL_KEYS decrypts a secret, or if SEAL_KEYS lack a key that the database needs.

    A secret cannot be decrypted if its key is missing, or if its row was altered. The exception's argument is
    the secret's binding (match, turn and seat as text), or a phrase if the binding is not known.
    """


class Secret(NamedTuple):
    """A player's order for a turn, as text, with the nonce of its seal (the hash that commits to it).

    In a draft, `nonce` holds the draft's `tap_marks` instead.
    """

    text: str
    nonce: str = ""


def new_nonce() -> str:
    """Returns a new random nonce for the seal (hash) of an order: 64 hex digits."""
    return secrets.token_hex(32)


def encrypt_secret(
    binding: str, secret: Secret, *, room: int | None = None, keys: Sequence[str] | None = None
) -> bytes:
    """Encrypts a player's order under the newest key, so that only the same `binding` decrypts it.

    `binding` names match, turn and seat (`history.secret_binding`). The secret is padded to a length that
    does not depend on its text. `room` is the length in bytes of the longest text that this secret could
    have: the padded length is `room` plus AROUND, rounded up to a multiple of STEP. Without a `room`, it is
    PADDED. Raises ValueError for a secret that is longer than the padded length.
    """
    plain = json.dumps([binding, secret.text, secret.nonce], ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    size = PADDED if room is None else -(-(room + AROUND) // STEP) * STEP
    if len(plain) > size:
        raise ValueError("a secret is too long to hide its length")
    return _keys(tuple(keys or settings.SEAL_KEYS)).encrypt(plain.ljust(size))


def decrypt_secret(binding: str, locked: bytes | memoryview) -> Secret:
    """Decrypts a player's order; raises KeyMissing if no key decrypts it, or if it has another binding.

    `binding` is the text that was given to `encrypt_secret`.
    """
    try:
        plain = _opened(tuple(settings.SEAL_KEYS), bytes(locked))
    except InvalidToken:
        raise KeyMissing(binding) from None
    bound_to, text, nonce = json.loads(plain)
    if bound_to != binding:
        raise KeyMissing(binding)
    return Secret(text, nonce)


@lru_cache(128)
def _opened(keys: tuple[str, ...], locked: bytes) -> str:
    """Returns the decrypted text, without its padding. The last 128 texts are cached in memory."""
    return _keys(keys).decrypt(locked).rstrip().decode("utf-8", "surrogatepass")


ENCRYPTED: list[tuple[type[Model], str]] = []
"""All columns with encrypted secrets, as (model, column). `manage.py rotate_keys` encrypts them anew."""


def encrypted(column: str) -> Callable[[type[T]], type[T]]:
    """Class decorator for a model: registers that the values of `column` are encrypted secrets (or null)."""

    def note(model: type[T]) -> type[T]:
        ENCRYPTED.append((model, column))
        return model

    return note


def is_readable(locked: bytes | memoryview) -> bool:
    """Returns True if any of SEAL_KEYS decrypts this encrypted value."""
    try:
        _keys(tuple(settings.SEAL_KEYS)).decrypt(bytes(locked))
    except InvalidToken:
        return False
    return True


def is_new(locked: bytes | memoryview) -> bool:
    """Returns True if this value is encrypted under the newest of SEAL_KEYS."""
    try:
        _keys(tuple(settings.SEAL_KEYS[:1])).decrypt(bytes(locked))
    except InvalidToken:
        return False
    return True


def reencrypt(locked: bytes | memoryview) -> bytes:
    """Re-encrypts a value under the newest key; raises KeyMissing if no key decrypts it."""
    try:
        return _keys(tuple(settings.SEAL_KEYS)).rotate(bytes(locked))
    except InvalidToken:
        raise KeyMissing("under no known key") from None


@lru_cache
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    """Returns the cipher for these keys; each is hashed to the 32 bytes, as base64, that Fernet requires."""
    return MultiFernet([Fernet(base64.urlsafe_b64encode(hashlib.sha256(k.encode()).digest())) for k in keys])
