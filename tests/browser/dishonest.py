"""`manage.py` of a host who lies as a file says. It replaces parts of the product, which has none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

FROM = 2
"""The first turn that is played dishonestly."""


def other_order(play: Any, state: Any, orders: Any) -> list[Any]:
    """Plays, in the turn FROM, an order that was not sealed."""
    after = list(play(state, orders))
    for seed in range(99 if state.turn == FROM else 0):
        seat = min(orders)
        lied = list(play(state, {**orders, seat: state.view(seat).sample(seat, Random(seed))}))
        if lied[-1].position() != after[-1].position():
            return lied
    return after


def other_rule(play: Any, state: Any, orders: Any) -> list[Any]:
    """Pigs turn the other way round."""
    swap_turns()
    try:
        return list(play(state, orders))
    finally:
        swap_turns()


def swap_turns() -> None:
    from games.pigs import steps

    tables: list[dict[str, Any]] = [steps.AFTER, steps.COMMAND_EFFECTS]
    for table in tables:
        table["TL"], table["TR"] = table["TR"], table["TL"]


def turn_left_out(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value[:-1] if key in ("turns", "seals") else value for key, value in record.items()}


LIES = ("rule", "order", "turn")


def lies(lie: Path) -> None:
    from robosite.matches import history, records

    there: Any = history
    play, record_of = there.play_turn, records.record_of
    how = {"rule": other_rule, "order": other_order}

    def play_turn(state: Any, orders: Any) -> Iterator[Any]:
        lied = how.get(lie.read_text())
        return iter(lied(play, state, orders) if lied else play(state, orders))

    def record(match: Any) -> Any:
        honest = record_of(match)
        return turn_left_out(honest) if lie.read_text() == "turn" else honest

    there.play_turn, records.record_of = play_turn, record


if __name__ == "__main__":
    import sys

    import django

    django.setup()
    lies(Path(os.environ["DATA_DIR"]) / "lie")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
