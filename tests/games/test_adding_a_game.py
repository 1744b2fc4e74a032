"""`docs/adding-a-game.md`, followed to the letter: what comes out passes the contract test."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import jsonschema_rs
import pytest

from games import GAMES, newest
from tests.games.test_contract import Table, match

ROOT = Path(__file__).parent.parent.parent
OPTIONS = [
    "-q",
    "-c",
    "/dev/null",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:django",
    "--import-mode=importlib",
    "-k",
    "noughts",
]
PAGE = ROOT / "docs" / "adding-a-game.md"


def files() -> dict[str, str]:
    """The files of the page: a line with a path alone, then its text."""
    text = PAGE.read_text(encoding="utf-8")
    return dict(re.findall(r"^`(games/[\w/]+\.py)`\n\n```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def followed(folder: Path) -> Path:
    ignore = shutil.ignore_patterns("__pycache__", "records")
    shutil.copytree(ROOT / "games", folder / "games", ignore=ignore)
    shutil.copytree(ROOT / "tests" / "games", folder / "tests" / "games", ignore=ignore)
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    listed = folder / "games" / "__init__.py"
    text = listed.read_text(encoding="utf-8")
    text = text.replace("from games.pigs", "from games.noughts import NOUGHTS\nfrom games.pigs", 1)
    listed.write_text(re.sub(r"_ALL: tuple\[Game, \.\.\.\] = \(", r"\g<0>NOUGHTS, ", text), encoding="utf-8")
    return folder


def test_the_page_has_the_files_of_a_game() -> None:
    modules = ("__init__", "rules", "presentation/planner", "presentation/story")
    assert set(files()) == {f"games/noughts/{name}.py" for name in modules}


@pytest.mark.more
def test_the_game_of_the_page_passes_the_contract_test(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, "--rootdir", tmp_path, "tests/games/test_contract.py"],
        cwd=followed(tmp_path),
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= 10


def test_a_match_of_the_page_s_game_replays(tmp_path: Path) -> None:
    turns = [{"A": "b2"}, {"B": "a1"}, {"A": "a3"}, {"B": "b1"}, {"A": "c1"}]
    record = {"format": "robosite/1", "game": "noughts", "seats": ["A", "B"], "turns": turns}
    program = f"from games.record import replay; print(replay({record}).as_json())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=followed(tmp_path), capture_output=True, text=True, check=True
    )
    assert "'reason': 'three in a row'" in done.stdout
    assert "x../.x./oox o" in done.stdout


# The games describe themselves truly to programs: events and setups fit their schemas.


RARE = {"agreed", "resigned", "repeated", "cancelled", "stuck", "out of reach", "flattened", "scored"}
RARE |= {"repeats", "won", "out", "knocked out", "destroyed"}


@pytest.mark.parametrize("slug", GAMES)
def test_every_event_fits_its_schema(slug: str) -> None:
    game, met = newest(slug), set[str]()
    checked = {
        kind: jsonschema_rs.validator_for(dict(schema)) for kind, schema in game.described.events.items()
    }
    for preset, known in game.presets.items():
        for seed in range(6):
            table = Table(game, preset, known.seats[seed % len(known.seats)])
            for _, _, states in match(table, seed, 120):
                for state in states:
                    for viewer in (None, *state.seats):
                        for event in state.view(viewer).events:
                            checked[event["kind"]].validate(json.loads(json.dumps(event)))
                            met.add(event["kind"])
    assert checked.keys() - met <= RARE


@pytest.mark.parametrize("slug", GAMES)
def test_setups_fit_their_schema_and_the_first_example_of_an_order_opens_a_match(slug: str) -> None:
    game = newest(slug)
    checked = jsonschema_rs.validator_for(dict(game.described.setup))
    for n in range(20):
        for preset in game.presets.values():
            checked.validate(game.draw(game.read_options(preset.options), preset.seats[0], Random(n), {}))
    example = game.described.orders[0].example
    state = Table(game, "standard", 2).start(7)
    for seat in state.to_act():
        assert state.view(seat).check(seat, f" {example} ") == example
