"""What a match's page weighs over the wire: bytes as they are sent, headers included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, Person

FIRST_SIGHT = 60_000
FONTS = 50_000
UPDATE = 5_000


class Scales:
    """Weighs every answer that a page gets."""

    def __init__(self, person: Person) -> None:
        self.weighed: list[tuple[str, int]] = []
        self.addresses: dict[str, str] = {}
        self.session = person.context.new_cdp_session(person.page)
        self.session.send("Network.enable")
        self.session.on("Network.requestWillBeSent", self._sent)
        self.session.on("Network.loadingFinished", self._came)

    def _sent(self, event: dict[str, Any]) -> None:
        self.addresses[event["requestId"]] = f"{event['request']['method']} {event['request']['url']}"

    def _came(self, event: dict[str, Any]) -> None:
        self.weighed.append((self.addresses.get(event["requestId"], "?"), int(event["encodedDataLength"])))

    def total(self, which: Callable[[str], bool] = lambda address: True) -> int:
        return sum(weight for address, weight in self.weighed if which(address))

    def __str__(self) -> str:
        return "\n".join(
            f"{weight:7} {address}" for address, weight in sorted(self.weighed, key=lambda w: -w[1])
        )


def is_icon(address: str) -> bool:
    """A browser fetches a site's icon when it likes; it is weighed at first sight."""
    return "/img/icon-" in address or address.endswith("/img/favicon.svg")


def is_font(address: str) -> bool:
    return address.endswith(".woff2")


@pytest.fixture
def table(visit: Visit) -> tuple[Person, Person]:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False)
    bob.sit_down(alice.make_match())
    expect(alice.at_table("Bob")).to_contain_text("planning")
    alice.seal(ROUNDS[0][0])
    bob.seal(ROUNDS[0][1])
    alice.sees_round(1)
    return alice, bob


def test_a_match_at_first_sight(visit: Visit, table: tuple[Person, Person]) -> None:
    alice, _ = table
    fresh = visit("Alice with nothing cached", **DESKTOP)
    fresh.context.add_cookies(alice.context.cookies())  # type: ignore[arg-type]
    scales = Scales(fresh)
    fresh.page.goto(alice.page.url, wait_until="networkidle")
    page, fonts = scales.total(lambda address: not is_font(address)), scales.total(is_font)
    print(f"first sight {page}, fonts {fonts}\n{scales}")
    assert 0 < fonts <= FONTS, scales
    assert 0 < page <= FIRST_SIGHT, scales


def test_an_update_and_a_tap(table: tuple[Person, Person]) -> None:
    alice, bob = table
    scales = Scales(alice)
    alice.press(alice.key("F"))
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    tap = scales.total()
    print(f"a tap {tap}\n{scales}")
    scales.weighed.clear()
    bob.seal(ROUNDS[1][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    update = scales.total(lambda address: not is_icon(address))
    print(f"an update {update}\n{scales}")
    assert 0 < tap <= UPDATE
    assert 0 < update <= UPDATE
