"""Going back at a shared device, in each engine: its memory of pages shows nothing that the curtain hides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.engines.conftest import WEBKIT_OFTEN
from tests.engines.guests import Guest
from tests.engines.windows import Unanswered, Window
from tests.servers import Server

CAME = """() => addEventListener("pageshow", ({ persisted }) => {
  sessionStorage.seen = persisted && getComputedStyle(document.body).display !== "none";
})"""
"""From now on the tab notes whether this page comes back from memory for everybody to see."""
SEEN = "() => sessionStorage.seen === 'true'"


def share(alice: Guest, other: str) -> None:
    alice.window.goto(f"{alice.site}/new/pigs/")
    alice.press("label", "Your name")
    alice.window.type(alice.name)
    alice.press("label", "This device")
    alice.press("label", "Who else plays on this device?")
    alice.window.type(other)
    alice.press(".make-bar button")


@pytest.mark.parametrize("engine", WEBKIT_OFTEN, indirect=True)
def test_going_back_shows_nothing_behind_the_curtain(open_window: Callable[[], Window], site: Server) -> None:
    alice = Guest("Alice", open_window(), site.url)
    share(alice, "Ben")
    alice.choose(*["F"] * 5)
    alice.window.evaluate(CAME)
    alice.seal()
    alice.sees("h1", "Pass the device to Ben")
    with suppress(Unanswered):  # the page that answers is the one that is left
        alice.window.evaluate("() => void history.back()")
    alice.sees("h1", "Pass the device to Alice")
    assert not alice.window.evaluate(SEEN)
