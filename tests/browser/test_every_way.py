"""Every variant of every game against bots, by mouse, finger, keyboard alone and without scripts.

Whoever plays here knows nothing of any game: it chooses what the page offers, until the big button may be
pressed.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from games import GAMES, newest
from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, STILL, Person

WAYS: dict[str, dict[str, Any]] = {
    "mouse": DESKTOP,
    "finger": {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True},
    "keyboard": {**DESKTOP, **STILL},
    "no scripts": {**DESKTOP, "java_script_enabled": False},
}
VARIANTS = [(slug, preset) for slug in GAMES for preset in newest(slug).presets]
TURNS = 5
"""The number of turns that are played before one resigns."""
MOST = 80
"""The most choices that a turn may take."""
ENOUGH = 40
"""After so many the robots stand still."""
UNDO = ["back", "clear"]
OFFERED = """(choices, undo) => [...choices.entries()]
    .filter(([_, one]) => one.checkVisibility({visibilityProperty: true}) && !undo.includes(one.value))
    .map(([n, one]) => [n, one.value])"""
"""Number and value of each choice that is seen: asked at once, since a board has dozens of them."""


class Player(Person):
    """Somebody who plays in one of the WAYS."""

    def __init__(self, way: str, visitor: Person) -> None:
        self.__dict__ |= vars(visitor)
        self.way = way

    def press(self, target: Locator) -> None:
        if self.way == "keyboard":
            target.focus()
            self.page.keyboard.press("Enter")
        else:
            super().press(target)

    def plan(self, rng: Random) -> None:
        """Chooses by chance what is offered, new things first, until the order is whole, and seals it."""
        tried: set[str] = set()
        self.come_to_now()
        for count in range(MOST):
            if count == ENOUGH:
                self.stand_still()
            seal = self.page.locator('[name="seal"]:not([aria-disabled="true"])')
            choices = self.page.locator('button[name="choose"]:not([aria-disabled="true"])')
            offered = [tuple(one) for one in choices.evaluate_all(OFFERED, UNDO)]
            done = seal.count() > 0 and (not offered or rng.random() < 0.6)
            n, value = rng.choice([one for one in offered if one[1] not in tried] or offered or [(0, "")])
            tried.add(value)
            self.take(seal.first if done else choices.nth(n))
            if done:
                return
        raise AssertionError(f"no whole order after {MOST} choices")

    def take(self, target: Locator) -> None:
        with self.page.expect_response(lambda answer: "/plan/" in answer.url):
            self.press(target)
        self.settle()

    def stand_still(self) -> None:
        """Matches with so many letters to aim at that chance never comes to a whole order (Roboxing)."""
        robots = self.page.locator('button[name="choose"][value^="robot "]')
        for value in robots.evaluate_all("all => [...new Set(all.map(one => one.value))]"):
            self.take_if_offered(value)
            while self.take_if_offered("back"):
                pass
            self.take_if_offered("stay")

    def take_if_offered(self, value: str) -> bool:
        button = self.page.locator(f'button[name="choose"][value="{value}"]:not([aria-disabled="true"])')
        if offered := button.count() > 0:
            self.take(button.first)
        return offered

    def come_to_now(self) -> None:
        """To the present, where a board is for planning, unless the film plays to there by itself."""
        now = self.page.get_by_role("link", name="Current").or_(self.page.locator("a.onward"))
        if self.way != "no scripts":
            self.page.wait_for_timeout(1_000)  # a film that plays by itself begins a moment after the answer
        expect(self.page.locator("[data-film].playing")).to_have_count(0, timeout=60_000)
        if now.first.is_visible():
            self.press(now.first)
        expect(self.page.locator("[data-film].at-last")).to_be_attached()

    def settle(self) -> None:
        if self.way != "no scripts":
            expect(self.page.locator(".htmx-request, .htmx-swapping")).to_have_count(0)

    def wait_for(self, turn: int) -> bool:
        """Waits until it is this player's turn again, after `turn` or in it; False if the match is over."""
        ready = self.page.locator(f"#live[data-over], #live:not([data-turn='{turn}']) #plan")
        for _ in range(60):
            if self.way == "no scripts":
                self.page.reload()
            if ready.count():
                break
            self.page.wait_for_timeout(250)
        expect(ready.first).to_be_attached()
        return self.page.locator("#live[data-over]").count() == 0

    @property
    def turn(self) -> int:
        return int(self.page.locator("#live").get_attribute("data-turn") or "")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("slug", "preset"), VARIANTS)
def test_a_match_against_bots(visit: Visit, slug: str, preset: str, way: str) -> None:
    player = Player(way, visit("Ada", **WAYS[way]))
    player.page.goto(f"/new/{slug}/?preset={preset}")
    plays_against_bots(player, Random(f"{slug} {preset} {way}"))


def plays_against_bots(player: Player, rng: Random) -> None:
    """Makes the match whose page is open, plays some turns of it and resigns, if it is not over by then."""
    page = player.page
    page.get_by_label("Your name").fill("Ada")
    page.locator('[name="with"][value="bot"]').check()
    player.press(player.page.locator(".make-bar .primary"))
    expect(page.locator("#live")).to_be_attached()
    goes_on = player.wait_for(-1)
    for _ in range(TURNS):
        if not goes_on:
            break
        turn = player.turn
        player.plan(rng)
        goes_on = player.wait_for(turn)
    if goes_on:
        player.unfold("Resign")
        player.press(player.button("Yes, I resign"))
        if page.locator(".players li").count() == 2:
            expect(page.locator("#live[data-over]")).to_be_attached()
    expect(page.locator(".error")).to_have_count(0)
