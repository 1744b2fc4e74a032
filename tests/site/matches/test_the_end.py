"""The end of a match: in one's own words, how it came about, once more; what one game looks back at."""

from __future__ import annotations

import re
from typing import Any

import pytest

from robosite.matches import flow
from robosite.matches.history import state_of
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text

pytestmark = pytest.mark.django_db


def status(page: str) -> str:
    found = re.search(r'id="status"[^>]*>(.*?)</p>', page, re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]*>", "", found[1]).split())


def test_each_is_told_his_own_end_and_a_watcher_who_won(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    ends = {"A/": "A You won!", "B/": "B You lost.", "": "Alice won."}
    fell = {"A/": "Bob is destroyed!", "B/": "Your pig is destroyed!", "": "Bob is destroyed!"}
    readers = {"A/": table.alice, "B/": table.bob, "": table.charlie}
    for where, said in ends.items():
        page = text(readers[where].get(f"/m/{table.key}/{where}?at=2"))
        assert status(page) == said
        ending = page[page.index('id="ending"') : page.index('id="happened"')]
        assert (fell[where] in ending) is not bool(where), "players have read it above"
        assert (fell[where] in page[page.index("<h1") : page.index('id="film"')]) is bool(where)
        assert ("Rematch" in ending) is bool(where)
    assert 'class="own-end side-a"' in text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))


def test_a_draw_is_a_draw_and_a_resignation_says_so(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    flow.offer_draw(table.a, offer=True)
    flow.offer_draw(table.b, offer=True)
    assert status(text(table.alice.get(table.a.get_absolute_url()))) == "A Draw by agreement."
    other = sit_down(alice, bob, charlie)
    flow.resign(other.b)
    page = text(alice.get(other.a.get_absolute_url()))
    assert status(page) == "A You won!" and "Bob resigns." in page


def test_the_heading_names_what_ended_it(table: Table) -> None:
    """The last sentence of the last step may be about a pig that got away with damage."""
    table.play(("\\ ^ F F F", "F F F F F"))
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=1"))
    assert "Bob has 3 damage now." in page
    assert re.search(r'class="in-short verdict">\s*Your pig is destroyed!', page)


def test_two_that_fall_at_once_are_both_told(table: Table) -> None:
    """Ruling P11: a draw of which one sentence alone would tell half."""
    table.play(("\\ F F F F", "v F F F F"), ("F X X X X", "F X X X X"))
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    assert status(page) == "A A draw."
    ending = page[page.index('id="ending"') : page.index('id="happened"')]
    assert re.search(r'class="in-short verdict">\s*Your pig is destroyed! Bob is destroyed!', page)
    assert "is destroyed!" not in ending


def test_what_tells_the_end_waits_for_the_films_last_step(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2.1"))
    assert "data-veiled" in page
    for part in ('id="ending"', 'id="status"'):
        tag = page[page.rindex("<", 0, page.index(part)) : page.index(part)]
        assert "verdict" in tag


def test_the_x_ray_opens_all_robots_when_it_is_over_and_no_earlier(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    there = sit_down(alice, bob, charlie, "roboxing")
    there.play_some(6, seed=3)
    public = f"/m/{there.key}/"
    assert 'class="xray"' not in text(alice.get(there.a.get_absolute_url())) + text(charlie.get(public))
    flow.resign(there.b)
    assert there.match.status == "over"
    page = text(charlie.get(public))
    opened = page[page.index('class="xray"') : page.index('id="happened"')]
    assert opened.count('<section class="side-') == 2 and opened.count('class="xray-letter') == 18
    state: Any = state_of(there.match)
    fought = [cause for cause in state.past if any(hit is not None for hit in cause.hits)]
    shots = sum(hit is not None for cause in fought for hit in cause.hits)
    assert shots and opened.count('<li class="is-') == shots


def test_there_is_no_x_ray_of_robots_that_were_never_built(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    there = sit_down(alice, bob, charlie, "roboxing")
    flow.resign(there.b)
    assert 'class="xray"' not in text(alice.get(there.a.get_absolute_url()))


def test_a_sealed_order_lies_in_an_envelope_and_words_are_said_in_their_sides_colour(table: Table) -> None:
    table.alice.do(table.a, "notes", turn=0, word="Caught you!")
    seal = {"turn": 0, "typed": SHOTS[0], "seal": "1"}
    answer = table.alice.post(f"{table.a.get_absolute_url()}plan/", seal, headers={"HX-Request": "true"})
    assert 'class="envelope side-a just-sealed"' in text(answer)
    page = text(table.alice.get(table.a.get_absolute_url()))
    assert 'class="envelope side-a"' in page and "Caught you!" in page
    others = text(table.bob.get(table.b.get_absolute_url())) + text(table.charlie.get(f"/m/{table.key}/"))
    assert "envelope" not in others and "Caught you!" not in others
    flow.seal(table.b, 0, SHOTS[1])
    for browser, where in ((table.bob, "B/"), (table.charlie, "")):
        assert '<p class="word side-a"><b>Alice:</b>' in text(browser.get(f"/m/{table.key}/{where}"))


def test_who_resigns_is_not_asked_to_watch_how_it_ended(table: Table) -> None:
    table.play(SHOTS)
    for browser, own in ((table.alice, table.a), (table.bob, table.b)):
        browser.get(own.get_absolute_url())
    table.alice.do(table.a, "resign")
    pages = [
        text(table.alice.get(table.a.get_absolute_url())),
        text(table.bob.get(table.b.get_absolute_url())),
    ]
    assert ["data-since" in page for page in pages] == [False, True]
    assert "You lost." in pages[0]


def test_who_resigns_before_watching_a_round_may_still_watch_it(table: Table) -> None:
    table.alice.get(table.a.get_absolute_url())
    table.play(SHOTS)
    table.alice.do(table.a, "resign")
    assert "data-since" in text(table.alice.get(table.a.get_absolute_url()))
