"""Time, chance and keys that are the same again, so that two worlds can be compared byte by byte.

A seal is public, and hangs on the order by design: here it hangs on the nonce alone.
"""

from __future__ import annotations

import hashlib
import random
import secrets
import time as clock
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from cryptography import fernet
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from tests.site.replaced import replace_in_flow

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def same_numbers(first: int = 1_000_000) -> None:
    """From here on new rows are numbered as before: PostgreSQL goes on counting after a rollback."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass, %s)"
                " FROM pg_sequences WHERE schemaname = current_schema()",
                [first],
            )


@pytest.fixture
def same(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stops time, and makes chance the same again from each call on with the same word."""
    cache.get("anything")  # its connections, if it has any, are named by chance once
    chance, of_encryption = random.Random(), random.Random()  # apart: one world encrypts more than the other
    letters = "abcdefghijkmnopqrstuvwxyz0123456789"

    def some(count: int) -> str:
        return "".join(chance.choice(letters) for _ in range(count))

    monkeypatch.setattr(secrets, "choice", chance.choice)
    monkeypatch.setattr(secrets, "randbelow", chance.randrange)
    monkeypatch.setattr(secrets, "token_bytes", lambda n=32: chance.randbytes(n))
    monkeypatch.setattr(secrets, "token_hex", lambda n=32: chance.randbytes(n).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", lambda n=32: some(n * 4 // 3))
    monkeypatch.setattr(
        fernet, "os", SimpleNamespace(urandom=of_encryption.randbytes)
    )  # the cookie of own links
    replace_in_flow(monkeypatch, "chance", chance)
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    monkeypatch.setattr(clock, "time", NOW.timestamp)
    replace_in_flow(
        monkeypatch,
        "seal_of",
        lambda match, turn, seat, nonce, order: hashlib.sha256(
            f"{match}{turn}{seat}{nonce}".encode()
        ).hexdigest(),
    )

    def begin(word: str) -> None:
        chance.seed(word)
        of_encryption.seed(word)

    return begin
