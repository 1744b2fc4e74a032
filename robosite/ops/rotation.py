"""Re-encrypts all stored secrets under the newest key; may run at any time, even while the site runs."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Model

from robosite.matches.seals import ENCRYPTED, KeyMissing, is_new, reencrypt
from robosite.web.locking import lock_rows

AT_A_TIME = 50
"""The number of rows that are locked at the same time; a lock lasts some hundredths of a second."""
ROUNDS = 5


@dataclass
class Rotated:
    """Counts of secrets: encrypted `anew`, `new` already, `lost` (no key), perhaps `old` still."""

    anew: int = 0
    new: int = 0
    lost: int = 0
    old: int = 0


def rotate() -> Rotated:
    """Re-encrypts all secrets under the newest key, in rounds, since others may write under an old one."""
    total = 0
    for _ in range(ROUNDS):
        found = Rotated()
        for model, column in ENCRYPTED:
            _rotate(model, column, found)
        total += found.anew
        if not found.anew and not found.old:
            break
    found.old += found.anew  # the last round still found secrets under an old key
    found.anew, found.new = total, max(0, found.new + found.anew - total)
    return found


def _rotate(model: type[Model], column: str, found: Rotated) -> None:
    rows = model._default_manager.filter(**{f"{column}__isnull": False}).order_by("pk")
    last = 0
    while keys := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:AT_A_TIME]):
        last = keys[-1]
        with transaction.atomic():
            # Rows that are being written are left to the next round, which avoids deadlocks.
            locked = lock_rows(rows.filter(pk__in=keys), skip_locked=True)
            some = list(locked.values_list("pk", column))
            found.old += len(keys) - len(some)
            for pk, secret in some:
                _relock(model, column, pk, secret=secret, found=found)


def _relock(model: type[Model], column: str, pk: int, *, secret: bytes, found: Rotated) -> None:
    if is_new(secret):
        found.new += 1
        return
    try:
        anew = reencrypt(secret)
    except KeyMissing:
        found.lost += 1
        return
    model._default_manager.filter(pk=pk).update(**{column: anew})
    found.anew += 1
