"""A check that SEAL_KEYS are the keys of this database.

A known text is kept encrypted under the newest key. If none of the keys opens it, they belong to another
site, or the right one is missing: the log, `/readyz` and `manage.py verify` say so before anybody plays.
`manage.py rotate_keys` encrypts the text anew like everything else; with `--give-up-lost` it is replaced.
"""

from __future__ import annotations

import hashlib

from django.conf import settings

from robosite.matches.models import KeyCheck
from robosite.matches.seals import ENCRYPTED, KeyMissing, Secret, encrypt_secret, is_readable

PLACE = "the keys of this site"
WRONG = (
    "None of SEAL_KEYS is a key of this database. Put the right key in front of the others and restart. "
    "If it is lost for good: manage.py rotate_keys --give-up-lost asks players to seal again."
)


def fits() -> bool:
    """Tell whether the keys open what this database keeps; stores the check if a new database has none."""
    row = KeyCheck.objects.filter(pk=1).first()
    if row is None and not _opens_newest():  # one of the release before, which noted no key
        return False
    if row is None:
        row, _made = KeyCheck.objects.get_or_create(pk=1, defaults={"locked": _locked()})
    return is_readable(row.locked)


_fitting: set[tuple[str, ...]] = set()
"""The keys of which this process has seen that they fit."""


def require() -> None:
    """Raises KeyMissing where the keys are not those of this database: such a process may change no match.

    What it sealed would open for nobody, and what others have sealed it would take for lost.
    """
    keys = tuple(settings.SEAL_KEYS)
    if keys not in _fitting:
        if not fits():
            raise KeyMissing(PLACE)
        _fitting.add(keys)


def fault() -> str:
    """A sentence that says what to do; "" if the keys fit."""
    return "" if fits() else WRONG


def write_anew() -> None:
    """Replaces the check, so that from now on the newest key is the one that fits."""
    KeyCheck.objects.update_or_create(pk=1, defaults={"locked": _locked()})


def fingerprint() -> str:
    """Eight hex digits that tell the newest key from others, and nothing of it."""
    return hashlib.sha256(f"robosite-key-fingerprint/1\n{settings.SEAL_KEYS[0]}".encode()).hexdigest()[:8]


def _opens_newest() -> bool:
    """Tell whether a key opens the newest secret of each kind."""
    newest = (
        model._default_manager.filter(**{f"{column}__isnull": False})
        .order_by("-pk")
        .values_list(column, flat=True)
        for model, column in ENCRYPTED
    )
    return all(is_readable(locked) for rows in newest for locked in rows[:1])


def _locked() -> bytes:
    return encrypt_secret(PLACE, Secret("ok"), room=16)
