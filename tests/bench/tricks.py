"""Measures each trick of `robosite/engine/`: the same requests to servers without one of them, in turn.

`python -m tests.bench.tricks prepared handler all`: a server for each name as it stands in `ENGINE_OFF` (some
joined by a comma are off together) beside one with all of them on; all begin with copies of the same data.
It prints medians of the ratios within a round.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median, quantiles

from tests.bench.figures import cpu_each, machine
from tests.bench.load import Raws, last_seals, server, timed
from tests.bench.players import PLAYED, tables
from tests.bench.prices import pages
from tests.servers import Server

ROUNDS, SECONDS = 15, 0.15
SEALS = 6
"""Turns that are revealed for one figure."""
SEAL = "seal by page"


async def asked(site: Server, turns: int) -> tuple[dict[str, Raws], list[bytes]]:
    """The requests of each page, and the seals of so many turns, two of each."""
    (sealing,) = await tables(site.port, 1, PLAYED, turns)
    return await pages(site), list(sealing.seals(turns))


async def cost(site: Server, page: Raws, seals: Iterator[bytes]) -> float:
    """Seconds of the server's processor for one request; a machine so busy that none came is asked again."""
    if not page:
        return await last_seals(site, seals, SEALS)
    while not (taken := await timed(site, page, SECONDS)).each:
        pass
    return cpu_each([taken])


async def measure(servers: dict[str, Server], pages: dict[str, Raws], seals: list[bytes]) -> None:
    """Each round asks every server in an order of its own, so that the machine's moods hit all alike."""
    chance, left = Random(1), {name: iter(seals) for name in servers}
    for what, page in {**pages, SEAL: []}.items():
        found: dict[str, list[float]] = {name: [] for name in servers}
        for _ in range(ROUNDS + 1):
            for name in chance.sample(list(servers), len(servers)):
                found[name].append(await cost(servers[name], page, left[name]))
        base, *others = (each[1:] for each in found.values())  # the first warms up
        print(f"{what:<16}{min(base) * 1000:8.2f} ms, {median(base) * 1000:.2f}")
        for name, each in zip(list(found)[1:], others, strict=True):
            ratios = [one / there for one, there in zip(each, base, strict=True)]
            low, _, high = quantiles(ratios, n=4)
            least = min(each) / min(base)
            print(f"    {name:<36}{least:6.2f}{median(ratios):8.2f}  ({low:.2f} to {high:.2f})", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
        with server(Path(folder, "first")) as first:
            wanted, seals = asyncio.run(asked(first, (ROUNDS + 1) * SEALS))
        servers = {}
        for n, name in enumerate(["", *sys.argv[1:]]):
            data = Path(folder, str(n))
            shutil.copytree(first.data, data, symlinks=True)
            env = first.given | {"DATABASE_URL": f"sqlite:///{data / 'robosite.sqlite3'}", "ENGINE_OFF": name}
            servers[name] = stack.enter_context(Server(data, prepare=False, **env))
        print("\n".join(machine()), end="\n\n")
        asyncio.run(measure(servers, wanted, seals))


if __name__ == "__main__":
    main()
