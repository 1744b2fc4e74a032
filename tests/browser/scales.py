"""Weighs a page over the wire: bytes as they are sent, headers included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

PADDING = 100
"""The most bytes that Django adds at random to a compressed page, so that its length tells nothing."""
FIRST_SIGHT = 60_000 + 2 * PADDING  # of the page, and of the addresses that a browser may fetch early
FONTS = 50_000
UPDATE = 5_000 + PADDING
AHEAD = 2_000 + PADDING


class Scales:
    """Weighs every answer that a page gets."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.weighed: list[tuple[str, int]] = []
        self.addresses: dict[str, str] = {}
        self.session = page.context.new_cdp_session(page)
        self.session.send("Network.enable")
        self.session.on("Network.requestWillBeSent", self._sent)
        self.session.on("Network.loadingFinished", self._came)

    def _sent(self, event: dict[str, Any]) -> None:
        request = event["request"]
        ahead = " ahead of a tap" if request["headers"].get("HX-Target") == "ahead" else ""
        self.addresses[event["requestId"]] = f"{request['method']} {request['url']}{ahead}"

    def _came(self, event: dict[str, Any]) -> None:
        self.weighed.append((self.addresses.get(event["requestId"], "?"), int(event["encodedDataLength"])))

    def total(self, which: Callable[[str], bool] = lambda address: True) -> int:
        return sum(weight for address, weight in self.weighed if which(address))

    def begin_again(self) -> None:
        """Forgets what was weighed, once the page has the scripts that come only once, after it."""
        self.page.wait_for_function(
            """() => ["at_once", "row", "games", "grid", "checked"].every(script =>
                performance.getEntriesByType("resource").some(one => one.name.includes(`/js/${script}.`)))"""
        )
        played = self.page.locator("#live:not([data-turn='0'])")  # is looked at by the second referee
        expect(played.and_(self.page.locator("[data-referee=waiting]"))).to_have_count(0)
        self.page.wait_for_timeout(200)  # until their ends are told, too
        self.weighed.clear()

    def __str__(self) -> str:
        return "\n".join(
            f"{weight:7} {address}" for address, weight in sorted(self.weighed, key=lambda w: -w[1])
        )


def is_icon(address: str) -> bool:
    """A browser fetches a site's icon when it likes; it is weighed at first sight."""
    return "/img/icon-" in address or address.endswith("/img/favicon.svg")


def is_count(address: str) -> bool:
    """Tell whether this asks for the number in the header, which a page does at any time."""
    return "/mine/waiting/" in address


def is_ahead(address: str) -> bool:
    """While the thumb rests, the page asks where each next tap leads; that comes when it likes, too."""
    return address.endswith(" ahead of a tap")


def is_font(address: str) -> bool:
    return address.endswith(".woff2")
