"""A whole match: Alice on a phone, Bob without JavaScript, Charlie only watches."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from games import record
from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, Person


def test_alice_bob_and_charlie_from_the_link_to_the_rematch(visit: Visit, tmp_path: Path) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", java_script_enabled=False)
    charlie = visit("Charlie", **DESKTOP)
    invite = alice.make_match()
    public = alice.open_menu().get_by_role("link", name="Public page")
    charlie.page.goto(public.get_attribute("href") or "")
    alice.close_menu()
    bob.sit_down(invite)
    for reader in (alice, charlie):
        expect(reader.at_table("Bob")).to_contain_text("planning")

    # Bob types, and is the last to seal: the reveal comes to the open pages by itself.
    alices, bobs = ROUNDS[0]
    alice.seal(alices)
    alice.has_sealed()
    expect(charlie.at_table("Alice")).to_contain_text("sealed")
    bob.page.reload()
    expect(bob.status).to_contain_text("has sealed. Seal yours")
    bob.write(bobs)
    bob.seal()
    for reader in (alice, bob, charlie):
        reads_round_1(reader)
    for player in (alice, bob):
        player.come_to_now()
    expect(bob.slots.nth(4)).to_have_accessible_name("Slot 5: damage. Move it to the left.")
    expect(alice.slots.nth(4)).to_have_accessible_name("Slot 5: free. Fill it next.")

    # Alice changes her mind. Bob presses buttons that load the page anew each time.
    alices, bobs = ROUNDS[1]
    alice.seal("v v v v v")
    alice.has_sealed()
    alice.press(alice.button("Reopen"))
    expect(alice.slots.first).to_have_accessible_name("Slot 1: back. Take it out.")
    for slot, sign in enumerate(alices.split()):
        alice.press(alice.slots.nth(slot))
        alice.press(alice.key(sign))
    alice.seal()
    alice.has_sealed(alices)
    bob.choose(bobs)
    bob.seal()
    for reader in (alice, bob, charlie):
        reader.sees_round(2)
        expect(reader.happened).to_contain_text("You fire" if reader is bob else "Bob fires")
    for reader, owed in ((alice, 2), (bob, 3)):
        reader.come_to_now()
        expect(reader.page.get_by_role("button", name="damage. Move it to the left.")).to_have_count(owed)

    # Bob seals first, so it is Alice's seal that ends the match.
    alices, bobs = ROUNDS[2]
    bob.choose(bobs)
    bob.seal()
    bob.has_sealed()
    alice.seal(alices)
    for reader in (alice, bob, charlie):
        if reader is bob:
            bob.page.reload()
        ends = {"Alice": "You won!", "Bob": "You lost."}.get(reader.name, "Alice won.")
        expect(reader.status).to_contain_text(ends)
        reader.sees_round(3)
        fell = "Your pig is destroyed!" if reader is bob else "Bob is destroyed!"
        expect(reader.happened).to_contain_text(fell)
        expect(reader.at_table("Alice")).to_contain_text("won")
        expect(reader.at_table("Bob")).to_contain_text("lost")
        if reader is not bob:  # whose browser has no JavaScript
            expect(reader.page.locator("#live")).to_have_attribute("data-referee", "agrees")

    the_record_is_right(charlie, tmp_path / "record.json")

    # Once more, sides changed: Bob's seat waits for him.
    again = alice.button("Rematch")
    expect(again).to_be_visible()  # once the film has shown the end
    alice.page.reload()  # right after the end a first tap is asked about
    alice.press(again)
    expect(alice.page).to_have_url(re.compile("/B/"))
    bob.page.reload()
    bob.press(bob.button("Accept rematch"))
    expect(bob.page).to_have_url(re.compile("/A/"))
    expect(bob.at_table("Bob")).to_contain_text("planning")
    expect(alice.at_table("Bob")).to_contain_text("planning")
    expect(alice.at_table("Bob")).to_contain_text("A")
    expect(charlie.page.get_by_role("link", name="There’s a rematch")).to_be_visible()


FIRST_SHOT = {"Alice": "You fire south and hit Bob!", "Bob": "Alice fires south and hits you!"}
FIRST_SHOT["Charlie"] = "Alice fires south and hits Bob!"


def reads_round_1(reader: Person) -> None:
    """The programs side by side, and a sentence a step."""
    reader.sees_round(1)
    programs = reader.happened.get_by_role("table")
    expect(programs.get_by_role("row", name="Alice")).to_contain_text("ahead left")
    expect(programs.get_by_role("row", name="Bob").get_by_text("punch", exact=True)).to_have_count(5)
    expect(reader.happened.get_by_role("listitem").filter(has_text=FIRST_SHOT[reader.name])).to_be_visible()
    expect(reader.happened).to_contain_text(
        "You have 1 damage" if reader.name == "Bob" else "Bob has 1 damage"
    )


def the_record_is_right(reader: Person, kept: Path) -> None:
    reader.open_menu()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("link", name="Download match file").click()
    download.value.save_as(kept)
    data = json.loads(kept.read_text())
    replay = record.replay(data)
    assert replay.fault is None
    assert data["turns"] == [{"A": alices, "B": bobs} for alices, bobs in ROUNDS]
    assert replay.outcome and replay.outcome.as_json() == data["result"]
    assert data["result"]["scores"] == {"A": 1, "B": 0}
