"""Repeated calls: a write repeated with the same Idempotency-Key and token has no second effect for 24 hours.

The stored answer is encrypted under the key and the token, so the database reveals neither order nor token.
"""

from __future__ import annotations

import hashlib
import json
import uuid
import zlib
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import cast

from django.http import HttpRequest
from django.utils.translation import gettext as _

from robosite.api import schemas
from robosite.api.models import KeptAnswer, KeptReceipt
from robosite.api.problems import Problem
from robosite.api.serializers import moment
from robosite.engine.prepared import Prepared
from robosite.matches.flow import Receipt
from robosite.matches.flow.orders import is_same
from robosite.matches.history import secret_binding, states_of
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret
from robosite.people.sent_forms import Outcomes, lock, unlock

ANSWERS = Outcomes(KeptAnswer)
MOST_CHARACTERS = 200
PADDED = 1024
"""Answers are compressed and padded to a multiple of this many bytes, so that lengths reveal little."""


class RepeatedKey(Exception):
    """Raised if a call with the same Idempotency-Key and token was completed while this one was running."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A stored answer; `body` is None until its match is rendered, `call` is a hash of the request."""

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
        """Creates the answer's row in the write's transaction; raises RepeatedKey if another call has one."""
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


# Receipts for sealed orders: a seal that is repeated gets the same receipt, word for word


RECEIPTS_KEPT_FOR = timedelta(days=30)
"""The time for which receipts are stored after a match has ended, counted from the match's last change."""

_kept = Prepared(lambda seat, turn: KeptReceipt.objects.filter(seat=seat, turn=turn), int, int)


def store_receipt(seat: Seat, receipt: Receipt) -> schemas.Receipt:
    """Stores and returns the receipt for an order just sealed; an equal one stays unchanged."""
    row = _kept.first(seat.pk, receipt.turn)
    if not row or (row.seal, row.link_hash) != (receipt.seal, seat.link_hash):
        at = secret_binding(seat.match, receipt.turn, seat.letter)
        longest = states_of(seat.match)[receipt.turn].longest_order(seat.at)  # of ASCII
        new = {
            "link_hash": seat.link_hash,
            "order": encrypt_secret(at, Secret(receipt.order), room=longest),
            "seal": receipt.seal,
            "sealed_at": receipt.sealed_at,
            "revealed": receipt.revealed,
            "version": receipt.version,
        }
        row = KeptReceipt(pk=row.pk if row else None, seat=seat, turn=receipt.turn, **new)
        row.save()
    return _receipt(row, seat, receipt.order)


def earlier_receipt(seat: Seat, turn: int, text: str) -> schemas.Receipt | None:
    """Returns the receipt of an earlier call for this order in any spelling, even if it was never played.

    None if it was replaced or taken back, if the seat has a new link, or if no key decrypts it.
    """
    receipt = KeptReceipt.objects.filter(seat=seat, turn=turn, link_hash=seat.link_hash).first()
    match = Match.objects.get(pk=seat.match_id)
    if receipt is None or turn > match.turn:
        return None
    if TakenBack.objects.filter(seat=seat, turn=turn, seal=receipt.seal).exists():
        return None
    program = Program.objects.filter(seat=seat, turn=turn).first()
    if program and program.seal and program.seal != receipt.seal:
        return None
    try:
        order = decrypt_secret(secret_binding(match, turn, seat.letter), receipt.order).text
    except KeyMissing:
        return None
    return _receipt(receipt, seat, order) if is_same(match, turn, seat, text=text, order=order) else None


def forget_receipt(seat: Seat, turn: int) -> None:
    """Deletes the receipt for an order that the seat has unsealed before the turn was played."""
    KeptReceipt.objects.filter(seat=seat, turn=turn).delete()


def _receipt(row: KeptReceipt, seat: Seat, order: str) -> schemas.Receipt:
    return schemas.Receipt.of(row, seat=seat.letter, order=order, sealed_at=moment(row.sealed_at))
