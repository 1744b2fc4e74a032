"""The rules stand alone: they load no web, and read no clock, file or global chance.

That imports go one way is said in pyproject.toml, and import-linter checks it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_games_open_no_file_and_print_nothing(file: Path) -> None:
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
