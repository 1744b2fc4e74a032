"""Two last seals in two transactions; between its write and its look, each waits for the other's write.

A program of its own, since it needs another database than the tests:
`python -m tests.faults.both_write_then_look locked`, or `unlocked` to do without the lock of the match's row.
Prints what came of it.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import django
from django.db import connection
from django.db.models import QuerySet

WAITS = {True: 1.0, False: 60.0}
"""Seconds that one waits for the other: with the lock the other is kept out and one waits in vain, without it
both come, however slowly."""


def main(locked: bool) -> dict[str, object]:
    django.setup()

    from games import newest
    from robosite.matches import flow
    from robosite.matches.flow import ending, sealing, turn
    from robosite.matches.flow.standing import Standing
    from robosite.matches.models import Match, Program, Seat

    if not locked:  # before a query with the lock is compiled for good
        QuerySet.select_for_update = lambda self, *args, **more: self  # type: ignore[method-assign]
    game = newest("pigs")
    match, _, invite = flow.create(game, game.read_options({}), 2, "Alice")
    flow.join(match, "Bob", invite=invite)
    both_have_written, both_have_looked = Barrier(2), Barrier(2)
    look = turn.advance

    def wait_then_look(match: Match, standing: Standing | None = None) -> None:
        with suppress(BrokenBarrierError):
            both_have_written.wait(WAITS[locked])
        look(match, standing)
        with suppress(BrokenBarrierError):
            both_have_looked.wait(WAITS[locked])

    def seal(letter: str) -> bool:
        try:
            seat = Seat.objects.select_related("match").get(match=match, letter=letter)
            return flow.seal(seat, 0, "^ ^ ^ v v").revealed
        finally:
            connection.close()

    for module in (sealing, ending):
        vars(module)["advance"] = wait_then_look
    with ThreadPoolExecutor(2) as threads:
        revealed = list(threads.map(seal, "AB"))
    match.refresh_from_db()
    return {
        "sealed": Program.objects.exclude(seal="").count(),
        "revealed": sum(revealed),
        "turn": match.turn,
        "owing": flow.owing(match),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1] == "locked")))
