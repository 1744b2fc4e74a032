"""Two processes that write into one audit trail at once, each now and then taking back what it did;
and both want to tell the day's head.

A program of its own, since it needs another database; it prints what came of it.
"""

from __future__ import annotations

import json
import multiprocessing
from typing import Any

import django
from django.db import DatabaseError, connection, transaction

from tests.faults.outcomes import in_processes

KEPT = 40
WRITERS = ("one", "other")


def write(who: str, told: Any) -> None:
    from robosite.trail import head_of_day
    from robosite.trail.entries import note

    if head_of_day.claim_mail():
        with told:
            told.value += 1
    for number in range(KEPT):
        note(who, "count", f"number:{number}")
        if number % 4 == 0:
            with transaction.atomic():
                note(who, "nothing", f"number:{number}")
                transaction.set_rollback(True)


def main() -> dict[str, object]:
    django.setup()

    from robosite.trail.entries import ChainCheck
    from robosite.trail.models import Entry

    told = multiprocessing.Value("i", 0)

    def do(number: int, line: Any) -> None:
        line.wait(60)
        write(WRITERS[number], told)

    assert in_processes(len(WRITERS), do) == []
    check = ChainCheck()
    return {
        "entries": check.count,
        "in order": all(
            list(Entry.objects.filter(who=who).order_by("number").values_list("subject", flat=True))
            == [f"number:{number}" for number in range(KEPT)]
            for who in WRITERS
        ),
        "heads told": told.value,
        "fault": check.fault,
        "changes that the database takes": [change for change in changes() if not refused(change)],
    }


def changes() -> list[str]:
    """Statements that change the trail, each of which the database must refuse once it has entries."""
    every = [
        "UPDATE trail_entry SET who = ''",
        "DELETE FROM trail_entry WHERE number = 1",
        "UPDATE trail_head SET number = 1",
        "DELETE FROM trail_head",
    ]
    if connection.vendor == "postgresql":
        return [*every, "TRUNCATE trail_entry"]
    return [*every, "INSERT OR REPLACE INTO trail_entry SELECT * FROM trail_entry WHERE number = 1"]


def refused(change: str) -> bool:
    """Tell whether the database itself, as the migrations left it, refuses the change."""
    try:
        with transaction.atomic():
            connection.cursor().execute(change)
    except DatabaseError as fault:
        return "append-only" in str(fault)
    return False


if __name__ == "__main__":
    print(json.dumps(main()))
