"""Measures what changes most often and prints one table, in about two minutes on two cores.

With `--whole` it measures everything, in about six: the bots, the clock, talk and the dearest requests too.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench import bots, clock, dearest, engine, mine, prices, reveal, site, talk
from tests.bench.figures import Section, table
from tests.bench.machine import machine
from tests.servers import Server

READING = """\
Robosite's speed: figures to compare, not to pass. Other work on the machine makes them worse,
so look first at ratios within one run, and at CPU ms: a request's processor time in the server.
"""


def main() -> None:
    start = time.monotonic()
    facts = machine()
    sections: list[Section] = []
    try:
        (measure_all if "--whole" in sys.argv else measure_daily)(sections)
    finally:  # where one of them fails, what was measured before is told all the same
        print(READING)
        print("\n".join(facts), end="\n\n")
        print(table(sections))
        print(f"\nmeasured in {time.monotonic() - start:.0f} s")


def measure_daily(sections: list[Section]) -> None:
    """Measures the cost of requests, the time until a reveal is painted, and the bytes that are sent."""
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
        say("four servers")
        served = stack.enter_context(site.server(Path(folder, "site")))
        empty = prices.empty_servers(stack, Path(folder))
        asyncio.run(_daily(sections, served, empty))


async def _daily(sections: list[Section], served: Server, empty: prices.Yardsticks) -> None:
    say("requests in empty views")
    sections.append(await prices.measure(served, empty))
    say("reveals")
    sections.append(await reveal.measure(served))
    sections.append(await site.measure_bytes(served))


def measure_all(sections: list[Section]) -> None:
    say("the rules")
    sections.append(engine.measure())
    say("the bots")
    sections.append(bots.measure())
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
        say("four servers")
        served = stack.enter_context(site.server(Path(folder, "site")))
        empty = prices.empty_servers(stack, Path(folder))
        asyncio.run(measure(sections, served, empty))
        say("the clock")
        sections.append(clock.measure(served.env))
        say("the dearest requests")
        sections.append(dearest.measure())
        sections.append(asyncio.run(dearest.measure_beside(Path(folder, "attacked"))))


async def measure(sections: list[Section], served: Server, empty: prices.Yardsticks) -> None:
    say("requests in empty views")
    sections.append(await prices.measure(served, empty))
    say("seals")
    sections.append(await site.measure_seals(served))
    say("one's own games")
    sections.append(await mine.measure(served))
    say("reveals")
    sections.append(await reveal.measure(served))
    say("talk")
    sections.append(await talk.measure(served))
    sections.append(await site.measure_bytes(served))


def say(what: str) -> None:
    print(f"measuring: {what} …", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
