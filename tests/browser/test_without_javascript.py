"""Without JavaScript all works by forms, links and reloads; with it or without, no secret address is told."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Request, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, Person


@pytest.fixture
def alice(visit: Visit) -> Person:
    return visit("Alice", java_script_enabled=False, **PHONE)


@pytest.fixture
def bob(visit: Visit) -> Person:
    return visit("Bob", java_script_enabled=False, **DESKTOP)


def test_planning_sealing_and_reopening(alice: Person, bob: Person) -> None:
    bob.sit_down(alice.make_match())
    alice.page.reload()
    alice.choose("F F TL ^ H")
    alice.press(alice.slots.nth(2))
    expect(alice.slots.nth(2)).to_have_accessible_name("Slot 3: free. Fill it next.")
    alice.press(alice.key("v"))
    expect(alice.page.locator("[data-ghost]").first).to_be_attached()
    alice.seal()
    alice.has_sealed("F F v ^ H")
    alice.press(alice.button("Reopen"))
    expect(alice.slots.nth(2)).to_have_accessible_name("Slot 3: back. Take it out.")
    alice.write("H H H H H")
    alice.seal()
    alice.has_sealed("H H H H H")


@pytest.mark.more
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_secret_address_stands_in_no_referer_and_its_forms_work(visit: Visit, scripts: bool) -> None:
    alice = visit("Alice", **DESKTOP)
    invite = alice.make_match()
    own = alice.own_link()
    bob = visit("Bob", **{**DESKTOP, "java_script_enabled": scripts})
    told: list[tuple[str, str, dict[str, str]]] = []

    def note(request: Request) -> None:
        headers = request.all_headers()
        if (
            "host" in headers
        ):  # what was sent; of a page that was left the browser may only say what it meant to send
            told.append((request.method, request.url, headers))

    bob.page.on("requestfinished", note)
    for path in (invite, own):
        bob.page.goto(path)
        bob.unfold("Language")
        bob.page.get_by_role("button", name="Deutsch").click()  # a native form
        expect(bob.page.locator("html")).to_have_attribute("lang", "de")
        bob.unfold("Sprache")
        bob.page.get_by_role("button", name="English").click()
        expect(bob.page.locator("html")).to_have_attribute("lang", "en")
        assert bob.page.url == path, "and back on the same page"
    bob.page.goto(own)
    bob.page.locator("main form button").first.click()
    expect(bob.page.get_by_role("heading", name="Players")).to_be_visible()
    carol = visit("Carol", **{**DESKTOP, "java_script_enabled": scripts})
    carol.page.on("requestfinished", note)
    carol.sit_down(invite)
    secrets = {part for link in (invite, own) for part in urlsplit(link).path.split("/") if len(part) > 20}
    assert len(secrets) == 2
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(invite))
    posted = 0
    for method, url, headers in told:
        kept: Any = {name: value for name, value in headers.items() if not name.startswith(":")}
        assert not any(secret in kept.get("referer", "") for secret in secrets), (method, url)
        if method == "POST":
            assert kept["origin"] == origin
            posted += 1
    assert any(headers.get("referer") == f"{origin}/" for _, _, headers in told), "it was the policy's doing"
    assert posted >= 4, "the language, back and forth, on both pages"
