"""Which pages a browser may keep for when it is offline, and for whom."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from robosite.notices import feed_views
from robosite.people.models import Guest
from robosite.people.offline import COOKIE, HEADER, NOBODY, tag_of
from tests.site.browsers import Browser, Table, text


@pytest.fixture
def asked(table: Table) -> str:
    """Alice's tag: her browser has asked for it."""
    tag = tag_of(Guest.objects.get(holds__seat=table.a))
    table.alice.cookies[COOKIE] = tag
    return tag


def test_nobody_who_has_not_asked_is_told_to_keep_anything(table: Table) -> None:
    answer = table.alice.get(table.a.get_absolute_url())
    assert HEADER not in answer and "no-store" in answer["Cache-Control"]


def test_ones_own_seat_may_be_kept_and_nothing_else(table: Table, asked: str) -> None:
    assert table.alice.get(table.a.get_absolute_url())[HEADER] == f"{asked} keep"
    public = table.match.get_absolute_url()
    for path in ("/me/", "/mine/", public, f"{table.a.get_absolute_url()}notes/", "/me/forget/"):
        assert table.alice.get(path)[HEADER] == asked
    assert table.alice.get(table.b.get_absolute_url())[HEADER] == asked  # 403


def test_the_wish_of_one_guest_is_not_the_next_ones(table: Table, asked: str) -> None:
    table.bob.cookies[COOKIE] = asked
    assert table.bob.get(table.b.get_absolute_url())[HEADER] == NOBODY
    table.alice.post("/me/leave/")
    assert table.alice.cookies[COOKIE].value == ""
    table.alice.cookies[COOKIE] = asked
    assert table.alice.get("/")[HEADER] == NOBODY


def test_a_match_that_several_play_at_a_browser_is_never_kept(db: Any) -> None:
    device = Browser("Alice")
    made = device.post("/matches/", {"game": "pigs", "name": "Alice", "with": "here", "here": "Bob"})
    match = "/".join(made["Location"].split("/")[:3])
    device.cookies[COOKIE] = tag = tag_of(Guest.objects.get(name="Alice"))
    for path in (f"{match}/", f"{match}/A/", f"{match}/B/", f"{match}/A/notes/"):
        assert device.get(path)[HEADER] == f"{tag} never"


def test_the_page_without_a_network_is_nobodys(table: Table, asked: str) -> None:
    page = text(table.alice.get("/offline/"))
    assert "Alice" not in page and "csrfmiddlewaretoken" not in page and table.match.key not in page


def test_the_worker_is_asked_for_again_and_changes_with_every_deploy(
    client: Client, db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = client.get("/sw.js?keep")
    assert answer["Cache-Control"] == "no-cache" and answer["Content-Type"].startswith("text/javascript")
    before = feed_views._version()
    assert f'VERSION = "{before}"' in answer.content.decode()
    other = SimpleNamespace(hashed_files={"js/film.js": "js/film.another.js"})
    monkeypatch.setattr(feed_views, "staticfiles_storage", other)
    feed_views._version.cache_clear()
    try:
        assert feed_views._version() != before
    finally:
        feed_views._version.cache_clear()
