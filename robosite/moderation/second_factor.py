"""Second factors for staff: set up by themselves, checked after the password, reset on the server.

The device is django-otp's (`models.SecondFactor`), whose session key marks a login with a second factor.
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import django_otp
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from robosite.matches.link_secrets import hash_secret
from robosite.moderation.models import BackupCode, SecondFactor
from robosite.web.locking import lock_rows

KEY_BYTES = 20
"""The length of a key that RFC 4226 recommends for SHA-1, the algorithm that apps support."""
BACKUP_CODES = 10
BACKUP_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Thirty-two characters that are not mistaken for each other; sixteen of them make 80 bits."""
BACKUP_LENGTH, GROUP = 16, 4


def is_required() -> bool:
    return bool(settings.STAFF_SECOND_FACTOR == "required")


def factor_of(user: Any, *, confirmed: bool = True) -> SecondFactor | None:
    """The user's second factor, or with `confirmed=False` the one that is being set up; None if there is
    none."""
    found: SecondFactor | None = SecondFactor.objects.filter(user=user.pk, confirmed=confirmed).first()
    return found


def is_passed(user: Any) -> bool:
    """Tell whether the login is complete: a code was given, or there is no factor and none is required."""
    if getattr(user, "otp_device", None) is not None:
        return True
    return not is_required() and factor_of(user) is None


def verify(user: Any, code: str) -> SecondFactor | None:
    """The user's second factor if it accepts this code or backup code, else None. Each code works once."""
    factor = factor_of(user)
    if factor is None:
        return None
    taken: SecondFactor | None = django_otp.verify_token(user, factor.persistent_id, code)
    return taken


def begin(user: User) -> SecondFactor:
    """Creates a new key for an app, which is not in use until `confirm` gets a code from the app."""
    with transaction.atomic():
        lock_rows(User.objects.filter(pk=user.pk)).get()
        SecondFactor.objects.filter(user=user, confirmed=False).delete()
        factor = SecondFactor(user=user, name="app", confirmed=False)
        factor.key = secrets.token_bytes(KEY_BYTES)
        factor.save()
    return factor


def confirm(user: User, code: str) -> tuple[SecondFactor, list[str]] | None:
    """Activates the app that is being set up; returns it with its backup codes, or None if the code is wrong.

    The previous second factor and its codes are deleted.
    """
    with transaction.atomic():
        lock_rows(User.objects.filter(pk=user.pk)).get()
        factor = lock_rows(SecondFactor.objects.filter(user=user, confirmed=False)).first()
        if factor is None or not factor.verify_token(code):
            return None
        SecondFactor.objects.filter(user=user, confirmed=True).delete()
        factor.confirmed = True
        factor.save(update_fields=["confirmed"])
        return factor, new_backup_codes(factor)


def new_backup_codes(factor: SecondFactor) -> list[str]:
    """Replaces all backup codes by new ones, and returns these; they cannot be read again."""
    with transaction.atomic():
        factor.backup_codes.all().delete()
        codes = [_new_code() for _ in range(BACKUP_CODES)]
        hashed = [BackupCode(factor=factor, code_hash=hash_secret(code)) for code in codes]
        BackupCode.objects.bulk_create(hashed)
    return ["-".join(code[at : at + GROUP] for at in range(0, BACKUP_LENGTH, GROUP)) for code in codes]


def remove(user: User) -> bool:
    """Deletes the second factor, its codes, and one that is being set up; returns whether there was any."""
    _, gone = SecondFactor.objects.filter(user=user).delete()
    return bool(gone)


def typed_key(factor: SecondFactor) -> str:
    """The key in groups of four letters, to be typed into an app that cannot scan."""
    key = b32encode(factor.key).decode()
    return " ".join(key[at : at + GROUP] for at in range(0, len(key), GROUP))


def address_for_apps(factor: SecondFactor) -> str:
    """The key as a URL for apps to scan: otpauth://totp/…"""
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    issuer = f"Robosite {host}"
    query = urlencode({"secret": b32encode(factor.key).decode(), "issuer": issuer}, quote_via=quote)
    return f"otpauth://totp/{quote(f'{issuer}:{factor.user.get_username()}')}?{query}"


def _new_code() -> str:
    return "".join(secrets.choice(BACKUP_LETTERS) for _ in range(BACKUP_LENGTH))
