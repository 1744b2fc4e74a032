"""Leagues and cups by their pages alone, from the link to the winner and an evening of films; axe looks."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ears import Ear
from tests.browser.looks import Faults
from tests.browser.people import STILL, scrolls_sideways
from tests.faults.programs import Site
from tests.receivers import until
from tests.servers import DATABASE, Server

more = pytest.mark.more

PHONE: Any = {"viewport": {"width": 390, "height": 664}, **STILL}
NAMES = ("Ada", "Ben", "Cleo", "Dora")
Press = Callable[[Page, Locator], None]
OWN = ".mine a.going"
"""The links to the reader's matches that are not over."""


def by_hand(page: Page, target: Locator) -> None:
    target.click()


def by_keyboard(page: Page, target: Locator) -> None:
    target.focus()
    expect(target).to_be_focused()
    page.keyboard.press("Enter")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def name_it(page: Page, title: str) -> None:
    """Opens the details of the form, and gives the league or cup a name."""
    page.locator("summary", has_text="Change").click()
    page.get_by_label("Name of the league or cup").fill(title)


def play(page: Page, what: str) -> None:
    """Chooses what is played, out of the fold if it is not the usual way."""
    answer = page.locator(f'[name="plays"][value="{what}"]')
    if not answer.is_visible():
        page.locator("summary", has_text="More variants").click()
    answer.check()


class Kind(NamedTuple):
    """What is played in a league, its buttons, the seats of its tables, and a sentence before its start."""

    plays: str
    create: str = "Create league"
    join: str = "Join the league"
    table_seats: str = ""
    told: str = ""


PAIRS = Kind("roboxing/standard")
TABLES = Kind(
    "roboxing/melee",
    table_seats="3",
    told="With 4 players, each plays 3 matches and meets each of the others 2 times.",
)
CUP = Kind("robble/small", "Create cup", "Join the cup")


def make(page: Page, press: Press, kind: Kind = PAIRS) -> str:
    page.goto("/l/new/")
    name_it(page, "Spring of friends")
    page.get_by_label("Your name").fill("Ada")
    if kind is CUP:
        page.get_by_role("radio", name="Cup").check()
    play(page, kind.plays)
    if kind.table_seats:
        page.get_by_label("Players per match").select_option(kind.table_seats)
    press(page, button(page, kind.create))
    return invite_on(page)


def invite_on(page: Page) -> str:
    """Reads the invite at the end of the message that the organiser sends."""
    return page.get_by_label("Message to send").input_value().split()[-1]


def more_of(page: Page, press: Press) -> None:
    """Opens what is done less than once in a league (⋯)."""
    press(page, page.locator(".league-menu > summary"))


def join(page: Page, invite: str, name: str, press: Press, kind: Kind = PAIRS) -> None:
    page.goto(invite)
    page.get_by_label("Your name").fill(name)
    press(page, button(page, kind.join))
    expect(page.get_by_role("heading", name="Spring of friends")).to_be_visible()


def start(pages: dict[str, Page], press: Press, kind: Kind = PAIRS) -> str:
    """Makes a league of these players and starts it; its address."""
    ada = next(iter(pages.values()))
    invite = make(ada, press, kind)
    for name, page in list(pages.items())[1:]:
        join(page, invite, name, press, kind)
    ada.reload()
    if len(pages) == 4 and kind.told:
        expect(ada.get_by_text(kind.told)).to_be_visible()
    begin = button(ada, f"Start with {len(pages)}")
    press(ada, begin)
    expect(begin).to_have_count(0)  # Enter does not wait for it
    return ada.url


def resign_everywhere(page: Page, league: str, press: Press) -> None:
    """Loses each match of the reader that goes on."""
    page.goto(league)
    for address in [link.get_attribute("href") for link in page.locator(OWN).all()]:
        page.goto(league)
        press(page, page.locator(f".mine a[href='{address}']").first)
        resign(page, press)


def resign(page: Page, press: Press) -> None:
    press(page, page.locator("#more"))
    press(page, page.locator("summary", has_text="Resign").first)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        press(page, button(page, "Yes, I resign"))
    expect(page.get_by_text("Yes, I resign")).to_be_hidden()


