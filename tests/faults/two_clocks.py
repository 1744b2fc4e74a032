"""Two clocks in two connections, let go at the same instant.

A program of its own, since it needs another database. It makes matches whose site was down, then lets their
time be over, and prints what came of it.
"""

from __future__ import annotations

import json
from datetime import timedelta

import django

from tests.faults.outcomes import at_once

MATCHES = 12
CLOCKS = 2
DOWN = timedelta(hours=7)


def main() -> dict[str, object]:
    django.setup()

    from django.utils import timezone

    from games import newest
    from robosite.matches import flow
    from robosite.matches.models import Match, Program, Seat
    from robosite.matches.site_models import Heartbeat
    from tests.clock import tick

    game = newest("pigs")
    for _ in range(MATCHES):
        match, _, invite = flow.create(
            game,
            game.read_options({}),
            2,
            "Alice",
            deadline_hours=24,
            late="fill",
        )
        flow.join(match, "Bob", invite=invite)

    # the site was down for seven hours
    now = timezone.now()
    Heartbeat.objects.update(at=now - DOWN)
    Match.objects.update(due=now + DOWN, deadline=now + DOWN)
    at_once(CLOCKS, lambda _: tick())
    shifts = {round((match.due - now - DOWN) / DOWN, 2) for match in Match.objects.all() if match.due}
    Match.objects.update(due=now - DOWN, deadline=now - DOWN)
    before = dict(Match.objects.values_list("pk", "version"))
    at_once(CLOCKS, lambda _: tick())
    return {
        "shifts": sorted(shifts),
        "turns": sorted(set(Match.objects.values_list("turn", flat=True))),
        "versions": sorted({match.version - before[match.pk] for match in Match.objects.all()}),
        "by deadline": Program.objects.filter(by="deadline").count(),
        "missed": sorted(set(Seat.objects.values_list("missed", flat=True))),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
