"""Puzzles on their pages: the day's for everybody, solved or shown how an order fails, without JavaScript."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from unittest import mock
from urllib.parse import urlencode

import pytest
from django.test import Client

from games import GAMES
from games.core import Outcome, PlayedOut
from games.puzzles import Puzzle
from robosite.learn.puzzles import (
    FIRST,
    YEAR,
    YEAR_FROM,
    day_in,
    puzzle_of,
    puzzles,
    shown,
    todays_puzzles,
    why_not,
)
from robosite.people.models import Guest
from tests.site.browsers import Browser, text
from tests.site.conftest import Time

client = Client()


def page(slug: str, at: int, order: str = "", *, played: bool = False) -> Any:
    query = urlencode({"order": order, **({"played": ""} if played else {})})
    return client.get(f"/puzzles/{slug}/{at}/?{query}")


@pytest.mark.parametrize("slug", GAMES)
def test_a_puzzle_names_its_variant_and_gives_no_answer_away_until_it_is_solved(slug: str) -> None:
    """The page shows no solution, and of a hidden robot nothing but what was seen."""
    every = puzzles(slug)
    usual = next(n for n, one in enumerate(every, 1) if not one.options)
    other = next(n for n, one in enumerate(every, 1) if one.options)
    assert f'href="/rules/{slug}/#rules-variants"' in text(page(slug, other)).partition("</h1>")[0]
    assert "#rules-variants" not in text(page(slug, usual)).partition("</h1>")[0]
    puzzle, first = every[0], page(slug, 1)
    assert first.status_code == 200 and "Solved." not in text(first)
    if slug == "roboxing":
        state = puzzle.state()
        enemy = next(i for i, owner in enumerate(state.ring.owners) if owner != puzzle.seat)  # type: ignore[attr-defined]
        layout = state.layouts[enemy]  # type: ignore[attr-defined]
        assert layout.shown(state.gone[enemy]) not in first.content.decode()  # type: ignore[attr-defined]
    told = text(page(slug, 1, puzzle.answer, played=True))
    assert "Solved." in told and "doesn’t always win" not in told
    assert ("the only one of" if puzzle.solutions == 1 else f"{puzzle.solutions} of") in told


@pytest.mark.parametrize("slug", GAMES)
def test_an_order_that_fails_is_shown_failing(slug: str) -> None:
    puzzle = puzzles(slug)[0]
    state = puzzle.state()
    legal = state.legal(puzzle.seat, 40_000) or []
    proofs = puzzle.proofs()
    solving = [puzzle.answer] if slug == "pigs" else proofs.solutions(state, puzzle.seat, legal, puzzle.moves)
    wrong = next(order for order in legal if order not in solving)
    tried = puzzle.play_out(state, wrong)
    assert not tried.solved
    told = text(page(slug, 1, wrong, played=True))
    answers = puzzle.moves > 1 or len(state.to_act()) > 1
    assert ("That doesn’t always win." if answers else "That doesn’t work.") in told
    assert "Solved." not in told and "Try again" in told
    assert "data-streak" not in page(slug, 1, wrong, played=True).content.decode()


@pytest.mark.parametrize(
    ("slug", "reason"),
    [
        ("robosoccer", "Here you haven’t won, and the puzzle asks for a win now."),
        ("robble", "After the reply {reply}, you can no longer force a win in time."),
    ],
)
def test_a_failed_attempt_says_why_where_its_film_ends_before_the_match_and_how_that_ended(
    slug: str, reason: str
) -> None:
    puzzle = puzzles(slug)[0]
    state = puzzle.state()
    attempts = ((order, puzzle.play_out(state, order)) for order in state.legal(puzzle.seat, 40_000) or [])
    order, tried = next(one for one in attempts if not shown(one[1]).positions[-1].ended)
    (reply,) = tried.turns[-1].values()
    assert reason.format(reply=reply) in text(page(slug, 1, order, played=True))
    for share, says in ((0, "Here you lose."), (0.5, "Here the match ends in a draw.")):
        ended = mock.Mock(ended=Outcome({puzzle.seat: share}, "an end"))
        assert why_not(puzzle, PlayedOut(state, (), solved=False), ended) == says


def test_a_solution_that_was_asked_for_is_shown_and_does_not_count() -> None:
    puzzle = puzzles("robble")[0]
    failed = page("robble", 1, next(failing(puzzle)), played=True).content.decode()
    (link,) = set(re.findall(r'href="([^"]+)">\s*Show solution', failed))
    solution = client.get(html.unescape(link).partition("#")[0])
    assert "This is a solution." in text(solution) and "Solved." not in text(solution)
    assert "data-solved=" not in solution.content.decode().partition("puzzle-words")[0]
    assert "data-solved=" in page("robble", 1, puzzle.answer, played=True).content.decode()


def failing(puzzle: Puzzle) -> Iterator[str]:
    state = puzzle.state()
    orders = state.legal(puzzle.seat, 40_000) or []
    return (order for order in orders if not puzzle.play_out(state, order).solved)


def test_after_a_puzzle_of_the_day_comes_the_days_puzzle_of_another_game() -> None:
    todays = [(game.slug, at) for game, at in todays_puzzles(day_in(UTC))]
    for (slug, at), (other, then) in zip(todays, [*todays[1:], todays[0]], strict=True):
        assert f'href="/puzzles/{other}/{then}/">Next puzzle' in text(page(slug, at))
    slug, at = todays[0]
    assert f'href="/puzzles/{slug}/{at + 2}/">Next puzzle' in text(page(slug, at + 1))


def test_a_typed_order_is_played_without_javascript_and_a_hint_comes_when_it_is_asked_for() -> None:
    puzzle: Puzzle = puzzles("robosoccer")[0]
    answer = client.post("/puzzles/robosoccer/1/", {"typed": puzzle.answer, "seal": "", "turn": "0"})
    assert answer.status_code == 302 and "played" in answer["Location"]
    assert "Solved." in text(client.get(answer["Location"].partition("#")[0]))
    refused = client.post("/puzzles/robosoccer/1/", {"typed": "z9", "seal": "", "turn": "0"})
    assert refused.status_code == 422
    at = f"The first action begins on {puzzle.answer[:2]}."
    assert at not in text(page("robosoccer", 1))
    assert at in text(client.get("/puzzles/robosoccer/1/?again"))


def test_the_page_lists_the_first_ones_and_each_game_s_of_the_day_and_there_are_no_others() -> None:
    shown = client.get("/puzzles/").content.decode()
    listed = set(re.findall(r'data-puzzle="(\w+)/(\d+)"', shown))
    todays = {(game.slug, str(at)) for game, at in todays_puzzles(day_in(UTC))}
    assert listed == todays | {(slug, str(at)) for slug in GAMES for at in range(1, FIRST + 1)}
    for path in ("pigs/0", "pigs/999", "chess/1"):
        assert client.get(f"/puzzles/{path}/").status_code == 404


def todays(browser: Client, slug: str = "pigs") -> int:
    """The number of the day that the page of this browser shows the puzzles of."""
    shown = browser.get("/puzzles/").content.decode()
    day = int(shown.partition('data-today="')[2].partition('"')[0])
    assert f'href="/puzzles/{slug}/{puzzle_of(slug, day)}/"' in shown.partition("</section>")[0]
    page = browser.get(f"/puzzles/{slug}/{puzzle_of(slug, day)}/")
    assert "Today’s puzzle" in text(page) and f'data-today="{day}"' in text(page)
    return day


def in_zone(zone: str) -> Client:
    browser = Client()
    if zone:
        browser.cookies["zone"] = zone
    return browser


@pytest.mark.parametrize(
    ("slug", "published"), [("pigs", 4), ("roboxing", 7), ("robosoccer", 6), ("robble", 5)]
)
def test_no_days_puzzle_comes_twice_within_a_year(slug: str, published: int) -> None:
    cycle = [puzzle_of(slug, YEAR_FROM + day) for day in range(YEAR)]
    assert len(set(cycle)) == YEAR and min(cycle) > FIRST, "the first ones were the days' before"
    assert [puzzle_of(slug, YEAR_FROM + YEAR + day) for day in range(YEAR)] == cycle
    assert puzzle_of(slug, date(2026, 11, 27).toordinal()) == published, "as before a change"


def test_the_day_is_the_readers_own(time: Time) -> None:
    """In California it does not turn over in the afternoon; nobody gets the day of another's zone."""
    time.present = datetime(2026, 3, 2, 0, 30, tzinfo=UTC)  # 16:30 of the day before there
    zones = ["", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Pago_Pago", "no/where"]
    expected = [2, 1, 2, 2, 1, 2]
    first = date(2026, 3, 1).toordinal() - 1
    for _ in range(2):  # the second time whatever is kept is there
        assert [todays(in_zone(zone)) - first for zone in zones] == expected
    time.pass_(hours=7, minutes=20)
    assert todays(in_zone("America/Los_Angeles")) == first + 1
    time.pass_(minutes=20)
    assert todays(in_zone("America/Los_Angeles")) == first + 2


def test_a_browser_that_says_no_zone_has_the_day_of_its_guest(alice: Browser, time: Time) -> None:
    time.present = datetime(2026, 3, 2, 0, 30, tzinfo=UTC)
    alice.make()
    before = todays(alice)
    Guest.objects.update(zone="America/Los_Angeles")
    assert todays(alice) == before - 1
    alice.cookies["zone"] = "Asia/Tokyo"
    assert todays(alice) == before
