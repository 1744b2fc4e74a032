"""A player at the pages of a match: taps, and reads what is shown, in any engine."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from tests.engines.windows import PATIENCE, Unanswered, Window

FOUND = """(selector, words) => [...document.querySelectorAll(selector)].find((one) =>
  one.checkVisibility({ visibilityProperty: true }) &&
  (one.getAttribute("aria-label") ?? one.textContent).replace(/\\s+/g, " ").includes(words))"""
"""The first element of a selector that is seen and has these words in its name."""
HAS = f"(...given) => Boolean(({FOUND})(...given))"

PLACE = f"""(selector, words) => {{
  const one = ({FOUND})(selector, words);
  if (!one || one.getAttribute("aria-disabled")) return null;
  if (document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling")) return null;
  const lasts = (played) => played.effect?.getComputedTiming().endTime ?? 0;
  const runs = (one) => one.timeline === document.timeline && one.playState === "running";
  const moves = (one) => runs(one) && lasts(one) < 10_000;
  if (document.getAnimations().some(moves)) return null;
  const before = scrollY;
  one.scrollIntoView({{ block: "center", inline: "center", behavior: "instant" }});
  if (scrollY !== before) {{
    window.stoodFor = 0; // frames
    const count = () => ++window.stoodFor < 8 && requestAnimationFrame(count);
    requestAnimationFrame(count);
    return null;
  }}
  if (window.stoodFor < 8) return null;
  const {{ left, top, width, height }} = one.getClientRects()[0];
  const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)];
  return one.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
}}"""
"""The middle of such an element in the window, if it can be used, nothing covers it, and nothing moves: on a
busy machine, an update that comes between the look and the tap would bring another button there. The window
must have stood still, too: an update may scroll it back for some frames, which come late where another window
lies above."""

WATCH = """() => {
  localStorage.speed = "4";
  const { dataset } = document.documentElement;
  dataset.steps = "";
  document.addEventListener("film:step", ({ detail: { number } }) => {
    if (!dataset.steps.endsWith(` ${number}`)) dataset.steps += ` ${number}`;
  });
}"""
"""From now on films play at their fastest, and the page keeps the numbers of their steps till a reload."""

HEARD = "() => JSON.parse(sessionStorage.heard ?? '[]')"
"""The notes of a page and of those before it in the same tab (`settings.py`)."""

STEPS = "() => document.documentElement.dataset.steps?.trim() ?? 'The page was loaded anew.'"


class Guest:
    """Somebody with a window, who came by a link."""

    def __init__(self, name: str, window: Window, site: str) -> None:
        self.name, self.window, self.site = name, window, site

    # Hand and eye

    def until(self, function: str, *values: Any, holds: Callable[[Any], object] = bool) -> Any:
        """Calls the function in the page until `holds` accepts its value, and returns that."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                told = self.window.evaluate(function, *values)
            except Unanswered as error:
                told = str(error)
            else:
                if holds(told):
                    return told
            assert time.monotonic() < end, (
                f"{self.name} waits for {values or function}: {told}\n{self.reads()}"
            )
            time.sleep(0.05)

    def reads(self) -> str:
        return f"{self.address()}\n{self.window.evaluate('() => document.body.innerText')}"

    def address(self) -> str:
        return str(self.window.evaluate("() => location.href"))

    def press(self, selector: str, words: str = "") -> None:
        """Taps the first such element that is seen, once it can be reached and stands still."""
        before = None

        def stands(place: Any) -> bool:
            nonlocal before
            still = place is not None and place == before
            before = place
            return still

        self.window.tap(*self.until(PLACE, selector, words, holds=stands))

    def sees(self, selector: str, words: str = "") -> None:
        self.until(HAS, selector, words)

    def has(self, selector: str, words: str = "") -> bool:
        return bool(self.window.evaluate(HAS, selector, words))

    def settles(self) -> None:
        """Waits until the answer to a tap is in the page."""
        self.until("() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")

    # Coming to the table

    def write(self, label: str, words: str) -> None:
        self.press("label", label)
        self.window.type(words)

    def make_match(self, game: str) -> str:
        self.window.goto(f"{self.site}/new/{game}/")
        self.write("Your name", self.name)
        self.press(".make-bar button")
        self.sees("label", "Message to send")
        message = self.window.evaluate("() => document.querySelector('#invite-message').value")
        return str(message).split()[-1]

    def sit_down(self, invite: str) -> None:
        self.window.goto(invite)
        self.write("Your name", self.name)
        self.press("button", "Join")
        self.sees("h2", "Players")

    @property
    def seat(self) -> tuple[str, str]:
        """The match's key and the seat's letter, as the address of the page has them."""
        found = re.search(r"/m/(\w+)/([A-Z])/", self.address())
        assert found, self.address()
        return found[1], found[2]

    # Playing

    def ready(self) -> str:
        """The order with which a newcomer's planner begins, or ""."""
        self.sees("#plan")
        return str(self.window.evaluate("() => document.querySelector('#plan [name=ready]')?.value ?? ''"))

    def choose(self, *keys: str) -> None:
        """Taps these choices of the planner, one after the other, once it is there."""
        self.sees("#plan")
        self.put_bubbles_away()
        for key in keys:
            self.press(f'button[name="choose"][value="{key}"]'.replace("\\", "\\\\"))
            self.settles()

    def put_bubbles_away(self) -> None:
        """Reads a newcomer's speech bubbles, which may lie over empty squares, to the last one."""
        while self.has("#bubbles button"):
            self.press("#bubbles button")
            self.settles()

    def seal(self) -> None:
        self.press('#plan button[name="seal"]')

    def keep_count(self) -> None:
        """From now on the steps that films show are counted."""
        self.window.evaluate(WATCH)

    def watches(self, turn: int, steps: int) -> None:
        """The reveal of a turn comes by itself, without a reload, and its film plays to the end."""
        self.until(
            "() => Number(document.querySelector('#live').dataset.turn)", holds=lambda now: now >= turn
        )
        self.sees(f'[data-film][data-number="{turn}"].at-last:not(.playing)')
        shown = " ".join(str(n) for n in range(1, steps + 1))
        self.until(STEPS, holds=lambda told: told.endswith(shown))

    # Talk, and the end

    def open_talk(self) -> None:
        self.press("a#bubble")

    def say(self, words: str) -> None:
        self.open_talk()
        self.press("#talk label", "Your message")
        self.window.type(words)
        self.until("() => document.activeElement.value", holds=lambda typed: typed == words)
        self.press("#talk button", "Send")
        self.hears(words)

    def hears(self, words: str) -> None:
        self.sees("#talk li .text", words)

    def complaints(self) -> list[str]:
        return list(self.window.evaluate(HEARD))
