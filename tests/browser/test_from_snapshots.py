"""Robosoccer is played to its end from ARIA snapshots alone: what is not in them, the player does not know.

One player has nothing but the names, words and announcements of the accessibility tree, and chooses by them.
The other one is a program at the API that does nothing dangerous.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest

from games.core import Seat
from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, STILL, Person
from tests.browser.test_robosoccer import ALICES, BOBS, SETUP, sit
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more

A, B = Seat("A"), Seat("B")
PATIENCE = 20
"""Seconds to wait for words."""
NewTable = Callable[..., Table]


@pytest.fixture
def new_table(site: Server) -> Iterator[NewTable]:
    made: list[Table] = []

    def new(game: str, preset: str = "") -> Table:
        made.append(Table(site.url, game, "by snapshots", preset))
        made[-1].sit_down()
        return made[-1]

    yield new
    for one in made:
        one.api.close()


class Ear:
    """A person who is told the accessibility tree of a page, and presses what has a name in it."""

    def __init__(self, person: Person) -> None:
        self.page = person.page

    def snapshot(self) -> str:
        return self.page.locator("body").aria_snapshot()

    def names(self, role: str) -> list[str]:
        return re.findall(rf'{role} "((?:[^"\\]|\\.)*)"', self.snapshot())

    def hears(self, words: str) -> re.Match[str]:
        """Waits for words in the tree."""
        until = time.monotonic() + PATIENCE
        while not (found := re.search(words, self.snapshot(), re.MULTILINE)):
            assert time.monotonic() < until, f"never told: {words}\n{self.snapshot()}"
            time.sleep(0.1)
        return found

    def press(self, words: str, role: str = "button") -> str:
        """Presses the first control whose name fits; it must be in the tree."""
        until = time.monotonic() + PATIENCE
        while not (fit := [name for name in self.names(role) if re.search(words, name)]):
            assert time.monotonic() < until, f"no {role} is called {words}:\n{self.names(role)}"
            time.sleep(0.1)
        name = fit[0].replace('\\"', '"')
        self.page.get_by_role(role, name=name, exact=True).first.focus()  # type: ignore[arg-type]
        self.page.keyboard.press("Enter")
        return name

    def come_to_turn(self) -> None:
        self.press("^To your turn$", "link")


def test_robosoccer(visit: Visit, new_table: NewTable) -> None:
    table = new_table("robosoccer")
    ear = Ear(sit(visit("Ben", **DESKTOP, **STILL), table, B))
    table.seal(A, SETUP[0], 0)
    sizes = {"L": "big", "M": "medium", "S": "small"}
    for file, size in zip("abcdef", SETUP[1], strict=True):
        ear.press(f"^{sizes[size]} robot")
        ear.hears(f"{file}8: {sizes[size]} robot")
    ear.press("^Play this turn$")
    table.seal(A, SETUP[2], 2)
    ear.hears("Tap a square of row 7 for your ball")
    ear.press("^ball on e7$")
    ear.hears("Your ball stands on e7")
    ear.press("^Play this turn$")
    for n, turn in enumerate(BOBS):
        ear.hears("It is your turn")
        ear.come_to_turn()
        for number, action in enumerate(turn.split(), start=1):
            start, end = action[:2], action[3:]
            word = {"-": "move", "^": "jump", "=": "switch"}[action[2]]
            ear.press(f"^{start}: your .* robot$")
            ear.press(f"^{word} .*{start}.* {end}$")
            ear.hears(f"Action {number}: {word} .*{start}")
        ear.press("^Goal!$" if n == len(BOBS) - 1 else "^Play this turn$")
        ear.hears("You won!" if n == len(BOBS) - 1 else rf"What happened in turn {5 + 2 * n}")
        if n < len(ALICES):
            table.seal(A, ALICES[n], 5 + 2 * n)
