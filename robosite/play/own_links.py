"""The secret links that a browser made or followed, stored in the browser itself.

The site stores only hashes, so it can show a link only once. The browser keeps its links in a signed cookie
that scripts cannot read. While the cookie has a link, the pages in this browser can show the link at any
time.
"""

from __future__ import annotations

from django.core import signing
from django.http import HttpRequest, HttpResponse

from robosite.matches.link_secrets import hash_secret, secret_behind
from robosite.matches.models import Seat
from robosite.people import sent_forms

COOKIE = "links"
MOST_LINKS = 30
AGE = 366 * 24 * 3600


def own_links(request: HttpRequest) -> dict[str, str]:
    """The secrets of this browser's links, by keys such as `seat/KEY/A` or `invite/KEY`.

    Returns {} if the cookie is missing or forged. The cookie is parsed once per request.
    """
    known: dict[str, str] | None = getattr(request, "own_links", None)
    if known is None:
        try:
            known = dict(signing.loads(request.COOKIES.get(_name(request), ""), salt=COOKIE))
        except (signing.BadSignature, ValueError, TypeError):
            known = {}
        request.own_links = known  # type: ignore[attr-defined]
    return known


def keep_links(request: HttpRequest, response: HttpResponse, new: dict[str, str]) -> None:
    """Adds links to the browser's cookie; if there are more than MOST_LINKS, the oldest ones are dropped."""
    response.new_links = {**getattr(response, "new_links", {}), **new}  # type: ignore[attr-defined]
    links = {what: secret for what, secret in own_links(request).items() if what not in new} | new
    newest = dict(list(links.items())[-MOST_LINKS:])
    response.set_cookie(
        _name(request),
        signing.dumps(newest, salt=COOKIE, compress=True),
        max_age=AGE,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


sent_forms.register("links", lambda response: getattr(response, "new_links", {}), keep_links)


def own_link(request: HttpRequest, seat: Seat) -> str | None:
    """The secret of the valid link to a seat; None if this browser does not have that link.

    In a rematch, every browser counts as having the seat's first link, since the site can compute it; this
    holds until the link is replaced.
    """
    links = own_links(request).items()
    mine = [secret for what, secret in links if what.startswith(f"seat/{seat.match.key}/")]
    known = next((secret for secret in mine if hash_secret(secret) == seat.link_hash), None)
    if known is None and seat.match.rematch_of_id:
        return secret_behind(seat.link_hash, seat.match.key, seat.letter)
    return known


def link_key(seat: Seat) -> str:
    """The key, such as `seat/KEY/A`, under which a browser stores the secret link to a seat."""
    return f"seat/{seat.match.key}/{seat.letter}"


def _name(request: HttpRequest) -> str:
    return f"__Host-{COOKIE}" if request.is_secure() else COOKIE
