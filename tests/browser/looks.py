"""Finds faults in the looks of a page: for axe, in a narrow window, for a finger; and weighs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.people import scrolls_sideways

AXE = {
    "resultTypes": ["violations"],
    "preload": False,  # it would fetch imported style sheets again, from beside the page
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}

SMALL_AT_THE_END = """async () => {
    scrollTo(0, document.documentElement.scrollHeight);
    const { violations } = await axe.run({ runOnly: { type: "rule", values: ["target-size"] } });
    scrollTo(0, 0);
    return violations.flatMap((violation) => violation.nodes);
}"""

TOO_SMALL = """() => {
    const kinds = "a[href], button, input:not([type=hidden]), select, summary, label.choice";
    const small = [], before = document.activeElement;
    const measure = (target) => {
        const part = target.closest(".words, .typed, .what");
        const isClipped = part && getComputedStyle(part).clipPath !== "none";
        if (isClipped) target.focus({ preventScroll: true });  // it is seen once it has the focus
        const box = target.getBoundingClientRect();
        if (isClipped) target.blur();
        return box;
    };
    for (const target of document.querySelectorAll(kinds)) {
        const box = measure(target);
        const style = getComputedStyle(target);
        if (!box.width || target.closest(".skip, .visually-hidden")) continue;
        if (target.closest("details:not([open]) > :not(summary)")) continue;  // closed, it has no place
        if (target.closest(".taps[data-also]")) continue;  // a bigger button of the planner does the same
        const board = target.closest(".taps")?.parentElement;
        // as wide as the window, or as high as a lesson leaves it: then as large as WCAG 2.2 asks for
        const isAsBigAsCanBe = board && (board.getBoundingClientRect().width > innerWidth - 24
            || getComputedStyle(board).getPropertyValue("--fit"));
        if (target.matches("[type=radio], [type=checkbox]") && target.labels.length) continue;
        const inSentence = target.tagName === "A" && style.display === "inline"
            && target.parentElement.textContent.trim().length > target.textContent.trim().length;
        const least = inSentence ? 0 : isAsBigAsCanBe ? 24 : 44;
        if (box.height < least - 0.5 || box.width < least - 0.5) {
            const size = `${Math.round(box.width)} × ${Math.round(box.height)}`;
            small.push(`${size}: ${target.outerHTML.slice(0, 140)}`);
        }
    }
    before.focus({ preventScroll: true });
    return small;
}"""

THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
SMALLEST, ENLARGED, DESK = (320, 640), (720, 450), (1440, 900)
"""Window sizes in CSS pixels; ENLARGED is a desk at 200 %."""


@contextmanager
def large_text(page: Page) -> Iterator[None]:
    """Gives the page to a reader whose browser writes twice as large as usual."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    yield
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
    session.detach()


class Faults:
    """Gathers what is wrong on all pages, so that one run tells it all."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, where: str, what: Any) -> None:
        if what:
            self.found.append(f"{where}: {what}")

    def look(self, page: Page, name: str) -> None:
        """On the smallest phone, on a desk and enlarged; on paper and on blueprint."""
        for size in (SMALLEST, DESK):
            for theme in THEMES:
                self.ask_axe(page, name, size, theme)
        for size in (ENLARGED, SMALLEST):
            self.measure(page, name, size)

    def look_on_phone(self, page: Page, name: str) -> None:
        """On the smallest phone alone; what is folded stays so."""
        for theme in THEMES:
            self.ask_axe(page, name, SMALLEST, theme)
        self.measure(page, name, SMALLEST)

    def ask_axe(self, page: Page, name: str, size: tuple[int, int], theme: Literal["light", "dark"]) -> None:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.evaluate(Axe().axe_script)
        for violation in page.evaluate("options => axe.run(options)", AXE)["violations"]:
            found = violation["nodes"]
            if (
                violation["id"] == "target-size"
            ):  # what sticks to the window's edge covers others only for now
                again = {node["html"] for node in page.evaluate(SMALL_AT_THE_END)}
                found = [node for node in found if node["html"] in again]
            nodes = [f"{node['html'][:140]} ({node['failureSummary']})" for node in found]
            self.add(f"{name}, {size[0]} pixels, {theme}, {violation['id']}", nodes)

    def measure(self, page: Page, name: str, size: tuple[int, int]) -> None:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        self.add(f"{name}, {size[0]} pixels, scrolls sideways by", scrolls_sideways(page))
        if size == SMALLEST:
            for target in page.evaluate(TOO_SMALL):
                self.add(f"{name}, too small", target)


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
