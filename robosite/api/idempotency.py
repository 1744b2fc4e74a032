"""Repeated calls: a write repeated with the same Idempotency-Key and token has no second effect for 24 hours.

The stored answer is encrypted under the key and the token, so the database reveals neither order nor token.
"""

from __future__ import annotations

import hashlib
import json
import uuid
import zlib
from dataclasses import asdict, dataclass
from typing import cast

from django.http import HttpRequest
from django.utils.translation import gettext as _

from robosite.api.models import KeptAnswer
from robosite.api.problems import Problem
from robosite.people.outcomes import Outcomes, lock, unlock

ANSWERS = Outcomes(KeptAnswer)
MOST_CHARACTERS = 200
PADDED = 1024
"""Answers are compressed and padded to a multiple of so many bytes, so that their length reveals little."""


class RepeatedKey(Exception):
    """Raised if a call with the same Idempotency-Key and token was completed while this one was running."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A stored answer; `body` is None until its match is rendered, `call` hashes the request."""

    status: int
    body: str | None
    call: str


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A write with an Idempotency-Key, which clients may send again without a second effect."""

    key: str
    token: str
    call: str

    @property
    def found_by(self) -> str:
        return self._hashed("find").hexdigest()

    def kept(self, *, last: bool = False) -> StoredAnswer | None:
        """The stored answer, if any; raises Problem 422 if the key was used for another call.

        With `last`, only the answer to a call that gave up its token's seat.
        """
        row = ANSWERS.find(self.found_by)
        if row is None or (last and not row.last):
            return None
        packed = unlock(row, self._hashed("open").digest())
        answer = StoredAnswer(**json.loads(zlib.decompressobj().decompress(packed)))
        if answer.call != self.call:
            raise Problem(422, _("This Idempotency-Key was used for another call. Use a new one."))
        return answer

    def begin(self) -> KeptAnswer:
        """Creates the answer's row in the write's transaction; others with the same key wait for its end."""
        row = ANSWERS.begin(self.found_by)
        if row is None:
            raise RepeatedKey
        return cast(KeptAnswer, row)

    def store(self, row: KeptAnswer, status: int, body: str | None, *, last: bool = False) -> None:
        """Stores the answer; `last` is True if the call gave up its token's seat."""
        plain = json.dumps(asdict(StoredAnswer(status, body, self.call))).encode()
        packed = zlib.compress(plain)
        row.last = last
        padded = packed.ljust(-(-len(packed) // PADDED) * PADDED, b"\0")
        lock(row, self._hashed("open").digest(), padded)

    def _hashed(self, purpose: str) -> hashlib._Hash:
        return hashlib.sha256(f"robosite-answer/1\n{purpose}\n{self.token}\n{self.key}".encode())


def repeated_call_of(request: HttpRequest, token: str, raw: bytes) -> RepeatedCall | None:
    """Returns the request as a RepeatedCall, or None without a key; raises Problem 422 for an invalid key."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not (0 < len(key) <= MOST_CHARACTERS and key.isascii() and key.isprintable()):
        raise Problem(422, _("An Idempotency-Key has 1 to 200 printable ASCII characters."))
    if not token and not _is_random(key):
        raise Problem(422, _("Without a token the Idempotency-Key must be a random UUID (version 4)."))
    asks = f"{request.method}\n{request.get_full_path()}\n".encode() + raw
    return RepeatedCall(key, token, hashlib.sha256(asks).hexdigest())


def _is_random(key: str) -> bool:
    try:
        known = uuid.UUID(key)
    except ValueError:
        return False
    return known.version == 4 and str(known) == key.lower()
