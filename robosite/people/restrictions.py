"""Restrictions, which bar a guest or an address from some actions; `moderation` decides on them.

Viewing pages, and playing on at one's seat, are never barred.
"""

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
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction as a page explains it; `until` is None without an end, `page` is where to object."""

    says: str
    why: str
    until: datetime | None
    page: str


Check = Callable[[Action, Guest | None, str, int | None], Restriction | None]
"""A function that returns a restriction by action, guest, address and seat (primary key), or None."""
Listener = Callable[[Guest | None, str], None]

checks: list[Check] = []
listeners: list[Listener] = []
"""`checks` are called before an action, `listeners` after it."""


def restriction_on(
    action: Action, guest: Guest | None, address: str, seat: int | None = None
) -> Restriction | None:
    """A restriction on an action for this guest, this address or the holders of a seat; None without any."""
    return next(
        (restriction for check in checks if (restriction := check(action, guest, address, seat))), None
    )


def own_restriction(request: HttpRequest, action: Action, seat: int | None = None) -> Restriction | None:
    """A restriction on an action for the request's guest, its address or the holders of a seat; else None."""
    return restriction_on(action, current_guest(request), limits.address(request), seat)


def note_action(request: HttpRequest) -> None:
    """Calls the registered listeners after this browser's guest has done an action that can be barred."""
    for listener in listeners:
        listener(current_guest(request), limits.address(request))


def unless_restricted(
    action: Action,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """View decorator: a barred POST gets a page about it (403; htmx: redirect); other POSTs are noted."""

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
