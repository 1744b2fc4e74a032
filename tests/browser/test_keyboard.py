"""The keyboard alone plays, of whatever country it is, and always sees where it is, square by square."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from games import GAMES
from tests.browser.conftest import Seated, Visit
from tests.browser.people import DESKTOP, NAMES, PHONE, ROUNDS, STILL, Person, sit, sit_at_turn
from tests.browser.test_one_talk import open_talk, talk
from tests.faults.programs import Site
from tests.servers import Server


@pytest.fixture
def alice(visit: Visit, seated: Seated) -> Person:
    """Somebody with nothing but a keyboard, at the table of a friend."""
    return sit(visit("Ada", **DESKTOP, **STILL), seated("pigs", "keyboard"))


SHOWS_FOCUS = """() => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
}"""
STOP = f"""target => {{
    const {{ activeElement: now, body }} = document;
    return {{ isNone: now === body, isThere: now === target, isShown: ({SHOWS_FOCUS})() }};
}}"""


def tab_to(page: Page, target: Locator) -> None:
    """As often as it takes, within reason; every stop on the way shows that it has the focus."""
    page.wait_for_load_state("load")  # before it, the sheet that draws the focus may be missing
    for _ in range(60):
        page.keyboard.press("Tab")
        stop = target.evaluate(STOP)
        if stop["isNone"]:
            continue  # past the last stop, before the first
        assert stop["isShown"], page.evaluate("document.activeElement.outerHTML")
        if stop["isThere"]:
            return
    raise AssertionError("the Tab key does not get there")


def shows_focus(page: Page) -> bool:
    return bool(page.evaluate(SHOWS_FOCUS))


def test_a_whole_round_from_the_first_page_on(visit: Visit, site: Server) -> None:
    alice, programs = visit("Alice", **DESKTOP), Site(site.url)
    page, keys = alice.page, alice.page.keyboard
    page.goto("/")
    tab_to(page, page.get_by_role("link", name="Play a friend"))
    keys.press("Enter")
    expect(page).to_have_url(re.compile("/new/pigs/"))
    tab_to(page, page.get_by_label("Your name"))
    keys.type("Alice")
    keys.press("Enter")
    invite = page.get_by_label("Message to send").input_value().rstrip("/").rpartition("/")[2]
    path = f"matches/{page.url.split('/')[4]}"
    bob = programs.ask("POST", f"{path}/seats", {"name": "Bob", "invite": invite}).json()["token"]
    expect(alice.at_table("Bob")).to_contain_text("planning")

    # Every command by its own sign, where the planner has the focus; Backspace takes the last one out.
    keys.press("Enter")
    page.get_by_role("link", name="Chat").first.focus()
    keys.press("f")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: free. Fill it next.")
    alice.take_keys()
    for sign in ("^", "v", "\\", "/", "t", "l"):
        keys.press(sign)
    expect(alice.slots.nth(4)).to_have_accessible_name("Slot 5: turn left. Take it out.")
    for _ in range(5):
        keys.press("Backspace")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: free. Fill it next.")
    for sign in ("T", "R", "h", "f", "f", "\\"):
        keys.press(sign)
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: turn right. Take it out.")
    expect(alice.slots.nth(4)).to_have_accessible_name("Slot 5: ahead left. Take it out.")
    keys.press("Control+Enter")
    alice.has_sealed()
    programs.ask("PUT", f"{path}/order", {"turn": 0, "order": ROUNDS[0][1]}, bob)
    alice.sees_round(1)

    # The film, step by step.
    keys.press("Home")
    shown = page.get_by_role("list").locator("[aria-current=step]")
    keys.press("ArrowLeft")  # stops what plays
    tab_to(page, page.get_by_role("link", name="Step 1"))
    keys.press("Enter")
    expect(shown).to_have_accessible_name("Step 1")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    expect(shown).to_have_accessible_name("Step 3")
    keys.press("ArrowLeft")
    expect(shown).to_have_accessible_name("Step 2")
    keys.press("End")
    expect(shown).to_have_accessible_name("Step 5")
    keys.press("Home")
    expect(page.locator('.frame[data-frame="0"]')).to_be_visible()
    assert shows_focus(page)
    programs.client.close()


@pytest.mark.more
def test_keys_work_where_nothing_has_the_focus_unless_that_is_switched_off(alice: Person) -> None:
    page = alice.page
    page.reload()
    page.keyboard.press("f")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    alice.unfold("Keys")
    told = page.locator("#menu details.keys")  # both keys of each command
    expect(told.get_by_role("listitem").filter(has_text="ahead left")).to_have_text("\\ 7 ahead left")
    for sign, name in NAMES.items():
        keys = told.get_by_role("listitem").filter(has_text=name).locator("kbd").all_text_contents()
        assert sign in keys and any(one.isascii() and one.isalnum() for one in keys), (name, keys)
    everywhere = page.get_by_label("Also when nothing has focus")
    expect(everywhere).to_be_checked()  # once its script is there
    everywhere.uncheck()
    page.reload()
    hint = alice.key("\\").evaluate("key => getComputedStyle(key, '::after').content")
    assert "attr" not in hint and "7" in hint and "\\" in hint, hint
    page.keyboard.press("h")
    alice.take_keys()
    page.keyboard.type("tl")
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: turn left. Take it out.")


def test_a_button_keeps_the_focus_while_it_is_used_and_the_first_tab_leads_past_the_header(
    alice: Person,
) -> None:
    tab_to(alice.page, alice.key("H"))
    for n in range(1, 4):
        alice.page.keyboard.press("Enter")
        expect(alice.slots.nth(n - 1)).to_have_accessible_name(f"Slot {n}: punch. Take it out.")
        expect(alice.key("H")).to_be_focused()
    alice.slots.nth(1).focus()
    alice.page.keyboard.press("Space")
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: free. Fill it next.")
    expect(alice.slots.nth(1)).to_be_focused()
    alice.page.keyboard.press("ArrowRight")
    expect(alice.slots.nth(2)).to_be_focused()
    assert shows_focus(alice.page)
    alice.page.goto("/")
    alice.page.keyboard.press("Tab")
    first = alice.page.get_by_role("link", name="Skip to content")
    expect(first).to_be_focused()
    expect(first).to_be_in_viewport()
    alice.page.keyboard.press("Enter")
    expect(alice.page.get_by_role("main")).to_be_focused()


@pytest.mark.more
def test_focus_and_what_is_unfolded_stay_when_others_change_the_page(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    invite = alice.make_match()
    alice.plan_early()
    tab_to(alice.page, alice.key("F"))
    bob.sit_down(invite)
    expect(alice.at_table("Bob")).to_contain_text("planning")
    expect(alice.key("F")).to_be_focused()
    alice.open_menu()
    alice.press(alice.page.get_by_role("link", name="Board in words"))
    bob.seal(ROUNDS[0][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    expect(alice.page.get_by_text("You stand on d8")).to_be_visible()
    expect(alice.page.get_by_label("Your program as text")).to_be_hidden()
    # What is pressed is gone afterwards: the title says where one is.
    alice.take_keys()
    alice.page.keyboard.type("fffff")
    expect(alice.seal_button).to_be_enabled()
    alice.seal_button.focus()
    alice.page.keyboard.press("Enter")
    alice.sees_round(1)
    expect(alice.page.get_by_role("heading", level=1)).to_be_focused()
    expect(alice.page.get_by_role("heading", level=1)).to_have_text(re.compile("Round 2"))
    assert shows_focus(alice.page)
    # An act in the menu leads back to where the menu was opened, with the same parts open.
    alice.unfold("Resign")
    bob.come_to_now()
    bob.write("F F F F F")
    bob.seal()
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    expect(alice.button("Yes, I resign")).to_be_visible()
    alice.button("Offer a draw").focus()
    alice.page.keyboard.press("Enter")
    expect(alice.status).to_contain_text("You’ve offered a draw.")
    expect(alice.page.locator("#more")).to_be_focused()


SIZES = {"pigs": (8, 8), "robble": (7, 7), "robosoccer": (8, 6), "roboxing": (8, 8)}


NAMES_HEARD = """() => {
    window.named = [];
    const name = (one) => window.named.push([
        one.closest("[role=gridcell]").dataset.square, one.getAttribute("aria-label")]);
    name(document.activeElement);
    addEventListener("focusin", ({ target }) => name(target));
}"""


@pytest.fixture(params=list(GAMES))
def explorer(request: pytest.FixtureRequest, seated: Seated, visit: Visit) -> tuple[str, Person]:
    """Somebody whose turn it is, a few turns into a match of each game, and the game."""
    made = seated(request.param, "square by square")
    made.play(5)
    person = visit("Ada", **DESKTOP, **STILL)
    sit_at_turn(person, made)
    person.page.goto(person.address)
    expect(person.page.get_by_role("grid")).to_be_attached()
    return request.param, person


def walk(page: Page) -> dict[str, str]:
    """The name of each square, found with arrow keys, Home and End alone, from wherever the focus is."""
    rows, columns = page.get_by_role("row").count(), page.get_by_role("row").first.locator("> *").count()
    page.keyboard.press("Control+Home")
    page.evaluate(NAMES_HEARD)
    for _ in range(rows):
        page.keyboard.press("Home")
        for _ in range(columns):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
    return dict(page.evaluate("window.named"))


STANDS = {
    "pigs": r"(stand|stands) on [a-h]\d, (face|faces) (north|east|south|west)",
    "robble": "black stone|white stone",
    "robosoccer": "your ball",
    "roboxing": r"(stand|stands) on",
}
ASKED = {"pigs": "can fire at", "robosoccer": "can go to", "roboxing": "covers", "robble": "Black|White"}


def test_each_square_says_what_stands_there(explorer: tuple[str, Person]) -> None:
    game, person = explorer
    page = person.page
    assert page.locator("[role=grid] [tabindex='0']").count() == 1
    page.locator("[role=grid] [tabindex='0']").focus()
    found = walk(page)
    rows, columns = SIZES[game]
    assert len(found) == rows * columns
    assert all(name.startswith(square) for square, name in found.items()), {
        k: v for k, v in found.items() if not v.startswith(k)
    }
    standing = {square for square, name in found.items() if re.search(STANDS[game], name)}
    assert standing
    if game == "robosoccer":
        assert any("red line to" in name for name in found.values())
        assert any("arrow to" in name for name in found.values())
    page.keyboard.press("Control+Home")
    for square in sorted(standing):
        page.locator(f"[data-square={square}]").evaluate(
            "one => (one.matches('[tabindex]') ? one : one.querySelector('button')).focus()"
        )
        page.keyboard.press("?")
        if re.search(ASKED[game], page.locator("#says").inner_text()):
            return
    raise AssertionError("nobody said what reaches what")


ALT, CTRL, SHIFT = 1, 2, 8


class Key(NamedTuple):
    """A key event as the browser gets it from that layout: `text` is missing for dead keys."""

    key: str
    code: str
    modifiers: int = 0


AHEAD_LEFT, FORWARD, AHEAD_RIGHT = "\\", "^", "/"
TYPED: dict[str, list[tuple[Key, str]]] = {
    "German on Windows": [
        (Key("\\", "Minus", ALT | CTRL), AHEAD_LEFT),
        (Key("Dead", "Backquote"), FORWARD),
        (Key("/", "Digit7", SHIFT), AHEAD_RIGHT),
    ],
    "German on Linux": [(Key("\\", "Minus"), AHEAD_LEFT), (Key("Dead", "Backquote"), FORWARD)],
    "German on a Mac": [
        (Key("\\", "Digit7", ALT | SHIFT), AHEAD_LEFT),
        (Key("Dead", "IntlBackslash"), FORWARD),
        (Key("/", "Digit7", SHIFT), AHEAD_RIGHT),
    ],
    "Spanish": [
        (Key("\\", "Backquote", ALT | CTRL), AHEAD_LEFT),
        (Key("Dead", "BracketLeft", SHIFT), FORWARD),
        (Key("/", "Digit7", SHIFT), AHEAD_RIGHT),
    ],
    "Spanish on a Mac": [
        (Key("\\", "Backquote", ALT), AHEAD_LEFT),
        (Key("Dead", "BracketLeft", SHIFT), FORWARD),
    ],
    "French": [
        (Key("\\", "Digit8", ALT | CTRL), AHEAD_LEFT),
        (Key("Dead", "BracketLeft"), FORWARD),
        (Key("_", "Digit8"), FORWARD),
        (Key("è", "Digit7"), AHEAD_LEFT),
        (Key("ç", "Digit9"), AHEAD_RIGHT),
    ],
    "Russian": [
        (Key("а", "KeyF"), "F"),
        (Key("р", "KeyH"), "H"),
        (Key("м", "KeyV"), "v"),
        (Key("8", "Digit8"), FORWARD),
    ],
    "Dvorak": [(Key("f", "KeyY"), "F"), (Key("h", "KeyJ"), "H")],
    "a keypad": [(Key("4", "Numpad4"), "TL"), (Key("6", "Numpad6"), "TR"), (Key("2", "Numpad2"), "v")],
    "an accent and a letter": [(Key("Dead", "Backquote"), FORWARD), (Key("ĥ", "KeyH"), "H")],
}
NOTHING = [
    Key("f", "KeyF", ALT),
    Key("f", "KeyF", CTRL),
    Key("ƒ", "KeyF", ALT),
    Key("€", "KeyE", ALT | CTRL),
    Key("{", "Digit7", ALT | CTRL),
    Key("/", "Slash", CTRL),
    Key("Dead", "Equal"),  # ´
    Key("u", "KeyF"),  # Dvorak
    Key("&", "Digit7", SHIFT),
]
"""Shortcuts, and what is no sign."""


def press(person: Person, *keys: Key) -> None:
    session = person.context.new_cdp_session(person.page)
    for key, code, modifiers in keys:
        event = {"key": key, "code": code, "modifiers": modifiers}
        text = {} if key == "Dead" else {"text": key, "unmodifiedText": key}
        session.send("Input.dispatchKeyEvent", {"type": "keyDown", **event, **text})
        session.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})
    session.detach()


def has_planned(alice: Person, signs: list[str]) -> None:
    for n, sign in enumerate(signs, 1):
        name = f"Slot {n}: {NAMES[sign]}. Take it out."
        expect(alice.slots.nth(n - 1)).to_have_accessible_name(name)
    if len(signs) < 5:
        expect(alice.slots.nth(len(signs))).to_have_accessible_name(
            f"Slot {len(signs) + 1}: free. Fill it next."
        )


@pytest.mark.more
def test_signs_of_every_keyboard_are_taken_and_shortcuts_and_other_signs_are_none(alice: Person) -> None:
    alice.take_keys()
    for layout, typed in TYPED.items():
        print(layout)
        press(alice, *(key for key, _ in typed))
        has_planned(alice, [sign for _, sign in typed])
        for _ in typed:
            alice.page.keyboard.press("Backspace")
        has_planned(alice, [])
    press(alice, *NOTHING, Key("h", "KeyH"))
    has_planned(alice, ["H"])
    # a space after a dead key is not another command
    press(alice, Key("Dead", "Backquote"), Key("^", "Space"), Key("f", "KeyF"))
    has_planned(alice, ["H", FORWARD, "F"])


@pytest.mark.more
def test_enter_says_a_message_at_a_desk_and_begins_a_line_on_a_phone(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **DESKTOP)
    bob.sit_down(alice.make_match())
    for person in (alice, bob):
        field = open_talk(person)
        field.press_sequentially("One line")
        field.press("Shift+Enter")
        field.press_sequentially("and one more")
        field.press("Enter")
    expect(alice.page.get_by_label("Your message")).to_have_value("One line\nand one more\n")
    expect(talk(alice).get_by_role("listitem").last).to_contain_text("One line\nand one more")
    expect(bob.page.get_by_label("Your message")).to_have_value("")
    expect(talk(bob).get_by_role("listitem")).to_have_count(1)
