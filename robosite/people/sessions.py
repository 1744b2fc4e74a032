"""Django's sessions in the database, read by a prepared query (`engine/prepared.py`), and their cookie."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.middleware import SessionMiddleware
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from robosite.engine.prepared import Prepared

KEY = re.compile(r"[a-z0-9]{1,40}")

_session = Prepared(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), str, datetime
)


class SessionStore(db.SessionStore):
    def __init__(self, session_key: str | None = None) -> None:
        """Ignores a key unless it has 1 to 40 lower-case letters and digits, as Django's own keys have."""
        super().__init__(session_key if session_key and KEY.fullmatch(session_key) else None)

    def load(self) -> dict[str, Any]:
        """Returns the data of the session; if no valid session has this key, drops the key and returns {}."""
        found = _session.first(self.session_key or "", timezone.now())
        held: dict[str, Any] = self.decode(found.session_data) if found else super().load()
        return held


class Sessions(SessionMiddleware):
    """Django's middleware, but a response deletes the cookie only if its view has ended the session.

    Taking a seat gives the session a new key. A request that the browser has sent with the old key may be
    answered after that; if its response deleted the cookie, as Django's does for an unknown session, the
    browser would lose the new key.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        session = getattr(request, "session", None)
        if session is None or not session.is_empty() or session.modified:
            return super().process_response(request, response)
        if session.accessed:
            patch_vary_headers(response, ("Cookie",))
        return response
