"""A finished match inside other sites' pages: anybody may frame it, it knows no reader, oEmbed finds it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robosite.matches.models import Match
from robosite.people import offline
from tests.site.browsers import Browser, Table, text
from tests.site.notices.test_notices import guest
from tests.site.routes import asks, some
from tests.site.world import undone, world


@pytest.fixture
def over(table: Table) -> str:
    """The key of a match that Bob has resigned."""
    table.bob.post(f"{table.b.get_absolute_url()}resign/", {"sure": "1"})
    assert Match.objects.get(key=table.key).status == Match.Status.OVER
    return table.key


def oembed(browser: Browser, url: str, **more: str) -> Any:
    return browser.get("/oembed", {"url": url, **more})


def test_it_shows_who_played_and_how_it_ended_to_everybody_alike(over: str, table: Table) -> None:
    shown = table.charlie.get(f"/m/{over}/embed/")
    told = text(shown)
    assert "Alice" in told and "Bob" in told and "Alice won." in told
    assert f'src="/m/{over}/comic.gif"' in shown.content.decode()
    assert shown.content == table.alice.get(f"/m/{over}/embed/").content
    assert "public" in shown["Cache-Control"] and not shown.cookies and "Cookie" not in shown.get("Vary", "")


def test_only_finished_matches_that_everybody_may_watch(over: str, table: Table) -> None:
    running = table.alice.make()
    assert table.alice.get(f"/m/{running.key}/embed/").status_code == 404
    Match.objects.filter(key=over).update(watched=False)
    for browser in (table.alice, table.charlie):
        assert browser.get(f"/m/{over}/embed/").status_code == 404
        assert oembed(browser, f"http://testserver/m/{over}/").status_code == 404


def test_oembed_gives_a_frame_of_the_size_that_is_asked_for(over: str, table: Table) -> None:
    answer = oembed(table.charlie, f"http://testserver/m/{over}/comic/", maxwidth="300")
    told = json.loads(answer.content)
    assert (told["version"], told["type"], told["width"], told["height"]) == ("1.0", "rich", 300, 640)
    assert f'src="http://testserver/m/{over}/embed/" width="300"' in told["html"]
    assert answer["Access-Control-Allow-Origin"] == "*" and not answer.cookies
    found = table.charlie.get(f"/m/{over}/comic/").content.decode()
    assert f'href="/oembed?url=http%3A//testserver/m/{over}/"' in found


@pytest.mark.parametrize(
    "url", ["", "http://testserver/", "http://elsewhere.example/m/{key}/", "http://testserver/m/{key}x/"]
)
def test_other_addresses_are_not_found(over: str, table: Table, url: str) -> None:
    assert oembed(table.charlie, url.format(key=over)).status_code == 404


def test_there_is_json_alone(over: str, table: Table) -> None:
    assert oembed(table.charlie, f"http://testserver/m/{over}/", format="xml").status_code == 501


def test_a_name_cannot_leave_its_place(over: str, table: Table) -> None:
    Match.objects.get(key=over).seats.filter(letter="A").update(name='"><script>alert(1)</script>')
    assert "<script" not in table.charlie.get(f"/m/{over}/embed/").content.decode()
    assert "<script" not in json.loads(oembed(table.charlie, f"http://testserver/m/{over}/").content)["html"]


@pytest.mark.integration
@pytest.mark.fuzz
def test_what_is_public_is_the_same_for_every_reader(db: Any) -> None:
    """The answers of all addresses to somebody whom nobody knows, and to a guest with all cookies."""
    there = world()
    anyone, alice = there.people["anyone"], there.people["Alice"]
    alice.cookies["offline"] = offline.tag_of(guest("Alice"))
    alice.cookies["django_language"], alice.cookies["zone"] = "de", "Asia/Seoul"
    found = set()
    read = [one for one in asks(there) if one.method == "GET" and not one.name.startswith("admin:")]
    for ask in some(read, "over"):
        plain = undone(anyone, lambda: anyone.get(ask.path, headers=ask.headers))  # noqa: B023
        if "public" in plain.get("Cache-Control", ""):
            found.add(ask.name)
            own = undone(alice, lambda: alice.get(ask.path, headers=ask.headers))  # noqa: B023
            assert own.getvalue() == plain.getvalue(), ask.path
            assert dict(own.items()) == dict(plain.items()), ask.path
            assert not own.cookies and "Cookie" not in own.get("Vary", ""), ask.path
    assert {"embed", "oembed", "comic-strip", "match-card"} <= found
