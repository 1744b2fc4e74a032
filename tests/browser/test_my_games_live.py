"""Lists of matches as they change on an open page, are come back to, are fetched early, and lead on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, STILL, Person, sit
from tests.browser.test_many_windows import laptop_phone_and_bob
from tests.faults.programs import Site
from tests.screenshots.town import Table
from tests.servers import Server


def entries(page: Page) -> Locator:
    return page.locator(".games.mine > li")


def header_count(page: Page) -> Locator:
    return page.locator(".waiting .count")


def tab_of(person: Person, address: str) -> Page:
    """A further tab, whose socket is open."""
    page = person.context.new_page()
    with page.expect_websocket() as socket:
        page.goto(address)
    assert socket.value.url.endswith("/ws/mine/")
    return page


@pytest.mark.more
def test_moves_and_messages_and_invitations_appear_by_themselves(visit: Visit) -> None:
    laptop, _, bob = laptop_phone_and_bob(visit)
    laptop.seal(ROUNDS[0][0])
    laptop.has_sealed()
    mine = tab_of(laptop, "/mine/")
    expect(mine.locator("#mine h2")).to_have_text(["Waiting"])
    expect(header_count(mine)).to_be_hidden()
    expect(mine).to_have_title("My games · Robosite")
    rules = tab_of(laptop, "/rules/pigs/")

    bob.seal(ROUNDS[0][1])
    expect(entries(mine)).to_contain_text("your turn")
    expect(mine.locator("#mine h2")).to_have_text(["Your turn"])
    expect(mine.get_by_role("link", name="Next · 1")).to_be_visible()
    for page, title in ((mine, r"^\(1\) My games"), (rules, r"^\(1\) ")):
        expect(header_count(page)).to_contain_text("1")
        expect(page).to_have_title(re.compile(title))

    entries(mine).get_by_role("link").focus()
    bob.press(bob.page.locator(".page > header").get_by_role("link", name="Chat"))
    bob.page.get_by_label("Your message").fill("Good evening")
    bob.press(bob.button("Send"))
    expect(entries(mine)).to_contain_text("new message")
    expect(entries(mine).get_by_role("link")).to_be_focused()

    # An open page of the match marks it too, wherever it is scrolled.
    bubble = laptop.page.locator("#bubble")
    expect(bubble).to_contain_text("1")
    laptop.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(bubble).to_be_in_viewport()
    laptop.press(bubble)
    expect(laptop.page.locator("#said")).to_contain_text("Good evening")
    expect(entries(mine)).not_to_contain_text("new message")

    # A rematch, and another match in which somebody else waits.
    bob.page.goto(bob.page.url.rpartition("talk/")[0])
    other = visit("Carla", **DESKTOP, **STILL)
    laptop.sit_down(other.make_match())
    expect(entries(mine)).to_have_count(2)
    expect(header_count(mine)).to_contain_text("2")
    expect(header_count(rules)).to_contain_text("2")


@pytest.mark.more
def test_an_invitation_comes_to_the_top_and_is_taken_in_one_tap(visit: Visit) -> None:
    laptop, _, bob = laptop_phone_and_bob(visit)
    match = bob.address
    bob.open_menu()
    bob.press(bob.page.locator("summary", has_text="Resign").last)
    bob.press(bob.button("Yes, I resign"))
    bob.page.goto(match)
    mine = tab_of(bob, "/mine/")
    expect(mine.locator("#mine h2")).to_have_text(["Finished"])
    laptop.page.goto(laptop.address)
    laptop.press(laptop.button("Rematch"))
    expect(mine.locator("#mine h2")).to_have_text(["Your turn"])
    expect(entries(mine)).to_contain_text("Rematch: Robo Battle Pigs")
    mine.get_by_role("button", name="Join").click()
    expect(mine).not_to_have_url(match)
    expect(mine.locator("#planner")).to_be_visible()


@pytest.mark.more
def test_a_page_that_was_asleep_asks_once(visit: Visit) -> None:
    laptop, _, _ = laptop_phone_and_bob(visit)
    laptop.seal(ROUNDS[0][0])
    laptop.has_sealed()
    mine = laptop.context.new_page()
    mine.clock.install()
    with mine.expect_websocket():
        mine.goto("/mine/")
    with mine.expect_response(re.compile("/mine/waiting/")):
        mine.clock.run_for(2000)
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/mine/" in request.url:
            asked.append(request.url)

    mine.on("request", note)
    mine.clock.fast_forward(600_000)  # and no word from the socket
    with mine.expect_websocket():
        mine.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    with mine.expect_response(re.compile("/mine/waiting/")):
        mine.clock.run_for(2000)
    mine.clock.run_for(10_000)
    assert len(asked) == 1, asked


@pytest.mark.more
def test_a_friend_comes_and_goes_without_a_word_of_it_in_the_page_itself(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE, **STILL), visit("Bob", **DESKTOP, **STILL)
    invite = alice.make_match()
    badge = alice.page.locator("#players .here")
    bob.sit_down(invite)
    match = bob.page.url
    expect(badge).to_have_text("here now")
    expect(badge).to_be_visible()
    expect(alice.page.locator(".bar .here")).to_be_visible()
    bob.page.goto("about:blank")
    expect(badge).to_be_hidden()
    bob.page.goto(match)
    expect(badge).to_be_visible()
    expect(bob.page.locator(".bar .here")).to_have_text("Alice is here")
    alice.seal("F F F F F")  # an update draws the table anew
    alice.has_sealed()
    expect(bob.page.locator("#players .is-sealed")).to_be_visible()
    expect(badge).to_be_visible()
    expect(bob.page.locator(".bar .here")).to_be_visible()
    bob.page.goto(bob.page.url.partition("/m/")[0] + "/me/?settings=1")
    with bob.page.expect_navigation():
        bob.page.get_by_role("checkbox", name="Show when I’m online").uncheck()
    expect(bob.page.locator("main .notice").first).to_contain_text("Others no longer see")
    bob.page.goto(match)
    expect(bob.page.locator(".bar .here")).to_be_visible()
    alice.page.wait_for_timeout(2000)
    expect(badge).to_be_hidden()


@pytest.mark.more
@pytest.mark.parametrize("lists", ["/mine/", "/"], ids=["my games", "home"])
def test_back_to_a_list_shows_what_waits_now(visit: Visit, lists: str) -> None:
    alice, ben = visit("Alice", **DESKTOP), visit("Ben", **PHONE)
    ben.sit_down(alice.make_match())
    alice.page.goto(lists)
    waits = alice.page.get_by_role("link", name=re.compile("your turn|Play on"))
    alice.press(waits.first)
    alice.seal("F F F F F")
    alice.has_sealed()
    alice.page.go_back()
    expect(alice.page).to_have_url(re.compile(f"{re.escape(lists)}$"))
    expect(waits).to_have_count(0)


DELIVERED = "performance.getEntriesByType('navigation')[0].deliveryType"


def hover(person: Person, path: str) -> None:
    """Rests on the link until its page has come."""
    link = person.page.locator(f"a[href^='{path}']:visible").first
    asked = lambda answer: answer.request.headers.get("sec-purpose", "").startswith("prefetch")  # noqa: E731
    with person.page.expect_response(asked) as answer:
        link.hover()
    answer.value.finished()


def test_a_page_that_is_fetched_early_is_true_when_it_is_seen(visit: Visit, table: Table) -> None:
    ada, seat = sit(visit("Ada", **DESKTOP, **STILL), table), f"/m/{table.key}/A/"
    ada.page.goto("/mine/")
    hover(ada, seat)
    table.seal(Seat("B"), ROUNDS[0][1])
    ada.page.locator(f"a[href^='{seat}']:visible").first.click()
    ada.page.wait_for_url(f"**{seat}")
    assert ada.page.evaluate(DELIVERED) == "navigational-prefetch"
    expect(ada.at_table("Ben")).to_contain_text("sealed")


SMALL: Any = {"viewport": {"width": 390, "height": 664}, **STILL}


def places(page: Page, *selectors: str) -> list[dict[str, int]]:
    boxes: list[Any] = [page.locator(one).first.bounding_box() for one in selectors]
    return [{what: round(size) for what, size in box.items()} for box in boxes]


@pytest.mark.more
def test_the_way_to_the_next_match_of_a_league_has_its_place(visit: Visit, site: Server) -> None:
    ada = visit("Ada", **SMALL)
    with Site(site.url) as programs:
        league = programs.league(3, game="robble", preset="small")
        programs.start(league)
        matches = programs.fixtures(league)

        def plays(match: dict[str, Any]) -> str:
            token, order = league.tokens[match["seats"]["A"]], {"turn": 0, "order": "c3"}
            assert programs.ask("PUT", f"matches/{match['match']}/order", order, token).is_success
            return str(match["match"])

        ada.page.goto(f"/s/place/{league.tokens[1]}/")
        ada.press(ada.button("Continue as Ada"))
        first = plays(next(one for one in matches if one["seats"]["A"] == 1))
        ada.page.goto(f"/m/{first}/A/")
        way = ada.page.locator(".next-match")
        expect(way).to_have_text("Today’s puzzle", use_inner_text=True)
        before = places(ada.page, "#film", "h1", "#status")
        second = plays(next(one for one in matches if one["seats"]["B"] == 1))
    expect(way).to_have_text("Next match one is waiting", timeout=20_000, use_inner_text=True)
    assert places(ada.page, "#film", "h1", "#status") == before
    ada.press(way.get_by_role("link"))
    expect(ada.page).to_have_url(f"{ada.page.url.partition('/m/')[0]}/m/{second}/B/")


@pytest.mark.more
def test_an_entry_of_my_games_whose_turn_comes_keeps_its_place(visit: Visit, seated: Seated) -> None:
    ada = visit("Ada", **SMALL)
    tables = [seated("robble", f"ways on {n}", "small") for n in range(3)]
    for one in tables:
        one.seal(Seat("A"), "c3", 0)
        sit(ada, one)
    ada.page.goto("/mine/")
    order = ada.page.locator(".games.mine > li > a")
    expect(order).to_have_count(3)
    before = [one.get_attribute("id") for one in order.all()]
    where = places(ada.page, *(f"#{one}" for one in before), ".my-games")
    expect(ada.page.locator(".next-of-all")).to_have_count(0)
    ada.page.mouse.move(5, 5)  # her hands are on the page
    last = next(one for one in tables if f"game-{one.key}" == before[-1])
    last.seal(Seat("B"), "c4", 1)
    expect(order.last).to_contain_text("your turn", timeout=20_000)
    expect(ada.page.locator(".next-of-all")).to_contain_text("Next · 1")
    assert [one.get_attribute("id") for one in order.all()] == before
    assert places(ada.page, *(f"#{one}" for one in before), ".my-games") == where
    ada.page.reload()
    assert order.first.get_attribute("id") == before[-1], "a page that is loaded is sorted"
