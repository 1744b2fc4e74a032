"""The faults, each a drill under load: `make faults` does them at length, `test_drills.py` in short."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
from playwright.sync_api import Page, expect, sync_playwright

from tests.faults import programs
from tests.faults.drills.load import Load
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site, running
from tests.servers import DATABASE, Process

# Processes that are killed, or hang


def kills(site: Site, victims: Sequence[Process], count: int) -> list[str]:
    """Kills the victims in turn, at random moments, and starts each again at once."""
    began = time.monotonic()
    with Load(site, 1 + count // 3) as load:
        for number in range(count):
            time.sleep(load.chance.uniform(0.05, 0.9))
            victims[number % len(victims)].kill()
            victims[number % len(victims)].start()
        load.goes_on()
    where = "PostgreSQL and Redis" if site.postgres else "SQLite, one process"
    return load.report(f"{count} kills in {time.monotonic() - began:.0f} s on {where}")


def web_hangs(site: Site, times: int, seconds: float = 8.0) -> list[str]:
    """One web process after the other hangs, at a random moment; who gets no answer asks the other one."""
    took = []
    with Load(site, 2 + 2 * times, patience=3.0) as load:
        for number in range(times):
            with site.webs[number % len(site.webs)].frozen():
                took.append(load.goes_on())
                time.sleep(seconds)
            load.goes_on()
    last = f"ten requests were acknowledged after {max(took):.1f} s at the latest"
    return load.report(f"{times} times a web process hung for {seconds:.0f} s and more", last)


def lock_of_a_match(site: Site, seconds: int = 15) -> list[str]:
    """Somebody hangs in the middle of a write: who waits is told so, others play, and then the lock ends."""
    with site.client() as client:
        held, other = client.make(), client.make()
        with psycopg.connect(site.env["DATABASE_URL"]) as hanging:
            # as the site's own connections have it, only sooner in the short form
            hanging.execute(f"SET idle_in_transaction_session_timeout = '{seconds}s'")
            hanging.commit()
            hanging.execute("SELECT * FROM matches_match WHERE key = %s FOR UPDATE", [held.key])
            began = time.monotonic()
            answer = client.seal(held, "A", programs.FIRST)
            waited = time.monotonic() - began
            assert answer.status_code == 503 and "Retry-After" in answer.headers, answer.text
            assert client.seal(other, "A", programs.FIRST).status_code == 200
            wait_until(lambda: client.seal(held, "A", programs.FIRST).status_code == 200, 40)
            freed = time.monotonic() - began
            hanging.close()
    return [f"a match locked by somebody who hangs: 503 after {waited:.1f} s, free again after {freed:.1f} s"]


def clock_and_bots(site: Site) -> list[str]:
    """One of two clocks, then one of two runners of bots hangs: the other does its work, nothing twice."""
    took, answered = [], []
    for one in site.clocks:
        with one.frozen():
            took.append(site.clock_works())
        match = site.with_deadline()
        took.append(site.clock_works())
        assert site.orders(match) == 0
    for one in site.bots:
        with one.frozen():
            answered.append(site.bots_work())
        answered.append(site.bots_work())
    return [
        f"one of two clocks hangs: a deadline was applied after {max(took):.1f} s at the latest, none twice",
        f"one of two runners of bots hangs: a bot had sealed after {max(answered):.1f} s at the latest",
    ]


def sender(site: Site) -> list[str]:
    """The first of two senders hangs while the mail server has its mail and has not answered."""
    box, (first, second) = site.mailbox, site.clocks
    plain, held = site.tables(2)
    before = len(box.mails)

    def end(match: programs.Match) -> None:
        with site.client() as client:
            assert client.ask("POST", f"matches/{match.key}/resign", {}, match.tokens["A"]).status_code == 200

    def all_went() -> bool:
        late = f"state = 'waits' AND due_at <= {site.moment(0)}"
        return site.sql(f"SELECT count(*) FROM notices_parcel WHERE {late}") == [(0,)]

    end(plain)
    wait_until(lambda: len(box.mails) == before + 1 and all_went())  # and noted by who has sent it
    box.hold.clear()
    with ExitStack() as frozen:
        with second.frozen():
            end(held)
            wait_until(lambda: len(box.mails) == before + 2)
            frozen.enter_context(first.frozen())
        box.hold.set()
        took = wait_until(lambda: len(box.mails) == before + 3, 60)
    wait_until(all_went)
    sent = Counter(str(mail["Message-ID"]) for mail in box.mails[before:])
    assert sorted(sent.values()) == [1, 2], sent
    return [
        f"a sender hangs with a mail half sent: another sent it again after {took:.1f} s, and no other twice"
    ]


# A database that is locked, away or full


@contextmanager
def locked(data: Path) -> Iterator[sqlite3.Connection]:
    """All other writers of SQLite must wait."""
    with closing(sqlite3.connect(data / DATABASE, isolation_level=None, timeout=60)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
        if other.in_transaction:
            other.execute("ROLLBACK")


def locked_for_long(site: Site, seconds: float = 24.0) -> list[str]:
    """Spectators are answered all the while, and play goes on right after."""
    looked = []
    with Load(site, 4, players=3) as load, site.client() as client:
        with locked(site.data):
            began = time.monotonic()
            while time.monotonic() - began < seconds:
                at = time.monotonic()
                client.see(load.tables[0].match)
                looked.append(time.monotonic() - at)
                time.sleep(0.2)
        after = load.goes_on(more=1)
        load.goes_on()
    assert load.tally.busy
    return load.report(
        f"locked for {seconds:.0f} s",
        f"the next request was acknowledged {after:.1f} s after its end",
        f"{len(looked)} looks at a match meanwhile, all answered, the slowest after {max(looked):.1f} s",
    )


def restarts(site: Site, times: int) -> list[str]:
    """Restarts PostgreSQL, fast and immediately; web processes, clock and bots go on by themselves."""
    assert site.postgres
    took = []
    with Load(site, 2 + 2 * times) as load:
        for how in (site.postgres.fast, site.postgres.immediate) * times:
            site.postgres.end(how)
            time.sleep(load.chance.uniform(0.2, 3.0))
            site.postgres.start()
            took.append(load.goes_on())
    clock, bots = site.clock_works(), site.bots_work()
    return load.report(
        f"{times} fast and {times} immediate restarts",
        f"ten requests were acknowledged {max(took):.1f} s after it was back, at the latest",
        f"the clock had applied a deadline after {clock:.1f} s, a bot had sealed after {bots:.1f} s",
    )


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A folder that is a disk of its own; None where we may mount nothing."""
    with tempfile.TemporaryDirectory(prefix="robosite-disk-") as folder:
        words = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", folder]
        if os.geteuid() != 0 or subprocess.run(words, capture_output=True).returncode != 0:
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Not a byte is left on it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError as fault:
                if fault.errno != errno.ENOSPC:
                    raise
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def no_more_bytes(site: Site) -> Iterator[None]:
    pid = site.webs[0].process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def full_disk(times: int = 1, *, disk: bool = True) -> list[str]:
    """Full so many times under load. `disk`: on a tmpfs where one may be mounted, or else by a limit."""
    after = []
    with ExitStack() as stack:
        folder = stack.enter_context(small_disk()) if disk else None
        site = stack.enter_context(running(servers=False, data=folder))
        with Load(site, 4 + times, players=3) as load, site.client() as client:
            for _ in range(times):
                with filled(folder) if folder else no_more_bytes(site):
                    before, began = load.tally.busy, time.monotonic()
                    while load.tally.busy < before + 10:
                        assert time.monotonic() - began < 60, "nobody was told that the disk is full"
                        client.see(load.tables[0].match)  # who only looks is answered
                        time.sleep(0.05)
                after.append(load.goes_on(more=1))
                load.goes_on()
        how = "a tmpfs" if folder else "files that may not grow (no tmpfs)"
        last = f"the next request was acknowledged {max(after):.1f} s after there was room, at the latest"
        return load.report(f"{times} times full: {how}", last)


