"""Measures what changes most often and prints one table, in about two minutes on two cores.

With `--whole` the rules and the bots too.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench import bots, engine, prices, reveal, site
from tests.bench.figures import Section, tell
from tests.servers import Server

READING = """\
Robosite's speed: figures to compare, not to pass. Other work on the machine makes them worse,
so look first at ratios within one run, and at CPU ms: a request's processor time in the server.
"""


def main() -> None:
    start = time.monotonic()
    sections: list[Section] = []
    try:
        if "--whole" in sys.argv:
            sections.append(engine.measure())
            sections.append(bots.measure())
        with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
            served = stack.enter_context(site.server(Path(folder, "site")))
            empty = prices.empty_servers(stack, Path(folder))
            asyncio.run(measure(sections, served, empty))
    finally:  # where one of them fails, what was measured before is told all the same
        print(READING)
        tell(*sections)
        print(f"\nmeasured in {time.monotonic() - start:.0f} s")


async def measure(sections: list[Section], served: Server, empty: prices.Yardsticks) -> None:
    """The cost of requests, the time until a reveal is painted, and the bytes that are sent."""
    sections.append(await prices.measure(served, empty))
    sections.append(await reveal.measure(served))
    sections.append(await site.measure_bytes(served))


if __name__ == "__main__":
    main()
