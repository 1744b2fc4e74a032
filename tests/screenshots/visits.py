"""Coming to a page as its reader does."""

from __future__ import annotations

from playwright.sync_api import Page as Window

from tests.screenshots.pages import BROKEN, Page


def come_to(window: Window, page: Page, place: dict[str, str]) -> int:
    """Opens the page and presses the buttons that lead to it; returns the status of the first answer."""
    status = page.name.removeprefix("error-")
    if status in BROKEN:
        window.route(
            "**" + page.address,
            lambda route: route.fulfill(status=int(status), body=place[status], content_type="text/html"),
        )
    answer = window.goto(page.address.format(**place), wait_until="load")
    if page.press:
        window.locator(page.press).first.click(force=True)  # what is refused says why
        window.wait_for_load_state("networkidle")
    return answer.status if answer else 0
