"""docs/rulings.md has all rulings cited, the code or a test cites each, and a test is named after each."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from functools import cache
from pathlib import Path

from games.record import replay

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "rulings.md"
NUMBER = re.compile(r"\b([GPXBS][0-9]{1,2})\b")
TEST = re.compile(r"def test_([gpxbs][0-9]{1,2})_")
SEVERAL = re.compile(r"def test_((?:[gpxbs][0-9]{1,2}_)+)")
"""A test may be named after several rulings: `test_p14_p15_…`."""
TITLE = re.compile(r"^### (\w+)\n\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)


@cache
def rulings() -> dict[str, str]:
    """The text of each ruling by its number."""
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


def test_the_page_has_the_rulings_in_order() -> None:
    lengths = {"G": 3, "P": 16, "X": 13, "B": 4, "S": 12}
    assert list(rulings()) == [f"{letter}{n}" for letter, most in lengths.items() for n in range(1, most + 1)]


def test_every_ruling_that_is_cited_is_on_the_page() -> None:
    missing = {str(file.relative_to(ROOT)): cited(file) - rulings().keys() for file in files()}
    assert not {name: numbers for name, numbers in missing.items() if numbers}


def test_every_ruling_is_cited_by_the_code_or_by_a_test() -> None:
    assert not rulings().keys() - set().union(*(cited(file) for file in files() if file.suffix == ".py"))


def test_every_ruling_has_a_test_that_is_named_after_it() -> None:
    tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    named = {number.upper() for numbers in SEVERAL.findall(tests) for number in numbers.split("_") if number}
    assert named == rulings().keys(), "each ruling has a test, and each such name is a ruling"


def test_links_to_rulings_lead_to_titles() -> None:
    titles = re.findall(r"^#+ (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    anchors = {title.lower().replace(" ", "-") for title in titles}
    for page in (ROOT / "docs").rglob("*.md"):
        here = r"\(#([\w-]+)\)" if page == PAGE else r"rulings\.md#([\w-]+)\)"
        assert anchors.issuperset(re.findall(here, page.read_text(encoding="utf-8"))), page.name


def test_the_record_on_the_page_about_records_replays() -> None:
    page = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    told = replay(json.loads(text))
    assert not told.fault and len(told.positions) == 6


def test_documents_that_the_code_names_are_there() -> None:
    for file in files():
        if file.suffix == ".py":
            for name in re.findall(r"docs/[\w/-]+\.md", file.read_text(encoding="utf-8")):
                assert (ROOT / name).is_file(), (file.name, name)
