"""From a friend's link to the first seal on a phone: how often a finger has to touch the glass.

Typing the name counts as one tap (into the field). docs/performance.md has the counts.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from games.core import Seat
from tests.browser.conftest import Visit
from tests.browser.people import PHONE, STILL, Person
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more

MOST = {"pigs": 8, "roboxing": 4, "robosoccer": 5, "robble": 4}
"""The number of taps; five of the pigs' are the commands, and where Ada has begun, one ends the film."""


class Finger:
    """A hand that counts its taps, by what the page itself hears."""

    def __init__(self, person: Person) -> None:
        self.page, self.taps = person.page, 0
        self.page.expose_function("tapped", self._tapped)
        self.page.add_init_script("addEventListener('pointerup', () => window.tapped(), true)")

    def _tapped(self) -> None:
        self.taps += 1

    def tap(self, target: Locator) -> None:
        """Only what can be seen and reached without scrolling by hand."""
        expect(target).to_be_visible()
        target.tap()

    def press(self, name: str) -> None:
        self.tap(self.page.get_by_role("button", name=name, exact=True))


def pigs(finger: Finger) -> None:
    for name in ("forward", "forward", "turn left", "fire", "fire"):
        finger.press(name)
    finger.press("Seal")


def roboxing(finger: Finger) -> None:
    finger.press("Shuffle everything")
    finger.press("Seal")


def robosoccer(finger: Finger) -> None:
    finger.tap(finger.page.locator("a.onward"))
    finger.press("At random")
    finger.press("Play this turn")


def robble(finger: Finger) -> None:
    squares = finger.page.locator("#taps")
    finger.tap(squares.get_by_role("button").nth(10))
    finger.tap(finger.page.locator("#plan [name=seal]"))


FIRST_SEALS: dict[str, Callable[[Finger], None]] = {
    "pigs": pigs,
    "roboxing": roboxing,
    "robosoccer": robosoccer,
    "robble": robble,
}


@pytest.mark.parametrize("game", FIRST_SEALS)
def test_from_the_link_to_the_first_seal(visit: Visit, site: Server, game: str) -> None:
    table = Table(site.url, game, "taps")
    ben = visit("Ben", **PHONE, **STILL)
    finger = Finger(ben)
    ben.page.goto(f"/s/invite/{table.invite}/")
    field = ben.page.get_by_label("Your name")
    finger.tap(field)
    ben.page.keyboard.type("Ben")
    finger.press("Join")
    expect(ben.page.get_by_role("heading", name="Players")).to_be_visible()
    if "A" in table.state.to_act() and "B" not in table.state.to_act():
        table.seal(Seat("A"), table.state.view(Seat("A")).sample(Seat("A"), table.rng))
        expect(ben.status).to_contain_text("It’s your turn")
    FIRST_SEALS[game](finger)
    expect(ben.status).not_to_contain_text("It’s your turn")
    expect(ben.status).to_contain_text("Waiting for Ada")
    assert finger.taps == MOST[game]
    table.api.close()
