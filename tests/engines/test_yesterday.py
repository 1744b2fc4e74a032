"""Pages in browsers of yesterday have their colours, and browsers of the day before are told of it."""

from __future__ import annotations

import pytest

from tests.engines.chromium import Chromium
from tests.engines.guests import Guest
from tests.servers import Server

PAPER, BLUEPRINT = "rgb(251, 248, 239)", "rgb(12, 35, 66)"
COLOURS = """() => {
  const ground = (one) => getComputedStyle(one).backgroundColor;
  return [ground(document.documentElement), getComputedStyle(document.querySelector(".primary")).color];
}"""
CHOOSE = """(theme) => {
  const themes = document.querySelector("[data-themes]");
  themes.value = theme;
  themes.dispatchEvent(new Event("change"));
}"""
OFTEN = [
    "chromium-109",
    pytest.param("chromium-122", marks=pytest.mark.more),
    pytest.param("chromium", marks=pytest.mark.more),
]


@pytest.mark.parametrize("engine", OFTEN, indirect=True)
@pytest.mark.parametrize(("system", "ground"), [("light", PAPER), ("dark", BLUEPRINT)])
def test_colours_are_the_systems_or_the_switchs(
    engine: Chromium, site: Server, system: str, ground: str
) -> None:
    window = engine.window(color_scheme=system)
    guest = Guest("Alice", window, site.url)
    window.goto(f"{site.url}/new/pigs/")
    assert window.evaluate(COLOURS) == [ground, ground]
    other = BLUEPRINT if ground == PAPER else PAPER
    window.goto(f"{site.url}/me/?settings=1")
    guest.until("() => document.querySelector('[data-themes]').getBoundingClientRect().height > 0")
    window.evaluate(CHOOSE, "dark" if other == BLUEPRINT else "light")
    guest.until("() => getComputedStyle(document.documentElement).backgroundColor", holds=other.__eq__)
    window.goto(f"{site.url}/new/robble/")
    assert window.evaluate(COLOURS) == [other, other]
    window.close()


@pytest.mark.parametrize("engine", ["chromium-109"], indirect=True)
def test_only_a_browser_that_is_too_old_is_told_so(engine: Chromium, site: Server) -> None:
    window = engine.window()
    guest = Guest("Alice", window, site.url)
    window.goto(site.url)
    assert window.evaluate("() => document.getElementById('too-old').hidden")
    window.page.add_init_script("delete CSS.supports; CSS.supports = undefined;")
    window.goto(site.url)
    guest.sees("#too-old")
    window.close()
