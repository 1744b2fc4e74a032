"""Both players tap on to the next match of their series at once, in two processes; two sit down for a pair.

A program of its own, since it needs another database: it prints what came of it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import django

from tests.faults.outcomes import in_processes

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


def go_on(number: int, made: list[list[Any]], line: Any) -> None:
    from robosite.matches import flow
    from robosite.matches.models import Hold, Match, Seat
    from robosite.people.models import Guest

    newcomer = Guest.objects.get(name=NAMES[number + 1])
    for pk, kind, invite in made:
        match = Match.objects.get(pk=pk)
        seat = Seat.objects.select_related("match").get(match=match, letter="AB"[number])
        line.wait(60)
        with suppress(flow.Refused):  # the other one sat down first
            if kind == "pair":
                flow.join(match, newcomer.name, invite=invite, guest=newcomer)
            else:
                flow.rematch(match, seat, Hold.objects.get(seat=seat).guest)


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


def main() -> dict[str, object]:
    django.setup()
    made = prepare()
    faults = in_processes(2, lambda number, line: go_on(number, made, line))
    return {"faults": faults, **came_of(made)}


if __name__ == "__main__":
    print(json.dumps(main()))
