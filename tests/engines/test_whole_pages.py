"""Complaints are heard in each engine, a board is kept for offline, and the site can be installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engines.chromium import ChromiumWindow
from tests.engines.conftest import SETTINGS, WEBKIT_OFTEN
from tests.engines.guests import Guest
from tests.engines.windows import Window
from tests.servers import Server

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
