"""Each type of page stays calm on a phone: few controls, few words, a short page.

The board with its taps lies in `[data-board]` and the palette in `[data-palette]`; neither is counted. Nor is
what lies in a closed fold, dialog or popover, or is hidden from the eye.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import cycle
from typing import Any, NamedTuple

import pytest
from httpx import Client
from playwright.sync_api import Page, expect

from games import GAMES
from games.core import Seat
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.looks import large_text
from tests.browser.people import Person, drawn, scrolls_sideways
from tests.screenshots.town import MIDDLE, Table
from tests.servers import Server

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 720},
    "has_touch": True,
    "is_mobile": True,
    "color_scheme": "light",
    "locale": "en",
}

REVIEW = 4 * PATIENCE
"""Milliseconds that the review of a few turns may take: it is worked out while others compute, too."""

COUNT = """() => {
    const apart = "[data-board], [data-palette]";
    const isSeen = (one) => {
        if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
        const box = one.getBoundingClientRect();
        if (box.width < 2 || box.height < 2) return false;
        if (box.bottom + scrollY <= 0 || box.right + scrollX <= 0) return false;
        for (let at = one; at; at = at.parentElement) {
            const { clipPath, overflow } = getComputedStyle(at);
            if (clipPath === "inset(50%)") return false;
            const room = at.getBoundingClientRect();
            if (overflow !== "visible" && (room.width < 2 || room.height < 2)) return false;
        }
        return true;
    };
    const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary";
    const isCounted = (one) => !one.closest(apart) && isSeen(one);
    const controls = [...document.querySelectorAll(kinds)].filter(isCounted);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const { parentElement: at } = text;
        const said = text.data.match(/[\\p{L}\\p{N}][^\\s]*/gu) ?? [];
        if (!said.length || at.closest(`${apart}, script, style, template, option`)) continue;
        if (isSeen(at)) words.push(...said);
    }
    return {
        controls: controls.map((one) => (one.getAttribute("aria-label") ?? one.textContent).trim()),
        words,
        pixels: document.documentElement.scrollHeight,
    };
}"""


class Most(NamedTuple):
    """The most controls, words and pixels of height that a type of page may have."""

    controls: int
    words: int
    pixels: int


Opens = Callable[[Server, Person], None]


def at_match(slug: str, state: Callable[[Table], None]) -> Opens:
    """Opens the first player's page of a match that `state` has brought about; what was new has been seen."""

    def opens(site: Server, person: Person) -> None:
        table = Table(site.url, slug, f"{slug} calm")
        with closing(table.api):
            table.sit_down()
            state(table)
        take_seat(person, table)
        person.page.goto(f"/m/{table.key}/A/")

    return opens


def take_seat(person: Person, table: Table) -> None:
    person.page.goto(f"/s/seat/{table.tokens[Seat('A')]}/")
    with person.page.expect_navigation():
        person.page.locator("main form button").first.tap()


def with_matches(site: Server, person: Person, *states: Callable[[Table], None]) -> None:
    """Gives the person a match for each of the states, of one game after another."""
    for n, (state, slug) in enumerate(zip(states, cycle(GAMES), strict=False)):
        table = Table(site.url, slug, f"{slug} calm {n}")
        with closing(table.api):
            table.sit_down()
            state(table)
        take_seat(person, table)


def begun(table: Table) -> None:
    table.play(2)


def won(table: Table) -> None:
    table.play(2)
    table.resign(Seat("B"))


def lost(table: Table) -> None:
    table.play(2)
    table.resign(Seat("A"))


def soon_over(table: Table) -> None:
    """A few turns: the review of a whole match takes minutes."""
    table.play(3)
    table.resign(Seat("B"))


def my_games(site: Server, person: Person) -> None:
    """Thirteen matches, as many as a keen player has."""
    with_matches(site, person, *[begun] * 5, *[Table.wait_for_ben] * 4, *[won] * 4)
    person.page.goto("/mine/")


def busy_you(site: Server, person: Person) -> None:
    with_matches(site, person, *[won, lost] * 4, *[Table.finish] * 2)
    person.page.goto("/me/")


def review(slug: str) -> Opens:
    """The whole review of a finished match, as its first player reads it once it is made."""

    def opens(site: Server, person: Person) -> None:
        at_match(slug, soon_over)(site, person)
        person.page.goto(f"{person.page.url.removesuffix('A/')}review/")
        expect(person.page.locator(".review details .wide")).to_be_attached(timeout=REVIEW)

    return opens


