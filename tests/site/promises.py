"""The promises that every answer of the site keeps, whatever was asked."""

from __future__ import annotations

import re
from typing import Any

LINK = re.compile(r"/s/[a-z]+/[\w-]{20,}")
"""A secret link."""

STRICT = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "manifest-src 'self'",
    "worker-src 'self'",
}


FRAMED = {
    "default-src 'none'",
    "img-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors *",
}
"""A finished match inside other pages: it runs nothing, sends nothing, and anybody may frame it."""


def keeps_the_promises(answer: Any, path: str = "/", *, htmx: bool = False) -> None:
    framed = path.endswith("/embed/") and answer.status_code == 200
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == (FRAMED if framed else STRICT)
    assert not framed or "X-Frame-Options" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    secret = path.startswith("/s/")
    assert answer.headers["Referrer-Policy"] == ("strict-origin" if secret else "same-origin")
    unindexed = path.startswith(("/m/", "/s/", "/l/"))
    assert answer.headers.get("X-Robots-Tag") == ("noindex" if unindexed else None)
    by_script = htmx and "no-store" in answer.headers.get("Cache-Control", "")
    assert answer.headers.get("Cross-Origin-Opener-Policy") == (None if by_script else "same-origin")
    assert answer.headers["Cross-Origin-Resource-Policy"] == ("cross-origin" if framed else "same-origin")
    assert "camera=()" in answer.headers["Permissions-Policy"]


def names_no_foreign_host(answer: Any) -> None:
    page = answer.content.decode().replace("http://testserver/", "").replace("http://www.w3.org/2000/svg", "")
    assert 'src="http' not in page and "src='http" not in page and 'src="//' not in page
    assert "style=" not in page.replace("data-style=", "")
    assert "<script>" not in page and " onclick=" not in page
