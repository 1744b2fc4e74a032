"""Parts of a match's page that a process keeps: each reader gets what is theirs, and what is true now."""

from __future__ import annotations

import re
from typing import Any

from robosite.matches import flow
from robosite.web.caches import MOST_MADE, made_once
from tests.site.browsers import Table, text

DRAFT = "TL TR TL TR H"


def signs(page: Any) -> list[str]:
    """The signs in the slots of a page's planner."""
    return re.findall(r'data-slot="\d" data-sign="([^"]*)"', text(page))


def test_a_draft_is_on_its_own_seats_page_alone(table: Table) -> None:
    a, b = (seat.get_absolute_url() for seat in (table.a, table.b))
    for _again in range(2):
        table.alice.draft(table.a, DRAFT)
        assert signs(table.alice.get(a)) == DRAFT.split()
        assert signs(table.bob.get(b)) == [""] * 5
        table.bob.draft(table.b, "F F F F F")
        assert signs(table.bob.get(b)) == ["F"] * 5
        assert signs(table.alice.get(a)) == DRAFT.split()
        table.bob.draft(table.b, "")
    assert DRAFT not in text(table.charlie.get(f"/m/{table.key}/"))


def test_each_reader_has_a_token_of_their_own_in_what_is_kept(table: Table) -> None:
    seated = ((table.alice, table.a), (table.bob, table.b))
    pages = [text(browser.get(seat.get_absolute_url())) for browser, seat in seated]
    tokens = [set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)) for page in pages]
    assert all(len(own) == 1 for own in tokens) and tokens[0].isdisjoint(tokens[1])
    kept = "".join(map(str, made_once.values()))
    assert "csrfmiddlewaretoken" in kept and not any(token in kept for own in tokens for token in own)


def test_an_offer_that_was_declined_is_told_although_the_page_is_kept(table: Table) -> None:
    a = table.a.get_absolute_url()
    assert "would rather play on" not in text(table.alice.get(a))
    table.alice.do(table.a, "draw", offer="1")
    table.alice.get(a)
    flow.decline_ending(table.b, flow.Ending.DRAW)
    assert "Bob declined" in text(table.alice.get(a))


def test_a_new_name_and_another_language_are_seen_at_once(table: Table) -> None:
    a = table.a.get_absolute_url()
    assert "Players" in text(table.alice.get(a))
    table.match.seats.filter(letter="B").update(name="Benjamin")
    assert "Benjamin" in text(table.alice.get(a))
    table.alice.post("/language/", {"language": "de", "next": "/"})
    assert "Players" not in text(table.alice.get(a))


def test_no_more_is_kept_than_its_bound() -> None:
    assert made_once.maxsize == MOST_MADE
    assert made_once.currsize == sum(made.size for made in made_once.values())
