"""The pages speak each game's language: rounds of programs, orders for a turn, or one turn after another."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from games import GAMES, newest
from robosite.matches import flow
from robosite.matches.wording import MANNERS, Wording, listed, wording_of
from tests.site.browsers import Browser, Table, sit_down, text

SENTENCES = [field.name for field in fields(Wording) if field.name not in ("played", "since")]


def words(page: str) -> str:
    """The words of a page for people: no tags, no addresses, no text of the game's own planner."""
    main = page[page.index("<main") : page.index("</main>")]
    return re.sub(r"<form id=.plan.*?</form>|<[^>]*>", " ", main, flags=re.DOTALL)


def of_a_game_in_turns() -> str:
    return next(slug for slug in GAMES if newest(slug).manner == "turns")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_asks_for_the_same_facts_in_every_manner(sentence: str) -> None:
    """At most, that is: a game in turns need not say who may still seal."""
    facts = [set(re.findall(r"{(\w+)}", getattr(wording, sentence))) for wording in MANNERS.values()]
    assert set.union(*facts) == max(facts, key=len), facts


@pytest.mark.parametrize("slug", GAMES)
def test_every_page_says_how_the_game_is_played(
    slug: str, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    wording = wording_of(newest(slug))
    match = alice.make(game=slug)
    a = match.seats.get(letter="A")
    early = text(alice.get(a.get_absolute_url()))
    assert wording.plan_first in early and wording.draft_early in early
    builds = "Seal"  # where the first turn is to build, its button says so
    assert wording.seal_early in early or builds in early
    table = sit_down(alice, bob, charlie, slug)
    pages = [text(alice.get(table.a.get_absolute_url()))]
    assert wording.plan_now in pages[0] and (wording.seal in pages[0] or builds in pages[0])
    assert f"{wording.say('turn', n=1)} · Bob" in pages[0]
    table.play_some(1)
    pages += [text(browser.get(f"/m/{table.key}/{at}")) for browser, at in ((alice, "A/"), (charlie, ""))]
    for page in pages[1:]:
        assert wording.say("happened", n=1) in page and wording.say("turn", n=2) in page
    for page in pages:
        if wording.turn != MANNERS["rounds"].turn:
            assert not re.search("round |program", words(page), re.IGNORECASE), words(page)
    assert wording.watching in pages[-1]


def test_where_one_plays_after_the_other_nothing_is_said_of_reopening(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    """Sealing the only order of a turn plays it at once."""
    table = sit_down(alice, bob, charlie, of_a_game_in_turns())
    page = text(alice.get(table.a.get_absolute_url()))
    assert "Play this turn" in page and "reopen" not in page.lower() and "reveal" not in page.lower()
    table.play_some(1)
    waits = text(alice.get(table.a.get_absolute_url()))
    assert "Waiting for Bob." in waits and "Reopen" not in waits


def test_a_first_turn_can_be_reopened_until_all_have_sat_down(alice: Browser) -> None:
    match = alice.make(game=of_a_game_in_turns())
    table = Table(match.key, alice, alice, alice, "")
    table.play_some(1)
    assert flow.owing(match) == []
    page = text(alice.get(table.a.get_absolute_url()))
    assert "You can reopen it until everyone has joined." in page and "Reopen" in page


def test_names_are_listed_as_people_do() -> None:
    assert listed([]) == ""
    assert listed(["Alice"]) == "Alice"
    assert listed(["Alice", "Bob"]) == "Alice and Bob"
    assert listed(["Alice", "Bob", "Charlie"]) == "Alice, Bob and Charlie"
