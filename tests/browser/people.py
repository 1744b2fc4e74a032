"""Players: a name, a browser, and the actions of a hand on the pages of a match."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Request, TimeoutError, expect

from games.core import Seat
from tests.faults.programs import TOKEN
from tests.receivers import until
from tests.screenshots.town import Table

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SMALL: dict[str, Any] = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True}
"""A phone with the browser's own bars on its screen."""
SMALLEST_PHONE: dict[str, Any] = {**PHONE, "viewport": {"width": 320, "height": 640}}
DESKTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
STILL: dict[str, Any] = {"reduced_motion": "reduce"}
"""No film plays by itself, so nobody has to wait for its end."""

NAMES = {
    "^": "forward",
    "v": "back",
    "\\": "ahead left",
    "/": "ahead right",
    "TL": "turn left",
    "TR": "turn right",
    "F": "fire",
    "H": "punch",
}

A, B = Seat("A"), Seat("B")

# Pig A starts on d8 facing south, pig B on e1 facing north (P1): A steps onto B's file, and then they fire.
ROUNDS = (("\\ F H H H", "H H H H H"), ("F F H H H", "F F H H X"), ("F F H X X", "H H X X X"))
"""Programs of Alice and Bob that end a match in three rounds."""

WAITS_ON = """{
    const { setTimeout: plain } = window;
    window.setTimeout = (does, after, ...given) => plain(does, after === 8000 ? 10 ** 6 : after, ...given);
}"""
"""No request is given up in which nothing comes for eight seconds (line.js): a test holds it that long."""


