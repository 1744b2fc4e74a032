"""The parameters that each address reads, and requests with an odd value in the place of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import QueryDict

from robosite.api.calls import CALLS
from robosite.api.urls import name_of
from tests.site.garbage import KINDS, Odd, quoted
from tests.site.routes import Ask
from tests.site.world import World


@contextmanager
def recorded() -> Iterator[set[str]]:
    """The names that anybody looks for in queries and forms meanwhile."""
    found: set[str] = set()
    real = {way: getattr(QueryDict, way) for way in ("__getitem__", "__contains__", "getlist")}

    def noted(way: str) -> Any:
        def look(self: QueryDict, name: Any, *more: Any, **given: Any) -> Any:
            found.add(str(name))
            return real[way](self, name, *more, **given)

        return look

    for way in real:
        setattr(QueryDict, way, noted(way))
    try:
        yield found
    finally:
        for way, one in real.items():
            setattr(QueryDict, way, one)


def of_call(ask: Ask) -> list[str] | None:
    """The parameters and the fields of the body of a call of the API; None for an address that is none."""
    for call in CALLS:
        if (name_of(call.path), call.method) == (ask.name, ask.method):
            return [*call.asked_for, *call.body_fields]
    return None


def plain(ask: Ask, who: str) -> Odd:
    """The request as it is."""
    return _odd(ask, who, ask.path, dict(ask.data or {}), dict(ask.headers))


def with_value(there: World, ask: Ask, who: str, name: str, value: str) -> Odd:
    """The request with that value of a parameter in its query and its form or body, and with a token."""
    path = f"{ask.path}{'&' if '?' in ask.path else '?'}{quoted(name)}={quoted(value)}"
    token = there.tokens.get(f"{who} {ask.where.partition(' ')[0] or 'program'}")
    own = {"Authorization": f"Bearer {token}"} if token and path.startswith("/api/") else {}
    return _odd(ask, who, path, {**(ask.data or {}), name: value}, {**own, **ask.headers})


def _odd(ask: Ask, who: str, path: str, fields: dict[str, Any], headers: dict[str, str]) -> Odd:
    if ask.method in ("GET", "HEAD"):
        body, kind = b"", ""
    elif path.startswith("/api/"):
        body, kind = (
            json.dumps(fields).encode("utf-8", "surrogatepass") if fields else b"",
            "application/json",
        )
    else:
        body, kind = "&".join(f"{quoted(n)}={quoted(str(v))}" for n, v in fields.items()).encode(), KINDS[0]
    return Odd(ask.name, who, ask.method, path, body, kind, headers)
