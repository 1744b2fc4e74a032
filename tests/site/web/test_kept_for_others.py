"""Whatever is kept for more than one request names all that it depends on.

Each address is asked by two visitors who differ in one thing. The second one must get what they would get
from a process that has kept nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import pytest
from cachetools import Cache
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings

from robosite.matches.models import Match
from tests.games.sizes import size
from tests.site.browsers import Answer
from tests.site.routes import HTMX, Ask, asks
from tests.site.sameness import NOW
from tests.site.world import World, undone, world

pytestmark = [pytest.mark.django_db, pytest.mark.fuzz]

HOSTS = ["testserver", "other.example"]


class Visitor(NamedTuple):
    """Somebody who asks: who they are, and what else a request can differ in."""

    who: str = "Alice"
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    extra: dict[str, Any] = {}


PLAIN = Visitor()
DIFFERENT = {
    "prefix": Visitor(extra={"SCRIPT_NAME": "/evil.example"}),
    "host": Visitor(extra={"headers": {"Host": "other.example"}}),
    "scheme": Visitor(extra={"secure": True}),
    "language": Visitor(headers={"Accept-Language": "de"}),
    "zone": Visitor(cookies={"zone": "Pacific/Auckland"}),
    "another guest": Visitor("Bob"),
    "a watcher": Visitor("watcher"),
    "nobody": Visitor("anyone"),
    "staff": Visitor("staff"),
    "cookies": Visitor(cookies={"seen": "1", "theme": "dark", "offline": "1", "django_language": "es"}),
    "htmx": Visitor(headers=HTMX),
    "a part": Visitor(headers={**HTMX, "HX-Target": "film", "HX-Current-URL": "http://evil.example/"}),
    "headers": Visitor(
        headers={
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Proto": "https",
            "Referer": "http://evil.example/",
            "User-Agent": "evil.example",
            "Accept": "application/json",
            "Save-Data": "on",
            "Prefer": "return=minimal",
            "Sec-Purpose": "prefetch",
        }
    ),
}
"""Visitors who differ from PLAIN in one thing each."""
OFTEN = ("nobody",)


@pytest.fixture(scope="module")
def there(django_db_setup: Any, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        made = world()  # with times on its pages
        Match.objects.filter(key=made.keys["playing"]).update(
            deadline_hours=24, deadline=NOW + timedelta(hours=5)
        )
        yield made
        transaction.set_rollback(True)


@lru_cache(maxsize=1)
def caches(modules: int) -> list[Callable[[], Any]]:
    """The functions that empty what this process keeps between requests, with so many modules loaded."""
    found: list[Callable[[], Any]] = [lambda: cache.delete("overview")]
    for name, module in list(sys.modules.items()):
        if name.startswith(("robosite.", "games.")):
            for value in vars(module).values():
                if isinstance(value, Cache):
                    found.append(value.clear)
                elif hasattr(value, "cache_clear") and name.startswith("robosite."):
                    found.append(value.cache_clear)
    return found


def forget() -> None:
    """Empties whatever this process keeps between requests."""
    for clear in caches(len(sys.modules)):
        clear()


def answered(there: World, ask: Ask, visitor: Visitor) -> Answer:
    browser = there.people[visitor.who]
    headers = {**ask.headers, **visitor.headers}
    token = there.tokens.get(f"{visitor.who} {ask.where}") or there.tokens.get(visitor.who)
    if token and ask.path.startswith("/api/"):
        headers["Authorization"] = f"Bearer {token}"
    extra = dict(visitor.extra)
    headers |= extra.pop("headers", {})

    def asking() -> Answer:
        for name, value in visitor.cookies.items():
            browser.cookies[name] = value
        return browser.get(ask.path, headers=headers, **extra)

    return undone(browser, asking)


def told(answer: Answer) -> tuple[Any, ...]:
    """All of an answer that its reader gets."""
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "X-Request-ID")
    return answer.status_code, headers, str(answer.cookies), b"" if answer.streaming else answer.content


def fresh(there: World, ask: Ask, visitor: Visitor, same: Callable[[str], None]) -> tuple[Any, ...]:
    """The answer to somebody who is the first that asks."""
    forget()
    same("a seed")
    return told(answered(there, ask, visitor))


@pytest.mark.integration
@pytest.mark.parametrize(
    "difference", [pytest.param(what, marks=() if what in OFTEN else pytest.mark.more) for what in DIFFERENT]
)
def test_the_second_visitor_gets_nothing_that_hangs_on_the_first(
    there: World, difference: str, same: Callable[[str], None]
) -> None:
    different = DIFFERENT[difference]
    differ, seen = 0, set[tuple[str, ...]]()
    with override_settings(ALLOWED_HOSTS=HOSTS):
        for ask in asks(there):
            known = size((ask.name,), (ask.name, ask.table))
            if ask.method != "GET" or ask.name.startswith("admin:") or known in seen:
                continue
            seen.add(known)
            own = [fresh(there, ask, visitor, same) for visitor in (PLAIN, different)]
            ways = ((different, PLAIN, own[0]), (PLAIN, different, own[1]))
            for first, second, wanted in ways[: size(1, 2)]:
                forget()
                answered(there, ask, first)
                same("a seed")
                assert told(answered(there, ask, second)) == wanted, (difference, first.who, ask)
            differ += own[0] != own[1]
    assert len(seen) > 60
    assert differ > 3 or difference in ("prefix", "headers"), "the difference is one that can be seen"
