"""Sessions in the database, as Django keeps them, read by a query that is compiled once."""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.core import signing
from django.utils import timezone

from robosite.prepared import Prepared

KEY = re.compile(r"[a-z0-9]{1,40}")

_session = Prepared(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), str, datetime
)


class _Bytes:
    """What was signed, as it is."""

    def loads(self, data: bytes) -> bytes:
        return data


@lru_cache(4096)
def _signed(text: str, salt: str) -> bytes:
    """What a session holds, whose signature is right; raises signing.BadSignature."""
    held: bytes = signing.loads(text, salt=salt, serializer=_Bytes)  # type: ignore[arg-type]
    return held


class SessionStore(db.SessionStore):
    def __init__(self, session_key: str | None = None) -> None:
        """A cookie may hold anything; what is no key of Django's, letters and digits, is not looked for."""
        super().__init__(session_key if session_key and KEY.fullmatch(session_key) else None)

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """The session. A text whose signature was right once is right again; others are Django's to judge."""
        try:
            held: dict[str, Any] = json.loads(_signed(str(session_data), self.key_salt))
        except (signing.BadSignature, ValueError):
            held = super().decode(session_data)
        return held

    def _get_session_from_db(self) -> Session | None:
        found = _session.first(self.session_key or "", timezone.now())
        if found is None:
            self._session_key = None
        return found
