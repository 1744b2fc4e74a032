"""A match can be watched through: step by step and turn by turn, from what is new on, whatever its length."""

from __future__ import annotations

import gzip
import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import GAMES, newest
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.play.film import Film, Row, Step, Steps
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down, text

STILL = "TL TL TL TL TL"
"""A program that hurts nobody."""


CONTROLS = {"prev": "data-back", "next": "data-forward"}


def link(page: Any, rel: str) -> str:
    """The target of the film's `prev` or `next`, "" if it goes no further."""
    (tag,) = re.findall(rf"<a [^>]*{CONTROLS[rel]}[^>]*>", text(page))
    if 'aria-disabled="true"' in tag:
        assert "href" not in tag and "rel=" not in tag
        return ""
    return re.search(rf'rel="{rel}" href="([^"]*)"', tag)[1]


def shown(page: Any) -> tuple[int, int]:
    """The turn on the board, from 1, and its step."""
    (turn,) = re.findall(r'id="film"[^>]*data-number="(\d+)"', text(page))
    frames = re.findall(r'class="frame" data-frame="(\d+)"([^>]*)>', text(page))
    (step,) = [
        int(number) for number, more in frames if 'display="none"' not in more and "hidden" not in more
    ]
    return int(turn), step


def is_now(page: Any) -> bool:
    """Tell whether the board shows the present, so that a plan may be drawn over it."""
    return 'class="sheet at-last' in text(page)


