"""Remembers a browser's last choices for a new match, for each game, in a signed cookie.

Names and boards are not stored. The cookie is deleted with the guest's other cookies.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.core import signing
from django.http import HttpRequest, HttpResponse

from games import GAMES

COOKIE = "chosen"
AGE = 366 * 24 * 3600
NOT_KEPT = ("csrfmiddlewaretoken", "game", "name", "here", "zone")
NOT_KEPT_KINDS = ("wish", "board")
MOST_FIELDS = 30
LONGEST = 40
"""The maximum length of a field's name or value; longer ones are not stored."""

Choices = dict[str, str]


def last_choice(request: HttpRequest, slug: str) -> Choices:
    """The stored form fields of the last match of this game that this browser created."""
    return dict(_all(request).get(slug, {}))


def keep_choice(request: HttpRequest, response: HttpResponse, slug: str, sent: Mapping[str, str]) -> None:
    """Stores in the cookie the form fields (`sent`) from which a match of the game `slug` was created."""
    choices = {
        name: value
        for name, value in sent.items()
        if value and name not in NOT_KEPT and name.partition("-")[0] not in NOT_KEPT_KINDS
        if len(name) <= LONGEST and len(value) <= LONGEST
    }
    chosen = {**_all(request), slug: dict(list(choices.items())[:MOST_FIELDS])}
    response.set_cookie(
        _name(request),
        signing.dumps(chosen, salt=COOKIE, compress=True),
        max_age=AGE,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def _all(request: HttpRequest) -> dict[str, Choices]:
    try:
        by_game = signing.loads(request.COOKIES.get(_name(request), ""), salt=COOKIE)
    except signing.BadSignature:
        return {}
    return {slug: choices for slug, choices in by_game.items() if slug in GAMES}


def _name(request: HttpRequest) -> str:
    return f"__Host-{COOKIE}" if request.is_secure() else COOKIE
