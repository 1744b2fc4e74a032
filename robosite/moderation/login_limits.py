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

from robosite.people.shares import Tries
from robosite.web import limits
from robosite.web.http import own_cookie, set_own_cookie

LOGINS = Tries("login", guesses=True)
CODES = Tries("code", guesses=True)

COOKIE = "staff"
AGE = 180 * 24 * 3600


def wait(tries: Tries, request: HttpRequest, name: str) -> int:
    """Counts an attempt under a name; returns 0 if it is allowed, otherwise the seconds to wait."""
    return tries.wait(request, _use(tries, request, name))


def was_right(tries: Tries, request: HttpRequest, name: str) -> None:
    """Takes back what `wait` has counted, since the password or code was right."""
    tries.give_back(request, _use(tries, request, name))


def _use(tries: Tries, request: HttpRequest, name: str) -> limits.Use:
    name = _same(name)
    return f"{tries.name}/name", f"{name}\n{_known(request).get(name) or ''}"


def remember(request: HttpRequest, response: HttpResponse, name: str) -> None:
    """Sets a cookie that says that this browser has completed a login under the name."""
    known = {_same(name): secrets.token_hex(8), **_known(request)}
    value = signing.dumps(dict(list(known.items())[:5]), salt=COOKIE)
    set_own_cookie(request, response, COOKIE, value, AGE)


def origin(request: HttpRequest) -> str:
    """Returns a code that stands for the client's address in the audit trail; it changes every day."""
    salt = f"trail/{timezone.now():%F}"
    return salted_hmac(salt, limits.address(request), algorithm="sha256").hexdigest()[:12]


def _known(request: HttpRequest) -> dict[str, str]:
    """The IDs of this browser's limits by name; {} without a valid cookie."""
    try:
        known = request.COOKIES.get(own_cookie(request, COOKIE), "")
        return dict(signing.loads(known, salt=COOKIE, max_age=AGE))
    except (signing.BadSignature, ValueError, TypeError):
        return {}


def _same(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()[:150]
