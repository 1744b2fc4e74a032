"""The film tells how a round went and how the match ended, and nothing on the page tells it before."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, STILL, B, Person, drawn, play_rounds, sit_and_see
from tests.receivers import until
from tests.screenshots.town import Table

pytestmark = pytest.mark.more


def sit(person: Person, table: Table) -> None:
    sit_and_see(person, table)
    expect(person.page.locator("[data-film].at-last")).to_be_attached()


def tells_nothing(person: Person, *, asks: bool = True) -> None:
    """`asks`: whether the page offers to tell the end, as it does until the film plays."""
    expect(person.page.get_by_text("How did it end?")).to_be_visible(visible=asks)
    expect(person.status).not_to_be_visible()
    assert "won" not in person.page.title()
    for word in ("won", "lost"):
        assert not person.table.get_by_text(word, exact=True).is_visible()
    if person.scripts:  # without them nothing would show the sentences later
        fell = "Your pig is destroyed" if person.name == "Ben" else "Ben is destroyed"
        assert not person.page.locator("main").get_by_text(fell, exact=False).first.is_visible()
    assert not person.page.get_by_role("heading", name="How it ended").is_visible()


def tells_all(person: Person) -> None:
    expect(person.status).to_be_visible()
    verdict = "You won!" if person.name == "Ada" else "You lost."
    expect(person.status).to_contain_text(verdict)
    expect(person.page).to_have_title(f"{verdict} · Robo Battle Pigs · Robosite")
    expect(person.table.get_by_text("won", exact=True)).to_be_visible()
    expect(person.page.get_by_role("heading", name="How it ended")).to_be_visible()
    expect(person.page.get_by_text("How did it end?")).not_to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_who_comes_back_to_a_match_that_is_over_watches_its_end_first(
    visit: Visit, table: Table, scripts: bool
) -> None:
    play_rounds(table, 0, 1)
    person = visit("Ada", java_script_enabled=scripts, **DESKTOP)
    sit(person, table)
    address = person.page.url
    person.page.goto("/rules/pigs/")
    play_rounds(table, 2)
    person.page.goto(address)
    tells_nothing(person)
    person.press(person.page.get_by_role("link", name="How did it end?"))
    tells_all(person)


def test_the_slots_tell_nothing_of_the_damage_that_is_about_to_be_shown(visit: Visit, table: Table) -> None:
    play_rounds(table, 0)
    person = visit("Ada", **DESKTOP)
    sit(person, table)
    play_rounds(table, 1)
    expect(person.page.locator("[data-film][data-fresh]")).to_be_attached()
    assert not person.slots.first.is_visible()
    assert not person.page.locator(".programs .cell-mark").last.is_visible()
    person.press(person.page.locator("a.onward"))
    expect(person.slots.first).to_be_visible()
    expect(person.page.locator(".programs .cell-mark").last).to_be_visible()


def test_the_last_step_lingers_until_its_reader_moves_on(visit: Visit, table: Table) -> None:
    """Its sentence is not covered on a phone; then nothing of the turn stands under the next plan."""
    play_rounds(table, 0)
    person = visit("Ada", **PHONE)
    sit(person, table)
    play_rounds(table, 1)
    film, says = person.page.locator("#film"), person.page.locator("[data-film-live]")
    expect(person.page.locator("[data-film].playing")).to_be_attached()
    person.press(person.page.get_by_role("link", name="Step 2"))  # both fire there, and it stops
    person.press(person.page.get_by_role("link", name="Step 5"))
    expect(film).to_have_class("sheet at-last lingering")
    expect(says).to_contain_text("You punch")
    person.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")  # it goes away with the board
    dock = person.page.locator(".dock").bounding_box()
    lowest = """says => {
        const words = document.createRange();
        words.selectNodeContents(says);
        return words.getBoundingClientRect().bottom;
    }"""
    assert dock and dock["y"] - 100 < says.evaluate(lowest) <= dock["y"]
    expect(person.page.locator(".frame:not([display]) .effect").first).to_be_visible()
    person.press(person.page.locator("a.onward"))
    expect(person.slots.first).to_be_visible()
    expect(person.page.locator(".frame:not([display]) .effect:visible")).to_have_count(0)
    assert not person.page.locator(".badges > *").count()  # damage alone is no plan


def comes_after(later: Locator, earlier: Locator) -> bool:
    below, above = later.bounding_box(), earlier.bounding_box()
    return bool(below and above and below["y"] > above["y"])


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_at_a_desk_the_last_step_is_read_before_the_planner_comes_up(
    visit: Visit, table: Table, motion: str
) -> None:
    play_rounds(table, 0)
    person = visit("Ada", **DESKTOP, reduced_motion=motion)
    sit(person, table)
    page, planner = person.page, person.page.locator("#planner")
    page.evaluate("localStorage.setItem('speed', '4')")
    play_rounds(table, 1)
    expect(page.locator("#film.lingering")).to_be_attached()
    assert comes_after(planner, person.happened)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 2")
    expect(page.locator("a.onward")).to_be_visible()
    table.seal(B, ROUNDS[2][1], 2)  # the page is drawn anew meanwhile
    expect(person.table).to_contain_text("sealed")
    expect(page.locator("#film")).to_have_class("sheet at-last")
    until(lambda: comes_after(person.happened, planner))
    expect(person.slots.first).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 3")


IS_THERE = "name => performance.getEntriesByType('resource').some((one) => one.name.includes(`/js/${name}.`))"
"""A script has come, some seconds after the page."""


@pytest.mark.parametrize("looks", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_end_is_not_told_before_its_last_shot_is_drawn(
    visit: Visit, table: Table, looks: dict[str, Any]
) -> None:
    play_rounds(table, 0, 1)
    person = visit("Ada", **looks)
    sit(person, table)
    person.page.evaluate("localStorage.setItem('speed', '0.5')")
    person.page.wait_for_function(IS_THERE, arg="suspense")
    play_rounds(table, 2)
    expect(person.page.locator("[data-film].playing")).to_be_attached()
    tells_nothing(person, asks=False)
    person.press(person.page.get_by_role("link", name="Step 2"))
    wreck = person.page.locator(".frame:not([display]) [href='#pig-hulk']")
    expect(person.page.locator("#film.lingering")).to_be_attached()
    expect(wreck).to_be_hidden()
    tells_nothing(person, asks=False)
    expect(wreck).to_be_visible()
    tells_all(person)


def test_a_film_says_which_turn_is_on_the_board_and_has_one_way_on(visit: Visit, table: Table) -> None:
    play_rounds(table, 0, 1)
    person = visit("Ada", **PHONE)
    sit_and_see(person, table)
    person.page.goto(f"{person.address}?at=1.4")
    expect(person.status).to_have_text("Round 1 of 2", use_inner_text=True)
    expect(person.page.locator(":is(.to-now, .onward):visible")).to_have_count(1)
    top = person.page.locator(".board-sheet").bounding_box()
    person.press(person.page.locator(".onward"))
    expect(person.status).to_have_text(re.compile("^It’s your turn"), use_inner_text=True)
    assert person.page.locator(".board-sheet").bounding_box() == top


def test_a_plan_is_not_drawn_among_the_beams_of_the_turn_before(visit: Visit, table: Table) -> None:
    play_rounds(table, 0)
    person = visit("Ada", **DESKTOP)
    sit(person, table)
    person.press(person.key("^"))
    expect(person.page.locator("#ghosts .ghost").first).to_be_visible()
    person.page.goto(f"{person.page.url}?at=1.2")
    person.press(person.page.get_by_role("link", name="Step 5"))
    expect(person.page.locator("[data-film].lingering .frame:not([display]) .effect").first).to_be_visible()
    expect(person.page.locator("#ghosts .ghost:visible, #badges *:visible")).to_have_count(0)
    person.press(person.key("TL"))
    expect(person.page.locator("#ghosts .ghost").first).to_be_visible()
    expect(person.page.locator(".frame:not([display]) .effect:visible")).to_have_count(0)


HEARD = """() => {
    window.heard = [];
    localStorage.setItem("speed", "4");
    const hear = () => {
        const words = document.querySelector("[data-film-live]")?.textContent.trim();
        if (words && words !== window.heard.at(-1)) window.heard.push(words);
    };
    const all = { childList: true, subtree: true, characterData: true };
    new MutationObserver(hear).observe(document.body, all);
}"""


def steps_heard(person: Person) -> list[str]:
    return [words.split()[1].rstrip(":") for words in person.page.evaluate("window.heard")]


def test_a_reveal_is_told_once_and_in_order_whatever_redraws_the_page(visit: Visit, table: Table) -> None:
    play_rounds(table, 0)
    person = visit("Ada", **PHONE)
    sit(person, table)
    person.page.evaluate(HEARD)
    play_rounds(table, 1)
    expect(person.page.locator("[data-film].playing .frame[data-frame='2']:not([display])")).to_be_attached()
    table.seal(B, ROUNDS[2][1], 2)  # the page is drawn anew while it plays
    expect(person.table).to_contain_text("sealed")
    expect(person.page.locator("[data-film].lingering")).to_be_attached()
    assert steps_heard(person) == list("12345")


def test_what_arrives_while_a_turn_is_asked_for_does_not_stop_the_film(visit: Visit, table: Table) -> None:
    """From an older round on, through the next, to one that is played meanwhile."""
    play_rounds(table, 0, 1)
    person = visit("Ada", **DESKTOP)
    sit(person, table)
    page = person.page
    page.evaluate(HEARD)
    page.goto(page.url.partition("?")[0] + "?at=1.5")
    page.evaluate(HEARD)

    def late(route: Route) -> None:
        play_rounds(table, 2)
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/?at=2.1", late, times=1)
    person.press(person.button("Play"))
    expect(page.locator("[data-film][data-number='3'].lingering")).to_be_attached()
    assert steps_heard(person) == list("51234512")  # the step of the address first
    tells_all(person)


def test_a_turn_that_waits_to_be_watched_goes_on_waiting_when_the_page_is_updated(
    visit: Visit, table: Table
) -> None:
    ada = visit("Ada", **PHONE)
    play_rounds(table, 0)
    sit(ada, table)
    home = ada.page.url
    ada.page.goto("/rules/pigs/")
    play_rounds(table, 1)
    ada.page.goto(home)
    film, marks = ada.page.locator("#film"), ada.page.locator(".programs .cell-mark")
    expect(film).to_have_class("sheet at-first")
    expect(marks.first).not_to_be_visible()
    table.seal(B, ROUNDS[2][1], 2)
    expect(ada.table).to_contain_text("sealed")
    expect(film).to_have_class("sheet at-first")
    expect(film).to_have_attribute("data-fresh", "")
    expect(marks.first).not_to_be_visible()


def test_an_update_in_the_moment_of_the_reveal_neither_stops_the_film_nor_tells_its_end(
    visit: Visit, table: Table
) -> None:
    ada = visit("Ada", **PHONE)
    play_rounds(table, 0)
    sit(ada, table)
    ada.page.evaluate("htmx.config.defaultSettleDelay = 1500")  # so that the update comes before
    table.seal(B, ROUNDS[1][1], 1)
    expect(ada.table).to_contain_text("sealed")
    ada.seal(ROUNDS[1][0])
    table.seal(B, ROUNDS[2][1], 2)
    expect(ada.page.locator("#film")).to_have_class("sheet playing")
    later = ada.page.locator(".programs td.current ~ td .cell-mark")
    expect(ada.page.locator("#film[data-fresh]")).to_be_attached()
    expect(later.first).not_to_be_visible()


def watch_the_end(person: Person, table: Table) -> None:
    """Plays the match to its end, whose film somebody at the table sees."""
    play_rounds(table, 0, 1)
    sit(person, table)
    person.page.evaluate("localStorage.setItem('speed', '4')")
    play_rounds(table, 2)
    expect(person.page.locator("[data-film].lingering")).to_be_attached()
    tells_all(person)


@pytest.mark.parametrize("looks", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_tap_right_at_the_end_is_asked_about_before_it_makes_a_match(
    visit: Visit, table: Table, looks: dict[str, Any]
) -> None:
    person = visit("Ada", **looks)
    watch_the_end(person, table)
    at, again, asks = (person.page.url, person.button("Rematch"), "Tap once more for the next one.")
    expect(person.page.get_by_text(asks)).not_to_be_visible()
    person.press(again)
    expect(person.page.get_by_text(asks)).to_be_visible()
    assert person.page.url == at
    if looks is PHONE:  # on an ordinary load one tap makes the next match
        person.page.reload()
    person.press(again)
    person.page.wait_for_url(lambda url: table.key not in url)


def test_an_end_that_comes_with_an_update_is_asked_about_too(visit: Visit, table: Table) -> None:
    play_rounds(table, 0)
    person, ben = visit("Ada", **PHONE), visit("Ben", java_script_enabled=False)
    sit(person, table)
    ben.page.goto(f"/s/seat/{table.tokens[B]}/")
    ben.press(ben.button("Continue as"))
    ben.unfold("Resign")
    ben.press(ben.button("Yes, I resign"))
    person.press(person.button("Rematch"))
    expect(person.page.get_by_text("Tap once more for the next one.")).to_be_visible()
    assert table.key in person.page.url


def test_another_bot_is_asked_about_at_the_end_too(visit: Visit) -> None:
    person = visit("Ada", **PHONE)
    person.page.goto("/")
    person.press(person.page.locator(".hello .play-now"))
    person.page.wait_for_url("**/m/**")
    at = person.page.url
    beside = person.another_tab()
    beside.unfold("Resign")
    beside.press(beside.button("Yes, I resign"))
    another, asks = person.page.locator(".another-bot"), "Tap once more for the next one."
    person.press(another.get_by_role("button"))
    expect(another.get_by_text(asks)).to_be_visible()
    assert person.address == at.partition("?")[0]
    person.press(another.get_by_role("button"))
    person.page.wait_for_url(lambda url: at.partition("?")[0] not in url)


def test_the_match_plays_from_the_beginning_and_asks_nothing_of_somebody_who_has_seen_the_end(
    visit: Visit, table: Table
) -> None:
    person = visit("Ada", **DESKTOP)
    watch_the_end(person, table)
    person.open_menu()
    person.press(person.page.get_by_role("link", name="From the start"))
    expect(person.page.locator("[data-film][data-number='1'].playing")).to_be_attached()
    expect(person.page.get_by_text("How did it end?")).not_to_be_visible()
    tells_all(person)
    expect(person.page.locator("[data-film][data-number='2'].playing")).to_be_attached()
    expect(person.page.locator("[data-film][data-number='3'].lingering")).to_be_attached()


def test_news_of_an_ended_match_leave_film_and_buttons_in_sight(visit: Visit, table: Table) -> None:
    """The board stays where it is, and so do the styles, which come no moment later than an update."""
    play_rounds(table, 0, 1, 2)
    person = visit("Ada", **{**PHONE, "viewport": {"width": 390, "height": 720}}, **STILL)
    sit_and_see(person, table)
    page, dock = person.page, person.page.locator(".once-again")
    expect(dock).to_have_css("position", "fixed")
    page.evaluate(
        """() => document.addEventListener("live:swapped", () => {
            window.stands = getComputedStyle(document.querySelector(".once-again")).position;
        })"""
    )
    board = page.locator("#film .board-sheet").bounding_box()
    ben = visit("Ben")
    ben.page.goto(f"/s/seat/{table.tokens[B]}/")
    ben.press(ben.button("Continue as"))
    ben.page.goto(f"{ben.address}?at=3")
    ben.press(ben.button("Rematch"))
    expect(page.get_by_role("heading", name="Ben asks for a rematch")).to_be_visible()
    assert page.evaluate("window.stands") == "fixed"
    drawn(page)
    assert page.locator("#film .board-sheet").bounding_box() == board
    desk, controls = dock.bounding_box(), page.locator("#film [data-play]").bounding_box()
    assert desk and controls and controls["y"] + controls["height"] <= desk["y"]
