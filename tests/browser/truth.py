"""Compares what a page of a match claims with the server's data; a player who plays by taps."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from difflib import SequenceMatcher
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any

from playwright.sync_api import Error, Locator, expect

from games.core import Order, Plan, Seat, State
from robosite.play.planner_form import mark_of
from tests.browser.people import Person
from tests.screenshots.town import Table
from tests.servers import DATABASE, Server

PATIENT = 180.0
"""Seconds until a page must be right again by itself, whatever its line did: twice what it may take."""
MOST_PLANS = 5_000

CLAIMS = """() => {
    const live = document.getElementById("live"), plan = document.getElementById("plan");
    if (!live) return null;
    const seen = (selector) => {
        const one = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
        if (!one) return "";
        const { top, bottom } = one.getBoundingClientRect();
        if (bottom <= 0 || top >= innerHeight) return "out of sight";
        return one.textContent.replace(/\\s+/g, " ").trim();
    };
    return {
        turn: Number(live.dataset.turn),
        over: "over" in live.dataset,
        draft: plan?.elements.seen?.value ?? null,
        order: live.dataset.sealed ?? null,
        sealed: Boolean(document.getElementById("sealed-title")),
        own: [...document.querySelectorAll("#said li.mine .text")].map((one) => one.textContent.trim()),
        said: [...document.querySelectorAll("#said li .text")].map((one) => one.textContent.trim()),
        trouble: seen("#plan-trouble"),
        unsent: seen(".unsent"),
        line: seen("#line"),
        busy: Boolean(document.querySelector(".htmx-request")),
    };
}"""


def taps_for(view: State, seat: Seat, order: Order, draft: Order = "") -> list[tuple[str, Order]]:
    """Taps that lead from a draft to an order, each with the draft that it leaves; searched for."""

    def unlike(plan: Plan) -> float:
        return -SequenceMatcher(None, plan.order, order, autojunk=False).ratio()

    def is_it(plan: Plan) -> bool:
        return not plan.missing and plan.order == order

    if is_it(view.plan(seat, draft)):
        return []
    number, known = count(), {draft}
    ahead: list[tuple[float, int, Order, list[tuple[str, Order]]]] = [(0.0, next(number), draft, [])]
    while ahead and len(known) < MOST_PLANS:
        _, _, text, taps = heappop(ahead)
        for choice in view.plan(seat, text).choices:
            if choice.why or choice.draws or choice.leads_to in known:
                continue
            known.add(choice.leads_to)
            way = [*taps, (choice.key, choice.leads_to)]
            plan = view.plan(seat, choice.leads_to)
            if is_it(plan):
                return way
            heappush(ahead, (unlike(plan), next(number), choice.leads_to, way))
    raise AssertionError(f"no taps lead to {order}")


class Player:
    """Somebody at a seat, and the oracle beside the page: whatever it claims must be so, at every look."""

    def __init__(self, person: Person, seat: Seat, table: Table, server: Server) -> None:
        self.person, self.page, self.seat, self.table = person, person.page, seat, table
        self.server = server
        self.drafts: list[str] = []
        """The marks of the drafts of the present turn that may be, in their order."""
        self.sealed: set[int] = set()
        """The turns that were sealed on this page: of the others the receipt is elsewhere."""
        self.read: set[str] = set()
        """Sentences about the line that could be read on the page."""
        self.unread = ""
        """The reason why the page could not be looked at, when that was last so."""

    # What the server has

    def match(self) -> dict[str, Any]:
        answer = self.table.api.get(
            f"/matches/{self.table.key}", headers={"Authorization": f"Bearer {self.table.tokens[self.seat]}"}
        )
        assert answer.is_success, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def messages(self) -> list[str]:
        path = f"file:{self.server.data / DATABASE}?mode=ro"
        with closing(sqlite3.connect(path, uri=True, timeout=30)) as database:
            asked = (
                "SELECT m.text FROM talk_message m JOIN matches_match t ON t.id = m.match_id WHERE t.key = ?"
            )
            return [text for (text,) in database.execute(f"{asked} ORDER BY m.id", (self.table.key,))]

    # What the page claims

    def look(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Reads the page and then the server; fails where the page runs ahead of it.

        None while the page has no match on it, since it is being loaded.
        """
        try:
            page = self.page.evaluate(CLAIMS)
        except Error as fault:  # another page is on its way
            self.unread = str(fault)
            return None
        if page is None:
            with suppress(Error):
                self.unread = self.page.locator("body").inner_text(timeout=1_000)[:500]
            return None
        there = self.match()
        told = (
            page,
            {one: there[one] for one in ("turn", "status", "draft", "order", "sealed", "seals", "to_act")},
        )
        assert page["turn"] <= there["turn"], told
        assert not page["over"] or there["status"] == "over", told
        if page["sealed"]:
            assert there["seals"][page["turn"]].get(self.seat), told
            if page["turn"] in self.sealed:
                is_now = page["turn"] == there["turn"]
                real = there["order"] if is_now else there["turns"][page["turn"]][self.seat]
                assert page["order"] == real, told
        elif page["draft"] and page["turn"] == there["turn"] and self.seat in there["to_act"]:
            mine = mark_of(there["draft"] or "")
            if mine in self.drafts:
                assert page["draft"] in self.drafts[: self.drafts.index(mine) + 1], (told, self.drafts)
        kept = self.messages()
        assert len(kept) == len(set(kept)), kept
        assert set(page["said"]) <= set(kept) and len(page["said"]) == len(set(page["said"])), (page, kept)
        for one in ("trouble", "unsent", "line"):
            if page[one]:
                self.read.add(one)
                assert page[one] != "out of sight", (one, told)
        return page, there

    def comes_to(self, right: Callable[[dict[str, Any], dict[str, Any]], Any], what: str) -> None:
        """Looks until it is so on the page and on the server; what the page says meanwhile must be true."""
        end, last = time.monotonic() + PATIENT, None
        while time.monotonic() < end:
            last = self.look() or last
            if last and right(*last):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{self.person.name}: not {what} after {PATIENT} s: {last} {self.unread}")

    # Playing by taps

    def comes_to_now(self, turn: int) -> None:
        """Until the page has that turn, at its present: the film is left."""
        self.comes_to(lambda page, _: page["turn"] >= turn, f"at turn {turn}")
        links = [self.page.locator("a.onward"), self.page.get_by_role("link", name="Current")]
        end = time.monotonic() + PATIENT
        while time.monotonic() < end:
            onward = [link.first for link in links if link.first.is_visible()]
            if onward:
                with suppress(Error):  # what is fetched meanwhile may take it away
                    onward[0].dispatch_event("click", timeout=3_000)
            elif self.page.locator("[data-film].at-last:not(.playing)").count():
                return
            self.page.wait_for_timeout(200)
        raise AssertionError("the page does not come to the present")

    def tap(self, key: str) -> None:
        button = self.page.locator(f'button[name="choose"][value="{css(key)}"]:visible').first
        end = time.monotonic() + PATIENT
        while not button.count() and time.monotonic() < end:  # the board shows a film, or its end
            onward = self.page.locator("a.onward").first
            with suppress(Error):  # what is fetched meanwhile may take it away
                board = self.page.locator(".board-sheet").first
                self.person.press_before_it_goes(onward if onward.is_visible() else board)
            self.page.wait_for_timeout(200)
        self.press(button)

    def press(self, button: Locator) -> None:
        self.person.press(button)

    def plan(self, order: Order) -> None:
        """Taps an order; each tap must come to be shown, and to be the server's draft, once."""
        view = self.table.state.view(self.seat)
        turn = self.table.state.turn
        self.comes_to_now(turn)
        draft = self.match()["draft"] or ""
        ways = taps_for(view, self.seat, view.check(self.seat, order), draft)
        self.drafts = [mark_of(draft), *(mark_of(after) for _, after in ways)]
        for key, after in ways:
            self.tap(key)
            self.comes_to(partial(is_planned, mark=mark_of(after)), f"{key} in the draft")

    def seal(self) -> None:
        """Presses the big button; it comes to be sealed on the server, and the page says so, once."""
        turn = self.table.state.turn
        self.sealed.add(turn)
        self.press(self.page.locator("#plan button[name=seal]"))
        self.comes_to(
            lambda page, there: (page["sealed"] or page["turn"] > turn or page["over"]) and not page["busy"],
            "sealed",
        )

    def says(self, words: str) -> None:
        """Says it in the talk of the match's page; it stays in its field until it is among what was said."""
        if not self.page.locator(".say").count():
            self.press(self.page.locator("#bubble"))
            self.comes_to(lambda page, there: self.page.locator(".say").count(), "open to talk")
        field = self.page.locator("#say-text")
        field.fill(words)
        self.press(self.page.locator("#say-it"))
        self.comes_to(lambda page, there: is_said(page, field, words), f"“{words}” said")
        assert self.messages().count(words) == 1
        expect(self.page.locator("#say-text")).to_have_value("")

    def hears(self, words: str) -> None:
        if not self.page.locator("#said").count():
            self.press(self.page.locator("#bubble"))
        self.comes_to(lambda page, there: words in page["said"], f"“{words}” heard")


def is_planned(page: dict[str, Any], there: dict[str, Any], *, mark: str) -> bool:
    """Tell whether that draft is shown and kept, and the page is at rest."""
    return page["draft"] == mark == mark_of(there["draft"]) and not page["trouble"] and not page["busy"]


def is_said(page: dict[str, Any], field: Locator, words: str) -> bool:
    """Tell whether it stands among the messages; until then it stands in its field."""
    said = words in page["own"] and not page["unsent"]
    if not said and words not in page["said"]:
        assert field.input_value() == words or field.page.locator("#said li.mine .text").count()
    return bool(said)


def css(key: str) -> str:
    return key.replace("\\", "\\\\").replace('"', '\\"')
