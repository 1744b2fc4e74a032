"""Checks the record of a league: lots, schedule, matches, points, ties and strengths are worked out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.record import Fault
from robosite.leagues.record import faults_of
from robosite.ops.management.record_file import RecordCommand


class Command(RecordCommand):
    help = "Checks the record of a league, and says what differs from what its matches lead to."

    def look(self, data: Any) -> Iterator[dict[str, Any]]:
        if not isinstance(data, dict):
            raise Fault("This is not the record of a league.")
        wrong = list(faults_of(data))
        for fault in wrong:
            yield {"error": fault}
        if not wrong:
            yield {"league": data["league"], "matches": len(data["matches"]), "checked": True}
