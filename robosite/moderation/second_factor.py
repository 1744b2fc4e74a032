"""Second factors for staff: after the password, a login asks for a code from an app (django-otp)."""

import secrets
from base64 import b32encode
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import django_otp
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import get_random_string

from robosite.moderation.models import BackupCode, SecondFactor
from robosite.web.link_secrets import hash_secret
from robosite.web.transactions import lock_rows

KEY_BYTES = 20
"""The length of an app's key in bytes, as RFC 4226 recommends for SHA-1, the algorithm that apps support."""
BACKUP_CODES = 10
BACKUP_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""The 32 characters of backup codes, none of which looks like another. 16 of them have 80 bits."""
BACKUP_LENGTH, GROUP = 16, 4


def is_required() -> bool:
    return bool(settings.STAFF_SECOND_FACTOR == "required")


def factor_of(user: Any, *, confirmed: bool = True) -> SecondFactor | None:
    found: SecondFactor | None = SecondFactor.objects.filter(user=user.pk, confirmed=confirmed).first()
    return found


def is_passed(user: Any) -> bool:
    """Returns True if the user's login needs no further code."""
    if getattr(user, "otp_device", None) is not None:
        return True
    return not is_required() and factor_of(user) is None


def verify(user: Any, code: str) -> SecondFactor | None:
    """Returns the user's second factor if the code is right, else None; each code works once."""
    factor = factor_of(user)
    if factor is None:
        return None
    taken: SecondFactor | None = django_otp.verify_token(user, factor.persistent_id, code)
    return taken


def begin(user: User) -> SecondFactor:
    """Creates a factor with a new key, which comes into use by `confirm`; deletes an unconfirmed one."""
    with transaction.atomic():
        lock_rows(User.objects.filter(pk=user.pk)).get()
        SecondFactor.objects.filter(user=user, confirmed=False).delete()
        factor = SecondFactor(user=user, name="app", confirmed=False)
        factor.key = secrets.token_bytes(KEY_BYTES)
        factor.save()
    return factor


def confirm(user: User, code: str) -> tuple[SecondFactor, list[str]] | None:
    """Puts the new factor into use and returns it with its backup codes; None if the code is wrong."""
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
    """Replaces all backup codes of a second factor and returns the new ones; only hashes are stored."""
    with transaction.atomic():
        factor.backup_codes.all().delete()
        codes = [get_random_string(BACKUP_LENGTH, BACKUP_LETTERS) for _ in range(BACKUP_CODES)]
        hashed = [BackupCode(factor=factor, code_hash=hash_secret(code)) for code in codes]
        BackupCode.objects.bulk_create(hashed)
    return ["-".join(code[at : at + GROUP] for at in range(0, BACKUP_LENGTH, GROUP)) for code in codes]


def remove(user: User) -> bool:
    """Deletes the user's second factors, also one that is being set up; returns False if there were none."""
    _, gone = SecondFactor.objects.filter(user=user).delete()
    return bool(gone)


def typed_key(factor: SecondFactor) -> str:
    """Returns the factor's key in base32, in groups of four characters, to be typed into an app."""
    key = b32encode(factor.key).decode()
    return " ".join(key[at : at + GROUP] for at in range(0, len(key), GROUP))


def address_for_apps(factor: SecondFactor) -> str:
    """The key of a second factor as a URL (otpauth://totp/…), which apps scan as a QR code."""
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    issuer = f"Robosite {host}"
    query = urlencode({"secret": b32encode(factor.key).decode(), "issuer": issuer}, quote_via=quote)
    return f"otpauth://totp/{quote(f'{issuer}:{factor.user.get_username()}')}?{query}"
