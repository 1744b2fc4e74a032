"""The list of one's own games, for a guest with few matches and for one with many; and the header's count."""

from __future__ import annotations

from tests.bench.figures import Section, row_of_runs
from tests.bench.load import Connection, timed
from tests.bench.players import Player
from tests.bench.site import CONNECTIONS, RUNS, SECONDS, reading
from tests.servers import Server

FEW, MANY = 10, 300


async def guest_with(site: Server, matches: int) -> Player:
    """A guest with so many matches that all wait for him: he plays them alone, at one device."""
    guest = Player(site.port)
    async with Connection(site.port) as line:
        await guest.ask(line, guest.get("/"))
        form = {"name": "Ada", "game": "pigs", "seats": "2", "with": "here", "here": "Ben"}
        for _ in range(matches):
            made = await guest.ask(line, guest.post("/matches/", form), 302)
        guest.page = made.header("location")
    return guest


async def measure(site: Server) -> Section:
    section = Section(
        f"One's own games, all of which wait: {CONNECTIONS} connections, {SECONDS / 2:g} s a run; "
        "a page lists 30 of them"
    )
    for matches in (FEW, MANY):
        guest = await guest_with(site, matches)
        pages = {"the rules, with the count in the header": "/rules/pigs/"}
        if matches == FEW:
            pages["My games"] = "/mine/"
        else:  # its first page is among the requests of prices.py
            pages["the last page of My games"] = f"/mine/?page={MANY // 30}"
        for what, path in pages.items():
            lists = reading([guest.get(path)] * CONNECTIONS)
            await timed(site, lists, 0.3)
            runs = [await timed(site, lists, SECONDS / 2) for _ in range(RUNS)]
            section.rows.append(row_of_runs(f"{matches} matches: {what}", runs))
    return section
