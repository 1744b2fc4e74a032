"""Every address, asked once for everybody: who may, what each answer promises, and that nothing is mixed up.

All tests share one world, and one answer to the same request of the same browser: every request is undone.
"""

from __future__ import annotations

import html
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from cachetools import Cache
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings
from django.urls import resolve

from robosite.matches.models import Match
from robosite.people.zones import all_zones
from tests.games.cases import size
from tests.site.browsers import Answer, Browser, text
from tests.site.promises import LINK, keeps_the_promises, names_no_foreign_host
from tests.site.routes import HTMX, PEOPLE, Ask, asks
from tests.site.sameness import NOW
from tests.site.world import World, undone, world

MARK = "zq7xkw9vbn"
NAMES = (
    "zzz",
    "at",
    "before",
    "page",
    "from",
    "said",
    "next",
    "order",
    "step",
    "tab",
    "game",
    "theme",
    "sat",
)


class Walk(World):
    """A world that remembers its answers, without what the test client keeps beside them."""

    answers: dict[tuple[str, str], Answer]

    def ask(self, who: str, ask: Ask) -> Answer:
        known = who, ask.said
        if known not in self.answers:
            self.answers[known] = answer = super().ask(who, ask)
            for name in ("client", "context", "request", "resolver_match", "templates", "wsgi_request"):
                answer.__dict__.pop(name, None)
        return self.answers[known]


def pages_of(there: World) -> list[Ask]:
    """The requests to every address; in the short form no writes to the matches that are open or over."""
    return [ask for ask in asks(there) if size(ask.method == "GET" or ask.table in ("playing", "none"), True)]


@pytest.fixture(scope="module")
def there(django_db_setup: Any, django_db_blocker: Any) -> Iterator[World]:
    with override_settings(OPEN_TABLES=True), django_db_blocker.unblock(), transaction.atomic():
        made = Walk(**vars(world()))
        made.answers = {}
        yield made
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    "about", ["none", "playing", *(pytest.param(table, marks=pytest.mark.slow) for table in ("open", "over"))]
)
def test_everybody_may_what_the_table_says_and_nothing_else(there: World, about: str) -> None:
    wrong = []
    for ask in asks(there):
        if ask.name.startswith("admin:") or (ask.where.split()[1:2] == ["B"]) or ask.table != about:
            continue
        alike = len({*ask.may}) == 1
        for who, column in PEOPLE.items():
            if alike and who not in size(("anyone", "Alice"), (*PEOPLE,)):
                continue
            status = there.ask(who, ask).status_code
            if status != ask.may[column]:
                wrong.append((ask.name, ask.where, ask.path, who, status))
    assert not wrong


@pytest.mark.parametrize(
    "about", ["playing", *(pytest.param(table, marks=pytest.mark.slow) for table in ("open", "over"))]
)
def test_what_alice_may_at_her_seat_she_may_not_at_bobs(there: World, about: str) -> None:
    at_bobs = [ask for ask in asks(there) if ask.where.split() == [about, "B"]]
    assert len(at_bobs) > 15
    for ask in at_bobs:
        for who in PEOPLE.keys() - {"Bob"}:
            assert there.ask(who, ask).status_code == 403, (who, ask)


def test_only_staff_sees_the_admin(there: World) -> None:
    pages = [ask for ask in asks(there) if ask.name.startswith("admin:")]
    assert len(pages) > 15
    for ask in pages:
        for who in PEOPLE.keys() - {"staff"}:
            answer = there.ask(who, ask)
            if ask.name == "admin:login":
                assert answer.status_code == 200
            elif ask.name == "admin:logout":
                assert answer.status_code in (302, 405)
            else:
                assert answer.status_code == 302 and answer["Location"].startswith("/admin/login/"), ask
        assert there.ask("staff", ask).status_code in (200, 302, 403, 404, 405), ask


def test_every_address_takes_only_its_own_methods(there: World) -> None:
    """On the pages GET goes with HEAD, all else is refused; the API's own tests say so for its calls."""
    pages = [ask for ask in asks(there) if not ask.name.startswith(("admin:", "api-"))]
    before = list(Match.objects.order_by("pk").values())
    for name in {ask.name for ask in pages}:
        own = {ask.method for ask in pages if ask.name == name}
        allowed = own | {"HEAD"} if "GET" in own else own
        ask = next(ask for ask in pages if ask.name == name)
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
            if method not in allowed:
                answer = there.ask("Alice", ask._replace(method=method, data=None))
                assert answer.status_code == 405, (name, method)
                assert set(answer["Allow"].split(", ")) == allowed
    assert list(Match.objects.order_by("pk").values()) == before


