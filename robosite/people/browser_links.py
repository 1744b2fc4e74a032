"""The secret links that a browser made or followed, in a cookie, since the site stores only their hashes.

The cookie is encrypted; it is void for other guests, and once its guest has signed this browser out.
"""

import base64
import json
import zlib
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from robosite.people import sent_forms
from robosite.people.current_guest import KEY, ROUND, current_guest, guest_of
from robosite.people.models import Guest
from robosite.web.http import own_cookie, set_own_cookie

COOKIE = "links"
MOST_LINKS = 30
AGE = 366 * 24 * 3600


def own_links(request: HttpRequest) -> dict[str, str]:
    """This browser's links by keys such as `seat/KEY/A`; {} without a guest or a valid cookie."""
    guest = current_guest(request)
    if guest is None:
        return {}
    known: tuple[Guest, dict[str, str]] | None = getattr(request, "own_links", None)
    if known is None or known[0] != guest:
        known = guest, _links_for(guest, request.COOKIES.get(own_cookie(request, COOKIE), ""))
        request.own_links = known  # type: ignore[attr-defined]
    return known[1]


def keep_links(request: HttpRequest, response: HttpResponse, new: dict[str, str]) -> HttpResponse:
    """Adds links to the cookie of this browser's guest, and drops the oldest beyond MOST_LINKS."""
    response.new_links = {**getattr(response, "new_links", {}), **new}  # type: ignore[attr-defined]
    guest = current_guest(request)
    if guest is None:
        return response
    links = {what: secret for what, secret in own_links(request).items() if what not in new} | new
    bound = {KEY: guest.pk, ROUND: guest.round}
    text = json.dumps([bound, dict(list(links.items())[-MOST_LINKS:])])
    value = _box(_keys()).encrypt(zlib.compress(text.encode())).decode()
    set_own_cookie(request, response, COOKIE, value, AGE)
    return response


sent_forms.register("links", lambda response: getattr(response, "new_links", {}), keep_links)


def _links_for(guest: Guest, cookie: str) -> dict[str, str]:
    try:
        bound, links = json.loads(zlib.decompress(_box(_keys()).decrypt(cookie.encode())))
    except InvalidToken:
        return {}
    own = bound == {KEY: guest.pk, ROUND: guest.round} or guest_of(bound) == guest
    return dict(links) if own else {}


def _keys() -> tuple[str, ...]:
    return settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS


@lru_cache
def _box(keys: tuple[str, ...]) -> MultiFernet:
    digests = [salted_hmac("robosite.links", "", key, algorithm="sha256").digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
