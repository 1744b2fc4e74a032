"""Films taps on a phone far away as strips of pictures: `make strips`.

Each game is planned and sealed by a thumb and by keyboard, on a line of 300 ms and on one of 1,000 ms that
loses one answer in ten. The first tap, the last one and the seal are filmed: one picture every 50 ms, equal
ones once. Under each strip stands what moved: the focus, and the top of board, keys and seal, in pixels.
"""

from __future__ import annotations

import base64
import os
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageChops, ImageDraw
from playwright.sync_api import Browser, BrowserContext, Page

from games import GAMES
from games.core import Seat
from tests.bench.felt import PHONE, chromium
from tests.bench.site import served
from tests.engines.shadow import Shadow
from tests.proxy import Fault, Proxy
from tests.screenshots.town import Table
from tests.servers import Server

EVERY = 50
"""Milliseconds between two pictures."""
BEFORE, AFTER = 50, 400
"""Milliseconds that are filmed before a tap, and after what it does is there."""
LONGEST = 12_000
"""Milliseconds of a strip at the most."""
WIDE, A_ROW = 195, 8
"""Pixels of a picture's width, and how many pictures stand side by side."""
SAME = 24
"""Colours that differ by less than this are the same: pictures come as JPEG."""
DESKTOP: dict[str, Any] = {"viewport": {"width": 1024, "height": 720}}

WATCH = """() => {
  const of = { board: "#film .board-sheet", keys: "#plan .palette", seal: "#plan [name=seal]" };
  const named = ({ tagName, id, name, value }) => [tagName, id, name, value].filter(Boolean).join(" ");
  window.moves = [];
  let before = "";
  const look = () => {
    const all = Object.entries(of).map(([what, selector]) => [what, document.querySelector(selector)]);
    const tops = all.map(([what, one]) => one && `${what} ${Math.round(one.getBoundingClientRect().top)}`);
    const now = [`focus ${named(document.activeElement)}`, ...tops.filter(Boolean)].join(", ");
    if (now !== before) window.moves.push([Date.now(), now]);
    before = now;
    requestAnimationFrame(look);
  };
  look();
}"""
SETTLED = """() => !document.querySelector(
  "[data-unsure], [data-pressed], .htmx-request, .htmx-swapping, .htmx-settling, #plan-trouble")"""


class Line(NamedTuple):
    """A line by its name: milliseconds of a round trip, and of how many answers one is lost."""

    name: str
    round_trip: int
    loses: int


LINES = (Line("300", 300, 0), Line("1000-lossy", 1000, 10))
HANDS: dict[str, dict[str, Any]] = {"phone": PHONE, "keyboard": DESKTOP}


