"""Django's sessions in the database, read by a prepared query (`engine/prepared.py`)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

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
