"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from games import core, record


@pytest.mark.parametrize("module", [core, record], ids=lambda module: module.__name__)
def test_an_example_gives_what_it_says(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried > 2 and not failed
