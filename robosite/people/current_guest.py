"""Finds the guest at a browser by the session; creates, signs in and out, merges and erases guests."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest
from django.utils import timezone, translation
from django.utils.translation import get_language, gettext

from robosite.engine.prepared import Prepared
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
from robosite.people.personal_data import parts
from robosite.people.recovery_phrases import forget_phrase
from robosite.web import limits
from robosite.web.admission import Owner
from robosite.web.transactions import lock_rows

_guest = Prepared(lambda pk: Guest.objects.filter(pk=pk), int)

KEY = "guest"
ROUND = "guest_round"

session_moved = Signal()
"""Sent when a browser's session gets another key: `before` is the old key, and `after` the new one."""
session_ended = Signal()
"""Sent before a browser forgets its guest: `session_key` is the key of the session that ends in `request`."""
others_signed_out = Signal()
"""Sent after a `guest` has signed out all browsers but the one with this `session_key`."""


def current_guest(request: HttpRequest) -> Guest | None:
    """Returns the guest at this browser, or None; caches the result in the request."""
    if not hasattr(request, "_guest"):
        request._guest = guest_of(request.session)  # type: ignore[attr-defined]
    here: Guest | None = request._guest  # type: ignore[attr-defined]
    return here


def guest_of(session: Mapping[str, Any]) -> Guest | None:
    """A session's guest, or the one into whom they were merged; None if signed out or being erased."""
    pk = session.get(KEY)
    guest = _guest.first(pk) if pk else None
    if guest is None or guest.leaving_at or guest.round != session.get(ROUND, 0):
        return None
    return guest.became or guest  # seldom, so it is not joined


SETTLED = timedelta(days=1)
"""The age from which a guest cannot be displaced by newcomers at the same address (`web/admission.py`)."""


def owner_at(address: str, guest: Guest | None) -> Owner:
    """Returns the Owner to whom slots of limited resources, such as open sockets, are counted."""
    if guest is None:
        return Owner(address)
    return Owner(address, str(guest.pk), guest.created_at <= timezone.now() - SETTLED)


def owner_of(request: HttpRequest) -> Owner:
    """The Owner to whom slots of limited resources are counted: the request's guest at its address."""
    return owner_at(limits.address(request), current_guest(request))


def share_of(request: HttpRequest) -> str:
    """The key under which a limit for addresses counts this browser: its address, with a mark if settled."""
    owner = owner_of(request)
    return f"{owner.address} settled" if owner.settled else owner.address


def welcome(request: HttpRequest, name: str) -> Guest:
    """Returns this browser's guest or a new one, whom it signs in; stores the guest's language and name."""
    known, guest = current_guest(request), named_guest(request, name)
    if known is None:
        become(request, guest)
    return guest


def named_guest(request: HttpRequest, name: str) -> Guest:
    """As `welcome`, but without signing in: the caller calls `become` after the commit."""
    guest = current_guest(request)
    language = get_language() or ""
    if guest is None:
        return Guest.objects.create(name=name, language=language)
    if (name and guest.name != name) or guest.language != language:
        guest.name, guest.language = name or guest.name, language
        Guest.objects.filter(pk=guest.pk).update(name=guest.name, language=language)
    return guest


def name_here(request: HttpRequest) -> str:
    """The posted name, else the stored name, else “Guest”; raises RefusedName for a posted one."""
    guest, typed = current_guest(request), request.POST.get("name", "").strip()
    if typed:
        return clean_name(typed, guest=guest)
    try:
        return clean_name(guest.name, guest=guest) if guest and guest.name else gettext("Guest")
    except RefusedName:  # it was had before
        return gettext("Guest")


def become(request: HttpRequest, guest: Guest) -> None:
    """Signs this browser in as `guest`, with a new session key; the session of another guest ends."""
    before = request.session.session_key
    known: Any = request.session.get(KEY)
    if known in (None, guest.pk) or guest.earlier.filter(pk=known).exists():
        request.session.cycle_key()
        if before:
            session_moved.send(Guest, before=before, after=request.session.session_key)
    else:
        leave_browser(request)
    request.session[KEY], request.session[ROUND] = guest.pk, guest.round
    request._guest = guest  # type: ignore[attr-defined]


