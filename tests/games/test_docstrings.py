"""Docstrings begin with a verb or a noun phrase, and none is longer than the body that it explains."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
INSTEAD = {
    r"(So|How|As (many|much|long|often|far)|Until when|At most so)\b": "The number of",
    r"(After|Among|Below|Beyond|By|For|From|In|Of|One of|With|Within) (how|so)\b": "Seconds after which",
    r"(What|Which|Why|Who|Whoever|Whose|Where|When|Of|Those)\b": "The value that",
    r"(Whether|True (if|once|while|where)|(Tells?|Says) whether)\b": "Returns True if",
    r"(Inside|With|Under) [^.:]*\block(s|ed)?\b[^.:]*:": "what it does; then: Call it inside the lock",
}
"""Beginnings that made readers start again, and one to write instead."""


def first_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The line and the beginning of each docstring: of modules, classes, functions, constants and fields."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            said = node.value.value
            if isinstance(said, str):
                yield node.lineno, said.strip()


def faults(text: str) -> list[str]:
    return [
        f"{line}: “{said[:40]}…”: for example: {instead} …"
        for line, said in first_sentences(text)
        for beginning, instead in INSTEAD.items()
        if re.match(beginning, said)
    ]


LONGER = {
    "games/core/game.py": ["option", "draw", "sketch"],
}
"""The contract of a game, whose defaults are shorter than what is asked of a game that overrides them."""

ROOMS = [
    f"robosite/{one.name}"
    for one in sorted((ROOT / "robosite").iterdir())
    if one.is_dir() and one.name not in ("__pycache__", "leagues", "play")
]


def is_documentation(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Returns True for a call of the API, whose docstring is shown to those who write programs."""
    return any(isinstance(one, ast.Call) and ast.unparse(one.func) == "call" for one in node.decorator_list)


def longer_than_bodies(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_documentation(node):
            continue
        if ast.get_docstring(node):
            said = node.body[0]
            body = (node.end_lineno or 0) - (said.end_lineno or 0)
            if (said.end_lineno or 0) - said.lineno >= max(body, 1):
                yield node.name


@pytest.mark.parametrize("folder", ["games", *ROOMS])
def test_no_docstring_is_longer_than_the_body_of_its_function(folder: str) -> None:
    longer = {
        str(file.relative_to(ROOT)): names
        for file in sorted((ROOT / folder).rglob("*.py"))
        if (names := list(longer_than_bodies(file)))
    }
    assert longer == {file: names for file, names in LONGER.items() if file.startswith(f"{folder}/")}


@pytest.mark.parametrize("folder", ["games", "robosite"])
def test_docstrings_begin_with_a_verb_or_a_noun(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 50
    wrong = [
        f"{file.relative_to(ROOT)}:{fault}" for file in files for fault in faults(file.read_text("utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "said",
    [
        "So many rows a list counts.",
        "After so many seconds it is closed.",
        "How long a page is kept.",
        "As many connections wait at the most.",
        "Whether it is over.",
        "True if it is over.",
        "Tells whether it is over.",
        "Tell whether it is over.",
        "What an address may ask for.",
        "Of the strip: its margins.",
        "Inside the lock: raises the version.",
        "Inside the match's lock: sets the flag.",
        "With all seasons locked: replaces the link.",
    ],
)
def test_such_a_beginning_is_found(said: str) -> None:
    assert len(faults(f'class Row:\n    field = 1\n    """{said}"""\n')) == 1


@pytest.mark.parametrize(
    "said",
    ["The most rows.", "Returns True if it is over.", "Whole numbers.", "Tells the page that it is over."],
)
def test_others_are_not(said: str) -> None:
    assert not faults(f'"""{said}"""\n')
