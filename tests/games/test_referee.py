"""The rules against the second referee, which was written from the rulings and docs/record.md alone."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.games.referee import broken, by_the_rules, call, call_text, match, sealed
from tests.games.sizes import size

SLUGS = ("pigs", "roboxing", "robosoccer", "robble")
RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))
EXAMPLE = {"format": "robosite/1", "game": "robble", "seats": ["A", "B"], "turns": [{"A": "c4"}, {"B": "c3"}]}


def agree(data: dict[str, Any]) -> None:
    assert call("check", data) == by_the_rules(data), json.dumps(data)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_golden_records_agree(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    agree(data)
    assert "error" not in call("replay", data)


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", SLUGS)
def test_random_matches_agree(slug: str) -> None:
    rng = Random(slug)
    for _ in range(size(25, 1_000)):
        agree(match(slug, rng, rng.randint(1, 40)))


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", SLUGS)
def test_broken_records_agree(slug: str) -> None:
    rng = Random(f"broken {slug}")
    for _ in range(size(10, 500)):
        whole = match(slug, rng, rng.randint(1, 6))
        for _ in range(10):
            agree(broken(whole, rng))


def corner_records() -> list[dict[str, Any]]:
    """X2: every choice of corners for two, three and four seats, most of them wrong."""
    terms = {"format": "robosite/1", "game": "roboxing", "options": {"width": 10, "height": 12}, "turns": []}
    return [
        terms | {"seats": seats, "setup": {"corners": dict(zip(seats, corners, strict=True))}}
        for seats in (["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"])
        for corners in product(("a1", "j1", "a12", "j12"), repeat=len(seats))
    ]


def test_x2_of_all_choices_of_corners_the_same_are_allowed() -> None:
    allowed = ["error" not in by_the_rules(data) for data in corner_records()]
    assert sum(allowed) == 4 + 24 + 24
    for data in corner_records():
        agree(data)


def board_records() -> list[dict[str, Any]]:
    """Boards of all sizes about the smallest and the largest, and actions from and to no square of one."""
    terms = {"format": "robosite/1", "game": "robosoccer", "seats": ["A", "B"]}
    bare: dict[str, Any] = {"lines": [], "arrows": []}
    sizes = product((5, 6, 16, 17), (3, 4, 16, 17))
    boards = [{"board": bare | {"columns": columns, "rows": rows}} for columns, rows in sizes]
    setup = [{"A": "LMSSML"}, {"B": "LMSSML"}, {"A": "c2"}, {"B": "c7"}]
    orders = "a9-a8", "a8-a9", "g8-a8", "a8-g8", "a8=i9", "a8", "a8-a7-a6"
    longer = "a8-a7 a9-a8", "a8-a7 a7-a6 a6-a5"
    return [
        *(terms | {"turns": [], "setup": board} for board in boards),
        *(terms | {"turns": [*setup, {"B": order}]} for order in (*orders, *longer)),
        *(terms | {"turns": [*setup[:2], {"A": square}]} for square in ("g2", "f2", "f3", "f9")),
    ]


def test_boards_of_each_size_and_actions_off_the_board_agree() -> None:
    assert sum("error" not in by_the_rules(data) for data in board_records()) == 5
    for data in board_records():
        agree(data)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 8.0}', "{" * 5000])
def test_what_is_no_record_is_an_error_and_no_exception(text: str) -> None:
    found = call_text("replay", text)
    assert (found["positions"], found["outcome"], found["error"]["turn"]) == ([], None, None)


def test_check_opens_the_seals_and_replay_looks_at_their_shape() -> None:
    data = sealed(EXAMPLE, Random(1))
    assert "error" not in call("check", data)
    data["seals"][1]["B"]["nonce"] = "0" * 64
    assert call("check", data)["error"] == {"turn": 1, "seat": "B"}
    assert "error" not in call("replay", data)
    data["seals"].pop()
    assert call("replay", data)["error"] == {"turn": None, "seat": None}


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_page_names_each_way_in_which_a_match_ends(language: str) -> None:
    """The reasons of docs/record.md, in the words of each language of verify.js."""
    described = re.search(r"- `reason`: (.*)", Path("docs/record.md").read_text(encoding="utf-8"))
    assert described
    script = Path("static/js/referee/verify.js").read_text(encoding="utf-8")
    words = script.split(f"\n  {language}: {{")[1].split("reasons: {")[1].split("}")[0]
    named = re.findall(r'^\s+"?([a-z ]+)"?: "[^"]+",$', words, re.MULTILINE)
    assert sorted(named) == sorted(set(re.findall("`([a-z ]+)`", described[1])))
