"""One render of a match's page serves all watchers whom the site does not know, and nobody else."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from robosite.matches.models import Match, Seat
from robosite.play import match_context, shared_pages, views
from tests.site.browsers import FIRST, OTHER, Browser, Table, text

PART = {"HX-Request": "true", "HX-Target": "live"}


@pytest.fixture(autouse=True)
def _kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes longer between two looks than a page is kept."""
    monkeypatch.setattr(shared_pages, "SECONDS", 1_000.0)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Tells how often a page was rendered since it was asked last."""
    count = [0]
    respond = match_context.respond

    def counted(*given: Any, **more: Any) -> Any:
        count[0] += 1
        return respond(*given, **more)

    def since() -> int:
        said, count[0] = count[0], 0
        return said

    monkeypatch.setattr(views, "respond", counted)
    return since


def watcher() -> Browser:
    return Browser("a watcher", enforce_csrf_checks=True)


def form_token(page: Any) -> str:
    tokens = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', text(page)))
    (header,) = re.findall(r"\"X-CSRFToken\": \"(\w+)\"", text(page))
    assert tokens <= {header}
    return header


def test_watchers_share_a_render_and_have_tokens_of_their_own(
    table: Table, renders: Callable[[], int]
) -> None:
    one, other = watcher(), watcher()
    pages = [browser.get(f"/m/{table.key}/") for browser in (one, other)]
    assert renders() == 1
    tokens = [form_token(page) for page in pages]
    assert tokens[0] != tokens[1]
    assert len({text(page).replace(token, "") for page, token in zip(pages, tokens, strict=True)}) == 1
    for browser, token in zip((one, other), tokens, strict=True):
        form = {"language": "de", "next": "/", "csrfmiddlewaretoken": token}
        assert browser.post("/language/", form).status_code == 302
    assert (
        watcher().post("/language/", {"language": "de", "csrfmiddlewaretoken": tokens[0]}).status_code == 403
    )


def test_a_change_of_the_match_is_seen_at_once(table: Table, renders: Callable[[], int]) -> None:
    path = f"/m/{table.key}/"
    for browser in (watcher(), watcher()):
        assert 'data-turn="0"' in text(browser.get(path, headers=PART))
    assert renders() == 1
    table.play((FIRST, OTHER))
    for browser in (watcher(), watcher()):
        assert 'data-turn="1"' in text(browser.get(path, headers=PART))


def test_nobody_known_reads_or_leaves_a_shared_page(table: Table, renders: Callable[[], int]) -> None:
    path = f"/m/{table.key}/"
    own = text(table.alice.get(f"{path}?public"))
    assert "You play here" in own
    assert "You play here" not in text(watcher().get(path))
    assert text(table.alice.get(f"{path}?public")).count("You play here") == 1
    assert renders() == 3
    watcher().get(path)
    assert renders() == 0


def test_what_an_address_or_a_browser_asks_for_is_told_apart(
    table: Table, renders: Callable[[], int]
) -> None:
    table.play((FIRST, OTHER), (FIRST, OTHER))
    path = f"/m/{table.key}/"
    renders()
    seen = {
        "plain": text(watcher().get(path)),
        "part": text(watcher().get(path, headers=PART)),
        "film": text(watcher().get(path, headers={**PART, "HX-Target": "film"})),
        "turn": text(watcher().get(path, {"at": "1.1"})),
        "language": text(watcher().get(path, headers={"Accept-Language": "de"})),
    }
    assert renders() == len(seen) == len(set(seen.values()))
    before = watcher()
    before.cookies["seen"] = "1"
    assert "since your last visit" in text(before.get(path))
    assert "since your last visit" not in text(watcher().get(path))
    assert before.cookies["seen"].value == "2"
    late = watcher()
    late.get(path)
    assert late.cookies["seen"].value == "2"
    assert renders() == 1


def test_odd_questions_leave_nothing(table: Table, renders: Callable[[], int]) -> None:
    kept = len(shared_pages._pages)
    for _ in range(2):
        watcher().get(f"/m/{table.key}/", {"utm": "x"})
        watcher().head(f"/m/{table.key}/")
    assert renders() == 4 and len(shared_pages._pages) == kept


def test_a_new_name_is_seen_after_a_while(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"/m/{table.key}/"
    watcher().get(path)
    Seat.objects.filter(pk=table.a.pk).update(name="Zoe")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + shared_pages.SECONDS + 0.1)
    assert "Zoe" in text(watcher().get(path))


def test_a_match_for_its_players_only_is_shut_at_once(table: Table) -> None:
    path = f"/m/{table.key}/"
    assert watcher().get(path).status_code == 200
    Match.objects.filter(pk=table.match.pk).update(watched=False)
    assert watcher().get(path).status_code == 403


def test_a_page_that_a_browser_has_is_not_sent_again(table: Table) -> None:
    browser, other = watcher(), watcher()
    address = f"/m/{table.key}/"
    first = browser.get(address)
    again = browser.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == first["Cache-Control"] and again["ETag"] == first["ETag"]
    other.get(address)
    assert other.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200  # another token
    part = browser.get(address, headers=PART | {"If-None-Match": first["ETag"]})
    assert part.status_code == 200 and {"HX-Request", "HX-Target"} <= set(part["Vary"].split(", "))
    table.alice.seal(table.a, "F F F F F")
    changed = browser.get(address, headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200 and changed["ETag"] != first["ETag"]
    rules = browser.get("/rules/pigs/")
    assert browser.get("/rules/pigs/", headers={"If-None-Match": rules["ETag"]}).status_code == 304
    assert other.get("/rules/pigs/", headers={"If-None-Match": rules["ETag"]}).status_code == 200
