"""`manage.py` of a host who lies: LIE says how. It replaces parts of the product, as that has none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any

LIE = os.environ.get("LIE", "")
FROM = 2
"""The first turn that is played dishonestly."""


def play_another_order() -> None:
    """Plays, in the turn FROM, an order that was not sealed."""
    from robosite.matches import history

    there: Any = history
    honest = there.play_turn

    def play(state: Any, orders: Any) -> Iterator[Any]:
        if state.turn != FROM:
            return iter(honest(state, orders))
        after = list(honest(state, orders))
        for seed in range(99):
            seat = min(orders)
            other = {**orders, seat: state.view(seat).sample(seat, Random(seed))}
            lied = list(honest(state, other))
            if lied[-1].position() != after[-1].position():
                return iter(lied)
        return iter(after)

    there.play_turn = play


def change_a_rule() -> None:
    """Pigs turn the other way round."""
    from games.pigs import steps

    tables: list[dict[str, Any]] = [steps.AFTER, steps.COMMAND_EFFECTS]
    for table in tables:
        table["TL"], table["TR"] = table["TR"], table["TL"]


def leave_a_turn_out() -> None:
    from robosite.matches import records

    honest = records.record_of

    def shorter(match: Any) -> Any:
        record = honest(match)
        for key in ("turns", "seals"):
            record[key] = record[key][:-1]
        return record

    records.record_of = shorter


LIES = {"rule": change_a_rule, "order": play_another_order, "turn": leave_a_turn_out}

if __name__ == "__main__":
    import sys

    import django

    django.setup()
    LIES[LIE]()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
