"""The same requests and passes on a small and on a huge site: what matches cost that nobody looks at.

`make bench-load` fills two databases, on the PostgreSQL of TEST_POSTGRES_URL or else on SQLite, and measures
on each in a process of its own. `python -m tests.bench.many 50000 5000 100`: so many are over, so many go on,
and there are so many leagues of ten with 45 matches each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.bench.figures import begin, milliseconds, row, title
from tests.servers import ROOT, manage, new_database

SMALL = (1_000, 100, 1)
HUGE = {"PostgreSQL": (1_000_000, 100_000, 10_000), "SQLite": (100_000, 10_000, 100)}
"""The numbers of matches that are over, and that are being played, and of leagues of ten."""
OF_A_LEAGUE = 45
TIMES = 20


def main() -> None:
    url = os.environ.get("TEST_POSTGRES_URL", "")
    kind = "PostgreSQL" if url else "SQLite"
    huge = tuple(map(int, sys.argv[1:])) if sys.argv[3:] else HUGE[kind]
    begin()
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder:
        small, large = (
            _measured(Path(folder, name), url, counts) for name, counts in (("small", SMALL), ("huge", huge))
        )
    title(
        f"{kind}: {large['matches']:,} matches, filled in {large['filled']:.0f} s, "
        f"{large['bytes'] / large['matches']:,.0f} bytes each, beside {small['matches']:,}; {TIMES} times"
    )
    for what, seconds in large["times"].items():
        few = small["times"][what]
        times = f"{median(seconds) / median(few):.1f} × and {max(seconds) / max(few):.1f} ×"
        row(
            what,
            seconds,
            remark=f"{milliseconds(median(few))} and {milliseconds(max(few))} with few: {times}",
        )


def _measured(data: Path, url: str, counts: tuple[int, ...]) -> dict[str, Any]:
    data.mkdir()
    with ExitStack() as stack:
        address = stack.enter_context(new_database(url)) if url else f"sqlite:///{data}/many.sqlite3"
        env = {**os.environ, "DATA_DIR": str(data), "DATABASE_URL": address, "DEBUG": "1", "LIMITS": "off"}
        env |= {"DJANGO_SETTINGS_MODULE": "tests.bench.settings"}
        env |= {"ALLOWED_HOSTS": "testserver", "METRICS_FOR": "127.0.0.0/8"}
        manage("migrate", "--verbosity", "0", env=env)
        manage("collectstatic", "--no-input", "--verbosity", "0", env=env)
        code = f"from tests.bench import many; many.inside{counts}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True
        )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def inside(over: int, going_on: int, leagues: int) -> None:
    """Fills the database of this process's settings, measures on it, and prints the figures as JSON."""
    import django

    django.setup()

    from django.db import connection

    from tests.bench import filling

    began = perf_counter()
    filling.fill(over, going_on)
    filling.fill_leagues(leagues)
    filled = perf_counter() - began
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        else:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        (size,) = cursor.fetchone()
    times: dict[str, list[float]] = {}
    for what, does in _things().items():
        does()
        times[what] = []
        for _ in range(TIMES):
            began = perf_counter()
            does()
            times[what].append(perf_counter() - began)
    matches = over + going_on + OF_A_LEAGUE * leagues
    print(json.dumps({"matches": matches, "filled": filled, "bytes": size, "times": times}))


def _things() -> dict[str, Callable[[], Any]]:
    from datetime import timedelta

    from django.contrib.auth.models import User
    from django.test import Client
    from django.utils import timezone

    from robosite.bots import owed_orders
    from robosite.leagues import flow as league_flow
    from robosite.leagues.models import PlaceHold
    from robosite.matches import clock
    from robosite.matches.models import Hold, Match
    from robosite.notices import facts, outbox
    from robosite.ops.periods import RETENTIONS, Retention, prune
    from tests import at_once

    playing = Hold.objects.filter(seat__match__status=Match.Status.PLAYING)
    hold = playing.filter(seat__match__fixture=None).select_related("seat__match").last()
    place = PlaceHold.objects.select_related("place__league").last()
    assert hold and place
    league = place.place.league
    assert Client().get("/healthz").status_code == 200  # a process's first request has no session yet
    reader, one_of_ten, staff = Client(), Client(), Client()
    for client, guest in ((reader, hold.guest_id), (one_of_ten, place.guest_id)):
        session = client.session
        session["guest"] = guest
        session.save()
        client.cookies["sessionid"] = session.session_key or ""
    staff.force_login(User.objects.create_superuser("host"))
    match = hold.seat.match

    def page(client: Client, path: str) -> Callable[[], Any]:
        def asked() -> None:
            answer = client.get(path, headers={"Accept-Encoding": "gzip"})
            assert answer.status_code == 200, (path, answer.status_code)

        return asked

    def first_step(kept: Retention) -> Callable[[], Any]:
        return lambda: next(prune(kept), None)

    return {
        "seat page": page(reader, hold.seat.get_absolute_url()),
        "My games": page(reader, "/mine/"),
        "the page of a league of ten": page(one_of_ten, league.get_absolute_url()),
        "My games, in a league of ten": page(one_of_ten, "/mine/"),
        "home": page(reader, "/"),
        "the clock, nothing due": lambda: clock.due_matches(clock.MOST_AT_ONCE),
        "the sender's look at what changed": lambda: facts.changed_since(
            timezone.now() - timedelta(minutes=10)
        ),
        "the clock's whole step": at_once.tick,
        "the leagues' look at what is due": league_flow.settle_some,
        "the sender's whole pass": at_once.send_all,
        "the sender's look at deadlines": lambda: facts.near_deadline(timezone.now(), None),
        "the outbox tidied": outbox.tidy,
        "the bots' first look": lambda: owed_orders.changed_since(None),
        "admin: front page": page(staff, "/admin/"),
        "admin: matches": page(staff, "/admin/matches/match/"),
        "admin: matches, by key": page(staff, f"/admin/matches/match/?q={match.key}"),
        "admin: matches, by a name": page(staff, f"/admin/matches/match/?q={hold.seat.name}"),
        "admin: seats": page(staff, "/admin/matches/seat/"),
        "admin: programs": page(staff, "/admin/matches/program/"),
        "admin: guests": page(staff, "/admin/people/guest/"),
        "admin: guests, by a name": page(staff, f"/admin/people/guest/?q={hold.seat.name}"),
        "/metrics": page(reader, "/metrics"),
        **{f"prune, a step: {kept.name}": first_step(kept) for kept in RETENTIONS},
    }


if __name__ == "__main__":
    main()
