"""A match of each game by link, whole pages, and pages in browsers of yesterday, in each engine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from games import GAMES
from games.core import Seat
from tests.engines.chromium import Chromium, ChromiumWindow
from tests.engines.conftest import ENGINES, SETTINGS, WEBKIT_OFTEN, Visit
from tests.engines.guests import Guest
from tests.engines.shadow import Shadow
from tests.engines.windows import Unanswered, Window
from tests.servers import Server

TURNS = 4 if os.environ.get("LONG_MATCHES") else 1
"""The number of turns that are played by hand before the players agree on a draw."""


OFTEN = {("webkit", "robble"), ("firefox", "pigs"), ("poorest", "roboxing")}
"""One match an engine is played by `make test-integration`; tests/browser plays all games in Chromium."""
CASES = [
    pytest.param(engine, game, marks=() if (engine, game) in OFTEN else pytest.mark.more)
    for engine in ENGINES
    for game in GAMES
]


@pytest.mark.timeout(900 * TURNS)
@pytest.mark.parametrize(("engine", "game"), CASES, indirect=["engine"])
def test_a_match_by_link(visit: Visit, site: Server, game: str) -> None:
    alice, bob = visit("Alice"), visit("Bob")
    bob.sit_down(alice.make_match(game))
    key, letter = alice.seat
    guests = {Seat(letter): alice, Seat(bob.seat[1]): bob}
    match = Shadow(site.url, key, seed=game)
    for guest in guests.values():
        guest.keep_count()

    for turn in range(1, TURNS + 1):
        for seat in sorted(match.state.to_act()):
            guests[seat].choose(*match.taps(seat, guests[seat].ready()))
            guests[seat].seal()
        steps = match.play()
        for guest in guests.values():
            guest.watches(turn, steps)

    alice.say("Good game")
    bob.open_talk()
    bob.hears("Good game")
    alice.press("#more", "")
    alice.press("button", "Offer a draw")
    bob.press("section button", "Accept")
    for guest in guests.values():
        guest.sees("#status", "Draw by agreement.")
    assert match.on_the_site()[:TURNS] == match.played


CAME = """() => addEventListener("pageshow", ({ persisted }) => {
  sessionStorage.seen = persisted && getComputedStyle(document.body).display !== "none";
})"""
"""From now on the tab notes whether this page comes back from memory for everybody to see."""
SEEN = "() => sessionStorage.seen === 'true'"


@pytest.mark.parametrize("engine", WEBKIT_OFTEN, indirect=True)
def test_going_back_shows_nothing_behind_the_curtain(open_window: Callable[[], Window], site: Server) -> None:
    alice = Guest("Alice", open_window(), site.url)
    alice.window.goto(f"{alice.site}/new/pigs/")
    alice.write("Your name", alice.name)
    alice.press("label", "This device")
    alice.write("Who else plays on this device?", "Ben")
    alice.press(".make-bar button")
    alice.choose(*["F"] * 5)
    alice.window.evaluate(CAME)
    alice.seal()
    alice.sees("h1", "Pass the device to Ben")
    with suppress(Unanswered):  # the page that answers is the one that is left
        alice.window.evaluate("() => void history.back()")
    alice.sees("h1", "Pass the device to Alice")
    assert not alice.window.evaluate(SEEN)


WRONG = """() => {
  console.error("a word on the console");
  const add = (name, given) => document.head.append(Object.assign(document.createElement(name), given));
  add("link", { rel: "stylesheet", href: "/no/such.css" });
  add("script", { textContent: "document.title = 'This must not run.'" });
  fetch("/no/such/page");
  setTimeout(() => { throw new Error("thrown by a script"); });
  Promise.reject(new Error("nobody waits for it"));
}"""
KEPT = """async (path) => {
  if (!navigator.serviceWorker.controller) return false;
  for (const name of await caches.keys()) {
    if (name.startsWith("boards-") && await (await caches.open(name)).match(path)) return true;
  }
  return false;
}"""
FILES_KEPT = """async () => {
  const asked = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  for (const one of asked) if (one.startsWith("/static/") && !(await caches.match(one))) return false;
  return true;
}"""


def test_whatever_goes_wrong_is_heard(open_window: Callable[[], Window], site: Server) -> None:
    guest = Guest("Charlie", open_window(), site.url)
    guest.window.goto(f"{site.url}/rules/")
    assert not guest.complaints()
    guest.window.evaluate(WRONG)
    for words in (
        "a word on the console",
        "/no/such.css",
        "/no/such/page",
        "thrown by a script",
        "nobody waits for it",
        "script-src",
    ):
        end = time.monotonic() + 20
        while not any(words in one for one in guest.complaints()):
            assert time.monotonic() < end, f"{words}: {guest.complaints()}"
            time.sleep(0.1)


@pytest.mark.parametrize("engine", WEBKIT_OFTEN, indirect=True)
def test_a_board_is_shown_offline(open_window: Callable[[], Window], tmp_path: Path) -> None:
    with Server(tmp_path, DJANGO_SETTINGS_MODULE=SETTINGS) as server:
        alice = Guest("Alice", open_window(), server.url)
        alice.make_match("pigs")
        board = alice.address()
        alice.window.goto(f"{server.url}/me/?settings=1")
        alice.press("label", "Offline boards")
        alice.until("() => Boolean(navigator.serviceWorker.controller)")
        alice.window.goto(board)
        alice.until(KEPT, board)
        alice.until(FILES_KEPT)
        server.stop()
        alice.window.goto(board)
        alice.sees("#offline", "This is the board as this browser last saw it")
        alice.sees("#film .board")
        server.prepare = False
        server.start()
        alice.window.goto(board)
        alice.until("() => Boolean(document.querySelector('#film')) && !document.querySelector('#offline')")


@pytest.mark.parametrize("engine", ["chromium"], indirect=True)
def test_it_can_be_installed(open_window: Callable[[], Window], site: Server) -> None:
    """The other two, as they run here, have no installed apps."""
    window = open_window()
    assert isinstance(window, ChromiumWindow)
    window.goto(site.url)
    session = window.page.context.new_cdp_session(window.page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["url"].endswith("/manifest.webmanifest") and not manifest["errors"]
    told = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {one["errorId"] for one in told} <= {"in-incognito"}, "of which some versions complain in a window"


PAPER, BLUEPRINT = "rgb(251, 248, 239)", "rgb(12, 35, 66)"
COLOURS = """() => {
  const ground = (one) => getComputedStyle(one).backgroundColor;
  return [ground(document.documentElement), getComputedStyle(document.querySelector(".primary")).color];
}"""
CHOOSE = """(theme) => {
  const themes = document.querySelector("[data-themes]");
  themes.value = theme;
  themes.dispatchEvent(new Event("change"));
}"""
YESTERDAY = [
    "chromium-109",
    pytest.param("chromium-122", marks=pytest.mark.more),
    pytest.param("chromium", marks=pytest.mark.more),
]


@pytest.mark.parametrize("engine", YESTERDAY, indirect=True)
@pytest.mark.parametrize(("system", "ground"), [("light", PAPER), ("dark", BLUEPRINT)])
def test_colours_are_the_systems_or_the_switchs(
    engine: Chromium, site: Server, system: str, ground: str
) -> None:
    window = engine.window(color_scheme=system)
    guest = Guest("Alice", window, site.url)
    window.goto(f"{site.url}/new/pigs/")
    assert window.evaluate(COLOURS) == [ground, ground]
    other = BLUEPRINT if ground == PAPER else PAPER
    window.goto(f"{site.url}/me/?settings=1")
    guest.until("() => document.querySelector('[data-themes]').getBoundingClientRect().height > 0")
    window.evaluate(CHOOSE, "dark" if other == BLUEPRINT else "light")
    guest.until("() => getComputedStyle(document.documentElement).backgroundColor", holds=other.__eq__)
    window.goto(f"{site.url}/new/robble/")
    assert window.evaluate(COLOURS) == [other, other]
    window.close()


@pytest.mark.parametrize("engine", ["chromium-109"], indirect=True)
def test_only_a_browser_that_is_too_old_is_told_so(engine: Chromium, site: Server) -> None:
    window = engine.window()
    guest = Guest("Alice", window, site.url)
    window.goto(site.url)
    assert window.evaluate("() => document.getElementById('too-old').hidden")
    window.page.add_init_script("delete CSS.supports; CSS.supports = undefined;")
    window.goto(site.url)
    guest.sees("#too-old")
    window.close()