LOSERS = ("Dora", "Cleo", "Ben")


def lose_in_turn(
    pages: dict[str, Page], league: str, press: Press, losers: tuple[str, ...] = LOSERS
) -> list[str]:
    """These lose everywhere, one after the other; the rows of the table that everybody sees then."""
    for name in losers:
        resign_everywhere(pages[name], league, press)
    ada = pages["Ada"]
    ada.goto(league)
    expect(ada.get_by_text("The league is over.")).to_be_visible()
    for page in pages.values():
        page.goto(league)
        assert rows(page) == rows(ada)
    return rows(ada)


def rows(page: Page) -> list[str]:
    """The rank, the name and the points in each row of the standings."""
    own = (row.locator("td:first-child, th, .points") for row in page.locator("tr:has(.points)").all())
    return [" ".join(" ".join(row.all_inner_texts()).split()) for row in own]


WAYS = {
    "phone": (PHONE, by_hand),
    "keyboard": (PHONE, by_keyboard),
    "without JavaScript": ({**PHONE, "java_script_enabled": False}, by_hand),
}


@more
@pytest.mark.parametrize("way", WAYS)
def test_a_league_of_four_from_its_link_to_its_table(visit: Visit, way: str) -> None:
    settings, press = WAYS[way]
    pages = {name: visit(name, **settings).page for name in NAMES}
    ada = pages["Ada"]
    league = start(pages, press)
    assert lose_in_turn(pages, league, press) == ["1 Ada 3", "2 Ben 2", "3 Cleo 1", "4 Dora 0"]
    with ada.expect_download() as record:
        more_of(ada, press)
        press(ada, ada.get_by_role("link", name="Download league file"))
    assert record.value.suggested_filename.startswith("robosite-league-")
    press(ada, button(ada, "New season"))
    expect(ada.get_by_role("heading", name="Spring of friends, season 2")).to_be_visible()
    for name, what in (("Ben", "I’m in"), ("Cleo", "I’m in"), ("Dora", "I’m out")):
        pages[name].goto(league)
        press(pages[name], pages[name].get_by_role("link", name="To season 2"))
        press(pages[name], button(pages[name], what))
    expect(pages["Ben"].get_by_role("heading", name="You’ve said yes")).to_be_visible()
    expect(button(pages["Dora"], "Play as Dora")).to_be_visible()
    ada.reload()
    press(ada, button(ada, "Start with 3"))
    expect(ada.locator(OWN).first).to_be_visible()
    assert len(rows(ada)) == 3


@more
def test_a_league_of_tables_from_its_link_to_its_table(visit: Visit, faults: Faults) -> None:
    ears = {name: Ear(visit(name, **PHONE)) for name in NAMES}
    pages = {name: ear.page for name, ear in ears.items()}
    league = start(pages, by_hand, TABLES)
    ears["Ada"].hears("Your turn against .* and ")
    resign_everywhere(pages["Dora"], league, by_hand)
    pages["Ben"].goto(league)
    ears["Ben"].hears("has the move")
    pages["Ada"].goto(league)
    look_unfolded(faults, pages["Ada"], "playing")
    table = lose_in_turn(pages, league, by_hand, LOSERS[1:])  # Dora is out, though her tables play on
    assert table[:2] == ["1 Ada 9", "2 Ben 3"] and sorted(table[2:]) == ["3 Cleo 0", "3 Dora 0"]
    assert all(page.get_by_role("rowheader", name="Match").count() == 4 for page in pages.values())


@more
def test_a_cup_of_five(visit: Visit, faults: Faults) -> None:
    ears = {name: Ear(visit(name, **PHONE)) for name in (*NAMES, "Emil")}
    pages = {name: ear.page for name, ear in ears.items()}
    cup = start(pages, by_hand, CUP)
    for page in pages.values():
        page.goto(cup)
    (waiting,) = (ear for ear in ears.values() if "you’re waiting for the winner of" in ear.snapshot())
    waiting.hears('region "Quarter-finals"')
    faults.look(waiting.page, "playing")
    for _ in range(len(pages) - 1):
        for page in pages.values():
            page.goto(cup)
            if page.locator(OWN).count():
                resign_everywhere(page, cup, by_hand)
                break
    ada = pages["Ada"]
    ada.goto(cup)
    expect(ada.get_by_text("The cup is over:")).to_be_visible()
    for page in pages.values():
        page.goto(cup)
    assert sum(page.get_by_text("You’ve won the cup!").count() for page in pages.values()) == 1
    more_of(ada, by_hand)
    ada.get_by_text("Ranks", exact=True).click()
    places = ada.get_by_role("region", name="Ranks").get_by_role("row").all_inner_texts()
    assert [row.split()[0] for row in places[1:]] == ["1", "2", "3", "3", "5"]


