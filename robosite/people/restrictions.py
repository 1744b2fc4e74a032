"""Restrictions: actions that are barred for now. `moderation`, a layer above, decides and registers here.

Looking at pages, and playing on where one sits, are never barred.
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
    """An action that can be barred."""

    PLAY = "play"
    """Making a match, sitting down, asking for a seat."""
    SAY = "say"
    """Writing for others to read."""
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction: `says` names the barred action in a sentence, `why` is a moderator's words.

    `until` is None if it has no end. `page` is the path of the page with all details and a way to object.
    """

    says: str
    why: str
    until: datetime | None
    page: str


Check = Callable[[Action, Guest | None, str, int | None], Restriction | None]
"""Action, guest, address (as `limits.address` has it), and the key of the seat for which it is to be done."""
Listener = Callable[[Guest | None, str], None]
"""Takes note of such an action: the guest, and the guest's address."""

_checks: list[Check] = []
_listeners: list[Listener] = []


def register(check: Check, listener: Listener) -> None:
    """Registers `check`, which is asked before an action, and `listener`, which is told of it afterwards.

    Called from an app's `ready`.
    """
    if check not in _checks:
        _checks.append(check)
        _listeners.append(listener)


def restriction_on(
    action: Action, guest: Guest | None, address: str, seat: int | None = None
) -> Restriction | None:
    """The restriction that bars a guest, an address or whoever acts for a seat from this, if any."""
    return next(
        (restriction for check in _checks if (restriction := check(action, guest, address, seat))), None
    )


def own_restriction(request: HttpRequest, action: Action, seat: int | None = None) -> Restriction | None:
    """The restriction that bars the guest at this browser."""
    return restriction_on(action, current_guest(request), limits.address(request), seat)


def note_action(request: HttpRequest) -> None:
    """Tells the listeners that the guest at this browser has just done an action that can be barred."""
    for listener in _listeners:
        listener(current_guest(request), limits.address(request))


def unless_restricted(
    action: Action,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A view whose POST is answered, for a barred guest, by a page that says why and until when."""

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
