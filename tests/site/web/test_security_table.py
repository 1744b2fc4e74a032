"""docs/security.md names a test for every check, and each of them is there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.servers import ROOT

ROWS = dict(
    re.findall(
        r"^\| (\d+) \|(.*)\|$", (ROOT / "docs" / "security.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)


@cache
def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_check_has_its_row() -> None:
    assert list(map(int, ROWS)) == list(range(1, 73))


@pytest.mark.parametrize("number", ROWS)
def test_a_check_is_held_by_tests_that_are_there(number: str) -> None:
    named = re.findall(r"`([a-z_/]+\.py)::(\w+)`", ROWS[number])
    assert named
    for file, test in named:
        assert test in names_in(file), (number, file, test)
    assert ROWS[number].count("::") == len(named), "a test is written in another way"
