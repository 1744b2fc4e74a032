"""Re-encrypts all stored secrets under the newest key; may run at any time, even while the site runs."""

import sys
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.db.models import Model

from robosite.matches import key_check, missing_keys
from robosite.matches.seals import ENCRYPTED, KeyMissing, is_new, reencrypt
from robosite.web.transactions import lock_rows

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


class Command(BaseCommand):
    help = (
        "Encrypts everything secret under the first of SEAL_KEYS. Put a new key in front and restart first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--give-up-lost",
            action="store_true",
            help="a key is lost for good: players seal again, matches that cannot go on are called off",
        )

    def handle(self, *args: Any, give_up_lost: bool, **options: Any) -> None:
        found = rotate()
        self.stdout.write(f"{found.anew} encrypted anew, {found.new} were under the newest key already.")
        if not found.old:
            key_check.retire_older()
        if not found.old and not found.lost:
            key_check.give_up_missing()  # nothing is encrypted under the missing keys
        if give_up_lost:
            again, off = missing_keys.give_up()
            self.stdout.write(f"Asked to seal again in {again} matches; {off} matches are called off.")
        elif found.lost:
            self._tell_lost(found.lost)
        if found.old:
            self.stdout.write(
                "Some are written under an older key still: restart every process of the site with the new "
                "SEAL_KEYS, then run this again."
            )
            sys.exit(1)
        self.stdout.write("From now on the first of SEAL_KEYS is enough.")

    def _tell_lost(self, lost: int) -> None:
        """Prints how many secrets no key decrypts; exits with 1 unless they were given up before."""
        fault = key_check.fault()
        if not fault and not missing_keys.matches():
            self.stdout.write(f"{lost} open under none of SEAL_KEYS; they were given up before.")
            return
        self.stdout.write(
            f"{lost} open under none of SEAL_KEYS. {fault or 'Is one missing?'} If it is lost for good, "
            "--give-up-lost asks the players to seal again."
        )
        sys.exit(1)
