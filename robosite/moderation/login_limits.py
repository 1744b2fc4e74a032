"""Rate limits on staff's logins and second-factor codes: per address, per name, and for all together.

A browser that has logged in under a name (a signed cookie says so) has a limit of its own, so that attackers
cannot lock out the name's owner.
"""

import secrets
import unicodedata

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from robosite.people.tries import Tries
from robosite.web import limits

LOGINS = Tries("login", guesses=True)
CODES = Tries("code", guesses=True)

COOKIE = "staff"
AGE = 180 * 24 * 3600


def wait(request: HttpRequest, name: str) -> int:
    """Counts a login attempt under a name; returns 0 if it is allowed, otherwise the seconds to wait."""
    return LOGINS.wait(request, ("login/name", _who(request, name)))


def password_was_right(request: HttpRequest, name: str) -> None:
    """Takes back what `wait` has counted."""
    LOGINS.give_back(request, ("login/name", _who(request, name)))


def wait_code(request: HttpRequest, name: str) -> int:
    """Counts an attempt at a second-factor code."""
    return CODES.wait(request, ("code/name", _who(request, name)))


def code_was_right(request: HttpRequest, name: str) -> None:
    """Takes back what `wait_code` has counted."""
    CODES.give_back(request, ("code/name", _who(request, name)))


def _who(request: HttpRequest, name: str) -> str:
    name = _same(name)
    return f"{name}\n{_known(request).get(name) or ''}"


def remember(request: HttpRequest, response: HttpResponse, name: str) -> None:
    """Sets a cookie that says that this browser has completed a login under the name."""
    known = {_same(name): secrets.token_hex(8), **_known(request)}
    response.set_cookie(
        _cookie(request),
        signing.dumps(dict(list(known.items())[:5]), salt=COOKIE),
        max_age=AGE,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def origin(request: HttpRequest) -> str:
    """Returns a code that stands for the client's address in the audit trail; it changes every day."""
    salt = f"trail/{timezone.now():%F}"
    return salted_hmac(salt, limits.address(request), algorithm="sha256").hexdigest()[:12]


def _known(request: HttpRequest) -> dict[str, str]:
    """The IDs of this browser's limits by name; {} without a valid cookie."""
    try:
        return dict(signing.loads(request.COOKIES.get(_cookie(request), ""), salt=COOKIE, max_age=AGE))
    except (signing.BadSignature, ValueError, TypeError):
        return {}


def _same(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()[:150]


def _cookie(request: HttpRequest) -> str:
    return f"__Host-{COOKIE}" if request.is_secure() else COOKIE
