"""Measures what a thumb feels on a phone far away: `make felt`.

Chromium's own throttles make the round trip 300 ms, the line 1.6 Mbit/s and the processor half as fast; they
do not throttle sockets. Before WebKit and Firefox stands a proxy that makes the round trip as long. Each
figure is the median of five.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

from games import GAMES
from games.core import Seat
from robosite.web.first_sight import COOKIE
from tests.bench.load import served
from tests.engines import chromium, firefox, webkit
from tests.engines.guests import Guest
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
PHONE_SIZE = (390, 664)
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


def felt(what: str, times: Sequence[float], requests: Sequence[int] = ()) -> None:
    """Prints a line: milliseconds until something is painted, and requests where they count."""
    took, asked = median(times), f"{median(requests):.0f}" if requests else ""
    print(f"| {what} | {took:.0f} | {took / ROUND_TRIP:.1f} | {asked} |", flush=True)


def figure(what: str, text: str) -> None:
    """Prints a line that has no round trips."""
    print(f"| {what} | {text} | | |", flush=True)


def throttle(page: Page, *, slower: float = SLOWER, line: bool = True) -> CDPSession:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    free = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", LINE if line else {**LINE, **free})
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    return session


def rests(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)


def seated(site: Server, game: str = "pigs") -> Table:
    table = Table(site.url, game, "felt")
    table.sit_down()
    return table


@contextmanager
def at_seat(browser: Browser, site: Server, table: Table) -> Iterator[tuple[Page, str]]:
    """A page on a phone far away, and the address of Ada's seat, whose page is in that browser's cache."""
    context = browser.new_context(base_url=site.url, **PHONE)
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(f"/s/seat/{table.tokens[A]}/")
    page.get_by_role("button", name="Continue as").tap()
    page.locator("#plan").wait_for()
    yield page, page.url.partition("?")[0]
    table.api.close()
    context.close()


def taps(browser: Browser, site: Server) -> None:
    window = chromium.Chromium(browser).window(PHONE_SIZE, is_mobile=True)
    throttle(window.page)
    asked: list[str] = []
    window.page.on("request", lambda request: asked.append(request.method))
    taps_in(Guest("Ada", window, site.url), "", site, asked)


def engines(browser: Browser, site: Server) -> None:
    """The same taps in the other engines, before a proxy; their processor is as fast as it is."""
    for name, engine in (("WebKit", webkit), ("Firefox", firefox)):
        if engine.missing():
            print(f"{name} is not here: sh .ci/engines")
            continue
        with engine.launch() as running, Proxy(site.port) as line:
            line.delay = ROUND_TRIP / 2000
            taps_in(Guest("Ada", running.window(), line.url), f"{name}, ", site, line.asked)


def taps_in(guest: Guest, name: str, site: Server, asked: list[Any]) -> None:
    """A tap until it shows and until it stands; five taps in 0.6 s until their plan stands."""
    shown, stands, together, requests = [], [], [], []
    for _ in range(TIMES):
        table = seated(site)
        guest.window.goto(f"{guest.site}/s/seat/{table.tokens[A]}/")
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
        asked.clear()
        guest.window.evaluate(f"(program) => void ({QUICK})(program)", PROGRAM)
        guest.until(f"() => felt.stands && {FULL}")
        together.append(guest.window.evaluate("() => felt.stands"))
        requests.append(sum("POST" in one for one in asked))
        table.api.close()
    guest.window.close()
    felt(f"{name}a tap: it shows", shown)
    felt(f"{name}a tap: its plan stands, with ghosts and words", stands)
    felt(f"{name}five taps in 0.6 s: after the last, their plan stands", together, requests)


def goes(page: Page, to: str, selector: str) -> float:
    """Milliseconds from a thumb on a link, where it rests for 80 ms, to the first paint of the next page."""
    page.evaluate(
        "sessionStorage.felt = 0; addEventListener('click', () => sessionStorage.felt = Date.now(), true)"
    )
    link = page.locator(selector).first
    link.scroll_into_view_if_needed()
    box = link.bounding_box()
    assert box
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    time.sleep(0.08)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_url(to)
    page.wait_for_function(HAS_PAINTED)
    took = float(page.evaluate(PAINTED)) - float(page.evaluate("sessionStorage.felt"))
    rests(page)
    return took


def ways(browser: Browser, site: Server) -> None:
    """From page to page with a warm cache."""
    with at_seat(browser, site, seated(site)) as (page, home):
        throttle(page)
        match = home.removeprefix(site.url)
        steps = {
            "My games → a match": (f"**{match}**", f"main a[href^='{match}']"),
            "a match → My games": ("**/mine/", "a[href='/mine/']"),
            "My games → Home": ("**/", ".site-header .logo"),
        }
        rounds = []
        for _ in range(TIMES + 1):
            page.goto("/mine/")
            rests(page)
            rounds.append([goes(page, *step) for step in steps.values()])
    for what, times in zip(steps, zip(*rounds[1:], strict=True), strict=True):  # at first the cache is cold
        felt(what, times)


def cold(browser: Browser, site: Server) -> None:
    with at_seat(browser, site, seated(site)) as (seat, home):
        cookies: Any = [one for one in seat.context.cookies() if one.get("name") != COOKIE]  # it has no file
        for what, path, known in (("home", "/", []), ("a match", home, cookies)):
            times = []
            for _ in range(TIMES):
                context = browser.new_context(base_url=site.url, **PHONE)
                context.add_cookies(known)
                page = context.new_page()
                throttle(page)
                page.goto(path, wait_until="commit")
                page.wait_for_function(HAS_PAINTED)
                times.append(page.evaluate(f"({PAINTED})() - performance.timeOrigin"))
                context.close()
            felt(f"cold first page: {what}", times)


def reveals(browser: Browser, site: Server) -> None:
    times = []
    for _ in range(TIMES):
        table = seated(site)
        with at_seat(browser, site, table) as (page, home):
            throttle(page)
            table.seal(A, PROGRAM, 0)
            page.goto(home)
            page.wait_for_timeout(3000)
            page.evaluate(REVEALED, 1)
            start = time.time() * 1000
            table.seal(B, OTHER, 0)
            times.append(page.evaluate("window.painted") - start)
    felt("the reveal: from the other’s seal to the film’s first step", times)


def films(browser: Browser, site: Server) -> None:
    """The frames of a turn of each game that is played once more, on a processor four times slower."""
    for game in GAMES:
        table = seated(site, game)
        with at_seat(browser, site, table) as (page, home):
            table.play(1)
            page.goto(f"{home}?at=1.0")
            page.wait_for_timeout(3000)
            throttle(page, slower=SLOWEST, line=False)
            times = sorted(page.evaluate(FRAMES))
        rate, late = 1000 / median(times), sum(time > LONG_FRAME for time in times)
        text = (
            f"{rate:.0f} a second, 99 % within {times[-1 - len(times) // 100]:.0f} ms, "
            f"the longest {times[-1]:.0f} ms, {late} over {LONG_FRAME}"
        )
        figure(f"a turn of {game} as a film, {len(times)} frames", text)


def idle(browser: Browser, site: Server) -> None:
    """The share of a processor that a page takes which is left alone."""
    with at_seat(browser, site, seated(site)) as (page, home):
        session = throttle(page, slower=1, line=False)
        session.send("Performance.enable")
        for what, path in (("a match", home), ("My games", "/mine/"), ("home", "/")):
            page.goto(path)
            page.wait_for_timeout(5000)
            before = _busy(session)
            page.wait_for_timeout(IDLE * 1000)
            share = (_busy(session) - before) / IDLE
            figure(f"{what}, left alone", f"{share:.2%} of a processor")


def _busy(session: CDPSession) -> float:
    """The seconds for which the page's process has kept a processor busy."""
    told = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in told if one["name"] == "ProcessTime"))


def main() -> None:
    only = os.environ.get("ONLY", "")
    print("| what a thumb does | ms | round trips | requests |\n|---|---|---|---|")
    with served() as site, chromium.launch() as engine:
        for part in (taps, engines, ways, cold, reveals, films, idle):
            if only in part.__name__:
                part(engine.browser, site)


if __name__ == "__main__":
    main()
