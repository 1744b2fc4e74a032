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


NO_PAGE = {"default-src 'none'"}
"""The policy of answers that a script asked for and no cache keeps: nobody can have them shown as a page."""


def keeps_the_promises(answer: Any, path: str = "/", *, htmx: bool = False) -> None:
    framed = path.endswith("/embed/") and answer.status_code == 200
    by_script = htmx and "no-store" in answer.headers.get("Cache-Control", "")
    is_file = path == "/early.json"
    policy = FRAMED if framed else NO_PAGE if by_script or is_file else STRICT
    given = set(answer.headers["Content-Security-Policy"].split("; "))
    if path == "/verify/" and answer.status_code == 200:  # a file that asks nobody for anything
        hashes = {part for part in given if re.fullmatch(r"(script|style)-src 'sha256-[\w+/]{43}='", part)}
        assert len(hashes) == 2
        assert given - hashes == NO_PAGE | {"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"}
    else:
        assert given == policy
    assert not (framed or by_script) or "X-Frame-Options" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    secret = path.startswith("/s/")
    referrer = "strict-origin" if secret else "same-origin"
    assert answer.headers.get("Referrer-Policy") == (None if by_script or is_file else referrer)
    unindexed = path.startswith(("/m/", "/s/", "/l/")) and not by_script
    assert answer.headers.get("X-Robots-Tag") == ("noindex" if unindexed else None)
    opener = None if by_script or is_file else "same-origin"
    assert answer.headers.get("Cross-Origin-Opener-Policy") == opener
    resource = None if by_script else "cross-origin" if framed else "same-origin"
    assert answer.headers.get("Cross-Origin-Resource-Policy") == resource
    assert ("camera=()" in answer.headers.get("Permissions-Policy", "")) == (not by_script and not is_file)


def names_no_foreign_host(answer: Any) -> None:
    page = answer.content.decode().replace("http://testserver/", "").replace("http://www.w3.org/2000/svg", "")
    assert 'src="http' not in page and "src='http" not in page and 'src="//' not in page
    assert "style=" not in page.replace("data-style=", "")
    assert "<script>" not in page and " onclick=" not in page
