"""Stored receipts for sealed orders: a call that is repeated gets the same receipt, word for word."""

from datetime import timedelta

from robosite.api import schemas
from robosite.api.models import KeptReceipt
from robosite.api.serializers import moment
from robosite.engine.prepared import Prepared
from robosite.matches.flow import Receipt
from robosite.matches.flow.orders import is_same
from robosite.matches.history import secret_binding, states_of
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret

KEPT_FOR = timedelta(days=30)
"""The time for which receipts are stored after a match has ended, counted from the match's last change."""

_kept = Prepared(lambda seat, turn: KeptReceipt.objects.filter(seat=seat, turn=turn), int, int)


def store(seat: Seat, receipt: Receipt) -> schemas.Receipt:
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


def forget(seat: Seat, turn: int) -> None:
    """Deletes the receipt for an order that the seat has unsealed before the turn was played."""
    KeptReceipt.objects.filter(seat=seat, turn=turn).delete()


def _receipt(row: KeptReceipt, seat: Seat, order: str) -> schemas.Receipt:
    return schemas.Receipt.of(row, seat=seat.letter, order=order, sealed_at=moment(row.sealed_at))
