"""The weight of a match's page over the wire: bytes as they are sent, headers included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, Person
from tests.browser.scales import (
    AHEAD,
    FIRST_SIGHT,
    FONTS,
    UPDATE,
    Scales,
    is_ahead,
    is_count,
    is_font,
    is_icon,
)
from tests.servers import Server

AT_FIRST = """{
    const { setTimeout: plain } = window;
    window.setTimeout = (does, after = 0, ...given) => (after < 1000 ? plain(does, after, ...given) : 0);
}"""
"""What a page fetches a second and more after its first sight does not come, however slow that is."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The site as people get it: with DEBUG, style sheets and scripts are sent as they were written."""
    with Server(tmp_path_factory.mktemp("light"), DEBUG="0", LIMITS="on") as running:
        yield running


@pytest.fixture
def table(visit: Visit) -> tuple[Person, Person]:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    alice.seal(ROUNDS[0][0])
    bob.seal(ROUNDS[0][1])
    alice.sees_round(1)
    return alice, bob


def test_a_match_at_first_sight(visit: Visit, table: tuple[Person, Person]) -> None:
    alice, _ = table
    fresh = visit("Alice with nothing cached", **DESKTOP)
    fresh.context.add_cookies(alice.context.cookies())  # type: ignore[arg-type]
    fresh.page.add_init_script(AT_FIRST)
    scales = Scales(fresh.page)
    fresh.page.goto(f"{alice.address}?at=1.1", wait_until="networkidle")
    page, fonts = scales.total(lambda address: not is_font(address)), scales.total(is_font)
    print(f"first sight {page}, fonts {fonts}\n{scales}")
    assert 0 < fonts <= FONTS, scales
    assert 0 < page <= FIRST_SIGHT, scales
    asked = Counter(address for address, _ in scales.weighed if ".js" in address)
    assert set(asked.values()) == {1}, asked
    names = [address.rpartition("/")[2].partition(".")[0] for address in asked]
    assert len(names) == len(set(names)), "a script under two names runs twice"


def test_an_update_and_a_tap(table: tuple[Person, Person]) -> None:
    alice, bob = table
    scales = Scales(alice.page)
    scales.begin_again()
    alice.press(alice.key("F"))
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    tap, ahead = scales.total(), scales.total(is_ahead)  # what is fetched ahead comes now, or a little later
    print(f"a tap {tap}\n{scales}")
    scales.weighed.clear()
    bob.seal(ROUNDS[1][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    others = (is_icon, is_ahead, is_count)
    update = scales.total(lambda address: not any(is_one(address) for is_one in others))
    assert 0 < ahead + scales.total(is_ahead) <= 2 * AHEAD
    print(f"an update {update}\n{scales}")
    assert 0 < tap <= UPDATE
    assert 0 < update <= UPDATE
