"""Writes cookies for scripts, which some browsers delete after seven days if a script has written them."""

import re

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

CHOICES = ("theme", "keys", "sounds", "vibration", "speed", "words")
"""The cookies with choices about this device, which stay when a guest signs out of a browser."""
NAMES = (*CHOICES, "puzzles", "push")
VALUE = re.compile(r"[\w.~%-]{0,3000}", re.ASCII)
"""Matches the values that a script may keep: percent-encoded text, or nothing."""
AGE = 366 * 24 * 3600


def set_readable_cookie(request: HttpRequest, response: HttpResponse, name: str, value: str) -> None:
    """Sets a cookie that scripts of this site can read; an empty value deletes the cookie."""
    if not value:
        return response.delete_cookie(name, samesite="Lax")
    response.set_cookie(name, value, max_age=AGE, secure=request.is_secure(), samesite="Lax")


@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """View: sets the cookie `name` to `value`; 400 if scripts may not keep that."""
    name, value = request.POST.get("name", ""), request.POST.get("value", "")
    if name not in NAMES or not VALUE.fullmatch(value):
        return HttpResponse(status=400)
    response = HttpResponse(status=204)
    set_readable_cookie(request, response, name, value)
    return response