class Camera:
    """Keeps each picture that a page paints."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pictures: list[tuple[float, bytes]] = []
        self.session = page.context.new_cdp_session(page)
        self.session.on("Page.screencastFrame", self._keep)
        self.session.send("Page.startScreencast", {"format": "jpeg", "quality": 70})

    def _keep(self, event: dict[str, Any]) -> None:
        self.session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})
        self.pictures.append((event["metadata"]["timestamp"] * 1000, base64.b64decode(event["data"])))

    def strip(self, start: float, end: float) -> list[tuple[int, Image.Image]]:
        """The pictures seen from `start` to `end`, each with its milliseconds; equal ones once."""
        seen: list[tuple[int, Image.Image]] = []
        for at in range(-BEFORE, int(end - start) + 1, EVERY):
            painted = [picture for when, picture in self.pictures if when <= start + at]
            if painted:
                picture = Image.open(BytesIO(painted[-1])).convert("RGB")
                if not seen or _differ(seen[-1][1], picture):
                    seen.append((at, picture))
        return seen


def _differ(one: Image.Image, other: Image.Image) -> bool:
    if one.size != other.size:
        return True
    darkest_and_brightest: Any = ImageChops.difference(one, other).convert("L").getextrema()
    return bool(darkest_and_brightest[1] >= SAME)


def _sheet(seen: list[tuple[int, Image.Image]], notes: list[str]) -> Image.Image:
    """The pictures side by side, each with its time; below them what moved."""
    high = round(WIDE * seen[0][1].height / seen[0][1].width)
    rows = -(-len(seen) // A_ROW)
    size = (min(len(seen), A_ROW) * (WIDE + 6), rows * (high + 20) + 14 * len(notes) + 6)
    sheet = Image.new("RGB", (max(size[0], 700), size[1]), "white")
    draw = ImageDraw.Draw(sheet)
    for n, (at, picture) in enumerate(seen):
        x, y = n % A_ROW * (WIDE + 6), n // A_ROW * (high + 20)
        draw.text((x + 2, y + 3), f"{at:+} ms", fill="black")
        sheet.paste(picture.resize((WIDE, high)), (x, y + 16))
    for n, note in enumerate(notes):
        draw.text((2, rows * (high + 20) + 14 * n), note, fill="black")
    return sheet


class Player:
    """Ada at her seat, by thumb or by keyboard."""

    def __init__(self, context: BrowserContext, hand: str, token: str) -> None:
        context.set_default_timeout(120_000)
        self.page = context.new_page()
        self.hand = hand
        self.page.goto(f"/s/seat/{token}/")
        self.page.get_by_role("button", name="Continue as").click()
        self.page.locator("#plan").wait_for()
        self.page.goto(self.page.url.partition("?")[0])
        self.page.wait_for_function(
            "() => performance.getEntriesByType('resource').some(one => one.name.includes('/js/row.'))"
        )
        self.page.wait_for_timeout(3000)
        while (bubbles := self.page.locator("#bubbles button")).is_visible():  # one, or one after the other
            bubbles.locator("strong").click()
            self.page.wait_for_timeout(1000)
        self.page.evaluate(WATCH)

    def press(self, selector: str) -> None:
        button = self.page.locator(selector).first
        button.scroll_into_view_if_needed()
        if self.hand == "phone":
            button.tap()
        else:
            button.focus()
            self.page.keyboard.press("Enter")

    def settles(self) -> None:
        self.page.wait_for_timeout(100)
        self.page.wait_for_function(SETTLED)

    def films(self, selector: str, until: str, file: Path) -> str:
        """Presses the button and films it until `until` holds in the page; returns what moved."""
        self.page.locator(selector).first.scroll_into_view_if_needed()
        if self.hand == "keyboard":
            self.page.locator(selector).first.focus()
        camera = Camera(self.page)
        self.page.wait_for_timeout(300)
        self.page.evaluate(
            """() => { window.moves.length = 0; window.pressed = 0;
            for (const name of ["pointerup", "keydown"])
              addEventListener(name, () => window.pressed ||= Date.now(), true); }"""
        )
        self.press(selector)
        self.page.wait_for_timeout(2 * EVERY)
        self.page.wait_for_function(until, timeout=LONGEST)
        self.page.wait_for_timeout(AFTER)
        start, end, moves = self.page.evaluate("() => [window.pressed, Date.now(), window.moves]")
        camera.session.send("Page.stopScreencast")
        seen = camera.strip(start, end)
        notes = [f"{at - start:+.0f} ms: {what}" for at, what in moves]
        _sheet(seen, notes).save(file)
        return f"{file.name}: {len(seen)} pictures, {len(moves)} moves"


def film_game(browser: Browser, site: Server, game: str, line: Line, hand: str, folder: Path) -> None:
    """Plans a turn of the game by the choices of a whole order, and seals it."""
    table = Table(site.url, game, "strips")
    table.sit_down()
    seat = next(iter(table.state.to_act())) if Seat("A") not in table.state.to_act() else Seat("A")
    with Proxy(site.port, seed=f"{game} {hand}") as proxy:
        context = browser.new_context(base_url=proxy.url, **HANDS[hand])
        player = Player(context, hand, table.tokens[seat])
        ready = player.page.evaluate("document.querySelector('#plan [name=ready]')?.value ?? ''")
        keys = Shadow(site.url, table.key, "strips").taps(seat, ready)
        choices = [f'button[name="choose"][value="{key}"]'.replace("\\", "\\\\") for key in keys]
        proxy.delay = line.round_trip / 2000
        if line.loses:
            for method in ("GET", "POST"):
                proxy.breaks(Fault.UNANSWERED, method=method, of=line.loses)
        for n, choice in enumerate(choices):
            if n in (0, len(choices) - 1):
                name = f"{game}-{line.name}-{hand}-{'first' if n == 0 else 'last'}.png"
                print(player.films(choice, SETTLED, folder / name), flush=True)
            else:
                player.press(choice)
                player.settles()
        name = f"{game}-{line.name}-{hand}-seal.png"
        print(
            player.films("#plan button[name=seal]", "() => !document.getElementById('plan')", folder / name)
        )
        lost = [f"{one.method} {one.path}" for one in proxy.broken()]
        print(f"  answers lost: {', '.join(lost) or 'none'}", flush=True)
        context.close()
    table.api.close()


def main() -> None:
    only, folder = os.environ.get("ONLY", ""), Path("strips")
    folder.mkdir(exist_ok=True)
    with (
        served() as site,
        chromium() as browser,
    ):
        for game in GAMES:
            for line in LINES:
                for hand in HANDS:
                    if only in f"{game}-{line.name}-{hand}":
                        film_game(browser, site, game, line, hand, folder)


if __name__ == "__main__":
    main()
