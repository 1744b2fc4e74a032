"""Codes for guests' last addresses, by which a ban can cover a guest who clears the browser.

A code is made with SECRET_KEY and a salt, which is new every week and void after four: then it is erased with
its codes, and nobody can find out the addresses.
"""

import logging
import secrets
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from robosite.engine.prepared import Prepared
from robosite.moderation.models import Salt, Trace
from robosite.people.models import Guest

log = logging.getLogger(__name__)

USED = timedelta(days=7)
KEPT_FOR = timedelta(days=28)
"""The age from which a salt and its codes are void, and may be erased."""

_trace = Prepared(lambda guest: Trace.objects.filter(guest=guest).select_related("salt"), int)
_newest_salt = Prepared(lambda: Salt.objects.order_by("-made_at", "-pk")[:1])


def note_trace(guest: Guest | None, address: str) -> None:
    """Stores a code for the address from which a guest acts; an error of the database is only logged."""
    if guest is None:
        return
    try:
        trace = trace_of(guest)
        if trace and _is_in_use(trace.salt) and trace.code == code_of(trace.salt, address):
            return
        salt = _present_salt()
        Trace.objects.update_or_create(guest=guest, defaults={"salt": salt, "code": code_of(salt, address)})
    except DatabaseError:
        log.warning("where a guest came from was not kept", exc_info=True)


def trace_of(guest: Guest | None) -> Trace | None:
    """A guest's trace, with the code for their last address; None without one, or if its salt is void."""
    trace = _trace.first(guest.pk) if guest else None
    return trace if trace and is_kept(trace.salt) else None


def code_of(salt: Salt, address: str) -> str:
    return salted_hmac(f"trace/{salt.secret}", address, algorithm="sha256").hexdigest()


def is_kept(salt: Salt) -> bool:
    """Returns True if the codes for addresses that were made with this salt are still valid."""
    return salt.made_at > timezone.now() - KEPT_FOR


def merge(gone: Guest, guest: Guest) -> None:
    """Merges the traces of two guests: `guest` gets the newer trace, and the older one is deleted."""
    both = list(Trace.objects.filter(guest__in=(gone, guest)).order_by("salt__made_at", "pk"))
    for older in both[:-1]:
        older.delete()
    for newest in both[-1:]:
        newest.guest = guest
        newest.save()


def _is_in_use(salt: Salt) -> bool:
    return salt.made_at > timezone.now() - USED


def _present_salt() -> Salt:
    """The newest salt, or a new one once that is as old as USED; expired salts are erased."""
    newest = _newest_salt.first()
    if newest and _is_in_use(newest):
        return newest
    now = timezone.now()
    with transaction.atomic():
        Salt.objects.filter(made_at__lte=now - KEPT_FOR).delete()
        return Salt.objects.create(secret=secrets.token_hex(32), made_at=now)