def leave_browser(request: HttpRequest) -> None:
    """Ends the session; the response has the browser forget whoever was there (`sessions.py`)."""
    session_ended.send(Guest, request=request, session_key=request.session.session_key)
    request.session.flush()
    request._guest = None  # type: ignore[attr-defined]
    request.forgets = True  # type: ignore[attr-defined]


def sign_others_out(request: HttpRequest, guest: Guest) -> None:
    """Signs the guest out in all browsers but this one, and voids their earlier links."""
    with transaction.atomic():
        guest.tickets.all().delete()
        for one in (guest, *guest.earlier.all()):
            one.round += 1
            one.save(update_fields=["round"])
        become(request, guest)
        others_signed_out.send(Guest, guest=guest, session_key=request.session.session_key)


def merge(gone: Guest, guest: Guest) -> None:
    """Merges `gone` into `guest`, who gets the ways back that they lack; the row of `gone` redirects."""
    with transaction.atomic():
        for part in parts.values():
            part.merge(gone, guest)
        gone.tickets.all().delete()
        if gone.email and not guest.email:
            guest.email, guest.email_confirmed_at = gone.email, gone.email_confirmed_at
        if gone.phrase_hash and not guest.phrase_hash:
            guest.phrase_lookup, guest.phrase_hash = gone.phrase_lookup, gone.phrase_hash
            guest.phrase_made_at = gone.phrase_made_at
        guest.save(update_fields=MERGED_FIELDS)
        gone.refresh_from_db(fields=["flags", "seen"])
        guest.set_flag(gone.flags)
        for slug, names in gone.seen.items():
            guest.note_seen(slug, names)
        gone.earlier.update(became=guest)
        gone.name, gone.email, gone.email_confirmed_at, gone.became = "", "", None, guest
        gone.save()
        forget_phrase(gone)


MERGED_FIELDS = ("email", "email_confirmed_at", "phrase_lookup", "phrase_hash", "phrase_made_at")
AT_ONCE = 2
"""The maximum number of slow steps of erasing a guest in one request. The clock does the remaining steps."""


def forget(guest: Guest, *, at_once: int = AT_ONCE) -> None:
    """Erases a guest and their data: the quick part and `at_once` slow steps; the clock does the rest."""
    if begin_to_forget(guest):
        forget_steps(guest, at_once)


def begin_to_forget(guest: Guest) -> bool:
    """Does the quick part of `forget` and sets `leaving_at`; False if that was done before."""
    with transaction.atomic():
        for part in parts.values():
            part.forget(guest)
        present = lock_rows(Guest.objects.filter(pk=guest.pk)).first()
        if present is None or present.leaving_at:
            return False
        guest.tickets.all().delete()
        forget_phrase(guest)
        for one in (guest, *guest.earlier.all()):
            one.round += 1
            one.name, one.email, one.email_confirmed_at, one.leaving_at = "", "", None, timezone.now()
            one.save()
    return True


def forget_steps(guest: Guest, at_once: int = AT_ONCE) -> None:
    """Does up to `at_once` steps of the slow part of `forget`; deletes the guest if no step is left."""
    for _ in range(at_once):
        if not forget_next_step(guest):
            break


def forget_next_step(guest: Guest) -> bool:
    """Does one slow step of erasing a guest; if none is left, deletes the guest and returns False."""
    with translation.override(guest.language or None):
        if any(part.forget_next_step(guest) for part in parts.values()):
            return True
    guest.delete()
    return False


def forget_step_of_oldest() -> bool:
    """Does one slow step for the guest whose erasing began first; False if nobody is being erased."""
    guest = Guest.objects.filter(leaving_at__isnull=False, became=None).order_by("leaving_at", "pk").first()
    if guest:
        forget_next_step(guest)
    return guest is not None
