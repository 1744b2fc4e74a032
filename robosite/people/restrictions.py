"""Restrictions, which bar a guest or a network address from some actions, for a time or without end.

The package `moderation`, a layer above, decides on restrictions and registers its check here. Viewing pages,
and playing on at a seat that one holds, are never barred.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRedirect

from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.web import limits
from robosite.web.http import private


class Action(StrEnum):
    """An action that a moderator can bar a guest or a network address from."""

    PLAY = "play"
    """Creating a match, sitting down, or asking for a seat."""
    SAY = "say"
    """Writing something that others can read."""
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction that bars a guest or a network address from an action, as a page explains it.

    `says` is a sentence that names the barred action, and `why` is the moderator's reason. `until` is None if
    the restriction has no end. `page` is the path of the page with all details and a way to object.
    """

    says: str
    why: str
    until: datetime | None
    page: str


Check = Callable[[Action, Guest | None, str, int | None], Restriction | None]
"""The type of a check, which returns a restriction on an action, or None.

Its arguments are the action, the guest, the address (as `limits.address` returns it), and the primary key of
the seat for which the action is done."""
Listener = Callable[[Guest | None, str], None]
"""The type of a listener, which is called with the guest and the address from which an action was done."""

_checks: list[Check] = []
_listeners: list[Listener] = []


def register(check: Check, listener: Listener) -> None:
    """Registers `check`, which is called before an action, and `listener`, which is called after it."""
    if check not in _checks:
        _checks.append(check)
        _listeners.append(listener)


def restriction_on(
    action: Action, guest: Guest | None, address: str, seat: int | None = None
) -> Restriction | None:
    """Returns a restriction on an action for this guest, this address or the holders of a seat."""
    return next(
        (restriction for check in _checks if (restriction := check(action, guest, address, seat))), None
    )


def own_restriction(request: HttpRequest, action: Action, seat: int | None = None) -> Restriction | None:
    """Returns a restriction on an action for the request's guest, its address or the holders of a seat."""
    return restriction_on(action, current_guest(request), limits.address(request), seat)


def note_action(request: HttpRequest) -> None:
    """Calls the registered listeners after this browser's guest has done an action that can be barred."""
    for listener in _listeners:
        listener(current_guest(request), limits.address(request))


def unless_restricted(
    action: Action,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """View decorator that answers a POST with a page about the restriction (403) if the action is barred.

    If the barred POST is an htmx request, the browser is redirected to `Restriction.page` instead. After a
    POST that is not barred, the listeners (`register`) are called. Requests with other methods are not
    checked.
    """

    def guard(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
            if request.method != "POST":
                return view(request, *args, **more)
            if restriction := own_restriction(request, action):
                return restriction_page(request, restriction)
            answer = view(request, *args, **more)
            note_action(request)
            return answer

        return guarded

    return guard


@private
def restriction_page(request: HttpRequest, restriction: Restriction) -> HttpResponse:
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(restriction.page, status=204)
    return render(request, "people/barred.html", {"restriction": restriction}, status=403)
