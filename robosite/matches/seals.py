"""Encryption of players' secrets at rest; `games.record.seal` makes the seals, which everybody may check."""

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
"""The bytes to which a secret without a `room` is padded before it is encrypted, to hide its length.

It is enough for 2,000 characters of four bytes each, escaped line breaks, binding and nonce.
"""
STEP, AROUND = 256, 128
"""A secret with a `room` is padded to that plus AROUND (binding, nonce), rounded up to a multiple of STEP."""


class KeyMissing(Exception):
    """Raised if SEAL_KEYS lack a key, or none decrypts a secret (or it was altered); has its binding."""


class Secret(NamedTuple):
    """An order and the nonce of its seal; in a draft, `nonce` holds its marks (`flow/orders.py`) instead."""

    text: str
    nonce: str = ""


def new_nonce() -> str:
    return secrets.token_hex(32)


def encrypt_secret(
    binding: str, secret: Secret, *, room: int | None = None, keys: Sequence[str] | None = None
) -> bytes:
    """Encrypts an order under the newest key, so that only the same `binding` decrypts it.

    It is padded to a length that does not depend on its text, but on `room`, the bytes of the longest text
    that it could have. Raises ValueError for a longer one.
    """
    plain = json.dumps([binding, secret.text, secret.nonce], ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    size = PADDED if room is None else -(-(room + AROUND) // STEP) * STEP
    if len(plain) > size:
        raise ValueError("a secret is too long to hide its length")
    return _keys(tuple(keys or settings.SEAL_KEYS)).encrypt(plain.ljust(size))


def decrypt_secret(binding: str, locked: bytes | memoryview) -> Secret:
    """Decrypts an order; raises KeyMissing if no key decrypts it, or if it has another binding."""
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
    return _keys(keys).decrypt(locked).rstrip().decode("utf-8", "surrogatepass")


ENCRYPTED: list[tuple[type[Model], str]] = []
"""All columns with encrypted secrets, as (model, column). `manage.py rotate_keys` encrypts them anew."""


def encrypted(column: str) -> Callable[[type[T]], type[T]]:
    """Class decorator for a model: registers that `column` has encrypted secrets (or null)."""

    def note(model: type[T]) -> type[T]:
        ENCRYPTED.append((model, column))
        return model

    return note


def is_readable(locked: bytes | memoryview) -> bool:
    try:
        _keys(tuple(settings.SEAL_KEYS)).decrypt(bytes(locked))
    except InvalidToken:
        return False
    return True


def is_new(locked: bytes | memoryview) -> bool:
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
    """The cipher for these keys; each is hashed to the 32 bytes, as base64, that Fernet requires."""
    return MultiFernet([Fernet(base64.urlsafe_b64encode(hashlib.sha256(k.encode()).digest())) for k in keys])
