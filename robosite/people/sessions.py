"""Django's sessions in the database, read by a prepared query (`engine/prepared.py`), and their cookie."""

import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.middleware import SessionMiddleware
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from robosite.engine.prepared import Prepared
from robosite.people.current_guest import KEY as GUEST
from robosite.people.current_guest import current_guest, leave_browser
from robosite.people.models import Guest
from robosite.people.offline import CHOICES, NAMES
from robosite.web.http import is_page

KEY = re.compile(r"[a-z0-9]{1,40}")
A_DAY = timedelta(days=1)
AGE = timedelta(seconds=settings.SESSION_COOKIE_AGE)
KEPT = (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "django_language", "zone", *CHOICES)
"""The cookies that stay in a browser that forgets its guest."""
HIDDEN = (settings.SESSION_COOKIE_NAME, "links", "chosen", "django_language")
RENEWED = {**dict.fromkeys(HIDDEN, True), **dict.fromkeys((*NAMES, "offline"), False)}
"""The cookies that are renewed with the session, by name; True if scripts cannot read the cookie."""

_session = Prepared(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), str, datetime
)


class SessionStore(db.SessionStore):
    expires: datetime | None = None
    """The time at which the loaded session ends, unless it is renewed before."""

    def __init__(self, session_key: str | None = None) -> None:
        """Ignores a key unless it has 1 to 40 lower-case letters and digits, as Django's own keys have."""
        super().__init__(session_key if session_key and KEY.fullmatch(session_key) else None)

    def load(self) -> dict[str, Any]:
        """Returns the data of the session; if no valid session has this key, drops the key and returns {}."""
        found = _session.first(self.session_key or "", timezone.now())
        self.expires = found.expire_date if found else None
        held: dict[str, Any] = self.decode(found.session_data) if found else super().load()
        return held


class Sessions(SessionMiddleware):
    """Django's middleware, but a response deletes the cookie only if its view has ended the session.

    Taking a seat gives the session a new key; a request still under way with the old one must not lose
    it. A page renews a session at most once a day, with the browser's other cookies; a browser that was
    signed out forgets its guest.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        session = getattr(request, "session", None)
        if session is None:
            return super().process_response(request, response)
        if session.accessed and "public" not in response.get(
            "Cache-Control", ""
        ):  # proxies give that to others
            _keep_up(request, response)
        if not session.is_empty() or session.modified:
            return super().process_response(request, response)
        if session.accessed:
            patch_vary_headers(response, ("Cookie",))
        return response


def _keep_up(request: HttpRequest, response: HttpResponse) -> None:
    session: Any = request.session
    signed_out = getattr(request, "_guest", session) is None and session.get(GUEST)
    if signed_out and session.exists(session.session_key):  # else the browser may have the new key already
        leave_browser(request)
    if getattr(request, "forgets", False):
        _forget(request, response)
    elif not session.modified and _is_due(session) and is_page(request, response):
        _renew(request, response)


def _forget(request: HttpRequest, response: HttpResponse) -> None:
    """Has the browser forget its guest: cookies, and all that scripts and the service worker have stored."""
    response["Clear-Site-Data"] = '"storage"'
    for name in request.COOKIES:
        if name not in KEPT and name not in response.cookies:
            response.delete_cookie(name)


def _is_due(session: Any) -> bool:
    return session.expires is not None and session.expires < timezone.now() + AGE - A_DAY


def _renew(request: HttpRequest, response: HttpResponse) -> None:
    guest, now = current_guest(request), timezone.now()
    if guest is None:
        return
    with suppress(OperationalError):
        mine = Session.objects.filter(session_key=request.session.session_key)
        if not mine.update(expire_date=now + AGE):
            return
        Guest.objects.filter(pk=guest.pk).update(seen_at=now)
        for name, value in request.COOKIES.items():
            hidden = RENEWED.get(name, RENEWED.get(name.removeprefix("__Host-")))
            if hidden is None or name in response.cookies:
                continue
            secure = request.is_secure()
            response.set_cookie(name, value, AGE, httponly=hidden, secure=secure, samesite="Lax")
