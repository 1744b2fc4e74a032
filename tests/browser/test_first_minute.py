"""The first minute: one tap to play, bubbles, a match made on one screen, a bot, a seal; and the last."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from games import GAMES
from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.looks import Faults
from tests.browser.people import (
    DESKTOP,
    PHONE,
    SMALL,
    STILL,
    Person,
    drawn,
    play_rounds,
    scrolls_sideways,
    sit,
)
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more

BESIDE = {
    "roboxing": [("Your robot.", True), ("You win once", True), ("Four arrows", False)],
    "robosoccer": [
        ("Your home row.", True),
        ("Your ball wins", True),
        ("Robots go up", False),
        ("Size matters", False),
    ],
}
"""How the bubbles before a game's first turn begin, and whether they point at something on the board."""
AIMS = """bubble => {
    const aimed = document.querySelector(".pointed-at");
    const [box, aim] = [bubble, aimed].map((one) => one.getBoundingClientRect());
    return Math.min(Math.abs(box.top - aim.bottom), Math.abs(box.bottom - aim.top));
}"""
COVERED = """bubble => {
    const box = bubble.getBoundingClientRect();
    const pieces = [...document.querySelectorAll("#film .frame .piece")];
    return pieces.map((one) => one.getBoundingClientRect()).filter((one) => one.width
        && one.left < box.right && one.right > box.left
        && one.top < box.bottom && one.bottom > box.top).length;
}"""
LATE = """fetch(location.href, { headers: { "HX-Request": "true" } }).then((answer) => answer.text())"""
SWAPPED = """htmx.ajax("GET", location.pathname, { target: "#live", swap: "outerHTML" }).then(() =>
    new Promise((done) => setTimeout(() => done(document.querySelectorAll("#bubbles").length), 300)))"""
"""Swaps in an update; then the number of speech bubbles' forms."""
TOP = "one => one.getBoundingClientRect().top"
SHEET = "navigator.share = (what) => { window.shared = what; return Promise.resolve(); }"


def plays_now(guest: Person, slug: str = "") -> None:
    guest.page.goto(f"/rules/{slug}/" if slug else "/")
    guest.press(guest.button("Play now") if slug else guest.page.locator(".hello .play-now"))