def puzzle(slug: str) -> Opens:
    def opens(site: Server, person: Person) -> None:
        person.page.goto(f"/puzzles/{slug}/1/")

    return opens


def planning(table: Table) -> None:
    table.play(MIDDLE)
    table.plan_for_ada()


def hurt(table: Table) -> None:
    """Damage owes a slot, and a repair has a key of its own."""
    ada = Seat("A")

    def is_hurt() -> bool:
        plan: Any = table.state.view(ada).plan(ada, "")
        return any(slot.owed for slot in plan.slots)

    while not is_hurt():
        table.play(1)


def waiting(table: Table) -> None:
    table.play(MIDDLE)
    table.wait_for_ben()


def home(site: Server, person: Person) -> None:
    person.page.goto("/")


def form(site: Server, person: Person) -> None:
    person.page.goto("/new/pigs/?with=link")


def made(site: Server, person: Person) -> None:
    person.make_match()


def its_talk(site: Server, person: Person) -> None:
    at_match("pigs", planning)(site, person)
    person.page.goto(f"{person.page.url}talk/")


def league_form(site: Server, person: Person) -> None:
    person.page.goto("/l/new/")


def league_of_four(site: Server, person: Person, *, is_over: bool = False) -> None:
    """A league of four that has begun, on the page of its maker; two or all of its matches are over."""
    api = Client(base_url=f"{site.url}/api/v1/")

    def call(path: str, token: str = "", **body: object) -> Any:
        answer = api.post(path, json=body, headers={"Authorization": f"Bearer {token}"} if token else {})
        assert answer.is_success, answer.text
        return answer.json()

    with closing(api):
        made = call("leagues", name="Our spring", game="robble", organiser="Ada", places=4)
        path = f"leagues/{made['league']}"
        tokens = {made["place"]: made["token"]}
        for name in ("Ben", "Cleo", "Dora"):
            last = call(f"{path}/places", name=name, invite=made["invite"])
            tokens[last["place"]] = last["token"]
        call(f"{path}/start", made["organiser_token"])
        for one in api.get(f"{path}/matches").json()["matches"]:
            at = one["seats"].values()
            if is_over or (last["place"] in at and made["place"] not in at):
                call(f"matches/{one['match']}/resign", tokens[max(at)])
    person.page.goto(f"/s/place/{made['token']}/")
    with person.page.expect_navigation():
        person.page.locator("main form button").first.tap()


def you(address: str) -> Opens:
    def opens(site: Server, person: Person) -> None:
        at_match("pigs", Table.finish)(site, person)
        person.page.goto(address)

    return opens


PAGES: dict[str, tuple[Opens, Most]] = {
    "home, new person": (home, Most(16, 140, 1_600)),
    "form of a match": (form, Most(14, 70, 900)),
    "made, waits for a friend": (made, Most(12, 80, 1_100)),
    "planning, Pigs": (at_match("pigs", planning), Most(15, 130, 1_450)),
    "planning, Roboxing": (at_match("roboxing", planning), Most(18, 180, 1_600)),
    "planning, Robosoccer": (at_match("robosoccer", planning), Most(16, 130, 1_450)),
    "planning, Robble": (at_match("robble", planning), Most(14, 120, 1_450)),
    "waiting": (at_match("pigs", waiting), Most(14, 80, 1_150)),
    **{f"end, {slug}": (at_match(slug, Table.finish), Most(17, 140, 1_600)) for slug in ("pigs", "roboxing")},
    **{f"review, {slug}": (review(slug), Most(24, 190, 2_200)) for slug in GAMES},
    "My games, 13 matches": (my_games, Most(28, 150, 1_600)),
    **{f"a puzzle, {slug}": (puzzle(slug), Most(14, 80, 1_100)) for slug in GAMES},
    "You of a busy player": (busy_you, Most(22, 170, 1_500)),
    "chat of a match": (its_talk, Most(14, 80, 1_000)),
    "You": (you("/me/"), Most(22, 170, 1_500)),
    "settings": (you("/me/?settings=1"), Most(22, 170, 1_500)),
    "notifications": (you("/notices/"), Most(9, 60, 850)),
    "league form": (league_form, Most(15, 120, 1_200)),
    "league of four": (league_of_four, Most(22, 130, 1_300)),
}


