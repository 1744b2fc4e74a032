"""Tables of positions, outcomes as short text, and sizes of tests: short, or long with LONG=1."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import pytest

from games.core import Outcome

LONG = bool(os.environ.get("LONG"))
T = TypeVar("T")


def size(short: T, long: T) -> T:
    """Returns `long` if LONG is set, else `short`. Tests that ask are marked `fuzz` and run in both forms."""
    return long if LONG else short


def named(arguments: str, rows: dict[str, tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Parametrizes a test by rows, each with a value for every argument."""
    return pytest.mark.parametrize(
        arguments.split(), [pytest.param(*row, id=name) for name, row in rows.items()]
    )


def scores(outcome: Outcome | None) -> str:
    """An outcome as short text: who shares the point, and why. `AB destroyed`."""
    assert outcome
    winners = [seat for seat, share in outcome.scores.items() if share]
    assert all(outcome.scores[seat] == 1 / len(winners) for seat in winners)
    return f"{''.join(winners)} {outcome.reason}"
