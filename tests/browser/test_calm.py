"""Each type of page stays calm on a phone: few controls, few words, a short page; and fits in large text.

The board with its taps lies in `[data-board]` and the palette in `[data-palette]`; neither is counted. Nor is
what lies in a closed fold, dialog or popover, or is hidden from the eye.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from games import GAMES
from games.core import Seat
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.looks import large_text
from tests.browser.people import Person, drawn, scrolls_sideways, take_seat
from tests.faults.programs import Site
from tests.screenshots.town import MIDDLE, SOON_OVER, Table
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


class Most(NamedTuple):
    """The most controls, words and pixels of height that a type of page may have."""

    controls: int
    words: int
    pixels: int


Opens = Callable[[Server, Person], None]


def give(site: Server, person: Person, slug: str, state: Callable[[Table], None], seed: str) -> str:
    """Seats the person first in a match that `state` brings about, and returns its path; all is seen."""
    table = Table(site.url, slug, f"{slug} {seed}")
    with closing(table.api):
        table.sit_down()
        state(table)
    take_seat(person, table)
    return f"/m/{table.key}/A/"


def at_match(slug: str, state: Callable[[Table], None], seed: str = "calm") -> Opens:
    def opens(site: Server, person: Person) -> None:
        person.page.goto(give(site, person, slug, state, seed))

    return opens


def with_matches(*states: Callable[[Table], None]) -> Opens:
    """Gives the person a match for each of the states, of one game after another."""

    def opens(site: Server, person: Person) -> None:
        for n, (state, slug) in enumerate(zip(states, cycle(GAMES), strict=False)):
            give(site, person, slug, state, f"calm {n}")

    return opens


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


def review(slug: str) -> Opens:
    """The whole review of a finished match, as its first player reads it once it is made."""

    def opens(site: Server, person: Person) -> None:
        at_match(slug, soon_over)(site, person)
        person.page.goto(f"{person.page.url.removesuffix('A/')}review/")
        expect(person.page.locator(".review details .wide")).to_be_attached(timeout=REVIEW)

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


def league_of_four(site: Server, person: Person, *, is_over: bool = False) -> None:
    """A league of four that has begun, on the page of its maker; two or all of its matches are over."""
    with Site(site.url) as programs:
        league = programs.league(4, game="robble")
        programs.start(league)
        for one in programs.fixtures(league):
            at = one["seats"].values()
            if is_over or (4 in at and 1 not in at):
                programs.ask("POST", f"matches/{one['match']}/resign", token=league.tokens[max(at)])
    person.page.goto(f"/s/place/{league.tokens[1]}/")
    with person.page.expect_navigation():
        person.page.locator("main form button").first.tap()


def nobody(site: Server, person: Person) -> None:
    """Somebody who has never been here."""


def maker(site: Server, person: Person) -> None:
    person.make_match()


class Sight(NamedTuple):
    """A state that pages are looked at in: each address, "" for where it leads, and the most that is there.

    `large`: further addresses that are looked at in large text only, as those with a bound are if `is_large`.
    """

    opens: Opens
    pages: dict[str, Most]
    is_large: bool = False
    large: tuple[str, ...] = ()


PLANNING = {
    "pigs": Most(15, 130, 1_450),
    "roboxing": Most(18, 180, 1_600),
    "robosoccer": Most(16, 130, 1_450),
    "robble": Most(14, 120, 1_450),
}
YOU = Most(22, 170, 1_500)
OVER = Most(17, 140, 1_600)
SIGHTS = {
    "nobody": Sight(
        nobody,
        {
            "/": Most(16, 140, 1_600),
            "/new/pigs/?with=link": Most(14, 70, 900),
            **{f"/puzzles/{slug}/1/": Most(14, 80, 1_100) for slug in GAMES},
            "/l/new/": Most(15, 120, 1_200),
        },
        large=("/mine/", "/notices/", "/tables/"),
    ),
    "made, waits for a friend": Sight(maker, {"": Most(12, 80, 1_100)}),
    **{
        f"planning, {slug}": Sight(at_match(slug, planning), {"": most}, is_large=True)
        for slug, most in PLANNING.items()
    },
    "chat of a match": Sight(at_match("pigs", planning), {"talk/": Most(14, 80, 1_000)}),
    "waiting": Sight(at_match("pigs", waiting), {"": Most(14, 80, 1_150)}),
    "end, pigs": Sight(
        at_match("pigs", Table.finish, SOON_OVER),
        {"": OVER, "/me/": YOU, "/me/?settings=1": YOU, "/notices/": Most(9, 60, 850)},
        is_large=True,
    ),
    "end, roboxing": Sight(at_match("roboxing", Table.finish), {"": OVER}),
    "end, robble": Sight(at_match("robble", Table.finish), {}, large=("",)),
    **{
        f"review, {slug}": Sight(review(slug), {"": Most(24, 190, 2_200)}, is_large=slug == "pigs")
        for slug in GAMES
    },
    "a keen player": Sight(
        with_matches(*[begun] * 5, *[Table.wait_for_ben] * 4, *[won] * 4),
        {"/mine/": Most(28, 150, 1_600)},
        is_large=True,
    ),
    "a busy player": Sight(
        with_matches(*[won, lost] * 4),
        {"/me/": YOU},
        is_large=True,
        large=(
            "/mine/",
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
            "/privacy/",
        ),
    ),
    "league of four": Sight(league_of_four, {"": Most(22, 130, 1_300)}, is_large=True),
    "league over": Sight(partial(league_of_four, is_over=True), {}, large=("",)),
}


def comes_whole(page: Page) -> None:
    page.wait_for_load_state()
    expect(page.locator("[data-hx-trigger=load]")).to_have_count(0)
    drawn(page)


SELDOM = {f"review, {slug}" for slug in GAMES} - {"review, pigs"}
"""Those of which one in `.ci/run` is enough: the site works out a review for a long time."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.more if name in SELDOM else ()) for name in SIGHTS]
)
def test_its_pages_are_calm_and_fit_in_large_text(visit: Visit, site: Server, name: str) -> None:
    """At 200 %, in long words: tables scroll in their own box, what lay side by side wraps."""
    sight, person = SIGHTS[name], visit("Ada", **PHONE)
    sight.opens(site, person)
    page, at = person.page, person.page.url
    for address, most in sight.pages.items():
        page.goto(urljoin(at, address))
        comes_whole(page)
        seen = page.evaluate(COUNT)
        controls, words, pixels = seen["controls"], seen["words"], seen["pixels"]
        print(f"{address}: {len(controls)}, {len(words)}, {pixels}\n{controls}\n{' '.join(words)}")
        assert len(controls) <= most.controls, (address, controls)
        assert len(words) <= most.words, (address, words)
        assert pixels <= most.pixels, address
        assert scrolls_sideways(page) == 0, address
    person.reads("de")
    with large_text(page):
        for address in (*(sight.pages if sight.is_large else ()), *sight.large):
            page.goto(urljoin(at, address))
            comes_whole(page)
            assert scrolls_sideways(page) == 0, address
            assert not page.evaluate(CUT_WORDS), address
            assert not page.evaluate(SPILLED), address


EDGES = """() => [".film-controls", "#plan .dock"].map((one) => {
    const { top, bottom } = document.querySelector(one).getBoundingClientRect();
    return [top, bottom];
})"""


@pytest.mark.parametrize("state", [planning, hurt])
def test_the_desk_covers_no_control_of_the_film(
    visit: Visit, site: Server, state: Callable[[Table], None]
) -> None:
    """Commands of two words make the desk higher in two of the languages."""
    person = visit("Ada", **PHONE)
    at_match("pigs", state)(site, person)
    for language in ("en", "de", "es"):
        person.reads(language)
        person.page.reload()
        comes_whole(person.page)
        (_, controls), (dock, _) = person.page.evaluate(EDGES)
        assert controls < dock + 1, language
