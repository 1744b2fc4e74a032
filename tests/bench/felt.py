"""Measures what a thumb feels on a phone far away: `make felt`.

Chromium's own throttles make the round trip 300 ms, the line 1.6 Mbit/s and the processor half as fast; they
do not throttle sockets. Before WebKit and Firefox stands a proxy that makes the round trip as long, and
nothing else slower. Each figure is the median of five, in milliseconds and in round trips. Films are played
by a processor four times slower, and pages are left alone by one that is not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

from games import GAMES
from games.core import Seat
from robosite.web.first_sight import COOKIE
from tests.bench.site import served
from tests.engines import firefox, webkit
from tests.engines.guests import Guest
from tests.engines.windows import Engine
from tests.proxy import Proxy
from tests.screenshots.town import Table
from tests.servers import Server

ROUND_TRIP = 300
"""Milliseconds."""
LINE = {"offline": False, "latency": ROUND_TRIP, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
SLOWER, SLOWEST = 2, 4
"""Times that the processor is slower: everywhere, and where a film plays."""
LONG_FRAME = 50
"""Milliseconds that no frame of a film should take."""
IDLE = 10
"""Seconds for which a page is left alone."""
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 664}, "has_touch": True, "is_mobile": True}
TIMES = 5
A, B = Seat("A"), Seat("B")
PROGRAM, OTHER = "F F TR F TL", "TL TL TL TL TL"

WATCH = """() => {
  window.felt = { down: 0, shown: 0, stands: 0 };
  addEventListener("click", (event) => {
    if (!event.target.closest("#plan, .taps")) return;
    Object.assign(felt, { down: event.timeStamp, shown: 0, stands: 0 });
  }, true);
  const look = () => {
    const unsure = document.querySelector("[data-unsure], [data-pressed]");
    if (felt.down && unsure && !felt.shown) after((now) => felt.shown ||= now - felt.down);
    if (felt.down && felt.shown && !unsure && !felt.stands) after((now) => felt.stands ||= now - felt.down);
  };
  const after = (does) => requestAnimationFrame(() => setTimeout(() => does(performance.now())));
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
KEY = '#plan .palette [data-sign="F"]'
EMPTY = "!document.querySelector('#plan [data-slot]').dataset.sign"
FULL = "[...document.querySelectorAll('#plan [data-slot]')].every((one) => one.dataset.sign)"
QUICK = """program => Promise.all(program.split(" ").map((sign, n) => new Promise((done) => setTimeout(() => {
    document.querySelector(`#plan .palette [data-sign="${CSS.escape(sign)}"]`).click();
    done();
}, n * 150))))"""
PAINTED = (
    """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime + performance.timeOrigin"""
)
HAS_PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length"
FRAMES = """() => new Promise((done) => {
  const film = document.querySelector("#live [data-film]"), times = [];
  let before = 0, end = 0;
  const look = (now) => {
    if (before) times.push(now - before);
    before = now;
    if (film.matches(".playing")) end = now + 1200; // the last step moves on
    if (now < end) requestAnimationFrame(look);
    else done(times);
  };
  film.querySelector("[data-play]").click();
  requestAnimationFrame(look);
})"""
"""The milliseconds of each frame while the film plays, from its beginning to its end."""
REVEALED = """turn => {
  window.painted = new Promise((done) => {
    const look = () => {
      const film = document.querySelector("#live [data-film].playing");
      if (Number(document.getElementById("live")?.dataset.turn) < turn || !film) return;
      watcher.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.timeOrigin + performance.now())));
    };
    const watcher = new MutationObserver(look);
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}"""


class Felt(NamedTuple):
    """One line of the table: milliseconds until something is painted, and requests where they count."""

    what: str
    times: list[float]
    requests: list[int]

    def row(self) -> str:
        took = median(self.times)
        asked = f"{median(self.requests):.0f}" if self.requests else ""
        return f"| {self.what} | {took:.0f} | {took / ROUND_TRIP:.1f} | {asked} |"


class Figure(NamedTuple):
    """One line of the second table, which has no round trips."""

    what: str
    figure: str

    def row(self) -> str:
        return f"| {self.what} | {self.figure} | | |"


class Phone:
    """A page on a phone far away, with what counts its requests."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = context.new_page()
        self.asked: list[tuple[str, str]] = []
        self.page.on("request", lambda request: self.asked.append((request.method, request.url)))
        self.session: CDPSession = context.new_cdp_session(self.page)
        self.session.send("Network.enable")
        self.throttle()

    def throttle(self, *, on: bool = True) -> None:
        line = LINE if on else {**LINE, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.session.send("Network.emulateNetworkConditions", line)
        self.session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER if on else 1})

    def posts(self) -> int:
        return sum(method == "POST" for method, _ in self.asked)

    def rests(self) -> None:
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_timeout(300)


class Seats:
    """A match on a server, and the browser in which Ada sits."""

    def __init__(self, browser: Browser, site: Server, game: str = "pigs") -> None:
        self.table = Table(site.url, game, "felt")
        self.table.sit_down()
        self.context = browser.new_context(base_url=site.url, **PHONE)
        self.context.set_default_timeout(60_000)
        page = self.context.new_page()
        page.goto(f"/s/seat/{self.table.tokens[A]}/")
        page.get_by_role("button", name="Continue as").tap()
        page.locator("#plan").wait_for()
        self.home = page.url.partition("?")[0]
        page.close()

    def close(self) -> None:
        self.table.api.close()
        self.context.close()


def taps(browser: Browser, site: Server) -> list[Felt]:
    """A tap until it shows and until it stands; five taps in 0.6 s until their plan stands."""
    shown, stands, together, requests = [], [], [], []
    for _ in range(TIMES):
        seats = Seats(browser, site)
        phone = Phone(seats.context)
        page = phone.page
        page.goto(seats.home)
        page.wait_for_timeout(3000)  # it has what comes only once
        page.evaluate(WATCH)
        page.locator(KEY).tap()
        page.wait_for_function("() => felt.stands")
        shown.append(page.evaluate("felt.shown"))
        stands.append(page.evaluate("felt.stands"))
        page.locator("#plan .slots [data-slot]").first.tap()
        page.wait_for_function(f"() => felt.stands && {EMPTY}")
        phone.asked.clear()
        page.evaluate(QUICK, PROGRAM)
        page.wait_for_function(f"() => felt.stands && {FULL}")
        together.append(page.evaluate("felt.stands"))
        requests.append(phone.posts())
        seats.close()
    return [
        Felt("a tap: it shows", shown, []),
        Felt("a tap: its plan stands, with ghosts and words", stands, []),
        Felt("five taps in 0.6 s: after the last, their plan stands", together, requests),
    ]


def goes(phone: Phone, does: Callable[[Page], Any], to: str) -> float:
    """Milliseconds from a tap that leads elsewhere to the first paint there."""
    page = phone.page
    page.evaluate(
        "sessionStorage.felt = 0; addEventListener('click', () => sessionStorage.felt = Date.now(), true)"
    )
    does(page)
    page.wait_for_url(to)
    page.wait_for_function(HAS_PAINTED)
    took = float(page.evaluate(PAINTED)) - float(page.evaluate("sessionStorage.felt"))
    phone.rests()
    return took


def tapped(selector: str) -> Callable[[Page], None]:
    """A thumb on a link, for as long as thumbs rest: 80 ms."""

    def does(page: Page) -> None:
        link = page.locator(selector).first
        link.scroll_into_view_if_needed()
        box = link.bounding_box()
        assert box
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        session = page.context.new_cdp_session(page)
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        time.sleep(0.08)
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    return does


def ways(browser: Browser, site: Server) -> list[Felt]:
    """From page to page with a warm cache."""
    felt: dict[str, Felt] = {}
    seats = Seats(browser, site)
    phone = Phone(seats.context)
    match = seats.home.removeprefix(site.url)
    steps: list[tuple[str, Callable[[Page], Any], str]] = [
        ("My games → a match", tapped(f"main a[href^='{match}']"), f"**{match}**"),
        ("a match → My games", tapped("a[href='/mine/']"), "**/mine/"),
        ("My games → Home", tapped(".site-header .logo"), "**/"),
    ]
    for n in range(TIMES + 1):  # the first time the cache is cold
        phone.page.goto("/mine/")
        phone.rests()
        for what, does, to in steps:
            took = goes(phone, does, to)
            one = felt.setdefault(what, Felt(what, [], []))
            if n:
                one.times.append(took)
    seats.close()
    return list(felt.values())


def cold(browser: Browser, site: Server) -> list[Felt]:
    seats = Seats(browser, site)
    cookies: Any = [one for one in seats.context.cookies() if one.get("name") != COOKIE]  # it has no file
    found = []
    for what, path, known in (("home", "/", []), ("a match", seats.home, cookies)):
        times = []
        for _ in range(TIMES):
            context = browser.new_context(base_url=site.url, **PHONE)
            context.add_cookies(known)
            phone = Phone(context)
            phone.page.goto(path, wait_until="commit")
            phone.page.wait_for_function(HAS_PAINTED)
            times.append(phone.page.evaluate(f"({PAINTED})() - performance.timeOrigin"))
            context.close()
        found.append(Felt(f"cold first page: {what}", times, []))
    seats.close()
    return found


def reveals(browser: Browser, site: Server) -> list[Felt]:
    times = []
    for _ in range(TIMES):
        seats = Seats(browser, site)
        phone = Phone(seats.context)
        seats.table.seal(A, PROGRAM, 0)
        phone.page.goto(seats.home)
        phone.page.wait_for_timeout(3000)
        phone.page.evaluate(REVEALED, 1)
        start = time.time() * 1000
        seats.table.seal(B, OTHER, 0)
        times.append(phone.page.evaluate("window.painted") - start)
        seats.close()
    return [Felt("the reveal: from the other’s seal to the film’s first step", times, [])]


def engines(browser: Browser, site: Server) -> list[Felt]:
    """The same taps in the other engines, before a proxy; their processor is as fast as it is."""
    found = []
    for name, engine in (("WebKit", webkit), ("Firefox", firefox)):
        if engine.missing():
            print(f"{name} is not here: sh .ci/engines")
            continue
        with engine.launch() as running, Proxy(site.port) as line:
            line.delay = ROUND_TRIP / 2000
            found += taps_in(running, name, site, line)
    return found


def taps_in(engine: Engine, name: str, site: Server, line: Proxy) -> list[Felt]:
    """A tap until it shows and until it stands; five taps in 0.6 s until their plan stands."""
    shown, stands, together, requests = [], [], [], []
    for _ in range(TIMES):
        table = Table(site.url, "pigs", "felt")
        table.sit_down()
        guest = Guest("Ada", engine.window(), line.url)
        guest.window.goto(f"{line.url}/s/seat/{table.tokens[A]}/")
        guest.press("button", "Continue as")
        guest.sees("#plan")
        guest.window.goto(guest.address().partition("?")[0])
        time.sleep(3)  # it has what comes only once
        guest.window.evaluate(WATCH)
        guest.press(KEY)
        guest.until("() => felt.stands")
        shown.append(guest.window.evaluate("() => felt.shown"))
        stands.append(guest.window.evaluate("() => felt.stands"))
        guest.press("#plan .slots [data-slot]")
        guest.until(f"() => felt.stands && {EMPTY}")
        time.sleep(1)
        line.asked.clear()
        guest.window.evaluate(f"(program) => void ({QUICK})(program)", PROGRAM)
        guest.until(f"() => felt.stands && {FULL}")
        together.append(guest.window.evaluate("() => felt.stands"))
        requests.append(sum(one.method == "POST" for one in line.asked))
        guest.window.close()
        table.api.close()
    return [
        Felt(f"{name}, a tap: it shows", shown, []),
        Felt(f"{name}, a tap: its plan stands, with ghosts and words", stands, []),
        Felt(f"{name}, five taps in 0.6 s: after the last, their plan stands", together, requests),
    ]


def films(browser: Browser, site: Server) -> list[Figure]:
    """The frames of a turn of each game that is played once more, on a processor four times slower."""
    found = []
    for game in GAMES:
        seats = Seats(browser, site, game)
        seats.table.play(1)
        phone = Phone(seats.context)
        phone.throttle(on=False)
        phone.page.goto(f"{seats.home}?at=1.0")
        phone.page.wait_for_timeout(3000)
        phone.session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWEST})
        times = sorted(phone.page.evaluate(FRAMES))
        seats.close()
        rate, late = 1000 / median(times), sum(time > LONG_FRAME for time in times)
        found.append(
            Figure(
                f"a turn of {game} as a film, {len(times)} frames",
                f"{rate:.0f} a second, 99 % within {times[-1 - len(times) // 100]:.0f} ms, "
                f"the longest {times[-1]:.0f} ms, {late} over {LONG_FRAME}",
            )
        )
    return found


def idle(browser: Browser, site: Server) -> list[Figure]:
    """The share of a processor that a page takes which is left alone."""
    seats = Seats(browser, site)
    phone = Phone(seats.context)
    phone.throttle(on=False)
    found = []
    for what, path in (("a match", seats.home), ("My games", "/mine/"), ("home", "/")):
        phone.page.goto(path)
        phone.page.wait_for_timeout(5000)
        phone.session.send("Performance.enable")
        busy = [_seconds_of(phone)]
        phone.page.wait_for_timeout(IDLE * 1000)
        busy.append(_seconds_of(phone))
        found.append(Figure(f"{what}, left alone", f"{(busy[1] - busy[0]) / IDLE:.2%} of a processor"))
    seats.close()
    return found


def _seconds_of(phone: Phone) -> float:
    """The seconds for which the page's process has kept a processor busy."""
    told = phone.session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in told if one["name"] == "ProcessTime"))


PARTS: tuple[Callable[[Browser, Server], Sequence[Felt | Figure]], ...] = (
    taps,
    engines,
    ways,
    cold,
    reveals,
    films,
    idle,
)


@contextmanager
def chromium() -> Any:
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def main() -> None:
    only = os.environ.get("ONLY", "")
    print("| what a thumb does | ms | round trips | requests |\n|---|---|---|---|")
    with (
        served() as site,
        chromium() as browser,
    ):
        for part in PARTS:
            for felt in part(browser, site) if only in part.__name__ else ():
                print(felt.row(), flush=True)


if __name__ == "__main__":
    main()
