"""Tables of positions, a test for each row under its name, and outcomes as short text."""

from __future__ import annotations

from typing import Any

import pytest

from games.core import Outcome


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
