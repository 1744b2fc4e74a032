"""Processes that hang: stopped by a signal, they hold what they hold and do nothing, and then go on."""

from __future__ import annotations

import time
from threading import Event

import psycopg

from tests.faults import programs
from tests.faults.drills import work
from tests.faults.drills.load import Load
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site, frozen

HANGS = 8.0
"""For so many seconds a web process hangs."""


PLAYERS = 4
PATIENCE = 3.0
"""The seconds after which a player without an answer asks another process."""


def needed(times: int) -> int:
    """The number of tables that each player may come to play meanwhile."""
    return 2 + 2 * times


def web(site: Site, times: int, *, talks: bool = True) -> list[str]:
    """One web process after the other hangs, at a random moment of its work."""
    load = Load(site, PLAYERS, needed(times), talks=talks, patience=PATIENCE)
    took = []
    with load:
        load.goes_on()
        for number in range(times):
            with frozen(site.webs[number % len(site.webs)]):
                took.append(load.goes_on())
                Event().wait(HANGS if times > 1 else 0)
            load.goes_on()
    return [
        f"{times} times a web process hung for {HANGS:.0f} s and more (seed {load.seed})",
        f"who got no answer in {PATIENCE:.0f} s asked the other one: ten requests were acknowledged after "
        f"{max(took):.1f} s at the latest",
        *load.tally.lines(),
        *load.nothing_is_lost(),
    ]


def lock_of_a_match(site: Site, seconds: int = 15) -> list[str]:
    """Somebody hangs in the middle of a write: who waits is told so, others play, and then the lock ends."""
    with programs.Site(site.urls[0]) as client:
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
    return [
        f"a match locked by somebody who hangs: 503 after {waited:.1f} s, others play, free again after "
        f"{freed:.1f} s"
    ]


def clock_and_bots(site: Site) -> list[str]:
    """One of two clocks, then one of two runners of bots hangs: the other does its work, nothing twice."""
    took = []
    for one in site.clocks:
        match = work.with_deadline(site)
        with frozen(one):
            work.move_deadline(site, match, -1)
            took.append(wait_until(lambda match=match: work.turn_of(site, match), work.SOON))  # type: ignore[misc]
        match = work.with_deadline(site)
        took.append(work.clock_works(site))
        assert work.by_deadline(site, match) == 0
    answered = []
    for one in site.bots:
        with frozen(one):
            answered.append(work.bots_work(site))
        answered.append(work.bots_work(site))
    return [
        f"one of two clocks hangs: a deadline was applied after {max(took):.1f} s at the latest, none twice",
        f"one of two runners of bots hangs: a bot had sealed after {max(answered):.1f} s at the latest",
    ]
