"""A script that does not come, is broken or is not the site's: all still works, if need be as a form."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, Route, TimeoutError, expect

from games import GAMES
from games.core import Order, play_turn
from robosite.learn.puzzles import puzzles
from tests.browser.conftest import Seated, Visit
from tests.browser.people import PHONE, STILL, A, B, Person, Watcher, sit
from tests.receivers import until
from tests.screenshots.town import Table

FIRST = ("htmx-2.min", "planner", "at_once", "site")
OF_A_SEAT = (
    *FIRST,
    *("film", "live", "line", "row", "theme", "clock", "kept"),
    *("suspense", "games", "times", "heard", "news", "waiting_film", "checked", "what", "menu"),
    *("first", "keys", "grid", "here", "call", "senses", "hands", "words"),
)
GONE: dict[str, Any] = {
    "lost": None,
    "empty": {"body": "", "content_type": "text/javascript"},
    "foreign": {"body": "<p>Sign in to this network</p>", "content_type": "text/html"},
    "error": {"status": 502, "body": "", "content_type": "text/plain"},
}
"""What comes in place of a script."""


@pytest.fixture
def guest(visit: Visit, watcher: Watcher) -> Person:
    watcher.allow(
        r"ERR_|Failed to load|MIME type|SyntaxError|TypeError|Error in a script|error in a script|integrity"
    )
    return visit("Ada", **PHONE, **STILL)


def lose(person: Person, script: str, how: str = "lost") -> None:
    """Whatever asks for this script of the site gets something else, or nothing."""

    def answer(route: Route) -> None:
        given = GONE[how]
        if given is None:
            route.abort()
        else:
            route.fulfill(**given)

    person.context.route(re.compile(rf"/static/.*/{re.escape(script)}(\.\w+)?\.js$"), answer)


def plan_and_seal(person: Person, table: Table) -> None:
    """Taps as a hand does, each tap once the one before is in the plan; then the turn is played.

    Each tap is seen. The other seat is played by the API, until it is this one's turn again.
    """
    page = person.page
    for _ in range(40):
        order = table.drafted(A)
        if table.state.view(A).plan(A, order).missing is None:
            break
        tap = f'button[name="choose"][value="{next_tap(table, order)}"]'
        press_until(page, tap, lambda order=order: table.drafted(A) != order)  # type: ignore[misc]
    press_until(page, '#plan button[name="seal"]:not([aria-disabled="true"])', lambda: is_sealed(table))
    expect(page.locator("#live")).to_be_attached()
    orders = {A: order}
    if B in table.state.to_act():
        orders[B] = table.state.view(B).sample(B, table.rng)
        table.seal(B, orders[B])
    *_, table.state = play_turn(table.state, orders)
    come_to_turn(table)


def come_to_turn(table: Table) -> None:
    while table.state.to_act() == {B}:
        table.play(1)


def next_tap(table: Table, text: Order) -> str:
    """A tap after which a whole order can be reached."""
    rng = Random(text)
    view = table.state.view(A)
    for _ in range(200):
        first, now = "", text
        for _each in range(40):
            plan = view.plan(A, now)
            if plan.missing is None and first:
                return first
            ways = [c for c in plan.choices if c.allowed and len(c.leads_to) > len(now)]
            if not ways:
                break
            choice = rng.choice(ways)
            first, now = first or choice.key, choice.leads_to
    raise AssertionError(f"no whole order after {text}")


def press_until(page: Page, selector: str, true: Callable[[], bool]) -> None:
    """Presses again, at most twice, what did nothing: a page may load again for want of a script."""
    for patience in (10, 10, 60):
        press(page, selector)
        try:
            until(true, patience)
            return
        except AssertionError:
            if patience == 60:
                raise


def press(page: Page, selector: str) -> None:
    button = page.locator(selector).first
    onward = page.locator("a.onward")
    bubbles = page.locator("#bubbles button")
    with suppress(TimeoutError):  # either may go by itself, with a page that loads again
        if onward.is_visible():
            onward.click(timeout=10_000)
        for _ in range(4):
            if bubbles.is_visible():
                bubbles.locator("strong:visible").click(timeout=10_000)
                page.wait_for_timeout(500)
    is_covered = bubbles.is_visible() or not button.is_visible()
    button.dispatch_event("click") if is_covered else button.click(force=True)


def is_sealed(table: Table) -> bool:
    match = table.seen_by(A)
    return match["turn"] > table.state.turn or "A" in match["sealed"]


CASES = [
    *((game, [script], "lost") for game, script in zip(GAMES, FIRST, strict=True)),
    *(
        pytest.param(game, OF_A_SEAT[n : n + 4], how, marks=pytest.mark.more)
        for game in GAMES
        for n in range(0, len(OF_A_SEAT), 4)
        for how in GONE
    ),
]
"""Scripts that are lost in a match, one in each of its turns; in the short form one script a game."""


@pytest.mark.parametrize(("game", "scripts", "how"), CASES)
def test_a_turn_is_sealed_without_any_one_script(
    guest: Person, seated: Seated, game: str, scripts: tuple[str, ...], how: str
) -> None:
    table = seated(game, "lost scripts")
    come_to_turn(table)
    sit(guest, table)
    for script in scripts:
        print(script)
        lose(guest, script, how)
        guest.page.goto(f"/m/{table.key}/A/")
        guest.page.wait_for_timeout(300)
        plan_and_seal(guest, table)
        guest.context.unroute_all()


def answers_a_puzzle(person: Person, _table: Table) -> None:
    person.page.goto("/puzzles/robble/1/")
    pick(person.page, f".taps [value='{puzzles('robble')[0].answer}']")
    pick(person.page, ".dock .primary:not([aria-disabled='true'])")
    expect(person.page.locator(".dock .notice").filter(has_text="Solved")).to_be_attached()


def takes_a_step_of_a_lesson(person: Person, _table: Table) -> None:
    person.page.goto("/learn/robble/")
    pick(person.page, ".taps [value='c4']")
    pick(person.page, ".dock .primary:not([aria-disabled='true'])")
    expect(person.page.locator(".dock .notice").filter(has_text="Well done")).to_be_attached()


def writes_a_message(person: Person, table: Table) -> None:
    person.page.goto(f"/m/{table.key}/A/talk/")
    words = f"Good evening {len(person.context.pages)} {person.page.evaluate('performance.now()')}"
    person.page.locator("textarea").first.fill(words)
    pick(person.page, "form:has(textarea) button:not([formaction])")
    expect(person.page.locator("#talk")).to_contain_text(words)
    expect(person.page.locator("textarea").first).to_have_value("")


def makes_a_match(person: Person, _table: Table) -> None:
    person.page.goto("/new/robble/")
    name = person.page.get_by_label("Your name")
    if name.is_visible():
        name.fill("Ada")
    pick(person.page, ".make-bar .primary")
    expect(person.page.get_by_label("Message to send")).to_be_visible()
    person.page.wait_for_load_state("networkidle")


def changes_the_name(person: Person, _table: Table) -> None:
    page, name = person.page, f"Ada {int(person.page.evaluate('performance.now()'))}"
    page.goto("/me/?settings=1")
    page.locator("#settings details:has(input[name=name])").evaluate("row => { row.open = true }")
    page.locator("input[name=name]").first.fill(name)
    page.locator("form:has(input[name=name])").first.get_by_role("button").first.dispatch_event("click")
    until(lambda: name in page.request.get("/me/?settings=1").text())


def pick(page: Page, selector: str) -> None:
    """Presses a button as soon as it is there, whatever lies over it."""
    button = page.locator(selector).first
    expect(button).to_be_attached()
    button.dispatch_event("click")


@pytest.mark.more
@pytest.mark.parametrize(
    "does", [answers_a_puzzle, takes_a_step_of_a_lesson, writes_a_message, makes_a_match, changes_the_name]
)
def test_other_pages_do_without_any_one_script(guest: Person, seated: Seated, does: Any) -> None:
    table = seated("robble", "lost scripts elsewhere")
    sit(guest, table)
    names = set()
    guest.page.on(
        "request",
        lambda request: names.update(
            re.findall(r"/static/.*/([\w-]+?(?:\.min)?)(?:\.\w{12})?\.js$", request.url)
        ),
    )
    does(guest, table)
    assert {"site", "htmx-2.min"} <= names
    faults = {}
    for name in sorted(names):
        lose(guest, name)
        try:
            does(guest, table)
        except (AssertionError, TimeoutError) as fault:
            faults[name] = str(fault).splitlines()[0]
        guest.context.unroute_all()
    assert not faults
