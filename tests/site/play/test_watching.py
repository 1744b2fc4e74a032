"""Watching, and pages that have grown old."""

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
from robosite.matches.models import Match
from robosite.play.film import Film, Row, Step, Steps
from tests.games.cases import size
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down, text
from tests.site.learn.test_examples import TAUGHT

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


def test_another_turn_comes_to_an_open_page_by_itself(table: Table) -> None:
    """The film and what happened, without the rest of the page; the plan's ghosts with the present only."""
    table.play((FIRST, OTHER), (STILL, STILL))
    table.alice.draft(table.a, "^ ^ ^ ^ ^")
    htmx = {"HX-Request": "true", "HX-Target": "film"}
    path = table.a.get_absolute_url()
    page = table.alice.get(f"{path}?at=1", headers=htmx)
    assert shown(page) == (1, 5) and "What happened in round 1" in text(page)
    assert 'data-hx-swap-oob="true"' in text(page)
    assert text(page).count("<form") == 1, "to react with"
    assert "data-ghost" not in text(page)
    assert len(gzip.compress(page.content)) < 5_000
    assert "data-ghost" in text(table.alice.get(f"{path}?at=2", headers=htmx))


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


def test_who_comes_back_lands_before_all_that_was_played_since(table: Table) -> None:
    path = table.a.get_absolute_url()
    table.play((FIRST, OTHER))
    table.alice.head(path)  # no look
    assert shown(table.alice.get(path)) == (1, 0)  # paused before the first step
    assert shown(table.alice.get(path)) == (1, 5) and is_now(table.alice.get(path))
    table.play((STILL, STILL), (STILL, STILL))
    page = table.alice.get(path)
    assert shown(page) == (2, 0) and "2 rounds have been played since your last visit." in text(page)
    assert "since your last visit" not in text(table.alice.get(path))
    table.play((STILL, STILL))
    flow.seal(table.a, 4, STILL)
    refresh = 'http-equiv="refresh"'
    assert refresh not in text(table.alice.get(path))  # there is news to look at first
    assert refresh in text(table.alice.get(path))
    table.play((STILL, STILL), (STILL, STILL))
    table.alice.get(f"{path}?at=6.1")
    assert is_now(table.alice.get(path)), "to look at a later turn is to look"


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
    assert board < after < page.index("The current position:") < page.index('data-words="0"')
    assert after < page.index('class="film-controls"'), "right after the board"
    assert "data-film-live" in page and 'aria-live="polite"' in page
    assert newest(slug).name in html.unescape(page)


def test_a_timeline_of_what_one_seat_does_counts_turns() -> None:
    """The turn on the board is there by its steps; where all act at once, the steps are all there is."""

    def film(*orders: str, steps: int = 2) -> Film:
        shown = [Step(n, n == 1, {}, [], []) for n in range(steps + 1)]
        rows = [Row(Letter("AB"[i]), "a", "", order, []) for i, order in enumerate(orders)]
        return Film(8, 20, Steps(shown), rows)

    def ticks(film: Film) -> list[str]:
        return [f"{t.turn}.{t.step}" if t.step else str(t.turn) for t in film.ticks]

    assert ticks(film("a1-a2 a2-a3", "")) == ["7", "8", "9.1", "9.2", "10"]
    assert ticks(film("", "c4", steps=1)) == ["7", "8", "9", "10", "11"]
    assert [t.step for t in film("F F", "H H").ticks] == [1, 2]
    assert [t.at for t in film("a1-a2 a2-a3", "").ticks if t.shown] == ["9.1"]


GARBLED = ["", "x", "-1", "1.5", "٣", "9" * 30, "0x1", "1e3"]
UNREADABLE = "This request can’t be read. Nothing was changed; look at the board."
PLAYED = "This round has already been played; look at the board."
HTMX = {"HX-Request": "true"}


def deeds(turn: object) -> list[tuple[str, dict[str, object]]]:
    """Everything that a page sends for a turn: where, and what."""
    at = {"turn": turn, "taken_back": 0}
    return [
        ("plan", {**at, "choose": "F"}),
        ("plan", {**at, "choose": "no such choice"}),
        ("plan", {**at, "typed": "F F", "use": "1"}),
        ("plan", {**at, "typed": "", "seal": "1"}),
        ("reopen", at),
        ("take-back", {**at, "do": "ask"}),
        ("take-back", {**at, "do": "withdraw"}),
        ("take-back", {**at, "do": "accept"}),
        ("take-back", {**at, "do": "decline"}),
    ]


@pytest.fixture
def later(table: Table) -> Table:
    """One round has been played since the page was made."""
    table.play((FIRST, OTHER))
    return table


def refused(browser: Browser, table: Table, deed: str, given: dict[str, object]) -> str:
    """The page that answers a deed: the present one, with what is wrong; nothing was changed by it."""
    before = table.match.version
    answer = browser.do(table.a, deed, **given)
    assert answer.status_code in (409, 422), (deed, given)
    shown = text(answer)
    assert "Round 2" in shown and 'id="planner"' in shown, "the board as it is now"
    assert browser.post(f"{table.a.get_absolute_url()}{deed}/", given, headers=HTMX).status_code == 200
    assert table.match.version == before
    return shown


@pytest.mark.parametrize("n", range(len(deeds(0))))
def test_what_is_meant_for_a_round_that_was_played_or_is_none_is_told_so(later: Table, n: int) -> None:
    deed, given = deeds(0)[n]
    assert PLAYED in refused(later.alice, later, deed, given)
    for garbled in size(GARBLED[n % 4 :: 4], GARBLED):
        deed, given = deeds(garbled)[n]
        assert UNREADABLE in refused(later.alice, later, deed, given)
    deed, given = deeds(1)[n]
    assert UNREADABLE in refused(later.alice, later, deed, {**given, "taken_back": "x"})


