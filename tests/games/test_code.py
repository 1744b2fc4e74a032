"""The code of the rules: its docstrings, their examples, its imports, and the rulings that it cites."""

from __future__ import annotations

import ast
import doctest
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from games import core, record
from games.record import replay

# Docstrings begin with a verb or a noun phrase, and none is longer than the body that it explains.


ROOT = Path(__file__).parent.parent.parent
INSTEAD = {
    r"(So|How|As (many|much|long|often|far)|Until when|At most so)\b": "The number of",
    r"(After|Among|Below|Beyond|By|For|From|In|Of|One of|With|Within) (how|so)\b": "Seconds after which",
    r"(What|Which|Why|Who|Whoever|Whose|Where|When|Of|Those)\b": "The value that",
    r"(Whether|(Tells?|Says) whether)\b": "Returns True if; of a field: True if",
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


ROOMS = [
    f"robosite/{one.name}"
    for one in sorted((ROOT / "robosite").iterdir())
    if one.is_dir() and one.name != "__pycache__"
]


def longer_than_bodies(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
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
    assert not longer


@pytest.mark.parametrize("folder", ["games", "robosite"])
def test_docstrings_begin_with_a_verb_or_a_noun(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 50
    wrong = [
        f"{file.relative_to(ROOT)}:{fault}" for file in files for fault in faults(file.read_text("utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("So many rows a list counts.", 1),
        ("After so many seconds it is closed.", 1),
        ("How long a page is kept.", 1),
        ("Whether it is over.", 1),
        ("Tell whether it is over.", 1),
        ("Of the strip: its margins.", 1),
        ("Inside the lock: raises the version.", 1),
        ("With all seasons locked: replaces the link.", 1),
        ("The most rows.", 0),
        ("Whole numbers.", 0),
        ("True if it is over.", 0),
        ("Tells the page that it is over.", 0),
    ],
)
def test_such_a_beginning_is_found(said: str, found: int) -> None:
    assert len(faults(f'class Row:\n    field = 1\n    """{said}"""\n')) == found


# The examples in docstrings are true.


@pytest.mark.parametrize("module", [core, record], ids=lambda module: module.__name__)
def test_an_example_gives_what_it_says(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried > 2 and not failed


# The rules stand alone: they load no web, and read no clock, file or global chance.


GAMES_FOLDER = ROOT / "games"
FILES = sorted(GAMES_FOLDER.rglob("*.py"))
FORBIDDEN = {"time", "datetime", "os", "io", "pathlib", "secrets", "socket", "subprocess", "logging", "uuid"}
ONLY_THE_TYPE = {"Random"}  # `from random import Random`: whoever calls brings the dice


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path) -> list[tuple[str, str]]:
    """Every import of a file, those inside functions too: the module, and the name taken from it or ""."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)} imports relatively"
            found += [(node.module or "", alias.name) for alias in node.names]
    return found


def test_there_is_something_to_look_at() -> None:
    assert {"games.core", "games.record", "games.pigs.rules"} <= {name_of(file) for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_games_import_only_the_standard_library_and_no_clock_file_or_global_chance(file: Path) -> None:
    for module, name in imports(file):
        top = module.split(".")[0]
        assert top == "games" or top in sys.stdlib_module_names, module
        assert top not in FORBIDDEN, module
        if top == "random":
            assert name in ONLY_THE_TYPE
    called = {
        node.func.id
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"open", "print", "input", "eval", "exec", "__import__"}


def test_the_rules_load_no_web() -> None:
    script = (
        "import sys, games, games.record\n"
        "web = {'django', 'channels', 'daphne', 'twisted', 'robosite'}\n"
        "sys.exit(', '.join(sorted(web & {name.split('.')[0] for name in sys.modules})) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# docs/rulings.md has all rulings cited, the code or a test cites each, and a test is named after each.


PAGE = ROOT / "docs" / "rulings.md"
NUMBER = re.compile(r"\b([GPXBS][0-9]{1,2})\b")
TEST = re.compile(r"def test_([gpxbs][0-9]{1,2})_")
SEVERAL = re.compile(r"def test_((?:[gpxbs][0-9]{1,2}_)+)")
"""A test may be named after several rulings: `test_p14_p15_…`."""
TITLE = re.compile(r"^### (\w+)\n\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)


@cache
def rulings() -> dict[str, str]:
    return dict(TITLE.findall(PAGE.read_text(encoding="utf-8")))


def prose(file: Path) -> str:
    """A document without its code; of Python the comments and docstrings, and the names of tests."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        if not (NUMBER.search(text) or TEST.search(text)):
            return ""
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        said = [token.string for token in tokens if token.type == tokenize.COMMENT]
        said += [
            node.value.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ]
        text = "\n".join([*said, *(number.upper() for number in TEST.findall(text))])
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


@cache
def cited(file: Path) -> set[str]:
    """The rulings that a file names. B1 is a robot too, so where robots box it is no ruling."""
    numbers = set(NUMBER.findall(prose(file)))
    boxes = re.search("roboxing|ring_table", str(file.relative_to(ROOT)))
    return {number for number in numbers if not (boxes and number.startswith("B"))}


def files() -> list[Path]:
    code = [file for folder in ("games", "robosite", "tests") for file in (ROOT / folder).rglob("*.py")]
    documents = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    return sorted({*code, *documents} - {PAGE, Path(__file__)})


def test_every_ruling_is_on_the_page_in_order_cited_and_tested_by_name() -> None:
    lengths = {"G": 3, "P": 16, "X": 13, "B": 4, "S": 12}
    assert list(rulings()) == [f"{letter}{n}" for letter, most in lengths.items() for n in range(1, most + 1)]
    missing = {str(file.relative_to(ROOT)): cited(file) - rulings().keys() for file in files()}
    assert not {name: numbers for name, numbers in missing.items() if numbers}
    assert not rulings().keys() - set().union(*(cited(file) for file in files() if file.suffix == ".py"))
    tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    named = {number.upper() for numbers in SEVERAL.findall(tests) for number in numbers.split("_") if number}
    assert named == rulings().keys(), "each ruling has a test, and each such name is a ruling"


def test_links_and_documents_that_are_named_are_there_and_the_record_replays() -> None:
    titles = re.findall(r"^#+ (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    anchors = {title.lower().replace(" ", "-") for title in titles}
    for page in (ROOT / "docs").rglob("*.md"):
        here = r"\(#([\w-]+)\)" if page == PAGE else r"rulings\.md#([\w-]+)\)"
        assert anchors.issuperset(re.findall(here, page.read_text(encoding="utf-8"))), page.name
    for file in files():
        if file.suffix == ".py":
            for name in re.findall(r"docs/[\w/-]+\.md", file.read_text(encoding="utf-8")):
                assert (ROOT / name).is_file(), (file.name, name)
    records = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```json\n(.*?)```", records, re.DOTALL)
    told = replay(json.loads(text))
    assert not told.fault and len(told.positions) == 6
