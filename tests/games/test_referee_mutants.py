"""Small changes of the second referee are noticed: with one thing changed, it differs from the rules."""

from __future__ import annotations

import json
import re
from contextlib import closing
from functools import cache
from random import Random
from typing import Any

import pytest
from py_mini_racer import JSEvalException, JSOOMException, JSTimeoutException, MiniRacer

from robosite.share.referee import bundle
from tests.games import test_pigs_reference as pigs
from tests.games import test_robble_reference as robble
from tests.games import test_robosoccer_reference as robosoccer
from tests.games import test_roboxing_reference as roboxing
from tests.games.referee import Case, broken, by_the_rules, found_by, match, second_referee
from tests.games.robble_table import REPEATING, SIZES
from tests.games.sizes import size
from tests.games.test_referee import RECORDS, board_records, corner_records

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
    "roboxing": (
        "demand(enemy.slots?.some((slot) => slot.letter === letter && slot.intact) ?? true,"
        ' "This letter is destroyed.");',
    ),
    "robosoccer": ("const to = { x: (x - way.x + this.board.columns) % this.board.columns, y: y + way.y };",),
    "robble": (
        "const near = this.at((square % this.size) + dx, Math.floor(square / this.size) - dy);",
        "for (let first = 0; first <= this.stones.length; first++) {",
        'const winner = Math.max(1, ...black) > Math.max(0, ...white) ? "b" : "w";',
    ),
}
"""Changed lines that change no rule, by game: they were looked at."""


def mutants(slug: str, rng: Random, count: int) -> list[tuple[str, str]]:
    """Scripts with one thing changed in a game's module, each with the line that was changed."""
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
    """Positions and records of a game, with what the rules make of them."""
    rng = Random(f"mutants {slug}")
    many = size(150, 600)
    cases = {
        "pigs": lambda: [
            *(pigs.a_round(rng, rng.randint(2, 8), **pigs.variants(rng)) for _ in range(2 * many)),
            *(pigs.a_turn_of_lists(rng, rng.randint(2, 8)) for _ in range(many)),
            *(pigs.walkers(rng) for _ in range(many)),
        ],
        "roboxing": lambda: [
            one for _ in range(many) for one in (roboxing.fight(rng), roboxing.some_orders(rng)[0])
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
    records += {"roboxing": corner_records, "robosoccer": board_records}.get(slug, list)()
    if slug == "robble":
        records += [robble.repetition(REPEATING)]
    return cases, [(json.dumps(one), by_the_rules(one)) for one in map(_unsealed, records)]


def _unsealed(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "seals"}


def is_noticed(script: str, slug: str) -> bool:
    """Tell whether this second referee ever differs from the rules."""
    try:
        with closing(second_referee(script)) as racer:
            return _differs(racer, slug)
    except (JSEvalException, JSTimeoutException, JSOOMException):
        return True


def _differs(racer: MiniRacer, slug: str) -> bool:
    cases, records = material(slug)
    for at in range(0, len(records), 50):
        some = records[at : at + 50]
        answers = found_by(racer, "referee.replay", [text for text, _ in some])
        for answer, (_, expected) in zip(answers, some, strict=True):
            answer.get("error", {}).pop("message", None)
            if answer != expected:
                return True
    for at in range(0, len(cases), 50):
        few = cases[at : at + 50]
        answers = found_by(racer, "from", [case.asked for case in few])
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
