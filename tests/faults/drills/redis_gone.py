"""Redis is killed and comes back, while pages are open: they are right again by themselves."""

from __future__ import annotations

import os
import signal
import time

from playwright.sync_api import Page, expect, sync_playwright

from tests.faults import programs
from tests.faults.drills.site import Site

SOON = 30.0
"""Seconds after which every page must be right again."""


def drill(site: Site, times: int = 1, *, whole: bool = True) -> list[str]:
    """Two pages of a seat, each at a web process of its own, are never loaded anew; programs play.

    `whole`: a turn is shown while it is away, too.
    """
    assert site.redis
    while_away, after, later = [], [], []
    answers = 0
    with (
        sync_playwright() as playwright,
        programs.Site(site.urls[0]) as one,
        programs.Site(site.urls[-1]) as two,
    ):
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        match = one.make()
        context = browser.new_context()
        pages = [context.new_page() for _ in site.webs]
        statuses: list[int] = []
        context.on("response", lambda response: statuses.append(response.status))
        pages[0].goto(f"{site.urls[0]}/s/seat/{match.tokens['A']}/")
        pages[0].locator("form[action$='/take/'] button").first.click()
        pages[0].wait_for_url("**/m/**")
        for page, url in zip(pages, site.urls, strict=True):
            page.goto(f"{url}/m/{match.key}/A/")
            page.evaluate("window.here = true")
        turn = 0

        def play() -> float:
            """A turn, each of its seals by another process; says how long until the last page shows it."""
            nonlocal turn, answers
            for client, seat in ((one, "A"), (two, "B")):
                assert (
                    client.seal(match, seat, "^ v ^ v ^" if seat == "A" else "v ^ v ^ v", turn).status_code
                    == 200
                )
                answers += 1
            turn += 1
            began = time.monotonic()
            for page in pages:
                shows(page, turn)
            return time.monotonic() - began

        play()
        for _ in range(times):
            site.redis.end(signal.SIGKILL)
            if whole:
                while_away.append(play())
            for client, seat in ((one, "A"), (two, "B")):
                assert client.seal(match, seat, "TL TR TL TR TL", turn).status_code == 200
                answers += 1
            turn += 1
            site.redis.start()
            began = time.monotonic()
            for page in pages:
                shows(page, turn)
            after.append(time.monotonic() - began)
            later.append(play())
        for page in pages:
            assert page.evaluate("window.here"), "a page was loaded anew"
        browser.close()
    assert not [status for status in statuses if status >= 500], statuses
    assert max(after) < SOON
    return [
        f"Redis killed {times} times, {len(pages)} pages open at as many web processes: no page loaded anew, "
        f"{answers} seals and {len(statuses)} answers to the pages, no 5xx",
        f"a turn played while it was away was shown after {max(while_away, default=0):.1f} s at the latest, "
        f"one played just before it was back {max(after):.1f} s after that",
        f"the next one after {max(later):.1f} s",
    ]


def shows(page: Page, turn: int) -> None:
    expect(page.locator(f"#live[data-turn='{turn}']")).to_be_attached(timeout=SOON * 1000)