# Redis is killed and comes back


def redis_gone(site: Site, times: int = 1) -> list[str]:
    """Two pages of a seat, each at a web process of its own, are right again without being loaded anew."""
    assert site.redis
    after, statuses, turn = [], [], 0
    with sync_playwright() as playwright, ExitStack() as stack:
        clients = [stack.enter_context(programs.Site(url)) for url in (site.urls[0], site.urls[-1])]
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        context = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]).new_context()
        context.on("response", lambda response: statuses.append(response.status))
        match, pages = clients[0].make(), [context.new_page() for _ in site.webs]
        pages[0].goto(f"{site.urls[0]}/s/seat/{match.tokens['A']}/")
        pages[0].locator("form[action$='/take/'] button").first.click()
        pages[0].wait_for_url("**/m/**")
        for page, url in zip(pages, site.urls, strict=True):
            page.goto(f"{url}/m/{match.key}/A/")
            page.evaluate("window.here = true")

        def play() -> None:
            """A turn, each of its seals by another process."""
            nonlocal turn
            for client, seat in zip(clients, "AB", strict=True):
                assert client.seal(match, seat, "TL TR TL TR TL", turn).status_code == 200
            turn += 1

        def shown() -> float:
            """Seconds until the last page shows it."""
            began = time.monotonic()
            for page in pages:
                _shows(page, turn)
            return time.monotonic() - began

        play()
        shown()
        for _ in range(times):
            site.redis.end(signal.SIGKILL)
            play()
            away = shown()
            play()
            site.redis.start()
            after.append((away, shown()))
            play()
            shown()
        assert all(page.evaluate("window.here") for page in pages), "a page was loaded anew"
    assert not [status for status in statuses if status >= 500], statuses
    away, back = map(max, zip(*after, strict=True))
    return [
        f"Redis killed {times} times, {len(pages)} pages open: none loaded anew, no 5xx",
        f"a turn played while it was away was shown after {away:.1f} s at the latest, one played just before "
        f"it was back {back:.1f} s after that",
    ]


