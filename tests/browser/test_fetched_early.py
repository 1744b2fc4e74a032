"""A page that a pointer rests on a link to is there at once, true, and seen only by whoever goes to it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, Person

DELIVERED = "performance.getEntriesByType('navigation')[0].deliveryType"


def hover(person: Person, path: str) -> None:
    """Rests on the link until its page has come."""
    link = person.page.locator(f"a[href^='{path}']:visible").first
    asked = lambda answer: answer.request.headers.get("sec-purpose", "").startswith("prefetch")  # noqa: E731
    with person.page.expect_response(asked) as answer:
        link.hover()
    answer.value.finished()


def test_a_page_that_is_fetched_early_is_true_when_it_is_seen(visit: Visit) -> None:
    ada, ben = visit("Ada", **DESKTOP), visit("Ben")
    ada.is_joined_by(ben)
    seat = re.sub(r"^https?://[^/]+|\?.*", "", ada.page.url)
    ada.page.goto("/mine/")
    hover(ada, seat)
    for person, program in ((ben, ROUNDS[0][1]),):
        person.seal(program)
    ada.page.locator(f"a[href^='{seat}']:visible").first.click()
    ada.page.wait_for_url(f"**{seat}")
    assert ada.page.evaluate(DELIVERED) == "navigational-prefetch"
    expect(ada.at_table("Ben")).to_contain_text("sealed")
