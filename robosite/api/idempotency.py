"""Repeated calls: a call with the same Idempotency-Key gets the same answer and has no second effect.

The stored answer is encrypted with the key and the token together, so that the database alone reveals neither
an order nor a seat's token. The key itself is not stored.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
import zlib
from dataclasses import asdict, dataclass
from datetime import timedelta

from cryptography.fernet import Fernet
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.api.models import KeptAnswer
from robosite.api.problems import Problem

KEPT_FOR = timedelta(hours=24)
MOST_CHARACTERS = 200
"""The most characters of a key."""
PADDED = 1024
"""Stored answers are compressed and padded to a multiple of this many bytes, to hide their length."""


class RepeatedKey(Exception):
    """Raised if the same call has been completed in the meantime."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The answer to an earlier call; `body` is None until the answer's match has been rendered."""

    status: int
    body: str | None
    call: str


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A write that can be repeated: its Idempotency-Key, its token (or ""), and a hash of the call."""

    key: str
    token: str
    call: str

    @property
    def found_by(self) -> str:
        return self._hashed("find").hexdigest()

    def kept(self, *, last: bool = False) -> StoredAnswer | None:
        """The stored answer, or None; with `last`, only one that was stored as the last for its token.

        Problem 422 if the key was used for another call.
        """
        rows = KeptAnswer.objects.filter(found_by=self.found_by, made_at__gt=timezone.now() - KEPT_FOR)
        row = (rows.filter(last=True) if last else rows).first()
        if row is None:
            return None
        answer = StoredAnswer(**json.loads(_unpacked(self._box().decrypt(bytes(row.locked)))))
        if answer.call != self.call:
            raise Problem(422, _("This Idempotency-Key was used for another call. Take a new one."))
        return answer

    def begin(self) -> KeptAnswer:
        """Reserves a row for the answer in the write's transaction; an equal call waits for its commit.

        Raises RepeatedKey if the row exists already.
        """
        KeptAnswer.objects.filter(made_at__lte=timezone.now() - KEPT_FOR).delete()
        try:
            with transaction.atomic():
                return KeptAnswer.objects.create(found_by=self.found_by, locked=b"")
        except IntegrityError:
            raise RepeatedKey from None

    def store(self, row: KeptAnswer, status: int, body: str | None, *, last: bool = False) -> None:
        plain = json.dumps(asdict(StoredAnswer(status, body, self.call))).encode()
        packed = zlib.compress(plain)
        row.locked = self._box().encrypt(packed.ljust(-(-len(packed) // PADDED) * PADDED, b"\0"))
        row.last = last
        row.save()

    def _box(self) -> Fernet:
        return Fernet(base64.urlsafe_b64encode(self._hashed("open").digest()))

    def _hashed(self, purpose: str) -> hashlib._Hash:
        return hashlib.sha256(f"robosite-answer/1\n{purpose}\n{self.token}\n{self.key}".encode())


def _unpacked(packed: bytes) -> bytes:
    """The stored answer without compression and padding; also reads uncompressed ones of the last release."""
    return packed if packed.startswith(b"{") else zlib.decompressobj().decompress(packed)


def asked_again(request: HttpRequest, token: str, raw: bytes) -> RepeatedCall | None:
    """The write with its Idempotency-Key, or None if it has no key; Problem 422 if the key is invalid."""
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
