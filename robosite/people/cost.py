"""Limits on processor time for each address and each guest.

A process adds up the costs of its requests, and charges them to the rate windows (`web/rate_windows.py`) in
steps of STEP milliseconds; beyond a limit it refuses the next requests.
"""

import time
from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from robosite.people.shares import has_played
from robosite.web import limits, rate_windows
from robosite.web.caches import BoundedCache
from robosite.web.http import MONITORING, is_call, route_of
from robosite.web.views import too_many

STEP = 100
"""The smallest amount that is charged, in milliseconds of processor time (the cost of about three pages)."""
MOST_REMEMBERED = 30_000

Who = tuple[str, str]
"""The name of a limit (a row of `web/bounds.py`), and the address or guest to which it applies."""


class Player(NamedTuple):
    """The guest of a session: primary key as text, "" without one, and whether they have played."""

    guest: str
    plays: bool


_known: BoundedCache[tuple[str, ...], Any] = BoundedCache(MOST_REMEMBERED)
"""("uncharged", *Who): milliseconds; ("refused", *Who): until when; ("player", session key): Player."""
NOBODY = Player("", plays=False)


_say_to_call: Callable[[int], HttpResponse] = too_many


def register(say: Callable[[int], HttpResponse]) -> None:
    """Registers `say`, which makes the API's response to a caller who must wait a given number of seconds."""
    global _say_to_call  # noqa: PLW0603
    _say_to_call = say


def measured(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that charges processor time to a request's address and guest, if `bounded` lets it pass."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.thread_time()
        response = get_response(request)
        if address := getattr(request, "charged_to", None):
            waited_for = getattr(request, "scope", {}).get("took", 0.0)  # before this answer began (later.py)
            _charge_all(request, address, waited_for + time.thread_time() - began)
        return response

    return middleware


def bounded(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that refuses a request (429) if its address or guest has used up its processor time."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.LIMITS == "off" or route_of(request) in MONITORING:
            return get_response(request)
        address = limits.address(request)
        player = _known.get(("player", request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")), NOBODY)
        of_address = _wait("cost/players" if player.plays else "cost", address)
        if seconds := max(of_address, _wait("cost/guest", player.guest) if player.guest else 0):
            return _refused(request, seconds)
        request.charged_to, request.player = address, player  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def charge(name: str, who: str, seconds: float) -> None:
    """Adds seconds of processor time to the limit `name` of `who`, in steps of STEP; `bounded` applies it."""
    if settings.LIMITS == "off":
        return
    parts = _known.pop(("uncharged", name, who), 0) + ceil(seconds * 1000)
    if parts < STEP:
        _known["uncharged", name, who] = parts
    elif wait := limits.charge(name, who, parts, room=STEP):
        _known["refused", name, who] = rate_windows.now() + wait


def reset() -> None:
    """Deletes all that this process knows of costs, refusals and players (for tests)."""
    _known.clear()


def _charge_all(request: HttpRequest, address: str, seconds: float) -> None:
    guest, player = getattr(request, "_guest", None), NOBODY
    if guest is not None and guest.pk:
        player = Player(str(guest.pk), has_played(guest))
        charge("cost/guest", player.guest, seconds)
        if session := request.COOKIES.get(settings.SESSION_COOKIE_NAME):
            _known["player", session] = player
    charge("cost/players" if player.plays else "cost", address, seconds)


def _wait(name: str, who: str) -> int:
    until = _known.get(("refused", name, who))
    if until is None:
        return 0
    left = ceil(until - rate_windows.now())
    if left <= 0:
        _known.pop(("refused", name, who), None)
    return max(left, 0)


def _refused(request: HttpRequest, seconds: int) -> HttpResponse:
    return (_say_to_call if is_call(request) else too_many)(seconds)
