"""A whole match by forms and links alone, as the pages offer them; what is refused stays typed."""

from __future__ import annotations

import html
import re
from typing import Any

from markupsafe import escape

from robosite.matches import flow
from robosite.matches.models import Match
from tests.site.browsers import FIRST, OTHER, Browser, Table, text


def forms(page: str) -> list[tuple[str, dict[str, str], list[tuple[str, str]]]]:
    """The forms of a page: address, what is filled in, the buttons that say something."""
    found = []
    for action, inside in re.findall(
        r'<form[^>]*method="post" action="([^"]+)"[^>]*>(.*?)</form>', page, re.DOTALL
    ):
        filled, buttons = {}, []
        for tag in re.findall(r"<(?:input|button)\b[^>]*>", inside):
            said = {k: html.unescape(v) for k, v in re.findall(r'([\w-]+)="([^"]*)"', tag)}
            if "name" not in said:
                continue
            if tag.startswith("<button"):
                buttons.append((said["name"], said.get("value", "")))
            elif said.get("type") not in ("radio", "checkbox") or " checked" in tag:
                filled[said["name"]] = said.get("value", "")
        found.append((action, filled, buttons))
    return found


def submit(browser: Browser, page: Any, action: str, **typed: str) -> Any:
    """Sends the page's form to that address, as a browser without JavaScript does, and follows."""
    for at, filled, _buttons in forms(page.content.decode()):
        if at.endswith(action):
            return browser.post(at, filled | typed, follow=True)
    raise AssertionError(f"no form to {action}")


def test_a_match_is_played_by_forms_alone(db: Any) -> None:
    alice, bob = Browser("Alice", enforce_csrf_checks=True), Browser("Bob", enforce_csrf_checks=True)
    page = submit(alice, alice.get("/new/pigs/"), "/matches/", name="Alice")
    invite = re.search(r"http://testserver(/s/invite/[^/\"]+/)", text(page)).group(1)
    bobs = submit(bob, bob.get(invite), "/accept/", name="Bob")
    match = Match.objects.get()
    assert match.status == "playing"
    here, there = f"/m/{match.key}/A/", f"/m/{match.key}/B/"

    # Alice taps five commands, one form after another; Bob types his.
    page = alice.get(here)
    for key in ("F", "^", "TR", "v", "H"):
        page = submit(alice, page, "/plan/", choose=key)
    assert flow.draft_of(match, match.seats.get(letter="A")) == FIRST
    page = submit(alice, page, "/plan/", seal="1")
    assert "Sealed" in text(page) and "Reopen" in text(page)
    page = submit(alice, page, "/reopen/")
    page = submit(alice, page, "/plan/", seal="1")
    bobs = submit(bob, bobs, "/plan/", typed=OTHER, seal="1")
    match.refresh_from_db()
    assert match.turn == 1
    assert "What happened in round 1" in text(alice.get(here))

    # The film, step by step, by links.
    page = alice.get(f"{here}?at=1.0")
    for step in range(1, 6):
        follow = re.search(r'rel="next" href="([^"]+)"', text(page)).group(1)
        assert follow == f"?at=1.{step}"
        page = alice.get(here + follow)
    submit(bob, bob.get(f"{there}more/"), "/draw/")
    submit(alice, alice.get(f"{here}more/"), "/draw/")
    match.refresh_from_db()
    assert match.status == "over"
    submit(alice, alice.get(here), "/rematch/")
    submit(bob, bob.get(there), "/rematch/")
    assert Match.objects.get(rematch_of=match).status == "playing"


def test_who_waits_without_javascript_gets_the_page_anew(table: Table) -> None:
    refresh = '<noscript><meta http-equiv="refresh" content="15"></noscript>'
    assert refresh not in text(table.alice.get(table.a.get_absolute_url()))  # it would interrupt planning
    flow.seal(table.a, 0, FIRST)
    assert refresh in text(table.alice.get(table.a.get_absolute_url()))
    assert refresh in text(table.charlie.get(f"/m/{table.key}/"))


def test_a_refused_program_stays_typed(table: Table) -> None:
    for typed in ("F F F", 'X "quoted" <b>', "F F F F F F"):
        answer = table.alice.seal(table.a, typed)
        assert answer.status_code == 422
        assert 'role="alert"' in text(answer)
        assert f'value="{escape(typed)}"' in answer.content.decode()


def test_a_program_that_is_too_long_stays_typed_and_the_draft_as_it_was(table: Table) -> None:
    table.alice.draft(table.a, "F F")
    answer = table.alice.seal(table.a, "F " * 1_001)
    assert answer.status_code == 422 and "2000 characters at most" in text(answer)
    assert "F " * 1_000 in text(answer)
    assert flow.draft_of(table.match, table.a) == "F F"


def test_an_old_page_is_told_what_has_happened(table: Table) -> None:
    table.play((FIRST, OTHER))
    answer = table.alice.seal(table.a, OTHER, 0)
    assert answer.status_code == 422 and "This round was played with another program" in text(answer)
    assert "What happened in round 1" in text(answer)
    again = table.alice.seal(table.a, FIRST, 0)
    assert again.status_code == 302  # the same one: nothing is wrong
    assert table.match.turn == 1
