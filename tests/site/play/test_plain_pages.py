"""Plain pages and plans are kept apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import override_settings

from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.play import plain_pages, planning
from robosite.web.caches import made_once
from robosite.web.http import SIGN
from tests.site.browsers import Browser, Table, has_word, sit_down, text

pytestmark = pytest.mark.django_db


PAGES = ("/", "/rules/pigs/", "/learn/roboxing/", "/new/robble/")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    made_once.clear()


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Tells how often a page was rendered to be kept since it was asked last."""
    count = [0]
    rendered = plain_pages._rendered

    def counted(*given: Any) -> str:
        count[0] += 1
        return rendered(*given)

    def since() -> int:
        said, count[0] = count[0], 0
        return said

    monkeypatch.setattr(plain_pages, "_rendered", counted)
    return since


def named(name: str) -> Browser:
    """Somebody who has a name here, and no match that waits."""
    browser = Browser(name, enforce_csrf_checks=True)
    token = TOKEN.search(text(browser.get("/")))
    assert token
    form = {"name": name, "game": "pigs", "seats": "2", "with": "link", "csrfmiddlewaretoken": token[1]}
    assert browser.post("/matches/", form).status_code == 302
    return browser


@pytest.mark.parametrize("page", PAGES)
def test_each_reader_has_a_name_and_a_token_that_counts(page: str, renders: Callable[[], int]) -> None:
    readers = [named("Zoe <3"), named("Yves"), Browser("nobody", enforce_csrf_checks=True)]
    made_once.clear()
    renders()
    pages = [reader.get(page).content.decode() for reader in readers]
    assert renders() == 2, "one for readers with a name, one for those without"
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


def test_another_language_zone_or_host_has_a_page_of_its_own(renders: Callable[[], int]) -> None:
    reader = Browser("a reader")
    assert 'lang="en"' in text(reader.get("/")) and renders() == 1
    assert 'lang="de"' in text(reader.get("/", headers={"Accept-Language": "de"})) and renders() == 1
    reader.cookies["zone"] = "Asia/Tokyo"
    assert "<option selected>Asia/Tokyo</option>" in text(reader.get("/new/pigs/")) and renders() == 1
    reader.cookies["zone"] = "Europe/Rome"
    assert "<option selected>Europe/Rome</option>" in text(reader.get("/new/pigs/")) and renders() == 1
    with override_settings(ALLOWED_HOSTS=["one.example", "two.example"]):
        for host in ("one.example", "two.example"):
            assert f"http://{host}/" in text(reader.get("/", headers={"Host": host}))
        assert renders() == 2


def test_what_an_address_asks_is_not_kept(renders: Callable[[], int]) -> None:
    reader = Browser("a reader")
    assert reader.get("/new/pigs/?preset=bash").status_code == 200
    assert reader.get("/learn/pigs/1/?order=FFFFF").status_code == 200
    assert renders() == 0


def test_what_waits_is_counted(table: Table, renders: Callable[[], int]) -> None:
    """A guest for whom a match waits has the count in the header of the page of rules."""
    player = table.alice
    first = text(player.get("/rules/pigs/"))
    assert "waiting for you" in first and "(1)" in first.partition("</title>")[0]
    assert "(1)" not in text(Browser("nobody").get("/rules/pigs/"))


def kept() -> list[tuple[object, ...]]:
    """The keys of the plans that are kept."""
    return [key for key in made_once if key[0] == "plan"]


def test_the_same_position_in_another_match_finds_no_plan_of_the_first(
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


def test_a_new_player_of_a_seat_finds_no_plan_of_the_one_before(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    seat = sit_down(alice, bob, charlie).a
    planning.show_plan(state_of(seat.match), seat, "F . . . .")
    seat.sitting += 1
    planning.show_plan(state_of(seat.match), seat, "F . . . .")
    assert len(kept()) == 2
