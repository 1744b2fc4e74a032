"""The guest at this browser: found by the session, made when somebody first sits down."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
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
from robosite.web.locking import lock_rows

_guest = Prepared(lambda pk: Guest.objects.filter(pk=pk), int)

KEY = "guest"
ROUND = "guest_round"


def current_guest(request: HttpRequest) -> Guest | None:
    """The guest at this browser, or None; asked of the database once a request."""
    if not hasattr(request, "_guest"):
        request._guest = guest_of(request.session)  # type: ignore[attr-defined]
    here: Guest | None = request._guest  # type: ignore[attr-defined]
    return here


def guest_of(session: Mapping[str, Any]) -> Guest | None:
    """The guest of this session, or the one that this guest became; None if signed out or forgotten."""
    pk = session.get(KEY)
    guest = _guest.first(pk) if pk else None
    if guest is None or guest.leaving_at or guest.round != session.get(ROUND, 0):
        return None
    return guest.became or guest  # seldom, so it is not joined


SETTLED = timedelta(days=1)
"""Guests who have been here so long are not put out by newcomers of their address."""


def owner_at(address: str, guest: Guest | None) -> Owner:
    """The owner of a place in a line: this guest at this address, or whoever else is at the address."""
    if guest is None:
        return Owner(address)
    return Owner(address, str(guest.pk), guest.created_at <= timezone.now() - SETTLED)


def owner_of(request: HttpRequest) -> Owner:
    """The owner of what this browser puts into a line."""
    return owner_at(limits.address(request), current_guest(request))


def share_of(request: HttpRequest) -> str:
    """The name under which a limit for addresses counts this browser.

    Guests who have been here for SETTLED are counted apart from newcomers at their address, who thus cannot
    use up their share.
    """
    owner = owner_of(request)
    return f"{owner.address} settled" if owner.settled else owner.address


def welcome(request: HttpRequest, name: str) -> Guest:
    """The guest at this browser, made if there is none, with this name and language from now on.

    The session gets a new key, since more is allowed with it than before.
    """
    guest = named_guest(request, name)
    become(request, guest)
    return guest


def named_guest(request: HttpRequest, name: str) -> Guest:
    """Does the same, but leaves the session as it is: call `become` once the change is committed."""
    guest = current_guest(request)
    language = get_language() or ""
    if guest is None:
        return Guest.objects.create(name=name, language=language)
    if (name and guest.name != name) or guest.language != language:
        guest.name, guest.language = name or guest.name, language
        Guest.objects.filter(pk=guest.pk).update(name=guest.name, language=language)
    return guest


def name_here(request: HttpRequest) -> str:
    """The typed name (RefusedName if it is refused), else the guest’s own, else “A guest”."""
    guest, typed = current_guest(request), request.POST.get("name", "").strip()
    if typed:
        return clean_name(typed, guest=guest)
    try:
        return clean_name(guest.name, guest=guest) if guest and guest.name else gettext("A guest")
    except RefusedName:  # it was had before
        return gettext("A guest")


def become(request: HttpRequest, guest: Guest) -> None:
    """Makes this browser the guest's from now on, in a session with a new key."""
    request.session.cycle_key()
    request.session[KEY], request.session[ROUND] = guest.pk, guest.round
    request._guest = guest  # type: ignore[attr-defined]


def sign_others_out(request: HttpRequest, guest: Guest) -> None:
    """Sign out all of this guest's browsers but this one; links that are under way stop working."""
    with transaction.atomic():
        guest.tickets.all().delete()
        for one in (guest, *guest.earlier.all()):
            one.round += 1
            one.save(update_fields=["round"])
    become(request, guest)


def merge(gone: Guest, guest: Guest) -> None:
    """Makes two guests one person: everything of `gone` becomes `guest`'s, in all browsers of both.

    If both have an e-mail address or a phrase, that of `guest` stays.
    """
    with transaction.atomic():
        for part in parts().values():
            part.merge(gone, guest)
        gone.tickets.all().delete()
        if gone.email and not guest.email:
            guest.email, guest.email_confirmed_at = gone.email, gone.email_confirmed_at
        if gone.phrase_hash and not guest.phrase_hash:
            guest.phrase_lookup, guest.phrase_hash = gone.phrase_lookup, gone.phrase_hash
            guest.phrase_made_at = gone.phrase_made_at
        guest.save(update_fields=FOR_GOOD)
        gone.refresh_from_db(fields=["extras"])
        guest.note_extra(gone.extras)
        gone.earlier.update(became=guest)
        gone.name, gone.email, gone.email_confirmed_at, gone.became = "", "", None, guest
        gone.save()
        forget_phrase(gone)


FOR_GOOD = ("email", "email_confirmed_at", "phrase_lookup", "phrase_hash", "phrase_made_at")
"""The fields that a guest may take over from one who becomes this guest."""
AT_ONCE = 3
"""The number of long steps of forgetting that a request takes; the clock takes the rest."""


def forget(guest: Guest, *, at_once: int = AT_ONCE) -> None:
    """Erases a guest, and the guest's data in all parts of the site.

    At once all browsers of the guest are signed out, and the name and everything that is quick to erase are
    erased. The slow part (giving up each seat) is done in steps: the first ones here (not inside another
    transaction, which would keep many matches locked), the rest by the clock (`forget_some`).
    """
    if begin_to_forget(guest):
        forget_on(guest, at_once)


def begin_to_forget(guest: Guest) -> bool:
    """Clears the guest's name, address, phrase and tickets, and marks them as leaving.

    The slow rest is `forget_on`. Returns False if they are gone or leaving already.
    """
    with transaction.atomic():
        for part in parts().values():
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


def forget_on(guest: Guest, at_once: int = AT_ONCE) -> None:
    """The first steps of the slow part of `forget`."""
    for _ in range(at_once):
        if not forget_more(guest):
            break


def forget_more(guest: Guest) -> bool:
    """The next step of erasing a guest who is leaving; False once the guest is gone."""
    with translation.override(guest.language or None):
        if any(part.forget_more(guest) for part in parts().values()):
            return True
    guest.delete()
    return False


def forget_some() -> bool:
    """Takes one step of erasing the guest who has been leaving longest; False if nobody is leaving."""
    guest = Guest.objects.filter(leaving_at__isnull=False, became=None).order_by("leaving_at", "pk").first()
    if guest:
        forget_more(guest)
    return guest is not None
