"""The outcomes of whatever may be sent twice: a form (`sent_forms.py`), a call (`api/idempotency.py`).

Found by one hash of what only the sender knows, encrypted under another, kept for a day. A planner's taps,
one a second, are marked in the draft (`matches/flow/tap_marks.py`).
"""

import base64
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cryptography.fernet import Fernet
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from robosite.web.locking import lock_rows

KEPT_FOR = timedelta(hours=24)
AT_A_TIME = 50
"""The maximum number of expired rows that are deleted when a new one is stored."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes in one table, whose rows have `found_by` (unique), `locked` and `made_at`."""

    table: Any

    def begin(self, found_by: str) -> Model | None:
        """Creates a row, for which others wait until the transaction ends; None if there is one already."""
        old = lock_rows(self._rows(made_at__lte=timezone.now() - KEPT_FOR), skip_locked=True)
        self._rows(pk__in=[one.pk for one in old[:AT_A_TIME]]).delete()
        try:
            with transaction.atomic():
                row: Model = self.table.objects.create(found_by=found_by, locked=b"", made_at=timezone.now())
                return row
        except IntegrityError:
            return None

    def find(self, found_by: str, kept_for: timedelta = KEPT_FOR) -> Any:
        """The row of an outcome, or None; one that is older than `kept_for` is deleted."""
        row = self._rows(found_by=found_by).first()
        if row and row.made_at <= timezone.now() - kept_for:
            row.delete()
            return None
        return row

    def _rows(self, **given: Any) -> Any:
        return self.table.objects.filter(**given)


def lock(row: Any, key: bytes, plain: bytes) -> None:
    """Stores an outcome in its row, encrypted under a key of 32 bytes."""
    row.locked = Fernet(base64.urlsafe_b64encode(key)).encrypt(plain)
    row.save()


def unlock(row: Any, key: bytes) -> bytes:
    return Fernet(base64.urlsafe_b64encode(key)).decrypt(bytes(row.locked))
