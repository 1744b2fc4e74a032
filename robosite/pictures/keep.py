"""Pictures once drawn are kept: in files of DATA_DIR, or in Redis where there is one; as many as `MOST`."""

from __future__ import annotations

import hashlib
import logging
from functools import cache as once

from django.conf import settings
from django.core.cache import caches

log = logging.getLogger("robosite")

SECONDS = 30 * 24 * 3600


def find(name: str) -> bytes | None:
    """The picture of that name, if it was drawn before. A cache that does not answer hinders nobody."""
    try:
        found = caches["pictures"].get(f"{_drawn_by()}/{name}")
    except Exception:
        log.warning("the cache of pictures does not answer", exc_info=True)
        return None
    return None if found is None else bytes(found)


def keep(name: str, drawn: bytes) -> bytes:
    try:
        caches["pictures"].set(f"{_drawn_by()}/{name}", drawn, SECONDS)
    except Exception:
        log.warning("the cache of pictures does not answer", exc_info=True)
    return drawn


@once
def _drawn_by() -> str:
    """What pictures are drawn with: new templates or styles draw new pictures."""
    hashed = hashlib.sha256()
    for folder, kinds in (("templates/games", "*.svg"), ("templates/pictures", "*"), ("static/css", "*.css")):
        for path in sorted((settings.BASE_DIR / folder).rglob(kinds)):
            if path.is_file():
                hashed.update(path.read_bytes())
    return hashed.hexdigest()[:12]