@more
def test_an_open_talk_of_a_league_hears_what_is_new(visit: Visit) -> None:
    ada, ben = (visit(name, **PHONE).page for name in ("Ada", "Ben"))
    join(ben, make(ada, by_hand), "Ben", by_hand)
    ada.reload()
    for page in (ada, ben):
        by_hand(page, page.get_by_role("link", name="Chat"))
    for words in ("Who brings the cake?", "I bring the tea.", "Nobody?"):
        field = ben.get_by_label("Your message")
        field.fill(words)
        by_hand(ben, button(ben, "Send"))
        expect(field).to_have_value("")
        expect(ada.locator("#said").get_by_text(words)).to_be_visible()
    ben.reload()
    expect(field).to_have_value("")


def look_unfolded(faults: Faults, page: Page, name: str) -> None:
    page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true; })")
    faults.look_on_phone(page, name)


@more
def test_the_pages_of_a_league_are_for_everybody(visit: Visit, faults: Faults) -> None:
    ada, ben, cleo, watcher = (visit(name, **PHONE).page for name in (*NAMES[:3], "Zoe"))
    invite = make(ada, by_hand)
    for name, page in (("Ben", ben), ("Cleo", cleo)):
        join(page, invite, name, by_hand)
    ada.reload()
    address = ada.url
    for name, page, to in (
        ("new", watcher, "/l/new/"),
        ("invite", watcher, invite),
        ("open, organiser", ada, address),
        ("open, watcher", watcher, address),
    ):
        page.goto(to)
        look_unfolded(faults, page, name)
    ada.goto(address)
    more_of(ada, by_hand)
    ada.get_by_text("Spot link", exact=True).click()
    place = ada.get_by_role("textbox", name="Link to your spot").input_value()
    ada.goto(address)  # with its menu closed
    button(ada, "Start with 3").click()
    resign_everywhere(cleo, address, by_hand)
    ada.goto(f"{address}talk/")
    ada.get_by_label("Your message").fill("Well played")
    button(ada, "Send").click()
    for name, page, to in (
        ("playing, organiser", ada, address),
        ("playing, watcher", watcher, address),
        ("talk", ada, f"{address}talk/"),
        ("report", ben, f"/report/league/{address.split('/')[4]}/"),
        ("a place's link", watcher, place),
    ):
        page.goto(to)
        look_unfolded(faults, page, name)
    resign_everywhere(ben, address, by_hand)
    ada.goto(address)
    look_unfolded(faults, ada, "over, organiser")
    ada.reload()  # with its menu closed
    button(ada, "New season").click()
    expect(ada.get_by_role("heading", name="Spring of friends, season 2")).to_be_visible()
    look_unfolded(faults, ada, "next season, organiser")
    ben.goto(ada.url)
    button(ben, "I’m out").click()
    expect(button(ben, "Play as Ben")).to_be_visible()
    look_unfolded(faults, ben, "next season, stepped out")
    ada.reload()
    more_of(ada, by_hand)
    ada.get_by_role("link", name="Change rules").click()
    look_unfolded(faults, ada, "rules of a season")


def test_who_joins_appears_by_itself(visit: Visit) -> None:
    """The page is looked at again, and what its reader has opened stays open."""
    ada, ben = visit("Ada", **PHONE).page, visit("Ben", **PHONE).page
    invite = make(ada, by_hand)
    more_of(ada, by_hand)
    elsewhere = ada.get_by_text("Calendar and feed")
    elsewhere.click()
    join(ben, invite, "Ben", by_hand)
    expect(ada.locator("#league .players")).to_contain_text("Ben", timeout=60_000)
    expect(elsewhere.locator("..")).to_have_attribute("open", "")


