"""A table at which much has been said, beside one at which little has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from tests.bench.figures import Row, Section, cpu_each, row_of_runs
from tests.bench.load import timed
from tests.bench.players import Player, Table, tables
from tests.servers import Server, manage

SPOKEN = 10, 10_000
RUNS = 5
SECONDS = 0.5
CONNECTIONS = 4
PLAYED = 8

FILL = """
from datetime import timedelta
from django.utils import timezone
from robosite.matches.models import Match
from robosite.talk.models import Message, Recipient
match = Match.objects.get(key={key!r})
seats = list(match.seats.all())
began = timezone.now() - timedelta(seconds={count})
rows = Message.objects.bulk_create(
    Message(match=match, seat=seats[n % 2], name=seats[n % 2].name, text=f"Message {{n}}", to_all=n % 4 > 0,
            sent_at=began + timedelta(seconds=n))
    for n in range({count})
)
Recipient.objects.bulk_create(
    Recipient(message=row, seat=seat, sent_at=row.sent_at) for row in rows if not row.to_all for seat in seats
)
"""


async def measure(site: Server) -> Section:
    """The seat page, which counts what is new, and the page of what was said, in turn at both tables."""
    section = Section(
        f"Tables at which {SPOKEN[0]:,} and {SPOKEN[1]:,} messages were said: {CONNECTIONS} connections, "
        f"{SECONDS:g} s a run"
    )
    quiet, loud = [player(table) for table in await tables(site.port, len(SPOKEN), PLAYED, 1)]
    for one, count in zip((quiet, loud), SPOKEN, strict=True):
        manage("shell", "-c", FILL.format(key=one.match.split("/")[2], count=count), env=site.env)
    for what, path in (("seat page, all of it new", ""), ("what was said", "talk/")):
        timings = {}
        for one, count in zip((quiet, loud), SPOKEN, strict=True):
            asked: list[Iterator[bytes]] = [repeat(one.get(f"{one.page}{path}"))] * CONNECTIONS
            await timed(site, asked, 0.3)
            timings[count] = [await timed(site, asked, SECONDS) for _ in range(RUNS)]
        for count, measured in timings.items():
            section.rows.append(row_of_runs(f"{what}, {count:,} messages", measured))
        cost = cpu_each(timings[SPOKEN[1]]) / cpu_each(timings[SPOKEN[0]])
        section.rows.append(Row(f"{what}: many against few", cpu=f"{cost:.2f} ×"))
    section.notes.append("The page of what was said shows the last 30 messages, so at the first table 10.")
    return section


def player(table: Table) -> Player:
    return next(iter(table.players.values()))
