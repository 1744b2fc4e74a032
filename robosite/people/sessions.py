"""Sessions in the database, as Django keeps them, read by a query that is compiled once."""

from __future__ import annotations

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from robosite.prepared import Prepared

_session = Prepared(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), str, datetime
)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        found = _session.first(self.session_key or "", timezone.now())
        if found is None:
            self._session_key = None
        return found
