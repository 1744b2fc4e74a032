"""One pass of the clock over many open matches with deadlines: nothing due, some due, and after a downtime.

`python -m tests.bench.clock` is a process of its own, with a database that `measure` has made for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import django

from tests.bench.figures import Section, row_of_times
from tests.servers import ROOT, manage

MATCHES = 10_000
DUE = 100
PASSES = 100


def measure(env: dict[str, str]) -> Section:
    """`env` is that of a server whose database is empty or does not matter."""
    data = Path(env["DATA_DIR"]) / "clock.sqlite3"
    env = {**env, "DATABASE_URL": f"sqlite:///{data}"}
    manage("migrate", "--verbosity", "0", env=env)
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.clock"], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    times = json.loads(done.stdout)
    section = Section(f"The clock: one pass over {MATCHES:,} open matches with deadlines")
    section.rows += [row_of_times(what, seconds) for what, seconds in times.items()]
    return section


def main() -> dict[str, list[float]]:
    django.setup()

    from datetime import timedelta

    from django.utils import timezone

    from games import newest
    from robosite.matches import flow
    from robosite.matches.models import Heartbeat, Match, Seat
    from tests.clock import tick

    game = newest("pigs")
    first, *_ = flow.create(game, game.read_options({}), 2, "Alice", deadline_hours=24, late="claim")
    end = timezone.now() + timedelta(hours=24)
    facts = {
        field.attname: getattr(first, field.attname)
        for field in Match._meta.concrete_fields
        if field.attname not in ("id", "key", "status", "deadline", "due")
    }
    matches = Match.objects.bulk_create(
        [Match(**facts, status="playing", deadline=end, due=end) for _ in range(MATCHES)]
    )
    Seat.objects.bulk_create(
        [Seat(match=match, letter=letter, name=letter, taken_at=end) for match in matches for letter in "AB"]
    )

    def timed(does: Callable[[], object]) -> float:
        start = perf_counter()
        does()
        return perf_counter() - start

    tick()
    nothing = [timed(tick) for _ in range(PASSES)]
    late = Match.objects.filter(pk__in=[match.pk for match in matches[:DUE]])
    late.update(due=timezone.now(), deadline=timezone.now())
    some = timed(tick)
    assert late.filter(overdue=True).count() == DUE
    Heartbeat.objects.update(at=timezone.now() - timedelta(hours=7))
    down = timed(tick)
    assert not Match.objects.filter(pk=matches[-1].pk, due=end).exists()
    return {
        "nothing is due": nothing,
        f"{DUE} are due": [some],
        "the site was down: time is given back to all": [down],
    }


if __name__ == "__main__":
    print(json.dumps(main()))
