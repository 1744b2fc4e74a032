"""The guest at this browser: found by the session, made when somebody first sits down."""

from __future__ import annotations

from django.http import HttpRequest

from robosite.people.models import Guest

KEY = "guest"


def guest_here(request: HttpRequest) -> Guest | None:
    """Who is at this browser, or None; asked of the database once a request."""
    if not hasattr(request, "_guest"):
        pk = request.session.get(KEY)
        request._guest = Guest.objects.filter(pk=pk).first() if pk else None  # type: ignore[attr-defined]
    guest: Guest | None = request._guest  # type: ignore[attr-defined]
    return guest


def welcome(request: HttpRequest, name: str) -> Guest:
    """The guest at this browser, made if there is none, with this name from now on.

    The session gets a new key, since more is allowed with it than before.
    """
    guest = guest_here(request)
    if guest is None:
        guest = Guest.objects.create(name=name)
    elif name and guest.name != name:
        guest.name = name
        guest.save(update_fields=["name"])
    request.session.cycle_key()
    request.session[KEY] = guest.pk
    request._guest = guest  # type: ignore[attr-defined]
    return guest
