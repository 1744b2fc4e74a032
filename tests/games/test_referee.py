"""The rules against the second referee, which was written from the rulings and docs/record.md alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from py_mini_racer import JSEvalException, JSOOMException, JSTimeoutException, MiniRacer

from robosite.share.referee import bundle
from tests.games import test_pigs_properties as pigs
from tests.games import test_robble_properties as robble
from tests.games import test_robosoccer_properties as robosoccer
from tests.games import test_roboxing_properties as roboxing
from tests.games.cases import size
from tests.games.referee import (
    Case,
    broken,
    by_the_rules,
    call,
    call_text,
    found_by,
    match,
    sealed,
    second_referee,
)
from tests.games.robble_table import REPEATING, SIZES
from tests.games.test_golden import RECORDS
from tests.games.test_roboxing_turns import small_fights

SLUGS = ("pigs", "roboxing", "robosoccer", "robble")
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


def ring_records() -> list[dict[str, Any]]:
    terms = {"format": "robosite/1", "game": "roboxing", "seats": ["A", "B"], "turns": []}
    return [
        terms
        | {"options": {"width": width, "height": height}}
        | {"setup": {"corners": {"A": "a1", "B": f"{'abcdefghijklmnop'[width - 1]}{height}"}}}
        for width, height in product((1, 4, 5, 15, 16), repeat=2)
    ]


def square_records() -> list[dict[str, Any]]:
    return [EXAMPLE | {"options": {"size": number}, "turns": []} for number in (1, 4, 5, 9, 10)]


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


@pytest.mark.parametrize(
    ("records", "allowed"),
    [(corner_records, 4 + 24 + 24), (ring_records, 4), (square_records, 2), (board_records, 5)],
)
def test_x2_of_all_corners_sizes_and_actions_off_the_board_the_same_are_allowed(
    records: Callable[[], list[dict[str, Any]]], allowed: int
) -> None:
    assert sum("error" not in by_the_rules(data) for data in records()) == allowed
    for data in records():
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


def test_robosoccer_looks_for_one_legal_turn_and_not_for_all() -> None:
    """A phone checks sixty turns in under 300 ms: what is played counts, not what could be."""
    data = json.loads((RECORDS[0].parent / "robosoccer-standard.json").read_text(encoding="utf-8"))
    act = "  after(pieces, seat, action) {\n"
    counting = bundle().replace(act, f"{act}    globalThis.acts += 1;\n")
    with closing(second_referee(counting)) as racer:
        racer.eval("globalThis.acts = 0")
        found_by(racer, "referee.replay", [json.dumps(data)])
        acts = int(str(racer.eval("acts")))
    assert len(data["turns"]) < acts < 30 * len(data["turns"])


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_page_names_each_way_in_which_a_match_ends(language: str) -> None:
    """The reasons of docs/record.md, in the words of each language of verify.js."""
    described = re.search(r"- `reason`: (.*)", Path("docs/record.md").read_text(encoding="utf-8"))
    assert described
    script = Path("static/js/referee/verify.js").read_text(encoding="utf-8")
    words = script.split(f"\n  {language}: {{")[1].split("reasons: {")[1].split("}")[0]
    named = re.findall(r'^\s+"?([a-z ]+)"?: "[^"]+",$', words, re.MULTILINE)
    assert sorted(named) == sorted(set(re.findall("`([a-z ]+)`", described[1])))


# Small changes of the second referee are noticed: with one thing changed, it differs from the rules.


CHANGES = {
    r" === ": (" !== ",),
    r" !== ": (" === ",),
    r" < ": (" <= ", " >= "),
    r" <= ": (" < ", " > "),
    r" > ": (" >= ", " < "),
    r" >= ": (" > ", " < "),
    r" && ": (" || ",),
    r" \|\| ": (" && ",),
    r" \+ ": (" - ",),
    r" - ": (" + ",),
    r"\btrue\b": ("false",),
    r"\bfalse\b": ("true",),
    r"(?<=[ (\[])!(?=\w)": ("",),
    r"(?<![\w\[\"-])[0-9](?![\w\]\"-])": ("0", "1", "2", "3", "5", "7"),
    r"\bMath\.max\b": ("Math.min",),
    r"\bMath\.min\b": ("Math.max",),
    r"\.every\(": (".some(",),
    r"\.some\(": (".every(",),
    r" \+= ": (" -= ",),
    r" \? ": (" && false ? ",),
}
SAME: dict[str, tuple[str, ...]] = {
    "pigs": ('if (command === "TL") pig.facing = (pig.facing + 7) % 4;',),
    "roboxing": (
        "demand(enemy.slots?.some((slot) => slot.letter === letter && slot.intact) ?? true,"
        ' "This letter is destroyed.");',
    ),
    "robosoccer": (
        "const to = { x: (x - way.x + this.board.columns) % this.board.columns, y: y + way.y };",
        "if (this.isLegalEnd(once, seat, 3)) return true;",
        'if (!this.isOf(seat, pieces[from]) && pieces[from] === this.as(seat, "O")) continue;',
        *(
            f"demand(i === {other} || !this.hasScored(pieces, seat),"
            ' "The first action has won: the turn ends there."); // S8'
            for other in (2, 3)  # nobody has scored before a turn's first action
        ),
    ),
    "robble": (
        "const near = this.at((square % this.size) + dx, Math.floor(square / this.size) - dy);",
        "for (let first = 0; first <= this.stones.length; first++) {",
        'const winner = Math.max(1, ...black) > Math.max(0, ...white) ? "b" : "w";',
    ),
}
"""Changed lines that change no rule, by game: they were looked at."""


def mutants(slug: str, rng: Random, count: int) -> list[tuple[str, str]]:
    whole = bundle()
    start = whole.index(f"const ${slug} = ")
    end = whole.index("\n})();\n", start)
    places = [
        (found, change)
        for pattern, changes in CHANGES.items()
        for found in re.finditer(pattern, whole[start:end])
        for change in changes
        if found[0] != change and not _is_comment(whole, start + found.start())
    ]
    made = []
    for found, change in rng.sample(places, count):
        script = whole[: start + found.start()] + change + whole[start + found.end() :]
        line = script.count("\n", 0, start + found.start())
        made.append((script, script.splitlines()[line].strip()))
    return made


def _is_comment(script: str, at: int) -> bool:
    """Tell whether that is no code, but a comment or a message to people."""
    line = script[script.rindex("\n", 0, at) + 1 : at]
    in_a_message = "demand(" in line and line.count('"') % 2 == 1
    return line.lstrip().startswith(("*", "/*")) or "//" in line or in_a_message


@cache
def material(slug: str) -> tuple[list[Case], list[tuple[str, Any]]]:
    rng = Random(f"mutants {slug}")
    many = size(150, 600)
    cases = {
        "pigs": lambda: [
            *(pigs.a_round(rng, rng.randint(2, 8), **pigs.variants(rng)) for _ in range(2 * many)),
            *(pigs.a_turn_of_lists(rng, rng.randint(2, 8)) for _ in range(many)),
            *(pigs.walkers(rng) for _ in range(many)),
        ],
        "roboxing": lambda: [
            *(one for _ in range(many) for one in (roboxing.fight(rng), roboxing.some_orders(rng)[0])),
            *small_fights(rng, many),
        ],
        "robosoccer": lambda: robosoccer.positions(rng, many // 10),
        "robble": lambda: [
            one
            for _ in range(many // 10)
            for one in (*robble.endings(rng), *robble.placements(rng, rng.choice(SIZES)))
        ],
    }[slug]()
    records = [match(slug, rng, rng.choice((3, 40, 400))) for _ in range(many // 3)]
    records += [broken(match(slug, rng, rng.randint(1, 6)), rng) for _ in range(3 * many)]
    records += [
        json.loads(path.read_text(encoding="utf-8")) for path in RECORDS if path.stem.startswith(slug)
    ]
    records += {
        "pigs": list,
        "roboxing": lambda: corner_records() + ring_records(),
        "robosoccer": board_records,
        "robble": square_records,
    }[slug]()
    if slug == "robble":
        records += [robble.repetition(REPEATING)]
    return cases, [(json.dumps(one), by_the_rules(one)) for one in map(_unsealed, records)]


def _unsealed(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "seals"}


def is_noticed(script: str, slug: str) -> bool:
    try:
        with closing(second_referee(script)) as racer:
            return _differs(racer, slug)
    except (JSEvalException, JSTimeoutException, JSOOMException):
        return True


def _differs(racer: MiniRacer, slug: str) -> bool:
    cases, records = material(slug)
    for at in range(0, len(records), 50):
        some = records[at : at + 50]
        answers = found_by(racer, "referee.replay", [text for text, _ in some], seconds=20)
        for answer, (_, expected) in zip(answers, some, strict=True):
            answer.get("error", {}).pop("message", None)
            if answer != expected:
                return True
    for at in range(0, len(cases), 50):
        few = cases[at : at + 50]
        answers = found_by(racer, "from", [case.asked for case in few], seconds=20)
        if answers != [json.loads(json.dumps(case.found)) for case in few]:
            return True
    return False


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # engines in endless loops
@pytest.mark.parametrize("slug", ["pigs", "roboxing", "robosoccer", "robble"])
def test_most_changes_of_a_rule_are_noticed(slug: str) -> None:
    assert not is_noticed(bundle(), slug)
    tried = mutants(slug, Random(slug), 100)
    unnoticed = [line for script, line in tried if not is_noticed(script, slug)]
    missed = [line for line in unnoticed if line not in SAME.get(slug, ())]
    print(f"{slug}: {len(tried) - len(unnoticed)} of {len(tried)} noticed", *missed, sep="\n")
    assert len(missed) <= 5, "\n".join(missed)
