"""What somebody may not do for now. Who decides so stands above (`moderation`), and says it here at start.

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

from robosite import limits
from robosite.asked import private
from robosite.people.here import guest_here
from robosite.people.models import Guest


class Deed(StrEnum):
    """What one may be barred from."""

    PLAY = "play"
    """Making a match, sitting down, asking for a seat."""
    SAY = "say"
    """Writing what others read."""
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Bar:
    """`says` what is barred, in a sentence; `why` in a moderator's words; `until` when, None for good.

    `page` is where it is told in whole, with a way to object.
    """

    says: str
    why: str
    until: datetime | None
    page: str


Asked = Callable[[Deed, Guest | None, str, int | None], Bar | None]
"""Deed, guest, address (as `limits.address` has it), and the key of the seat for which it is to be done."""
Noted = Callable[[Guest | None, str], None]
"""Who has done such a deed, and from which address."""

_asked: list[Asked] = []
_noted: list[Noted] = []


def register(asked: Asked, noted: Noted) -> None:
    """Called from an app's `ready`: who is asked before a deed, and told of it afterwards."""
    if asked not in _asked:
        _asked.append(asked)
        _noted.append(noted)


def bar_on(deed: Deed, guest: Guest | None, address: str, seat: int | None = None) -> Bar | None:
    """What bars a guest, an address or whoever acts for a seat from this; None if nothing does."""
    return next((bar for asked in _asked if (bar := asked(deed, guest, address, seat))), None)


def bar_here(request: HttpRequest, deed: Deed, seat: int | None = None) -> Bar | None:
    """What bars who is at this browser."""
    return bar_on(deed, guest_here(request), limits.address(request), seat)


def note_deed(request: HttpRequest) -> None:
    """Who is at this browser has just done what one can be barred from."""
    for noted in _noted:
        noted(guest_here(request), limits.address(request))


def not_if_barred(deed: Deed) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A view whose POST is answered, to who is barred, by a page that says why and until when."""

    def guard(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
            if request.method != "POST":
                return view(request, *args, **more)
            if bar := bar_here(request, deed):
                return told(request, bar)
            answer = view(request, *args, **more)
            note_deed(request)
            return answer

        return guarded

    return guard


@private
def told(request: HttpRequest, bar: Bar) -> HttpResponse:
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": bar.page})
    return render(request, "people/barred.html", {"bar": bar}, status=403)
