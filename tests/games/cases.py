"""Tables of positions: a test for each row, under the row's name."""

from __future__ import annotations

from typing import Any

import pytest


def named(arguments: str, rows: dict[str, tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Parametrizes a test by rows, each with a value for every argument."""
    return pytest.mark.parametrize(
        arguments.split(), [pytest.param(*row, id=name) for name, row in rows.items()]
    )
