"""The planner says that an answer is lost, and no longer than it is true; half a page is asked for again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import (
    PHONE,
    ROUNDS,
    SMALL,
    STILL,
    WAITS_ON,
    Person,
    Watcher,
)
from tests.receivers import until

NOTES = """() => {
    window.notes = [];
    const note = () => notes.push([
        Boolean(document.getElementById("sealed-title")),
        document.getElementById("plan-trouble")?.dataset.says ?? "",
    ]);
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""
"""Notes, at each change of the page, whether the order is sealed there, and what trouble it tells of."""
IN_SIGHT = """one => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && one.contains(there);
}"""


@pytest.fixture
def alice(visit: Visit, watcher: Watcher) -> Person:
    watcher.allow(r"ERR_|Failed to load resource|htmx:")
    one = visit("Alice", **SMALL, **STILL)
    one.page.add_init_script(WAITS_ON)
    one.is_joined_by(visit("Bob"))
    one.come_to_now()
    return one


class Line:
    """The line of a page: what the planner sends gets no answer, and later pages do not come at all.

    Answers that a page asks for ahead of taps, which it does when it likes, are no pages.
    """

    def __init__(self, person: Person, *, arrives: bool) -> None:
        self.arrives, self.pages = arrives, 0
        self.most = 10**6
        person.page.route("**/plan/", self._lose)
        person.page.route("**/m/*/A/", self._bring)

    def _lose(self, route: Route) -> None:
        if self.arrives:
            route.fetch()
        route.abort()

    def _bring(self, route: Route) -> None:
        self.pages += route.request.headers.get("hx-target") != "ahead"
        if self.pages <= self.most:
            route.continue_()
        else:
            route.abort()


def test_a_seal_that_the_page_shows_is_no_trouble_any_more(alice: Person) -> None:
    alice.choose(ROUNDS[0][0])
    until(lambda: alice.page.locator("#plan [data-unsure]").count() == 0)
    line = Line(alice, arrives=True)
    line.most = 1  # brought by the news that the order is sealed; to look again is in vain
    alice.page.evaluate(NOTES)
    alice.press(alice.page.locator("#plan button[name=seal]"))
    expect(alice.page.locator("#sealed-title")).to_be_visible()
    alice.page.wait_for_timeout(3_000)
    noted = alice.page.evaluate("notes")
    assert [False, "tap"] in noted, "the answer was lost, and the page said so"
    first = next(n for n, (sealed, _) in enumerate(noted) if sealed)
    assert {said for _, said in noted[first:]} == {""}, noted[first:]
    assert line.pages == 1, "there is nothing to look for any more"


@pytest.mark.more
def test_what_is_told_of_lost_taps_is_in_sight(alice: Person) -> None:
    other = alice.another_tab()
    other.come_to_now()
    Line(alice, arrives=False)
    alice.press(alice.key("F"))
    note = alice.page.locator("#plan-trouble")
    expect(note).to_have_attribute("data-says", "tap")
    assert note.evaluate(IN_SIGHT)
    other.seal(ROUNDS[0][0])
    expect(alice.page.locator("#sealed-title")).to_be_attached()
    expect(note).to_have_attribute("data-says", "undone")
    until(lambda: note.evaluate(IN_SIGHT))


def test_a_seal_that_waits_for_its_answer_says_so(alice: Person) -> None:
    alice.choose(ROUNDS[0][0])
    until(lambda: alice.page.locator("#plan [data-unsure]").count() == 0)
    under_way: list[Route] = []
    alice.page.route("**/plan/", lambda route: under_way.append(route))
    alice.press(alice.page.locator("#plan button[name=seal]"))
    note = alice.page.locator("#plan-trouble")
    expect(note).to_have_attribute("data-says", "tap")
    until(lambda: note.evaluate(IN_SIGHT))
    assert len(under_way) == 1, "no second request has gone out"
    under_way[0].continue_()
    expect(alice.page.locator("#sealed-title")).to_be_visible()
    expect(note).to_have_count(0)


def test_a_page_that_was_cut_is_asked_for_again(visit: Visit, watcher: Watcher) -> None:
    watcher.allow(r"EvalError|unsafe-eval|htmx|Content Security Policy|WebSocket")
    alice = visit("Alice", **PHONE)
    alice.is_joined_by(visit("Bob"))
    where, cut = alice.page.url, 0

    def cut_twice(route: Route) -> None:
        nonlocal cut
        answer = route.fetch()
        page = answer.text()
        if cut < 2 and route.request.is_navigation_request():  # the page before may still ask for an update
            cut, page = cut + 1, page[: page.index('id="live"')]
        route.fulfill(response=answer, body=page)

    alice.page.route(where, cut_twice)
    alice.page.goto(where)
    expect(alice.page.locator("#live")).to_be_visible()
    alice.choose("F F F F F")
    assert cut == 2
