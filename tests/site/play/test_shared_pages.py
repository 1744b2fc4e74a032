"""One render of a page serves all whom the site does not know, or all alike; plans are kept apart."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import override_settings

from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.play import plain_pages, planning, shared_pages, views
from robosite.web.caches import made_once
from robosite.web.http import SIGN
from tests.site.browsers import FIRST, OTHER, Browser, Table, has_word, sit_down, text

PART = {"HX-Request": "true", "HX-Target": "live"}


@pytest.fixture(autouse=True)
def _kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes longer between two looks than a page is kept."""
    monkeypatch.setattr(shared_pages, "SECONDS", 1_000.0)


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> Callable[[], int]:
    """Tells how often this function was called since it was asked last."""
    count, call = [0], getattr(module, name)

    def counting(*given: Any, **more: Any) -> Any:
        count[0] += 1
        return call(*given, **more)

    def since() -> int:
        said, count[0] = count[0], 0
        return said

    monkeypatch.setattr(module, name, counting)
    return since


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Tells how often a match's page was rendered since it was asked last."""
    return counted(monkeypatch, views, "respond")


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


def test_a_change_of_the_match_is_seen_at_once_and_a_new_name_after_a_while(
    table: Table, renders: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/m/{table.key}/"
    for browser in (watcher(), watcher()):
        assert 'data-turn="0"' in text(browser.get(path, headers=PART))
    assert renders() == 1
    table.play((FIRST, OTHER))
    for browser in (watcher(), watcher()):
        assert 'data-turn="1"' in text(browser.get(path, headers=PART))
    Seat.objects.filter(pk=table.a.pk).update(name="Zoe")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + shared_pages.SECONDS + 0.1)
    assert "Zoe" in text(watcher().get(path))
    Match.objects.filter(pk=table.match.pk).update(watched=False)
    assert watcher().get(path).status_code == 403, "a match for its players only"


def test_nobody_known_reads_or_leaves_a_shared_page_nor_do_odd_questions(
    table: Table, renders: Callable[[], int]
) -> None:
    path = f"/m/{table.key}/"
    own = text(table.alice.get(f"{path}?public"))
    assert "You play here" in own
    assert "You play here" not in text(watcher().get(path))
    assert text(table.alice.get(f"{path}?public")).count("You play here") == 1
    assert renders() == 3
    watcher().get(path)
    assert renders() == 0
    kept = len(shared_pages._pages)
    for _ in range(2):
        watcher().get(path, {"utm": "x"})
        watcher().head(path)
    assert renders() == 4 and len(shared_pages._pages) == kept


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


PAGES = ("/", "/rules/pigs/", "/learn/roboxing/", "/new/robble/")


TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    made_once.clear()


@pytest.fixture
def plain_renders(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Tells how often a page was rendered to be kept since it was asked last."""
    return counted(monkeypatch, plain_pages, "_rendered")


def named(name: str) -> Browser:
    """Somebody who has a name here, and no match that waits."""
    browser = Browser(name, enforce_csrf_checks=True)
    token = TOKEN.search(text(browser.get("/")))
    assert token
    form = {"name": name, "game": "pigs", "seats": "2", "with": "link", "csrfmiddlewaretoken": token[1]}
    assert browser.post("/matches/", form).status_code == 302
    return browser


@pytest.mark.parametrize("page", PAGES)
def test_each_reader_has_a_name_and_a_token_that_counts(page: str, plain_renders: Callable[[], int]) -> None:
    readers = [named("Zoe <3"), named("Yves"), Browser("nobody", enforce_csrf_checks=True)]
    made_once.clear()
    plain_renders()
    pages = [reader.get(page).content.decode() for reader in readers]
    assert plain_renders() == 2, "one for readers with a name, one for those without"
    assert "Zoe &lt;3" in pages[0] and not has_word(pages[1] + pages[2], "Zoe")
    assert "Yves" in pages[1] and not has_word(pages[0] + pages[2], "Yves")
    tokens = [set(TOKEN.findall(shown)) for shown in pages]
    assert [len(found) for found in tokens] == [1, 1, 1] and len(set.union(*tokens)) == 3
    assert not any(SIGN in shown for shown in pages)
    for reader, (token,) in zip(readers, tokens, strict=True):
        form = {"language": "en", "next": "/", "csrfmiddlewaretoken": token}
        assert reader.post("/language/", form).status_code == 302


@pytest.mark.parametrize("page", PAGES)
def test_it_is_the_page_that_would_be_rendered_for_the_reader(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With DEBUG nothing is kept: the comparison is with a page of one's own."""
    reader = named("Ada & Co.")
    kept = [text(reader.get(page)) for _ in range(2)]
    monkeypatch.setattr(plain_pages, "settings", SimpleNamespace(DEBUG=True))
    own = text(reader.get(page))
    assert len({re.sub(r"\b\w{64}\b", "a token", shown) for shown in (*kept, own)}) == 1


def test_another_language_zone_or_host_has_a_page_of_its_own(plain_renders: Callable[[], int]) -> None:
    reader = Browser("a reader")
    assert 'lang="en"' in text(reader.get("/")) and plain_renders() == 1
    assert 'lang="de"' in text(reader.get("/", headers={"Accept-Language": "de"})) and plain_renders() == 1
    for zone in ("Asia/Tokyo", "Europe/Rome"):
        reader.cookies["zone"] = zone
        assert f"<option selected>{zone}</option>" in text(reader.get("/new/pigs/"))
        assert plain_renders() == 1
    with override_settings(ALLOWED_HOSTS=["one.example", "two.example"]):
        for host in ("one.example", "two.example"):
            assert f"http://{host}/" in text(reader.get("/", headers={"Host": host}))
        assert plain_renders() == 2
    assert reader.get("/new/pigs/?preset=bash").status_code == 200
    assert reader.get("/learn/pigs/1/?order=FFFFF").status_code == 200
    assert plain_renders() == 0, "what an address asks is not kept"


def test_what_waits_is_counted(table: Table) -> None:
    first = text(table.alice.get("/rules/pigs/"))
    assert "waiting for you" in first and "(1)" in first.partition("</title>")[0]
    assert "(1)" not in text(Browser("nobody").get("/rules/pigs/"))


def kept() -> list[tuple[object, ...]]:
    return [key for key in made_once if key[0] == "plan"]


def test_the_same_position_in_another_match_or_for_a_new_player_finds_no_plan_of_the_first(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    other = Match.objects.get(pk=sit_down(alice, bob, charlie).match.pk)
    Match.objects.filter(pk=other.pk).update(setup=table.match.setup, given_options=table.match.given_options)
    for key in (table.match.pk, other.pk):
        seat = Seat.objects.select_related("match").get(match=key, letter="A")
        for _ in range(2):
            planning.show_plan(state_of(seat.match), seat, "F . . . .")
    assert len(kept()) == 2
    assert len({key[3:] for key in kept()}) == 1  # the same position, seat and text
    seat.sitting += 1
    planning.show_plan(state_of(seat.match), seat, "F . . . .")
    assert len(kept()) == 3
