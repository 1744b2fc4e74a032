"""Restrictions: deeds that are barred for now. `moderation`, a layer above, decides and registers here.

Looking, and playing on where one sits, are never barred.
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

from robosite import limits
from robosite.http import private
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest


class Action(StrEnum):
    """A deed that can be barred."""

    PLAY = "play"
    """Making a match, sitting down, asking for a seat."""
    SAY = "say"
    """Writing for others to read."""
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Restriction:
    """`says` names the barred deed in a sentence; `why` is in a moderator's words; `until` is None for good.

    `page` is where it is told in whole, with a way to object.
    """

    says: str
    why: str
    until: datetime | None
    page: str


Asked = Callable[[Action, Guest | None, str, int | None], Restriction | None]
"""Deed, guest, address (as `limits.address` has it), and the key of the seat for which it is to be done."""
Noted = Callable[[Guest | None, str], None]
"""Takes note of such a deed: the guest, and his address."""

_asked: list[Asked] = []
_noted: list[Noted] = []


def register(asked: Asked, noted: Noted) -> None:
    """Called from an app's `ready`: registers a listener, asked before a deed and told of it afterwards."""
    if asked not in _asked:
        _asked.append(asked)
        _noted.append(noted)


def bar_on(deed: Action, guest: Guest | None, address: str, seat: int | None = None) -> Restriction | None:
    """What bars a guest, an address or whoever acts for a seat from this; None if nothing does."""
    return next((bar for asked in _asked if (bar := asked(deed, guest, address, seat))), None)


def bar_here(request: HttpRequest, deed: Action, seat: int | None = None) -> Restriction | None:
    """The restriction that bars the guest at this browser."""
    return bar_on(deed, current_guest(request), limits.address(request), seat)


def note_deed(request: HttpRequest) -> None:
    """Tells the listeners that the guest at this browser has just done a deed that can be barred."""
    for noted in _noted:
        noted(current_guest(request), limits.address(request))


def not_if_barred(
    deed: Action,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A view whose POST is answered, for a barred guest, by a page that says why and until when."""

    def guard(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
            if request.method != "POST":
                return view(request, *args, **more)
            if bar := bar_here(request, deed):
                return restriction_page(request, bar)
            answer = view(request, *args, **more)
            note_deed(request)
            return answer

        return guarded

    return guard


@private
def restriction_page(request: HttpRequest, bar: Restriction) -> HttpResponse:
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(bar.page, status=204)
    return render(request, "people/barred.html", {"bar": bar}, status=403)