class Watcher:
    """Listens to every page of every context, and notes what should not be."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.faults: list[str] = []
        self.allowed: list[re.Pattern[str]] = []

    def allow(self, words: str) -> None:
        """A complaint that the test brings about on purpose: a page that is not there, a lost line."""
        self.allowed.append(re.compile(words))

    def watch(self, context: BrowserContext, who: str) -> None:
        context.on("console", lambda message: self._console(who, message))
        context.on("weberror", lambda error: self._note(who, f"error in a script: {error.error}"))
        context.on("request", lambda request: self._request(who, request))

    def _console(self, who: str, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(who, f"{message.type} on the console: {message.text} {message.location}")

    def _request(self, who: str, request: Request) -> None:
        address = urlsplit(request.url)
        if address.netloc != self.host and address.scheme not in ("data", "blob"):
            self._note(who, f"asked another host: {request.url}")

    def _note(self, who: str, fault: str) -> None:
        told = f"{who}: {fault}"
        if not any(pattern.search(told) for pattern in self.allowed):
            self.faults.append(told)


class Person:
    """Somebody at a browser."""

    def __init__(
        self, name: str, context: BrowserContext, *, touch: bool = False, scripts: bool = True
    ) -> None:
        self.name = name
        self.context = context
        self.touch = touch
        self.scripts = scripts
        self.page: Page = context.new_page()

    def another_tab(self) -> Person:
        tab = Person(self.name, self.context, touch=self.touch, scripts=self.scripts)
        tab.page.goto(self.page.url)
        return tab

    def press(self, target: Locator) -> None:
        """With finger or mouse; without scripts each link and button brings a page: until it is there.

        Not before the page's own scripts have run: until then its forms bring a page, too.
        """
        self.page.wait_for_load_state()
        press = target.tap if self.touch else target.click
        self.put_bubbles_away(target)
        if not self.scripts and target.evaluate("pressed => pressed.matches('a, button')"):
            with self.page.expect_navigation():
                press()
        else:
            press()

    def put_bubbles_away(self, target: Locator) -> None:
        """On the board a newcomer meets speech bubbles: a tap on them, if the target is there too.

        Without scripts, the page that follows may explain the next new thing at once.
        """
        bubbles = self.page.locator("#bubbles button")
        if not bubbles.is_visible() or not target.evaluate("one => Boolean(one.closest('.board-sheet'))"):
            return
        if self.scripts:
            following = bubbles.locator("strong", has_text="Next")
            while following.is_visible():
                following.click()
            bubbles.locator("strong").click()
        while not self.scripts and bubbles.is_visible():
            with self.page.expect_navigation():
                bubbles.locator("strong").click()
        expect(bubbles).to_be_hidden()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    @property
    def address(self) -> str:
        """The address of the page, at whatever step its film stands."""
        return self.page.url.partition("?")[0]

    # Coming to the table

    def make_match(self, players: int = 2) -> str:
        """Makes a match without a time limit and says the link for friends."""
        self.page.goto("/new/pigs/")
        self.page.get_by_label("Your name").fill(self.name)
        self.page.get_by_role("combobox", name="Players").select_option(str(players))
        self.page.locator("[name=deadline][value=none]").evaluate("one => { one.checked = true }")
        self.press(self.page.locator(".make-bar .primary"))
        return self.page.get_by_label("Message to send").input_value().split()[-1]

    def sit_down(self, invite: str) -> None:
        self.page.goto(invite)
        self.page.get_by_label("Your name").fill(self.name)
        self.press(self.button("Join"))
        expect(self.page.get_by_role("heading", name="Players")).to_be_visible()

    def is_joined_by(self, friend: Person) -> None:
        """Makes a match that the friend joins, until the page shows it: no such update comes later."""
        friend.sit_down(self.make_match())
        expect(self.at_table(friend.name)).to_contain_text("planning")

    def reads(self, language: str) -> None:
        """From the next page on, the site speaks this language to this person."""
        cookie = {"name": "django_language", "value": language, "url": self.page.url}
        self.context.add_cookies([cookie])  # type: ignore[list-item]

    # A seat's page

    @property
    def slots(self) -> Locator:
        return self.page.get_by_role("list", name="Your program").get_by_role("button")

    def key(self, sign: str) -> Locator:
        commands = self.page.get_by_role("toolbar", name="Commands", exact=True)
        return commands.get_by_role("button", name=NAMES[sign], exact=True)

    @property
    def seal_button(self) -> Locator:
        return self.button("Seal")

    @property
    def status(self) -> Locator:
        return self.page.locator("#status")

    @property
    def table(self) -> Locator:
        """The region with the players and what each is doing."""
        return self.page.get_by_role("region", name="Players")

    def at_table(self, name: str) -> Locator:
        return self.table.get_by_role("listitem").filter(has_text=name)

    @property
    def happened(self) -> Locator:
        return self.page.get_by_role("region", name="What happened")

    def come_to_now(self) -> None:
        """The film of what is new stands before the planner: on to that, unless it comes up by itself."""
        self.page.wait_for_load_state()  # before its styles are there a page shows too much
        self.plan_early()
        onward = self.page.locator("a.onward")
        for _ in range(3):  # an update that comes right then may show the film again
            if not onward.is_visible():
                return
            with suppress(AssertionError, TimeoutError):
                self.press_before_it_goes(onward)
                expect(onward).to_be_hidden(timeout=10_000)
        expect(onward).to_be_hidden()

    def press_before_it_goes(self, target: Locator) -> None:
        """Raises Playwright's TimeoutError if the target has gone."""
        if self.scripts:
            (target.tap if self.touch else target.click)(timeout=10_000)
        else:
            self.press(target)

    def plan_early(self) -> None:
        self.page.wait_for_load_state()
        early = self.page.locator(".early:not([open]) > summary")
        if early.count():
            with suppress(TimeoutError):  # the last friend may sit down right then
                self.press_before_it_goes(early)

    def take_keys(self) -> None:
        """Puts the focus into the planner, which alone takes the keys of its commands."""
        self.come_to_now()
        self.page.locator("#planner .dock button:visible").first.focus()

    def choose(self, program: str) -> None:
        """Taps the commands of a program, from left to right; what damage owes stands there already."""
        self.come_to_now()
        for slot, sign in enumerate(program.split()):
            if sign != "X":
                self.press(self.key(sign))
                expect(self.slots.nth(slot)).to_have_accessible_name(re.compile(r"Take it out\.$"))
        expect(self.seal_button).to_be_enabled()

    def write(self, program: str) -> None:
        self.enter_as_text()
        self.page.get_by_label("Your program as text").fill(program)
        self.press(self.button("Apply"))
        expect(self.seal_button).to_be_enabled()

    def seal(self, program: str = "") -> None:
        """Seals what is planned, or first taps a whole program."""
        if program:
            self.choose(program)
        self.press(self.seal_button)

    def has_sealed(self, program: str = "") -> None:
        """The page shows that the turn is sealed, and the program that was."""
        expect(self.page.get_by_role("heading", name="Sealed", exact=True)).to_be_visible()
        if program:
            sealed = self.page.get_by_role("list", name="Your sealed program").get_by_role("listitem")
            expect(sealed).to_contain_text([NAMES[sign] for sign in program.split()])

    def open_menu(self) -> Locator:
        """Opens the menu of the match, and its folds: over its page, or as a page of its own."""
        self.press(self.page.locator("#more"))
        expect(self.page.get_by_role("heading", name="More", exact=True)).to_be_visible()
        for group in self.page.locator(".menu-rows > .group > summary").all():
            self.press(group)
        return self.page.locator("#menu" if self.scripts else "main")

    def close_menu(self) -> None:
        self.press(self.page.get_by_role("link", name="Close", exact=True))
        expect(self.page.locator("#menu > *")).to_have_count(0)

    def enter_as_text(self, *, kept: bool = False) -> None:
        """Opens the field that takes a plan as text. `kept`: on a board that is kept, which has no menu."""
        self.plan_early()
        if kept:
            expect(self.page.locator("html[data-kept]")).to_have_count(1)
            self.press(self.page.locator(".typed > summary"))
        elif not self.page.locator(".typed[open]").count():
            self.open_menu()
            self.press(self.page.get_by_role("link", name="Enter as text"))
        expect(self.page.locator(".typed[open]")).to_be_visible()

    def own_link(self) -> str:
        """The link to this person's seat, which the menu shows behind a tap."""
        self.unfold("Seat link")
        link = self.page.get_by_role("textbox", name="Seat link:").input_value()
        self.close_menu()
        return link

    def unfold(self, summary: str) -> None:
        """Opens what is folded away, on the page or in its menu."""
        self.page.wait_for_load_state()  # a page that is half there has few folds
        folded = self.page.locator("summary", has_text=summary)
        if not folded.count():
            self.open_menu()
        if folded.evaluate("summary => Boolean(summary.closest('.early'))"):
            self.plan_early()
        if folded.evaluate("summary => !summary.parentElement.open"):
            self.press(folded)

    def sees_round(self, number: int) -> None:
        expect(self.page.get_by_role("heading", name=f"What happened in round {number}")).to_be_visible()


