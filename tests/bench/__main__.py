"""Measures what changes most often and prints one table; with `--whole` the rules and the bots too."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.bench import prices, reveal, rules
from tests.bench.figures import begin
from tests.bench.load import server
from tests.servers import Server

READING = """\
Robosite's speed: figures to compare, not to pass. Other work on the machine makes them worse,
so look first at ratios within one run, and at CPU ms: a request's processor time in the server.
"""


async def measure(site: Server, stack: ExitStack, folder: Path) -> None:
    """The cost of requests, the time until a reveal is painted, and the bytes that are sent."""
    await prices.measure(site, stack, folder)
    await reveal.measure(site)
    await prices.measure_bytes(site)


if __name__ == "__main__":
    print(READING)
    begin()
    if "--whole" in sys.argv:
        rules.measure()
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
        site = stack.enter_context(server(Path(folder, "site")))
        asyncio.run(measure(site, stack, Path(folder)))
