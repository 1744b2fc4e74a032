"""What the views of all apps share: how long an answer may be kept, and whole addresses."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.views.decorators.cache import cache_control

private = cache_control(private=True, no_cache=True)
"""For a page that is one reader's: it may be kept, and is asked for again before it is shown."""
secret = cache_control(no_store=True, private=True)
"""For a page with a secret: it is kept nowhere."""


def absolute(request: HttpRequest, path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