def take_seat(person: Person, table: Table, seat: str = "A", *, look: bool = True) -> None:
    """Takes the seat by requests, without a page. After a `look`, nothing that was played is news."""
    browser, link = person.context.request, f"/s/seat/{table.tokens[Seat(seat)]}/"
    token = TOKEN.search(browser.get(link).text())
    assert token
    form = {"csrfmiddlewaretoken": token[1]}
    assert browser.post(f"{link}take/", form=form, max_redirects=2 if look else 0).status < 400


def sit(person: Person, table: Table, seat: str = "A") -> Person:
    take_seat(person, table, seat, look=False)
    person.page.goto(f"/m/{table.key}/{seat}/")
    expect(person.page.get_by_role("heading", name="Players")).to_be_visible()
    return person


def play_rounds(table: Table, *numbers: int) -> None:
    """Seals both programs of each of these rounds."""
    for number in numbers:
        for seat, order in zip("AB", ROUNDS[number], strict=True):
            table.seal(Seat(seat), order, number)


def sit_at_turn(person: Person, table: Table) -> None:
    (seat, *_) = sorted(table.state.to_act())
    sit(person, table, seat)
    person.page.wait_for_load_state("networkidle")  # the socket tells at once that somebody has sat down
    person.come_to_now()


def seal_button(person: Person) -> Locator:
    return person.page.locator("#plan button[name=seal]")


def sit_and_see(person: Person, table: Table) -> None:
    """Sits down as Ada, and has seen everything that was played."""
    sit(person, table)
    for _ in range(2):
        person.page.goto(person.address)
    person.page.wait_for_load_state("networkidle")


def scrolls_sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def stands_still(target: Locator) -> dict[str, float]:
    """Returns the box of `target` once it has not moved for half a second."""
    boxes: list[Any] = []

    def moves_no_more() -> bool:
        boxes.append(target.bounding_box())
        target.page.wait_for_timeout(100)
        return len(boxes) > 5 and all(box == boxes[-1] for box in boxes[-5:])

    until(moves_no_more)
    return dict(boxes[-1])


SETTLED = """() => Promise.all(document.getAnimations().filter((one) => one.timeline === document.timeline)
    .map((one) => one.finished.catch(() => {})))"""
"""Until all has moved to its place; what goes with the scrolling of the page has no end of its own."""


def drawn(page: Page) -> None:
    """Until what an answer or the page's start has brought is drawn: it scrolls before the next frame."""
    page.wait_for_load_state()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.evaluate(SETTLED)
