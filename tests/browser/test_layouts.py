"""Keyboards of other countries: each sign of the planner is taken as it comes, or has another key."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, NAMES, STILL, Person

pytestmark = pytest.mark.more

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


@pytest.fixture
def alice(visit: Visit) -> Person:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    alice.take_keys()
    return alice


def has_planned(alice: Person, signs: list[str]) -> None:
    for n, sign in enumerate(signs, 1):
        name = f"Slot {n}: {NAMES[sign]}. Take it out."
        expect(alice.slots.nth(n - 1)).to_have_accessible_name(name)
    if len(signs) < 5:
        expect(alice.slots.nth(len(signs))).to_have_accessible_name(
            f"Slot {len(signs) + 1}: free. Fill it next."
        )


def test_signs_of_every_keyboard_are_taken(alice: Person) -> None:
    for layout, typed in TYPED.items():
        print(layout)
        press(alice, *(key for key, _ in typed))
        has_planned(alice, [sign for _, sign in typed])
        for _ in typed:
            alice.page.keyboard.press("Backspace")
        has_planned(alice, [])


@pytest.mark.more
def test_shortcuts_and_other_signs_do_nothing(alice: Person) -> None:
    press(alice, *NOTHING, Key("h", "KeyH"))
    has_planned(alice, ["H"])


@pytest.mark.more
def test_a_space_after_a_dead_key_is_not_another_command(alice: Person) -> None:
    press(alice, Key("Dead", "Backquote"), Key("^", "Space"), Key("f", "KeyF"))
    has_planned(alice, [FORWARD, "F"])


def test_both_keys_are_told_on_the_command_and_in_the_help(alice: Person) -> None:
    hint = alice.key("\\").evaluate("key => getComputedStyle(key, '::after').content")
    assert "attr" not in hint and "7" in hint and "\\" in hint, hint
    alice.unfold("Keys")
    told = alice.page.locator("#menu details.keys")
    expect(told.get_by_role("listitem").filter(has_text="ahead left")).to_have_text("\\ 7 ahead left")
    for sign, name in NAMES.items():
        keys = told.get_by_role("listitem").filter(has_text=name).locator("kbd").all_text_contents()
        assert sign in keys and any(one.isascii() and one.isalnum() for one in keys), (name, keys)