@pytest.mark.parametrize("slug", TAUGHT)
def test_each_game_says_it_in_its_own_words(
    alice: Browser, bob: Browser, charlie: Browser, slug: str
) -> None:
    table = sit_down(alice, bob, charlie, slug)
    table.play_some(1)
    called = "round" if slug == "pigs" else "turn"
    with pytest.raises(flow.Refused, match=f"This {called} has already been played; look at the board"):
        flow.draft(table.a, 0, "")
    with pytest.raises(flow.Refused, match=f"This {called} hasn’t started yet; look at the board"):
        flow.draft(table.a, 7, "")
    if slug != "robble":
        return
    # without a script the page comes anew after one's own turn: it shows where that led
    bob.get(table.b.get_absolute_url())
    given = {"turn": 1, "typed": "swap", "seal": "1"}
    page = bob.post(f"{table.b.get_absolute_url()}plan/", given, follow=True)
    assert table.match.turn == 2 and "since your last visit" not in text(page)
    assert "since your last visit" in text(alice.get(table.a.get_absolute_url()))


def test_words_and_notes_of_an_old_page_are_told_too_and_stay_typed(later: Table) -> None:
    for turn in ("0", *GARBLED):
        answer = later.alice.do(later.a, "notes", turn=turn, word="Look!")
        said = UNREADABLE if turn != "0" else "This round was played without this message; look at the board."
        assert answer.status_code == 422 and said in text(answer) and 'value="Look!"' in text(answer)
        answer = later.alice.do(later.a, "notes", turn=turn, note="Mind his fist.")
        assert answer.status_code == (302 if turn == "0" else 422)
        for page in ("talk", "notes"):  # messages before a time that is none are the last ones
            answer = later.alice.get(f"{later.a.get_absolute_url()}{page}/", {"before": turn})
            assert answer.status_code == 200


NO_STEPS = [*GARBLED, "0", "0.0", "0.1", "2", "2.0", "1.x", "1.99", "99.1", "-1.-1", "1.1.1", ".", "1e9"]


def test_a_link_to_a_step_that_is_none_shows_the_present_which_alone_is_planned_over(later: Table) -> None:
    path = later.a.get_absolute_url()
    for at in (*NO_STEPS, "99999999999999999999.1"):
        for browser, where in ((later.alice, path), (later.charlie, f"/m/{later.key}/")):
            for headers in ({}, HTMX, {**HTMX, "HX-Target": "film"}):
                assert "data-film" in text(browser.get(where, {"at": at}, headers=headers))
        assert shown(later.charlie.get(f"/m/{later.key}/?at={at}")) == (1, 5), at
    later.play((STILL, STILL))
    assert is_now(later.alice.get(f"{path}?at=2")) and is_now(later.alice.get(f"{path}?at=2.5"))
    for at in ("1", "1.5", "2.4", "2.0"):
        assert not is_now(later.alice.get(f"{path}?at={at}")), at


def test_the_api_says_it_with_409(later: Table, client: Any) -> None:
    secret = later.alice.own_links(later.a)["seat"]
    token = {"Authorization": f"Bearer {secret}"}

    def put(what: str, turn: object) -> Any:
        path = f"/api/v1/matches/{later.key}/{what}"
        given = {"turn": turn, "order": OTHER}
        return client.put(path, given, content_type="application/json", headers=token)

    assert put("draft", 0).json()["detail"] == PLAYED
    assert put("order", 0).json()["detail"] == (
        "This round was played with another program; look at the board."
    )
    assert put("draft", 0).status_code == put("order", 0).status_code == put("order", 2).status_code == 409
    for turn in (-1, -(10**30)):
        assert put("draft", turn).json()["detail"] == put("order", turn).json()["detail"] == UNREADABLE
    assert put("order", 10**30).json()["detail"] == "This round hasn’t started yet; look at the board."
    assert put("order", "0").status_code == 400
    flow.seal(later.a, 1, FIRST)
    Match.objects.update(taken_back=1)
    shown = text(later.alice.do(later.a, "reopen", turn="1", taken_back="0"))
    assert "A turn has been taken back in the meantime." in shown and flow.order_of(later.match, later.a)


def test_a_seal_too_early_for_another_program_or_after_the_end_is_refused_in_words(later: Table) -> None:
    shown = refused(later.alice, later, "plan", {"turn": 0, "typed": OTHER, "seal": "1"})
    assert "This round was played with another program; look at the board." in shown
    deed, given = deeds(7)[0]
    assert "This round hasn’t started yet; look at the board." in refused(later.alice, later, deed, given)
    later.alice.do(later.a, "plan", turn=1, choose="F")
    early = later.alice.do(later.a, "plan", turn=1, seal="1")
    assert early.status_code == 422 and 'role="alert"' in text(early)
    assert "slots are still free." in text(early) and 'id="error"' not in text(early)
    tapped = later.alice.post(f"{later.a.get_absolute_url()}plan/", {"turn": 1, "seal": "1"}, headers=HTMX)
    assert tapped.status_code == 200 and text(tapped).startswith('<form id="plan"')
    assert 'role="alert"' in text(tapped) and flow.draft_of(later.match, later.a).startswith("F")
    flow.resign(later.b)
    for turn in (1, 2):
        over = later.alice.do(later.a, "plan", turn=turn, seal="1")
        assert over.status_code == 422 and re.search('id="error">[A-Z].*[.]<', text(over))
