"""A line that breaks off in the middle of a page: its start alone can do nothing, and is asked for again."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import PHONE, Watcher


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