@pytest.fixture
def robble(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """A table at a game whose turns are single steps."""
    return sit_down(alice, bob, charlie, "robble")


# Steps


@pytest.mark.parametrize("slug", GAMES)
def test_a_whole_match_is_watched_through_by_links(
    slug: str, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie, slug)
    table.play_some(4)
    path = f"/m/{table.key}/"
    page, seen = charlie.get(f"{path}?at=1.0"), []
    while follow := link(page, "next"):
        seen.append(shown(page))
        page = charlie.get(path + follow)
    assert is_now(page)
    seen.append(shown(page))
    assert seen[0] == (1, 0) and {turn for turn, step in seen} == {1, 2, 3, 4}
    assert all(step for turn, step in seen[1:]), "a turn begins where the one before it ended"
    back = [shown(page)]
    while follow := link(page, "prev"):
        page = charlie.get(path + follow)
        back.append(shown(page))
    assert back == seen[::-1]


def test_only_the_present_is_planned_over(table: Table) -> None:
    table.play((FIRST, OTHER), (STILL, STILL))
    path = table.a.get_absolute_url()
    assert is_now(table.alice.get(f"{path}?at=2")) and is_now(table.alice.get(f"{path}?at=2.5"))
    for at in ("1", "1.5", "2.4", "2.0"):
        assert not is_now(table.alice.get(f"{path}?at={at}")), at


def test_an_address_of_no_turn_shows_the_present(table: Table) -> None:
    table.play((FIRST, OTHER))
    for at in ("0.1", "2.0", "x", "-1", "1e9", "99999999999999999999.1", ""):
        assert shown(table.charlie.get(f"/m/{table.key}/?at={at}")) == (1, 5), at
    assert shown(table.charlie.get(f"/m/{table.key}/?at=1.77")) == (1, 5)


def test_another_turn_comes_to_an_open_page_by_itself(table: Table) -> None:
    """The film and what happened, without the rest of the page; the plan's ghosts with the present only."""
    table.play((FIRST, OTHER), (STILL, STILL))
    table.alice.draft(table.a, "^ ^ ^ ^ ^")
    htmx = {"HX-Request": "true", "HX-Target": "film"}
    path = table.a.get_absolute_url()
    page = table.alice.get(f"{path}?at=1", headers=htmx)
    assert shown(page) == (1, 5) and "What happened in round 1" in text(page)
    assert (
        'data-hx-swap-oob="true"' in text(page)
        and "<form" not in text(page)
        and "data-ghost" not in text(page)
    )
    assert len(gzip.compress(page.content)) < 5_000
    assert "data-ghost" in text(table.alice.get(f"{path}?at=2", headers=htmx))


# The list of turns


def test_the_page_lists_twenty_turns_and_older_ones_by_link(robble: Table) -> None:
    robble.play_some(45)
    path = f"/m/{robble.key}/more/"

    def listed(at: str) -> tuple[list[int], list[str]]:
        page = text(robble.charlie.get(path + at))
        found = page.partition('<details class="turns"')[2].partition("</details>")[0]
        numbers = [int(n) for n in re.findall(r'\?at=\d+\.0"[^>]*>(\d+)</a>', found)]
        return numbers, re.findall(r'\?at=(\d+)\.0"[^>]*>(?:Older|Newer) turns</a>', found)

    turns = robble.match.turn
    assert turns == 45, "the seed must not end it earlier"
    assert listed("") == (list(range(26, 46)), ["25"])
    assert listed("?at=25.1") == (list(range(6, 26)), ["5", "26"])
    assert listed("?at=3.1") == (list(range(1, 6)), ["6"])


@pytest.mark.django_db(transaction=True)  # so that positions are kept, as they are after a commit
@pytest.mark.parametrize("length", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_long_match_is_as_light_as_a_short_one(table: Table, length: int) -> None:
    """Size and queries of a page are the same after many turns as after 30, for everybody who looks."""
    measured = {}
    for turns in (30, length - 30):
        table.play(*[(STILL, STILL)] * turns)
        for browser, path in ((table.alice, table.a.get_absolute_url()), (table.charlie, f"/m/{table.key}/")):
            for _look in ("at what is new", "at the present"):
                browser.get(path)
            with CaptureQueriesContext(connection) as asked:
                page = browser.get(path)
            measured[table.match.turn, browser.name] = len(page.content), len(asked)
    for name in ("Alice", "Charlie"):
        (short, few), (long, many) = measured[30, name], measured[length, name]
        assert many == few and long < short * 1.1, measured


# What is new


def test_who_comes_back_lands_before_all_that_was_played_since(table: Table) -> None:
    path = table.a.get_absolute_url()
    table.play((FIRST, OTHER))
    assert shown(table.alice.get(path)) == (1, 0)  # paused before the first step
    assert shown(table.alice.get(path)) == (1, 5) and is_now(table.alice.get(path))
    table.play((STILL, STILL), (STILL, STILL))
    page = table.alice.get(path)
    assert shown(page) == (2, 0) and "2 rounds were played since your last visit." in text(page)
    assert "since your last visit" not in text(table.alice.get(path))


def test_looking_at_a_later_turn_is_looking(table: Table) -> None:
    path = table.a.get_absolute_url()
    table.play((FIRST, OTHER), (STILL, STILL))
    table.alice.get(f"{path}?at=2.1")
    assert is_now(table.alice.get(path))


def test_a_head_request_is_no_look(table: Table) -> None:
    table.play((FIRST, OTHER))
    table.alice.head(table.a.get_absolute_url())
    assert shown(table.alice.get(table.a.get_absolute_url())) == (1, 0)


def test_a_watcher_who_comes_back_lands_on_what_is_new_too(table: Table) -> None:
    path = f"/m/{table.key}/"
    table.play((FIRST, OTHER))
    assert shown(table.charlie.get(path)) == (1, 5)  # the first time: how it stands
    table.play((STILL, STILL), (STILL, STILL))
    page = table.charlie.get(path)
    assert shown(page) == (2, 0) and "since your last visit" in text(page)
    assert is_now(table.charlie.get(path))
    cookie = table.charlie.cookies["seen"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (path, True, "Lax")
    table.charlie.cookies["seen"] = "nonsense"
    assert is_now(table.charlie.get(path))


def test_what_is_new_is_not_taken_away_by_the_page_that_reloads_itself(table: Table) -> None:
    table.play((FIRST, OTHER))
    flow.seal(table.a, 1, STILL)
    refresh = 'http-equiv="refresh"'
    assert refresh not in text(table.alice.get(table.a.get_absolute_url()))  # there is news to look at first
    assert refresh in text(table.alice.get(table.a.get_absolute_url()))


# The end


def test_when_it_is_over_who_won_stands_large_and_it_can_be_watched_from_the_beginning(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    for browser, path in ((table.alice, table.a.get_absolute_url()), (table.charlie, f"/m/{table.key}/")):
        page = text(browser.get(f"{path}?at=2"))
        assert "data-over" in page and '<p class="status verdict" id="status">' in page
        assert ("You won!" if path.endswith("A/") else "Alice won.") in page and "From the start" in text(
            browser.get(f"{path}more/")
        )
    assert shown(table.charlie.get(f"/m/{table.key}/?at=1.0")) == (1, 0)


def test_a_pig_that_was_hit_carries_its_damage_on_the_board_and_at_the_table_until_the_end(
    table: Table,
) -> None:
    table.play(SHOTS)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=1"))
    frames = re.split('<g class="frame"', page.partition('id="badges"')[0])[1:]
    points = [frame.count("#damage-point") for frame in frames]
    assert points[0] == 0 and points[-1] == 4
    assert "4 of 5 damage" in frames[-1]
    table.play(MORE_SHOTS)
    page = text(table.charlie.get(f"/m/{table.key}/?at=2"))
    players = page.partition('id="players"')[2].partition("</ul>")[0]
    assert "0 of 5 damage" in players and "a wreck" in players


# In words


@pytest.mark.parametrize("slug", GAMES)
def test_every_step_says_what_happened_and_where_everybody_stands(
    slug: str, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie, slug)
    table.play_some(3)
    page = text(charlie.get(f"/m/{table.key}/"))
    steps = len(re.findall('class="frame"', page))
    log = re.findall(r"<li data-sentence-step=.(\d+).*?</li>", page, re.DOTALL)
    assert [int(n) for n in log] == list(range(1, steps))
    words = re.findall(r'<div data-words="(\d+)"', page)
    assert [int(n) for n in words] == list(range(steps - 1)), "the last one is the present"
    board, after = page.index('class="board-sheet'), page.index("Board in words")
    assert board < after < page.index("The present position:") < page.index('data-words="0"')
    assert after < page.index('class="film-controls"'), "right after the board"
    assert "data-film-live" in page and 'aria-live="polite"' in page
    assert newest(slug).name in html.unescape(page)


def test_who_alone_played_a_turn_has_seen_it(alice: Browser, bob: Browser, charlie: Browser) -> None:
    """Without a script the page comes anew after one's own turn: it shows where that led."""
    table = sit_down(alice, bob, charlie, "robble")
    page = alice.post(
        f"{table.a.get_absolute_url()}plan/", {"turn": 0, "typed": "d4", "seal": "1"}, follow=True
    )
    assert "since your last visit" not in text(page)
    bob.post(f"{table.b.get_absolute_url()}plan/", {"turn": 1, "typed": "e5", "seal": "1"})
    assert "since your last visit" in text(alice.get(table.a.get_absolute_url()))


def test_a_timeline_of_what_one_seat_does_counts_turns() -> None:
    """The turn on the board is there by its steps; where all act at once, the steps are all there is."""

    def film(*orders: str, steps: int = 2) -> Film:
        shown = [Step(n, n == 1, {}, [], [], True) for n in range(steps + 1)]
        rows = [Row(Letter("AB"[i]), "a", "", order, []) for i, order in enumerate(orders)]
        return Film(8, 20, Steps(shown), rows)

    def ticks(film: Film) -> list[str]:
        return [f"{t.turn}.{t.step}" if t.step else str(t.turn) for t in film.ticks]

    assert ticks(film("a1-a2 a2-a3", "")) == ["7", "8", "9.1", "9.2", "10"]
    assert ticks(film("", "c4", steps=1)) == ["7", "8", "9", "10", "11"]
    assert [t.step for t in film("F F", "H H").ticks] == [1, 2]
    assert [t.at for t in film("a1-a2 a2-a3", "").ticks if t.shown] == ["9.1"]