@pytest.mark.integration
def test_every_page_has_a_way_back_and_no_link_leads_off_the_pages(there: World) -> None:
    """An app on the home screen has no button to go back: what is no page is downloaded."""
    links: dict[str, str] = {}
    for ask in pages_of(there):
        answer = there.ask("Alice", ask)
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        if ask.name.startswith("admin:") or not is_page or "<html" not in text(answer):
            continue
        if ask.name == "embed" and answer.status_code == 200:  # on other sites' pages, and opens a new one
            assert 'target="_blank"' in text(answer)
            continue
        if ask.name == "verify":  # a file for the reader's disk, which opens in a new window
            continue
        assert re.search('<a class="(?:logo|back)"', text(answer)), ask
        for tag in re.findall(r"<a\b[^>]*>", text(answer)):
            at = re.search(r'\shref="(/[^"#]*)', tag)
            if at and "download" not in tag and 'target="_blank"' not in tag:
                links.setdefault(html.unescape(at[1]), tag)
    assert len(links) > 100
    known: Counter[str] = Counter()
    for path, tag in links.items():
        known[resolve(urlsplit(path).path).view_name] += 1
        if known[resolve(urlsplit(path).path).view_name] > size(2, 1_000):
            continue
        answer = there.ask("Alice", Ask("", "GET", "", path))
        kind = answer.headers.get("Content-Type", "text/html")
        assert kind.startswith("text/html"), (tag, kind)


def test_cookies_give_programs_no_right(there: World) -> None:
    """So no other site can make a browser that is at its seat write to the API."""
    without = World(**{field.name: getattr(there, field.name) for field in fields(World)} | {"tokens": {}})
    writes = [ask for ask in asks(there) if ask.name.startswith("api-match-") and ask.method != "GET"]
    for ask in (ask for ask in writes if ask.name != "api-match-seats"):
        assert without.ask("Alice", ask).status_code == 401, ask


def test_every_address_keeps_the_promises(there: World) -> None:
    seen = set()
    for ask in pages_of(there):
        staff = ask.name.startswith("admin:")
        answer = there.ask("staff" if staff else "Alice", ask)
        seen.add(answer.status_code)
        keeps_the_promises(answer, ask.path, htmx="HX-Request" in ask.headers)
        if answer.get("Content-Type", "").startswith("text/html") and not staff:
            names_no_foreign_host(answer)
    assert {200, 201, 204, 302, 403, 404, 409, 422} <= seen


def test_every_unsafe_address_wants_the_forms_token(there: World) -> None:
    unsafe = [ask for ask in asks(there) if ask.method == "POST" and not ask.path.startswith("/api/")]
    unsafe = [
        ask for ask in unsafe if ask.name != "unsubscribe"
    ]  # one click in a mail reader: its link is enough
    assert len({ask.name for ask in unsafe}) >= 13
    before = list(Match.objects.order_by("pk").values())
    strict = Browser("Alice", enforce_csrf_checks=True)
    strict.cookies = there.people["Alice"].cookies
    there.people["strict"] = strict
    for ask in unsafe:
        answer = World.ask(there, "strict", ask)
        assert answer.status_code == 403 and "Please try again" in text(answer), ask
    assert list(Match.objects.order_by("pk").values()) == before


@pytest.mark.integration
@pytest.mark.fuzz
def test_a_page_that_shows_a_secret_says_nothing_back_of_what_its_address_asks(there: World) -> None:
    """It is compressed: its length would tell whoever watches the line what both have in common (BREACH)."""
    shown: set[str] = set()
    for who in size(("Alice",), ("Alice", "Bob", "watcher", "elsewhere")):
        for ask in asks(there):
            if ask.method != "GET" or ask.path.startswith(("/api/", "/admin/")) or ask.headers:
                continue
            marked = "&".join(f"{name}={MARK}" for name in NAMES)
            path = f"{ask.path}{'&' if '?' in ask.path else '?'}{marked}"
            answer: Any = World.ask(there, who, ask._replace(path=path))
            if answer.streaming or "text/html" not in answer["Content-Type"]:
                continue
            body = text(answer)
            if LINK.search(body):
                shown.add(ask.name)
                assert MARK not in body, (who, path)
    assert {"seat", "invite", "seat-link"} <= shown, "pages that do show one were looked at"


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


OF_DISK = (all_zones,)
"""Functions that keep what they have read of this machine alone."""


@lru_cache(maxsize=1)
def caches(modules: int) -> list[Callable[[], Any]]:
    """The functions that empty what this process keeps between requests, with so many modules loaded."""
    found: list[Callable[[], Any]] = [lambda: cache.delete("overview")]
    for name, module in list(sys.modules.items()):
        if name.startswith(("robosite.", "games.")):
            for value in vars(module).values():
                if isinstance(value, Cache):
                    found.append(value.clear)
                elif hasattr(value, "cache_clear") and name.startswith("robosite.") and value not in OF_DISK:
                    found.append(value.cache_clear)
    return found


def forget() -> None:
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
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "X-Request-ID")
    return answer.status_code, headers, str(answer.cookies), b"" if answer.streaming else answer.content


def fresh(there: World, ask: Ask, visitor: Visitor, same: Callable[[str], None]) -> tuple[Any, ...]:
    """The answer to somebody who is the first that asks."""
    forget()
    same("a seed")
    return told(answered(there, ask, visitor))


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.parametrize(
    "difference", [pytest.param(what, marks=() if what in OFTEN else pytest.mark.more) for what in DIFFERENT]
)
def test_the_second_visitor_gets_nothing_that_hangs_on_the_first(
    there: World, difference: str, same: Callable[[str], None]
) -> None:
    different = DIFFERENT[difference]
    playing = Match.objects.filter(key=there.keys["playing"])  # with times on its pages
    playing.update(deadline_hours=24, deadline=NOW + timedelta(hours=5))
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
