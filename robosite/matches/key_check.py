"""A check that SEAL_KEYS contain all keys that this database needs.

For each of them, the database stores a known text, encrypted under it. If SEAL_KEYS decrypt some of the texts
but not all, a key is missing: the log, `/readyz` and `manage.py verify` name its fingerprint, and a process
without it changes no match. `manage.py rotate_keys` deletes texts that are not needed any more.
"""

import hashlib
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction

from robosite.matches.seals import ENCRYPTED, KeyMissing, Secret, encrypt_secret, is_readable
from robosite.matches.site_models import KeyCheck

PLACE = "the keys of this site"
FIRST = 1
"""The primary key of the only text that releases up to 2026.11.26.3 read; they may run at the same time."""
UNKNOWN = "one that was never noted"

WRONG = "None of SEAL_KEYS is a key of this database."
MISSING = "A key is missing from SEAL_KEYS."
_WHICH = (
    "By fingerprints, the database needs {needed}, and SEAL_KEYS has {present}. Add what is missing at the "
    "end, and restart. If nothing needs it any more, manage.py rotate_keys finds that out; if it is lost "
    "for good, manage.py rotate_keys --give-up-lost asks players to seal again."
)


def missing() -> list[str]:
    """The fingerprints, or UNKNOWN, of keys that SEAL_KEYS lack; if none, notes that the newest is needed."""
    texts = _texts()
    if not texts and not _opens_newest():  # a database of a release that noted no key
        return [UNKNOWN]
    gone = _unreadable(texts)
    if not gone and not {FIRST, _number(settings.SEAL_KEYS[0])} <= texts.keys():
        _note(*(settings.SEAL_KEYS[:1] if set(texts) - {FIRST} else settings.SEAL_KEYS))
    return sorted(_name(pk) for pk in gone if pk != FIRST) or [UNKNOWN] * bool(gone)


def fits() -> bool:
    return not missing()


_fitting: set[tuple[str, ...]] = set()
"""The values of SEAL_KEYS for which this process has found no key missing, and so need no check again."""


def require() -> None:
    """Raises KeyMissing if SEAL_KEYS lack a key of the database. Call it before a match is changed."""
    keys = tuple(settings.SEAL_KEYS)
    if keys not in _fitting:
        if not fits():
            raise KeyMissing(PLACE)
        _fitting.add(keys)


def fault() -> str:
    """Sentences that name the missing keys and say what to do; "" if none is missing."""
    gone = missing()
    if not gone:
        return ""
    texts = _texts()
    says = MISSING if len(_unreadable(texts)) < len(texts) else WRONG
    present = ", ".join(map(fingerprint_of, settings.SEAL_KEYS))
    return f"{says} {_WHICH.format(needed=' and '.join(gone), present=present)}"


@transaction.atomic
def retire_older() -> None:
    """Drops the texts of older keys; call it when everything that can be decrypted is under the newest."""
    texts = _texts()
    gone = _unreadable(texts)
    if len(gone) < len(texts):
        KeyCheck.objects.exclude(pk__in=gone).delete()
        _note(settings.SEAL_KEYS[0])


@transaction.atomic
def give_up_missing() -> None:
    KeyCheck.objects.filter(pk__in=_unreadable(_texts())).delete()
    _note(settings.SEAL_KEYS[0])


def fingerprint() -> str:
    return fingerprint_of(settings.SEAL_KEYS[0])


def fingerprint_of(key: str) -> str:
    """Eight hex digits that identify a key without revealing anything of it."""
    return hashlib.sha256(f"robosite-key-fingerprint/1\n{key}".encode()).hexdigest()[:8]


def _texts() -> dict[int, bytes]:
    return dict(KeyCheck.objects.values_list("pk", "locked"))


def _unreadable(texts: Mapping[int, bytes]) -> list[int]:
    return [pk for pk, locked in texts.items() if not is_readable(locked)]


def _number(key: str) -> int:
    return FIRST + 1 + int(fingerprint_of(key), 16)


def _name(pk: int) -> str:
    return f"{pk - FIRST - 1:08x}"


def _note(*keys: str) -> None:
    for number, key in {FIRST: keys[0], **{_number(key): key for key in keys}}.items():
        KeyCheck.objects.get_or_create(pk=number, defaults={"locked": _locked(key)})


def _opens_newest() -> bool:
    newest = (
        model._default_manager.filter(**{f"{column}__isnull": False})
        .order_by("-pk")
        .values_list(column, flat=True)
        for model, column in ENCRYPTED
    )
    return all(is_readable(locked) for rows in newest for locked in rows[:1])


def _locked(key: str) -> bytes:
    return encrypt_secret(PLACE, Secret("ok"), room=16, keys=[key])
