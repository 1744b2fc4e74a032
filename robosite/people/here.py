"""The guest at this browser: found by the session, made when somebody first sits down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import get_language

from robosite import limits
from robosite.people.models import Guest
from robosite.people.parts import parts
from robosite.people.phrases import forget_phrase

KEY = "guest"
ROUND = "guest_round"


def guest_here(request: HttpRequest) -> Guest | None:
    """Who is at this browser, or None; asked of the database once a request."""
    if not hasattr(request, "_guest"):
        request._guest = guest_of(request.session)  # type: ignore[attr-defined]
    here: Guest | None = request._guest  # type: ignore[attr-defined]
    return here


def guest_of(session: Mapping[str, Any]) -> Guest | None:
    """Whose session this is, unless it was signed out; of guests who became one, the one that they became."""
    pk = session.get(KEY)
    guest = Guest.objects.select_related("became").filter(pk=pk).first() if pk else None
    if guest is None or guest.round != session.get(ROUND, 0):
        return None
    return guest.became or guest


def welcome(request: HttpRequest, name: str) -> Guest:
    """The guest at this browser, made if there is none, with this name and language from now on.

    The session gets a new key, since more is allowed with it than before.
    """
    guest = guest_here(request)
    language = get_language() or ""
    if guest is None:
        guest = Guest.objects.create(name=name, language=language)
    elif (name and guest.name != name) or guest.language != language:
        guest.name, guest.language = name or guest.name, language
        guest.save(update_fields=["name", "language"])
    become(request, guest)
    return guest


def may_make(request: HttpRequest) -> None:
    """Counts a match that this browser is about to make; raises limits.TooMany."""
    limits.hold("match", limits.address(request))
    if guest := guest_here(request):
        limits.hold("match/guest", str(guest.pk))


def become(request: HttpRequest, guest: Guest) -> None:
    """This browser is that guest's from now on, in a session with a new key."""
    request.session.cycle_key()
    request.session[KEY], request.session[ROUND] = guest.pk, guest.round
    request._guest = guest  # type: ignore[attr-defined]


def sign_others_out(request: HttpRequest, guest: Guest) -> None:
    """Of all browsers that are this guest only this one stays; links that are under way work no more."""
    with transaction.atomic():
        guest.tickets.all().delete()
        for one in (guest, *guest.earlier.all()):
            one.round += 1
            one.save(update_fields=["round"])
    become(request, guest)


def merge(gone: Guest, guest: Guest) -> None:
    """Two guests are one person: all that was the first one's is the second's, in whatever browser.

    Where both have an address or a phrase, the second one's stays.
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
        guest.save()
        gone.earlier.update(became=guest)
        gone.name, gone.email, gone.email_confirmed_at, gone.became = "", "", None, guest
        gone.save()
        forget_phrase(gone)


def forget(guest: Guest) -> None:
    """Erases a guest, and what all parts of the site keep of him."""
    with transaction.atomic():
        for part in parts().values():
            part.forget(guest)
        guest.delete()