def _shows(page: Page, turn: int) -> None:
    expect(page.locator(f"#live[data-turn='{turn}']")).to_be_attached(timeout=30_000)


# Clocks of the machine that jump by an hour, and processes whose clocks are an hour apart

HOUR = 3600
LEFT = 30.0
"""Minutes that are left to the players of a match, whom no wrong clock may put out."""


def wrong_clocks(site: Site, times: int = 1) -> list[str]:
    """A match with half an hour left is looked at by everybody; others, which are late, move on once each."""
    match, lines = site.with_deadline(), []
    web, first = site.shifts[:2]
    whose = {"all clocks": site.shifts, "one of two clocks": [first], "the web process": [web]}
    wrong = [(name, files, by) for name, files in whose.items() for by in (HOUR, -HOUR)]
    for name, files, by in wrong * times:
        site.move_deadline(match, LEFT)
        before = site.deadline_of(match)
        for shift in (by, 0):
            for file in files:
                file.write_text(str(shift))
            for _ in range(3):
                site.clock_works(minutes=-180)  # late whatever the clocks show
                site.leaves_alone(match)
        later = (site.deadline_of(match) - before).total_seconds() / 60
        lines.append(f"{name} {by} s wrong, and right again: the deadline is {later:.0f} minutes later")
        assert -0.01 <= later < 61, lines[-1]
        # as minutes later, when all that was wrong is forgotten
        site.sql(f"UPDATE matches_heartbeat SET at = {site.moment(0)}")
    site.clock_works(match)
    return [*lines, "late matches meanwhile, and at last this one, moved on once each"]
