"""Lessons and puzzles in a real browser: by finger on a phone, by keyboard, and without JavaScript."""

from __future__ import annotations

import random
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from games import GAMES, newest
from robosite.learn.puzzles import day_in, puzzle_of, puzzles
from tests.browser.conftest import Visit
from tests.browser.people import PHONE, STILL, drawn, scrolls_sideways
from tests.receivers import until

pytestmark = pytest.mark.more


def test_a_lesson_leads_to_a_match(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    page, lesson = alice.page, newest("pigs").lesson
    assert lesson
    page.goto("/learn/pigs/")
    for n, exercise in enumerate(lesson.exercises, 1):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"{n} of {len(lesson.exercises)}")
        drawn(page)
        assert not scrolls_sideways(page)
        alice.seal(exercise.answer)
        expect(page.locator(".dock .notice").filter(has_text="Well done.")).to_contain_text(
            str(exercise.done)
        )
        if n < len(lesson.exercises):
            alice.press(page.get_by_role("link", name="Next"))
    alice.press(alice.button("Play a bot now"))
    expect(alice.at_table("You")).to_contain_text("planning")


@pytest.mark.parametrize(
    ("game", "taps"), [("robosoccer", "e3 e4"), ("robble", "c4"), ("roboxing", "to_c7 to_e7")]
)
def test_a_tap_shows_on_the_board_of_a_lesson(visit: Visit, game: str, taps: str) -> None:
    """The outcome of a tap is drawn, and the way on is under the thumb."""
    alice = visit("Alice", **PHONE)
    page = alice.page
    page.goto(f"/learn/{game}/")
    for tap in taps.split():
        alice.press(page.locator(f".taps [value='{tap.replace('_', ' ')}']"))
        done = ".taps [aria-pressed='true'], .slots .slot:not(.free), .bx-pip.taken"
        expect(page.locator(done).first).to_be_visible()
    expect(page.locator("#badges [data-ghost], #badges .bx-leg").first).to_be_attached()
    alice.press(page.locator(".dock .primary"))
    expect(page.locator(".dock .notice").filter(has_text="Well done.")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Next")).to_be_in_viewport()


@pytest.mark.parametrize("game", ["pigs", "roboxing"])
def test_an_answer_leaves_a_lessons_board_where_and_as_large_as_it_was(visit: Visit, game: str) -> None:
    alice = visit("Alice", viewport={"width": 390, "height": 720}, has_touch=True, is_mobile=True, **STILL)
    page, board = alice.page, alice.page.locator("#film .board-sheet")
    lesson = newest(game).lesson
    assert lesson
    page.goto(f"/learn/{game}/?order={quote(lesson.exercises[0].answer)}")
    drawn(page)
    before = board.bounding_box()
    alice.press(page.locator(".dock .primary"))
    expect(page.locator(".dock .notice").filter(has_text="Well done.")).to_be_visible()
    drawn(page)
    assert board.bounding_box() == before


@pytest.mark.parametrize("size", [(390, 720), (320, 640)], ids=["phone", "narrow"])
@pytest.mark.parametrize("game", GAMES)
def test_a_verdict_leaves_a_puzzles_board_where_and_as_large_as_it_was(
    visit: Visit, game: str, size: tuple[int, int]
) -> None:
    """After an answer that wins, and after one that fails, which needs more room below the board."""
    alice = visit("Alice", viewport={"width": size[0], "height": size[1]}, has_touch=True, **STILL)
    page, board = alice.page, alice.page.locator("#film .board-sheet")
    puzzle = puzzles(game)[0]
    fails = puzzle.state().view(puzzle.seat).sample(puzzle.seat, random.Random(1))
    for order in (puzzle.answer, fails):
        page.goto(f"/puzzles/{game}/1/")
        drawn(page)
        before = board.bounding_box()
        page.goto(f"/puzzles/{game}/1/?played&order={quote(order)}")
        expect(page.locator("#lesson .film-controls")).to_be_visible()
        drawn(page)
        assert board.bounding_box() == before, order


def test_a_refused_tap_leaves_a_lesson_going(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    page = alice.page
    page.goto("/learn/robosoccer/4/")
    alice.press(page.locator(".taps [value='a5']"))
    expect(page.locator(".taps [value='a5'][aria-pressed]")).to_be_visible()
    page.locator(".taps [value='b5']").tap(force=True)  # it is disabled, and says why
    expect(page.locator(".refused")).to_contain_text("red line")
    alice.press(page.locator(".taps [value='a7']"))
    expect(page.get_by_role("list", name="Your turn")).to_contain_text("a5^a7")


def today(zone: str = "UTC") -> int:
    return day_in(ZoneInfo(zone))


def solve_todays(page: Page, slug: str) -> None:
    at = puzzle_of(slug, today())
    page.goto(f"/puzzles/{slug}/{at}/?played&order={quote(puzzles(slug)[at - 1].answer)}")
    expect(page.locator(".dock .notice").filter(has_text="Solved.")).to_be_in_viewport()


def test_the_dock_of_a_solved_puzzle_leaves_the_board_free_and_the_others_are_ticked(visit: Visit) -> None:
    page = visit("Alice", **{**PHONE, "viewport": {"width": 390, "height": 664}}).page
    for slug in ("robble", "pigs"):
        solve_todays(page, slug)
    board, dock = page.locator("#film .board-sheet").bounding_box(), page.locator(".dock").bounding_box()
    assert board and dock and board["y"] + board["height"] <= dock["y"]
    ticks = "link => getComputedStyle(link, '::after').content.includes('✓')"
    page.goto("/puzzles/")
    assert page.locator(".shelf [data-puzzle^='robble/']").evaluate(ticks)
    assert not page.locator(".shelf [data-puzzle^='roboxing/']").evaluate(ticks)


def test_tries_are_counted_and_what_is_solved_is_known_to_this_browser_alone(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE)
    page, puzzle = alice.page, puzzles("robble")[0]
    wrong = next(order for order in puzzle.state().legal(puzzle.seat, 100) or [] if order != puzzle.answer)
    page.goto(f"/puzzles/robble/1/?played&order={quote(wrong)}")
    expect(page.locator(".dock .notice").filter(has_text="doesn’t")).to_be_visible()
    page.goto("/puzzles/robble/1/")
    assert not scrolls_sideways(page)
    alice.press(page.locator(f".taps [value='{puzzle.answer}']"))
    alice.press(page.locator(".dock .primary"))
    expect(page.locator(".dock .notice").filter(has_text="Solved in 2 tries!")).to_be_in_viewport()
    until(lambda: "puzzles=" in page.evaluate("document.cookie"))
    page.goto("/puzzles/")
    page.locator("summary", has_text="Robble").click()
    solved = page.locator("ol").get_by_role("link", name="Puzzle 1, Robble (solved)", exact=True)
    expect(solved).to_have_count(1)
    bob.page.goto("/puzzles/")
    expect(bob.page.get_by_role("link", name="(solved)")).to_have_count(0)


def test_days_in_a_row_are_counted_once_a_day(visit: Visit) -> None:
    page = visit("Alice", **PHONE).page
    page.goto("/puzzles/")
    expect(page.locator("[data-streak]")).to_be_hidden()
    progress = f"encodeURIComponent(JSON.stringify({{solved: [], day: {today() - 1}, streak: 4}}))"
    kept = f"document.cookie = 'puzzles=' + {progress} + ';path=/'"
    page.evaluate(kept)
    for slug in ("robble", "robosoccer"):
        solve_todays(page, slug)
        expect(page.locator("[data-streak]")).to_have_text("Daily streak: 5")
    page.evaluate(kept.replace(str(today() - 1), str(today() - 2)))
    page.goto("/puzzles/")
    expect(page.locator("[data-streak]")).to_be_hidden()


def test_of_more_solved_puzzles_than_can_be_kept_the_first_are_forgotten(visit: Visit) -> None:
    page = visit("Alice", **PHONE).page
    page.goto("/puzzles/")
    solved = f"`{today() - 1}~4~UTC~pigs.${{[...Array(900).keys()].join('.')}}`"
    page.evaluate(f"document.cookie = 'puzzles=' + encodeURIComponent({solved}) + ';path=/'")
    solve_todays(page, "robble")
    until(lambda: f"robble.{puzzle_of('robble', today())}" in page.evaluate("document.cookie"))
    kept = page.evaluate("document.cookie")
    assert "~5~" in kept and ".899~robble" in kept and "pigs.0." not in kept


AHEAD, BEHIND = "Pacific/Kiritimati", "Pacific/Pago_Pago"
"""On no two places is it so seldom the same day."""


@pytest.mark.parametrize("zone", [AHEAD, BEHIND])
def test_the_first_page_that_a_browser_sees_has_its_own_day_already(visit: Visit, zone: str) -> None:
    page = visit("Alice", **{**PHONE, "timezone_id": zone}).page
    page.goto("/puzzles/")
    expect(page.locator("h1[data-today]")).to_have_attribute("data-today", str(today(zone)))


def local_day(now: datetime, zone: str) -> int:
    return now.astimezone(ZoneInfo(zone)).date().toordinal()


def a_journey(chance: random.Random) -> tuple[list[dict[str, Any]], int]:
    """Puzzles solved on a journey from zone to zone, and how long the row is at its end.

    Somebody solves one on each day that they are on the ground, and at once wherever they land: a day that
    passes in the air, eastwards, is none of theirs, and one that comes again, westwards, counts once. They
    may leave days out on the ground, and then the row begins anew.
    """
    zones = ["America/Los_Angeles", "Asia/Tokyo", "Europe/Berlin", AHEAD, BEHIND, "Asia/Kolkata"]
    now, zone = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(hours=chance.randrange(24)), "Asia/Tokyo"
    solved: list[dict[str, Any]] = []
    row, last, missed = 0, 0, False
    for _ in range(40):
        day = local_day(now, zone)
        solved.append({"day": day, "zone": zone, "now": now.timestamp() * 1000})
        if day > last:
            row, last = 1 if missed else row + 1, day
        missed = False
        if chance.random() < 0.3:
            now, zone = now + timedelta(hours=chance.randrange(1, 13)), chance.choice(zones)
            continue
        days = chance.choice([1] * 9 + [2, 3])
        midnight = datetime.combine(date.fromordinal(day + days), time.min, ZoneInfo(zone))
        now = midnight.astimezone(UTC) + timedelta(minutes=chance.randrange(1, 1380))
        missed = local_day(now, zone) > last + 1
    return solved, row


COUNTS = """async (journeys) => {
  const { counted } = await import(document.querySelector("script[src*='puzzles']").src
    .replace(/puzzles[^/]*$/, "streak.js"));
  return journeys.map((solved) => solved.reduce(
    (kept, { day, zone, now }) => counted(kept, day, zone, now), { day: 0, streak: 0, zone: "" }).streak);
}"""


def test_journeys_east_and_west_neither_lose_a_day_nor_count_one_twice(visit: Visit) -> None:
    page = visit("Alice").page
    page.goto("/puzzles/")
    journeys = [a_journey(random.Random(seed)) for seed in range(500)]
    assert page.evaluate(COUNTS, [solved for solved, _row in journeys]) == [row for _solved, row in journeys]
    assert len({row for _solved, row in journeys}) > 5


def test_a_line_about_the_days_puzzles_can_be_sent(visit: Visit) -> None:
    """It says how many are solved, and nothing of how."""
    page = visit("Alice", **PHONE).page
    page.goto("/puzzles/")
    expect(page.locator("[data-puzzle-share]")).to_be_hidden()
    solve_todays(page, "robble")
    page.locator("summary", has_text="Share").tap()
    line = page.get_by_label("Message to send")
    expect(line).to_have_value(re.compile("1 of 4 solved .*/puzzles/"))
    assert line.input_value().count("★") == 1 and line.input_value().count("☆") == 3
    page.goto("/puzzles/")
    expect(line).to_have_value(re.compile("1 of 4 solved"))
