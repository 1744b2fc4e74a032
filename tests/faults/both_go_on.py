"""Both players tap on to the next match of their series at once, in two processes; two sit down for a pair.

A program of its own, since it needs another database: `python -m tests.faults.both_go_on`, with `unlocked`
to do without the lock of the match's row. Prints what came of it.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from typing import Any

import django
from django.db import connection, connections
from django.db.models import QuerySet

MATCHES = 12
NAMES = ("Alice", "Bob", "Carol")


def prepare() -> list[list[Any]]:
    """Matches of a series that are over, each by key and its players; and pairs with a seat that is free."""
    from games import newest
    from robosite.matches import flow
    from robosite.matches.flow import series
    from robosite.people.models import Guest

    guests = [Guest.objects.create(name=name) for name in NAMES]
    pigs, made = newest("pigs"), []
    for number in range(MATCHES):
        kind = "pair" if number % 2 else "3"
        one, other = guests[:2] if number % 4 else guests[1::-1]  # guests are locked both ways
        match, taken, invite = flow.create(
            pigs, pigs.read_options({}), 2, one.name, guest=one, series=series.first_series_entry(kind)
        )
        if kind == "3":
            flow.join(match, other.name, invite=invite, guest=other)
            flow.resign(taken.seat)
        made.append([match.pk, kind, invite])
    return made


def go_on(number: int, made: list[list[Any]], line: Any, faults: Any) -> None:
    from robosite.matches import flow
    from robosite.matches.models import Hold, Match, Seat
    from robosite.people.models import Guest

    newcomer = Guest.objects.get(name=NAMES[number + 1])
    connection.ensure_connection()
    for pk, kind, invite in made:
        match = Match.objects.get(pk=pk)
        seat = Seat.objects.select_related("match").get(match=match, letter="AB"[number])
        line.wait(60)
        try:
            if kind == "pair":
                flow.join(match, newcomer.name, invite=invite, guest=newcomer)
            else:
                flow.rematch(match, seat, Hold.objects.get(seat=seat).guest)
        except flow.Refused:
            pass  # the other one sat down first
        except Exception as fault:
            faults.append(f"{kind}: {type(fault).__name__}: {str(fault)[:100]}")


def came_of(made: list[list[Any]]) -> dict[str, int]:
    """Counts the next matches, and those of them in which the same two play with sides changed."""
    from robosite.matches.models import Hold, Match

    right = 0
    for pk, *_ in made:
        after = Match.objects.get(rematch_of=pk)
        before = list(Hold.objects.filter(seat__match=pk).order_by("seat__letter").values_list("guest"))
        now = list(Hold.objects.filter(seat__match=after).order_by("seat__letter").values_list("guest"))
        right += after.status == "playing" and len(now) == 2 and now == before[::-1]
    return {"next": Match.objects.count() - len(made), "right": right}


def main(locked: bool) -> dict[str, object]:
    django.setup()
    if not locked:
        QuerySet.select_for_update = lambda self, *args, **more: self  # type: ignore[method-assign]
    made = prepare()
    connections.close_all()
    forks = multiprocessing.get_context("fork")
    with forks.Manager() as manager:
        line, faults = forks.Barrier(2), manager.list()
        processes = [forks.Process(target=go_on, args=(number, made, line, faults)) for number in range(2)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(120)
        assert [process.exitcode for process in processes] == [0, 0]
        return {"faults": list(faults), **(came_of(made) if locked else {})}


if __name__ == "__main__":
    print(json.dumps(main("unlocked" not in sys.argv)))