def comes_whole(page: Page) -> None:
    page.wait_for_load_state()
    expect(page.locator("[data-hx-trigger=load]")).to_have_count(0)
    drawn(page)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_calm(visit: Visit, site: Server, name: str) -> None:
    opens, most = PAGES[name]
    person = visit("Ada", **PHONE)
    opens(site, person)
    comes_whole(person.page)
    seen = person.page.evaluate(COUNT)
    controls, words, pixels = seen["controls"], seen["words"], seen["pixels"]
    print(f"{len(controls)}, {len(words)}, {pixels}\n{controls}\n{' '.join(words)}")
    assert len(controls) <= most.controls, controls
    assert len(words) <= most.words, words
    assert pixels <= most.pixels
    assert scrolls_sideways(person.page) == 0


ADDRESSES = (
    "/",
    "/new/roboxing/?with=link",
    "/rules/pigs/",
    "/rules/roboxing/",
    "/rules/robble/figures/",
    "/learn/roboxing/",
    "/puzzles/",
    "/puzzles/pigs/1/",
    "/puzzles/roboxing/1/",
    "/puzzles/robosoccer/1/",
    "/puzzles/robosoccer/9/",
    "/l/new/",
    "/me/?settings=1",
    "/privacy/",
)


PLANNERS = tuple(name for name in PAGES if name.startswith("planning"))

CUT_WORDS = """() => {
    const kinds = "h1, h2, caption, th[scope], button, .primary, .secondary";
    const found = [];
    for (const one of document.querySelectorAll(kinds)) {
        if (!one.checkVisibility() || one.closest(".visually-hidden, [data-board], [data-palette]")) continue;
        const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode())
            for (const { 0: word, index } of text.data.matchAll(/(?<!\\p{L})\\p{L}{2,9}(?!\\p{L})/gu)) {
                const range = new Range();
                range.setStart(text, index);
                range.setEnd(text, index + word.length);
                const tops = [...range.getClientRects()].map((box) => Math.round(box.top / 8));
                if (new Set(tops).size > 1) found.push(word);
            }
    }
    return found;
}"""
"""The words of at most nine letters that are broken over two lines, in headings, tables and buttons."""

SPILLED = """() => [...document.querySelectorAll(".site-header, .course, .ways > a")]
    .filter((one) => one.checkVisibility())
    .filter((one) => one.matches(".site-header") ? one.offsetHeight > 120
        : one.matches(".course") ? one.clientWidth < 200 : one.scrollWidth > one.clientWidth)
    .map((one) => one.outerHTML)"""
"""A header of two rows, a chart that has no room, a button that is too narrow for its words."""


@pytest.mark.parametrize(
    "name",
    [*PLANNERS, "end, pigs", "end, robble", "review, pigs", "league of four", "league over", "busy", "new"],
)
def test_large_text_scrolls_no_page_sideways(visit: Visit, site: Server, name: str) -> None:
    """At 200 %, on a phone, in long words: tables scroll in their own box, what lay side by side wraps."""
    person = visit("Ada", **{**PHONE, "locale": "de"})
    if name == "busy":
        with_matches(site, person, won, lost, begun)
    elif name == "league over":
        league_of_four(site, person, is_over=True)
    elif name == "end, robble":
        at_match("robble", Table.finish)(site, person)
    elif name != "new":
        PAGES[name][0](site, person)
    several = {"busy": ("/me/", "/mine/", *ADDRESSES), "new": ("/mine/", "/notices/", "/tables/")}
    addresses = several.get(name) or (person.page.url,)
    with large_text(person.page):
        for address in addresses:
            person.page.goto(address)
            comes_whole(person.page)
            assert scrolls_sideways(person.page) == 0, address
            assert not person.page.evaluate(CUT_WORDS), address
            assert not person.page.evaluate(SPILLED), address


EDGES = """() => [".film-controls", "#plan .dock"].map((one) => {
    const { top, bottom } = document.querySelector(one).getBoundingClientRect();
    return [top, bottom];
})"""


@pytest.mark.parametrize("state", [planning, hurt])
@pytest.mark.parametrize("locale", ["en", "de", "es"])
def test_the_desk_covers_no_control_of_the_film(
    visit: Visit, site: Server, locale: str, state: Callable[[Table], None]
) -> None:
    """Commands of two words make the desk higher in two of the languages."""
    person = visit("Ada", **{**PHONE, "locale": locale})
    at_match("pigs", state)(site, person)
    comes_whole(person.page)
    (_, controls), (dock, _) = person.page.evaluate(EDGES)
    assert controls < dock + 1