ORDERS = ("c3", "e5", "d4")
FILMS = 3


def evening(site: Server) -> str:
    """A league of three whose first turns have just been played, at the minute that has begun; its path.

    The clock plays them once their hour has come, and the database says that it has.
    """
    hour = datetime.now(UTC).replace(second=0, microsecond=0)
    terms = {"time": f"{hour:%H:%M}", "zone": "UTC", "days": list(range(7))}
    with Site(site.url) as programs:
        league = programs.league(3, game="robble", reveal_at=terms)
        programs.start(league)
        matches = programs.fixtures(league)
        for one, order in zip(matches, ORDERS, strict=True):
            path = f"matches/{one['match']}"
            seen = programs.ask("GET", f"{path}?legal=1", token=league.tokens[one["seats"]["A"]]).json()
            token = league.tokens[one["seats"][seen["to_act"][0]]]
            sealed = programs.ask("PUT", f"{path}/order", {"turn": 0, "order": order}, token=token)
            assert sealed.status_code == 200, sealed.text
        with closing(sqlite3.connect(site.data / DATABASE, timeout=60)) as database, database:
            marks = ",".join("?" * FILMS)
            database.execute(
                f"UPDATE matches_match SET due = ?, deadline = ? WHERE key IN ({marks})",
                [f"{hour:%Y-%m-%d %H:%M:%S}"] * 2 + [one["match"] for one in matches],
            )
        paths = [f"matches/{one['match']}" for one in matches]
        until(lambda: all(programs.ask("GET", path).json()["turn"] for path in paths))
    return f"/l/{league.key}/tonight/"


def shown(page: Page) -> tuple[str | None, str | None]:
    stage = page.locator("#stage")
    return stage.get_attribute("data-number"), stage.locator("[aria-current=step]").get_attribute("data-tick")


@pytest.mark.more
def test_an_evening_of_films_in_step(visit: Visit, site: Server) -> None:
    path = evening(site)
    pages = [visit(name, **PHONE).page for name in ("Ada", "Ben", "Zoe")]
    for page in pages:
        page.goto(path)
    given = pages[0].locator("[data-tonight]").get_attribute("data-begins")
    begins = datetime.fromtimestamp(float(given or 0), UTC)
    if datetime.now(UTC) < begins - timedelta(seconds=10):
        expect(pages[2].locator("[data-says]")).to_contain_text("The films begin in")
    together: set[str | None] = set()
    end = time.monotonic() + 180
    while len(together) < FILMS and time.monotonic() < end:
        seen = [shown(page) for page in pages]
        if len(set(seen)) == 1 and seen[0][1] != "0":
            together.add(seen[0][0])
        time.sleep(0.3)
    assert together == {"1", "2", "3"}, "each film was seen by all three at the same step"
    for page in pages:
        expect(page.locator("[data-says]")).to_have_text("That’s all for tonight.")


@pytest.mark.more
def test_an_evening_at_ones_own_pace(visit: Visit, site: Server, faults: Faults) -> None:
    """A latecomer begins at the beginning; without JavaScript links lead from film to film."""
    path = evening(site)
    late, plain = visit("Ada", **PHONE), visit("Ben", **PHONE, java_script_enabled=False)
    late.page.goto(f"{path}?film=2")
    expect(late.page.locator("#stage")).to_have_attribute("data-number", "2")
    expect(late.page.locator("[data-says]")).to_have_text("You’re watching at your own pace.")
    late.page.get_by_role("button", name="From the start").click()
    expect(late.page.locator("#stage")).to_have_attribute("data-number", "1")
    plain.page.goto(path)
    for number in ("1", "2", "3"):
        plain.page.locator(".evening-films a:not(.quiet)").nth(int(number) - 1).click()
        expect(plain.page.locator("#stage")).to_have_attribute("data-number", number)
        plain.page.get_by_role("link", name="Step forward").click()
        expect(plain.page.locator("[aria-current=step]")).to_have_attribute("data-tick", "1")
    for page in (late.page, plain.page):
        assert not scrolls_sideways(page)
    faults.look(late.page, "evening")