def test_bubbles_one_at_a_time_stay_through_taps_and_the_film_of_building_leads_on(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    plays_now(guest, "roboxing")
    shown = guest.page.locator("#bubbles span.shown")
    for number in (1, 2, 3, 3):
        expect(shown).to_contain_text(f"{number} of 3")
        guest.press(guest.button("Shuffle everything"))
    guest.page.reload()
    expect(shown).to_contain_text("1 of 3")
    expect(guest.page.locator(".bx-says:visible, .bx-tried:visible")).to_have_count(0)
    guest.page.keyboard.press("Escape")
    expect(guest.page.locator(".bx-says:visible")).to_have_count(1)
    guest.press(guest.page.locator("#plan [name=seal]"))
    expect(guest.page.locator("#film-says")).to_contain_text("You have built a robot.")
    expect(shown).to_contain_text("1 of 3 Move:")
    expect(guest.page.locator(".onward")).to_be_hidden()


def test_no_second_robot_stands_on_the_board_before_one_plans(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    guest.page.goto("/new/roboxing/?with=link")
    guest.page.get_by_label("Your name").fill("Greta")
    guest.press(guest.page.locator(".make-bar .primary"))
    trial = guest.page.locator(".bx-trial")
    expect(trial).to_be_hidden()
    guest.page.get_by_text("Plan my first turn").click()
    expect(trial).to_be_visible()


def test_one_tap_plays_and_the_first_command_ends_the_bubbles(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    guest.page.goto("/")
    play = guest.page.locator(".hello .play-now")
    expect(play).to_be_in_viewport()
    guest.press(play)
    expect(guest.page.locator("#bubbles span")).to_have_count(3)
    expect(guest.page.locator(".goal")).to_contain_text("You’re blue, at the bottom.")
    guest.press(guest.key("F"))
    stay_away(guest)
    assert scrolls_sideways(guest.page) == 0


@pytest.mark.parametrize("slug", GAMES)
def test_a_button_puts_the_bubbles_away(visit: Visit, slug: str) -> None:
    guest = visit("Guest", **SMALL)
    plays_now(guest, slug)
    bubbles = guest.page.locator("#bubbles")
    expect(bubbles).to_be_visible()
    drawn(guest.page)
    fits = """bubble => {
        const boxes = [bubble, document.getElementById("film")].map((one) => one.getBoundingClientRect());
        const [box, board] = boxes;
        return box.left >= board.left && box.right <= board.right && box.width < board.width;
    }"""
    assert bubbles.locator(".bubble-sheet").evaluate(fits)
    count = bubbles.locator("span").count()
    for number in range(1, count + 1):
        expect(bubbles.locator("span.shown")).to_contain_text(f"{number} of {count}")
        bubbles.locator("span.shown").tap()  # reading it puts nothing away
        guest.press(bubbles.locator("button", has_text="Next" if number < count else "Got it"))
    stay_away(guest)


def stay_away(guest: Person) -> None:
    expect(guest.page.locator("#bubbles")).to_be_hidden()
    guest.page.reload()
    expect(guest.page.locator("#planner")).to_be_attached()
    expect(guest.page.locator("#bubbles")).to_have_count(0)


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_bubble_covers_ones_own_pig(visit: Visit, width: int, language: str) -> None:
    size = {**SMALL, "viewport": {"width": width, "height": 664}} if width < 500 else DESKTOP
    guest = visit("Guest", locale=language, **size)
    plays_now(guest)
    expect(guest.page.locator("#bubbles button")).to_be_visible()
    drawn(guest.page)
    own = COVERED.replace(".piece", ".piece.side-b .turn")
    for number in range(1, 4):
        bubble = guest.page.locator("#bubbles .bubble-sheet")
        expect(bubble.locator("span.shown small")).to_contain_text(str(number))
        assert not bubble.evaluate(own), bubble.inner_text()
        guest.press(guest.page.locator("#bubbles button"))


@pytest.mark.parametrize("size", [SMALL, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("slug", BESIDE)
def test_bubbles_come_one_at_a_time_beside_their_aims(visit: Visit, slug: str, size: dict[str, Any]) -> None:
    guest = visit("Guest", **size)
    plays_now(guest, slug)
    bubble = guest.page.locator("#bubbles .bubble-sheet")
    expect(bubble.locator("span.shown")).to_be_visible()
    drawn(guest.page)
    told = BESIDE[slug]
    for number, (words, on_board) in enumerate(told, start=1):
        expect(bubble.locator("span.shown")).to_contain_text(f"{number} of {len(told)} {words}")
        if on_board:
            expect(bubble).to_have_attribute("data-tail", re.compile("up|down"))
            assert bubble.evaluate(AIMS) < 20, words
        covered = bubble.evaluate(COVERED)
        assert not covered, (words, covered)
        bubble.locator("button").focus()
        guest.page.keyboard.press("Enter")
    expect(bubble).to_have_count(0)


@pytest.mark.parametrize("letter", "CD")
def test_a_third_pig_is_pointed_at_and_never_covered(visit: Visit, seated: Seated, letter: str) -> None:
    table = seated("pigs", "four", "standard", seats=4)
    guest = visit("Guest", **SMALL)
    guest.page.goto(f"/s/seat/{table.tokens[Seat(letter)]}/")
    guest.press(guest.button("Continue as"))
    bubble = guest.page.locator("#bubbles .bubble-sheet")
    expect(bubble.locator("span.shown")).to_contain_text("1 of 3 Your pig fires")
    drawn(guest.page)
    expect(guest.page.locator(f".piece.side-{letter.lower()}.pointed-at")).to_be_visible()
    expect(guest.page.locator(".own-marks circle")).to_be_visible()
    covered = COVERED.replace(".piece", f".piece.side-{letter.lower()}")
    for number in range(1, 4):
        expect(bubble.locator("span.shown")).to_contain_text(f"{number} of 3")
        assert not bubble.evaluate(covered), number
        bubble.locator("button").focus()
        guest.page.keyboard.press("Enter")
    expect(bubble).to_have_count(0)


def test_the_word_beside_ones_own_pig_gives_way_to_its_ghosts(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    plays_now(guest)
    expect(guest.page.locator("#bubbles span.shown")).to_be_visible()
    guest.page.keyboard.press("Escape")
    word = guest.page.locator(".own-marks").get_by_text("you", exact=True)
    expect(word).to_be_visible()
    guest.key("TL").tap()
    expect(guest.page.locator("#ghosts > *")).not_to_have_count(0)
    expect(word).to_be_hidden()
    expect(guest.page.locator(".own-marks circle")).to_be_visible()
    stay_away(guest)


def test_without_scripts_the_guide_is_a_text_above_the_board(visit: Visit) -> None:
    guest = visit("Guest", java_script_enabled=False, **SMALL)
    plays_now(guest, "roboxing")
    expect(guest.page.locator("#bubbles span:visible")).to_have_count(3)
    text, board = guest.page.locator("#bubbles").bounding_box(), guest.page.locator("#board").bounding_box()
    assert text and board and text["y"] + text["height"] <= board["y"]
    guest.press(guest.page.locator("#bubbles button", has_text="Got it"))
    stay_away(guest)


def test_bubbles_put_away_stay_away_though_an_update_was_under_way(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    plays_now(guest)
    bubbles = guest.page.locator("#bubbles button")
    expect(bubbles).to_be_visible()
    for _ in range(2):
        bubbles.tap()
    guest.page.wait_for_load_state("networkidle")
    late = guest.page.evaluate(LATE)
    assert 'id="bubbles"' in late
    guest.page.route(
        re.compile(r"/m/\w+/\w/$"), lambda route: route.fulfill(body=late, content_type="text/html")
    )
    bubbles.tap()
    expect(bubbles).to_have_count(0)
    assert guest.page.evaluate(SWAPPED) == 0


def test_the_bubbles_go_by_keyboard_and_have_nothing_for_axe(visit: Visit, faults: Faults) -> None:
    guest = visit("Guest", **DESKTOP)
    plays_now(guest)
    drawn(guest.page)
    faults.look(guest.page, "bubbles")
    for _ in range(3):
        guest.page.locator("#bubbles button").focus()
        guest.page.keyboard.press("Enter")
    expect(guest.page.locator("#bubbles")).to_have_count(0)
    expect(guest.page.locator(".own-marks")).to_be_visible()


@pytest.mark.parametrize("slug", GAMES)
def test_a_match_is_made_on_one_screen(visit: Visit, slug: str) -> None:
    """The players, the variant, their number and the line of all the rest stand above the button."""
    alice = visit("Alice", **SMALL)
    alice.page.goto(f"/new/{slug}/")
    drawn(alice.page)
    for part in ("#who", ".of-name", ".variants", "details.rest > summary"):
        expect(alice.page.locator(part)).to_be_in_viewport()
    bar, rest = (
        alice.page.locator(one).bounding_box() for one in (".make-bar .primary", "details.rest > summary")
    )
    assert bar and rest and rest["y"] + 20 < bar["y"]
    heading = alice.page.locator(".variants > legend")
    expect(heading).to_have_text("Variant")
    box = heading.bounding_box()
    assert box and box["height"] > 10, "seen, not for screen readers alone"
    assert scrolls_sideways(alice.page) == 0


def test_what_is_set_stands_in_one_line(visit: Visit) -> None:
    alice = visit("Alice", **SMALL)
    alice.page.goto("/new/pigs/")
    line = alice.page.locator("details.rest > summary")
    expect(line).to_contain_text("1 week per turn · single match · with spectators")
    line.tap()
    alice.unfold("More options")
    alice.page.get_by_role("radio", name="2 days").check()
    alice.page.get_by_role("radio", name="Best of three").check()
    expect(line).to_contain_text("2 days per turn · best of three · with spectators")


def test_a_link_is_sent_by_the_phones_sheet_with_a_sentence_else_copied(visit: Visit) -> None:
    alice, bob = visit("Alice", **SMALL), visit("Bob", **DESKTOP)
    alice.page.add_init_script(SHEET)
    alice.make_match()
    share = alice.page.get_by_role("button", name="Share", exact=True).first
    expect(share).to_be_in_viewport()
    share.tap()
    link = alice.page.get_by_label("Message to send").input_value().split()[-1]
    shared = alice.page.evaluate("window.shared")
    assert shared["url"] == link and shared["text"] == "Alice invites you to Robo Battle Pigs:"
    expect(alice.page.locator(".dock")).to_be_hidden()
    bob.page.add_init_script("delete Navigator.prototype.share")
    bob.make_match()
    copies = bob.page.locator(".invite").get_by_role("button", name="Copy the invite")
    expect(copies).to_have_class("primary")
    expect(bob.page.locator(".invite").get_by_role("button", name="Share")).to_be_hidden()
    bob.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copies.click()
    message = bob.page.get_by_label("Message to send").input_value()
    assert bob.page.evaluate("navigator.clipboard.readText()") == message
    assert message.startswith("Bob invites you to Robo Battle Pigs: http")


def test_what_comes_next_stands_side_by_side_at_the_end(visit: Visit, table: Table) -> None:
    play_rounds(table, 0, 1, 2)
    alice = sit(visit("Ada", **SMALL), table)
    alice.page.goto(f"{alice.address}?at=3")
    drawn(alice.page)
    ways = [alice.button("Rematch"), alice.page.locator(".once-again .share > summary")]
    tops = {round((way.bounding_box() or {"y": -1.0})["y"]) for way in ways}
    assert len(tops) == 1
    expect(alice.page.locator(".in-short")).to_contain_text("destroyed")


def test_the_host_fills_the_seats_with_bots(visit: Visit, faults: Faults) -> None:
    alice = visit("Alice", **DESKTOP)
    alice.make_match(3)
    bots = alice.page.get_by_role("group", name="Add a bot")
    alice.unfold("Add a bot")
    alice.press(bots.get_by_role("button", name="Medium in seat B"))
    faults.look(alice.page, "with bots")
    alice.unfold("Add another bot")
    alice.press(bots.get_by_role("button", name="Easiest in seat C"))
    expect(alice.table.get_by_text("bot:")).to_have_count(2)
    expect(alice.status).to_contain_text("Everyone else has sealed")
    alice.page.mouse.wheel(0, -2000)  # in a window as small as a phone, the commands come with the board
    alice.seal("TL TL TL TL TL")
    alice.sees_round(1)


def test_a_tap_on_a_row_seats_the_bot_and_the_page_stays_where_it_is(visit: Visit) -> None:
    alice = visit("Alice", **SMALL)
    alice.make_match(4)
    bots = alice.page.locator("#bots")
    bots.get_by_text("Add a bot").tap()
    row = bots.locator("button", has_text="Easy")
    expect(row).to_contain_text("a handful of ideas")
    row.scroll_into_view_if_needed()
    before = bots.evaluate(TOP)
    row.tap(position={"x": 40, "y": 20})
    expect(bots.get_by_role("button", name="Remove")).to_have_count(1)
    expect(bots).to_contain_text("(Easy) is in seat B")
    expect(row).not_to_be_visible()
    expect(bots.get_by_text("Add another bot")).to_be_focused()
    stays = f"before => Math.abs(({TOP})(document.querySelector('#bots')) - before) < 3"
    alice.page.wait_for_function(stays, arg=before)
    alice.page.wait_for_timeout(1000)  # the news of the bot bring the page once more
    assert alice.page.evaluate(stays, before)
    bots.get_by_text("Add another bot").tap()
    row.tap(position={"x": 40, "y": 20})
    expect(bots).to_contain_text("(Easy) is in seat C")
    expect(row).not_to_be_visible()
    expect(bots.get_by_role("button", name="Remove")).to_have_count(2)


MOST = {"pigs": 8, "roboxing": 4, "robosoccer": 5, "robble": 4}
"""The number of taps; five of the pigs' are the commands, and where Ada has begun, one ends the film."""
FIRST_SEALS = {
    "pigs": ("forward", "forward", "turn left", "fire", "fire", "Seal"),
    "roboxing": ("Shuffle everything", "Seal"),
    "robosoccer": ("a.onward", "At random", "Play this turn"),
    "robble": ("#taps button >> nth=10", "#plan [name=seal]"),
}
"""The names of the buttons in the order of the taps, or their selectors."""


class Finger:
    """A hand that counts its taps, by what the page itself hears."""

    def __init__(self, person: Person) -> None:
        self.page, self.taps = person.page, 0
        self.page.expose_function("tapped", self._tapped)
        self.page.add_init_script("addEventListener('pointerup', () => window.tapped(), true)")

    def _tapped(self) -> None:
        self.taps += 1

    def tap(self, what: str) -> None:
        """Only what can be seen and reached without scrolling by hand."""
        is_selector = re.match(r"#|\w\.|role=", what)
        target = self.page.locator(what if is_selector else f'role=button[name="{what}"s]')
        expect(target).to_be_visible()
        target.tap()


@pytest.mark.parametrize("game", FIRST_SEALS)
def test_from_the_link_to_the_first_seal(visit: Visit, site: Server, game: str) -> None:
    table = Table(site.url, game, "taps")
    ben = visit("Ben", **PHONE, **STILL)
    finger = Finger(ben)
    ben.page.goto(f"/s/invite/{table.invite}/")
    finger.tap("role=textbox")
    ben.page.keyboard.type("Ben")
    finger.tap("Join")
    expect(ben.page.get_by_role("heading", name="Players")).to_be_visible()
    if "A" in table.state.to_act() and "B" not in table.state.to_act():
        table.seal(Seat("A"), table.state.view(Seat("A")).sample(Seat("A"), table.rng))
        expect(ben.status).to_contain_text("It’s your turn")
    for what in FIRST_SEALS[game]:
        finger.tap(what)
    expect(ben.status).not_to_contain_text("It’s your turn")
    expect(ben.status).to_contain_text("Waiting for Ada")
    assert finger.taps == MOST[game]
    table.api.close()
