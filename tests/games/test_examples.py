"""The examples of the rules: records that replay, and remarks that are true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games import GAMES, newest
from games.core import Event, Example, Game, State, check_turn, play_turn
from games.record import replay, write
from games.robble.stones import BLACK, WHITE, groups

RECORDS = Path(__file__).parent / "records"
EXAMPLES = [
    pytest.param(game, example, id=f"{game.slug}-{example.key}")
    for game in map(newest, GAMES)
    for example in game.examples
]
every_example = pytest.mark.parametrize(("game", "example"), EXAMPLES)
WANTED = {
    "pigs": {"three-rounds", "continuous"},
    "roboxing": {"fred-and-sally"},
    "robosoccer": {"goal"},
    "robble": {"swap", "count", "repetition"},
}


def example_of(slug: str, key: str) -> tuple[Game, Example]:
    game = newest(slug)
    return game, next(example for example in game.examples if example.key == key)


def played(game: Game, example: Example) -> list[list[State]]:
    """The positions of each turn; first of all, as a turn of its own, the opening."""
    turns = [[game.state.start(game.read_options(example.options), example.seats, example.setup)]]
    for orders in example.turns:
        state = turns[-1][-1]
        check_turn(state, orders)
        turns.append(list(play_turn(state, orders)))
    return turns


def as_record(game: Game, example: Example) -> dict[str, Any]:
    options = game.read_options(example.options)
    return write(game, options, example.seats, example.setup, [dict(turn) for turn in example.turns])


def test_every_game_has_the_examples_that_its_rules_promise() -> None:
    assert {slug: {example.key for example in newest(slug).examples} for slug in WANTED} == WANTED


@every_example
def test_an_example_is_a_record_that_replays(game: Game, example: Example) -> None:
    told = replay(json.loads(json.dumps(as_record(game, example))))
    assert told.fault is None and 1 <= example.first <= len(example.turns)


@every_example
def test_every_remark_is_borne_out_by_its_step(game: Game, example: Example) -> None:
    turns = played(game, example)
    for (turn, step), remark in example.remarks.items():
        assert turn >= example.first and remark.claims and "{" not in str(remark.says)
        events = turns[turn][step - 1].events
        for claim in remark.claims:
            assert any(holds(claim, event) for event in events), (turn, step, claim, events)


def holds(claim: Event, event: Event) -> bool:
    return claim.items() <= event.items()


@every_example
def test_it_is_short_and_says_something_of_its_end(game: Game, example: Example) -> None:
    turns = played(game, example)
    assert sum(map(len, turns[example.first :])) <= 16
    assert (len(example.turns), len(turns[-1])) in example.remarks


@pytest.mark.parametrize(
    ("slug", "key", "record"),
    [
        ("pigs", "three-rounds", "pigs-example"),
        ("roboxing", "fred-and-sally", "roboxing-example"),
        ("robosoccer", "goal", "robosoccer-standard"),
        ("robble", "count", "robble-small"),
        ("robble", "repetition", "robble-repetition"),
    ],
)
def test_examples_are_the_golden_records_of_that_name(slug: str, key: str, record: str) -> None:
    kept = json.loads((RECORDS / f"{record}.json").read_text())
    told = as_record(*example_of(slug, key))
    assert {name: told[name] for name in ("game", "options", "seats", "setup", "turns")} == {
        name: kept[name] for name in ("game", "options", "seats", "setup", "turns")
    }


def test_the_sample_of_continuous_feedback_is_the_published_one() -> None:
    """Its lists after each step, as the text gives them, before the next commands are added."""
    positions = [states[-1].position() for states in played(*example_of("pigs", "continuous"))[1:]]
    assert positions == [
        "A=e7S0[F,\\] B=e2N0[^,^]",
        "A=e7S0[\\,^] B=e3N1[^,H,H]",
        "A=f6S0[^,TL] B=e4N1[H,H,TL]",
        "A=f5S1[TL,F,F] B=e4N1[H,TL,TR]",
    ]


def test_one_square_further_and_the_fist_would_have_hit() -> None:
    game, _ = example_of("pigs", "three-rounds")
    state = game.state.read("A=e7W0 B=c5N0", game.read_options({}), 2)
    (after, *_) = play_turn(state, {"A": "H TL TL TL TL", "B": "/ TL TL TL TL"})  # type: ignore[dict-item]
    assert any(holds({"kind": "hit", "by": "A", "hit": True}, event) for event in after.events)


def test_the_position_of_the_repetition_comes_for_the_third_time() -> None:
    positions = [states[-1].position() for states in played(*example_of("robble", "repetition"))]
    last = len(positions) - 1
    assert [n for n, position in enumerate(positions) if position == positions[-1]] == [18, 30, last]
    assert positions[36] == positions[30].replace("3wb", "3bb", 1) != positions[30]  # but for d4


def test_the_count_is_the_one_that_the_remark_tells() -> None:
    state: Any = played(*example_of("robble", "count"))[-1][-1]
    black, white = (
        sorted(
            map(int.bit_count, groups(state.board, state.board.stones_of(state.stones, colour))), reverse=True
        )
        for colour in (BLACK, WHITE)
    )
    assert (black, white) == ([6, 3, 3, 1], [3, 3, 3, 2, 1])
