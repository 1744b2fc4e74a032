"""The record: what is read, what is checked, and the fault table row by row."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import record
from games.record import Fault, load, replay, replay_lines, seal, write
from tests.games.cases import named
from tests.games.pig_table import PIGS

TURN = "TL TL TL TL TL"
START = "A=d8S0 B=e1N0"
KILL = {"A": "F F F F F", "B": "\\ TL TL TL TL"}  # B walks into A's line of fire and takes five


def match(*turns: dict[str, Any], seats: str = "AB", **rest: Any) -> dict[str, Any]:
    return {"format": "robosite/1", "game": "pigs", "seats": list(seats), "turns": list(turns), **rest}


PLAIN = match({"A": TURN, "B": TURN}, {"A": "F ^ TR v H", "B": "\\ \\ F ^ /"})
OVER = match(KILL)
RESULT = {"scores": {"A": 1, "B": 0}, "reason": "destroyed"}


def changed(data: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return copy.deepcopy(data) | changes


def without(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k != key}


def fault(data: Any) -> tuple[int | None, str | None, int, bool]:
    """A faulty record's turn and seat, how many positions are shown, and whether an outcome is."""
    shown = replay(data).as_json()
    assert set(shown) == {"positions", "outcome", "error"}, "no fault was found"
    assert set(shown["error"]) == {"turn", "seat", "message"}
    assert shown["error"]["message"]
    json.dumps(shown, allow_nan=False).encode()
    return shown["error"]["turn"], shown["error"]["seat"], len(shown["positions"]), bool(shown["outcome"])


# What a replay shows


def test_a_replay_shows_the_start_and_every_step_but_none_after_the_end() -> None:
    shown = replay(PLAIN).as_json()
    assert set(shown) == {"positions", "outcome"}
    assert len(shown["positions"]) == 11
    assert shown["positions"][0] == START
    assert shown["positions"][5] == "A=d8E0 B=e1W0"
    assert shown["outcome"] is None
    shown = replay(match({"A": "F F F F F", "B": "\\ TL TL TL TL"})).as_json()
    assert len(shown["positions"]) == 6
    assert shown["outcome"] == RESULT
    ending = match({"A": "F F F F TL", "B": "\\ TL TL TL TL"}, {"A": "TR F F F F", "B": "X X X X TL"})
    shown = replay(ending).as_json()
    assert len(shown["positions"]) == 1 + 5 + 2
    assert shown["positions"][-1] == "A=d8S0 B=d2Nx"
    assert replay(match()).as_json() == {"positions": [START], "outcome": None}


def test_resignation_and_agreement_add_no_position() -> None:
    assert replay(match({"A": "resign"})).as_json() == {
        "positions": [START],
        "outcome": {"scores": {"A": 0, "B": 1}, "reason": "resigned"},
    }
    assert replay(match({"B": "draw", "A": "draw"})).as_json() == {
        "positions": [START],
        "outcome": {"scores": {"A": 0.5, "B": 0.5}, "reason": "agreed"},
    }
    shown = replay(
        match({"A": TURN, "B": "resign", "C": TURN}, {"A": TURN, "C": TURN}, seats="ABC")
    ).as_json()
    assert len(shown["positions"]) == 11
    assert shown["positions"][1] == "A=d8E0 B=e1Nx C=h5S0"


def test_the_order_of_keys_does_not_matter_nor_what_may_be_left_out_or_added() -> None:
    turned = json.loads(json.dumps(PLAIN))
    turned["turns"] = [dict(reversed(turn.items())) for turn in turned["turns"]]
    assert replay(dict(reversed(turned.items()))) == replay(PLAIN)
    full = changed(
        PLAIN, setup={}, rules=1, options={"mode": "rounds", "ends": "first_down", "damage_moves": True}
    )
    assert replay(full) == replay(PLAIN)
    assert replay(changed(PLAIN, options={"start": "ring"})).positions[0] == "A=d6N0 B=e3S0"
    more = changed(PLAIN, names={"A": "Alice"}, played_at=None, x=[{}], match=7)
    assert replay(more) == replay(PLAIN)


def test_a_written_record_is_read_again() -> None:
    options = PIGS.read_options({"start": "ring", "damage_moves": False})
    data = write(PIGS, options, 5, {}, [], names={"A": "Alice"})
    assert data["options"] == {"start": "ring", "damage_moves": False}
    assert data["seats"] == list("ABCDE")
    read = record.read(json.loads(json.dumps(data)))
    assert (read.game, read.options, read.seats, read.setup) == (PIGS, options, tuple("ABCDE"), {})
    assert read.rest["names"] == {"A": "Alice"}


# The fault table, first row: what is wrong with the head shows no position at all


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "nonsense", "{'a': 1}", "[1,]", '{"a": NaN}', '{"a": Infinity}', "-Infinity", "[" * 100_000,
        '{"a":' * 100_000, "1" * 5000, '"\t"', "{} {}", '"unclosed',
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_what_is_not_json_is_a_fault_without_positions(text: str) -> None:
    with pytest.raises(Fault):
        load(text)
    if text:
        [shown] = replay_lines([text])
        assert shown.as_json()["positions"] == []
        assert shown.as_json()["outcome"] is None
        assert shown.as_json()["error"]["turn"] is shown.as_json()["error"]["seat"] is None


def test_a_record_is_an_object_with_all_its_keys() -> None:
    others: tuple[Any, ...] = (None, True, 0, 1.5, "x", [], [PLAIN], {})
    for other in others:
        assert fault(other) == (None, None, 0, False)
    for key in ("format", "game", "seats", "turns"):
        assert fault(without(PLAIN, key)) == (None, None, 0, False)
        assert key in str(replay(without(PLAIN, key)).fault)


DEEP: list[Any] = []
for _ in range(500):
    DEEP = [DEEP]

WRONG: dict[str, list[Any]] = {
    "format": ["robosite/2", "robosite/1 ", "ROBOSITE/1", None, 1, ["robosite/1"], DEEP],
    "game": ["Pigs", "chess", "", None, 0, ["pigs"], {"pigs": 1}, "\ud800", DEEP],
    "rules": [0, 2, -1, 1.0, True, "1", None, [1], 10**400],
    "options": [
        None, [], "", 0, {"ends": "never"}, {"ends": None}, {"ends": 1}, {"damage_moves": 1},
        {"damage_moves": 0},
        {"damage_moves": "true"}, {"damage_moves": None}, {"size": 7}, {"Ends": "first_down"}, {"": ""},
        {"\ud800": 1}, {"ends": "\ud800"}, {"ends": DEEP}, {"mode": "round"}, {"damage_moves": 10**400},
    ],
    "seats": [
        None, {}, "AB", 2, [], ["A"], ["B", "A"], ["A", "C"], ["A", "B", "B"], ["a", "b"],
        [*"ABCDE"],
        [*"ABCDEFGH"], [*"ABCDEFGHI"], [0, 1], ["A", None], ["A", ["B"]], [True, False], DEEP,
    ],
    "setup": [None, [], "", 0, {"corners": {"A": "a1", "B": "h8"}}, {"x": None}, {"arrows": "+"}],
    "turns": [None, {}, "", 0, True],
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"), [(k, v) for k, vs in WRONG.items() for v in vs], ids=lambda v: repr(v)[:24]
)
def test_a_wrong_head_is_a_fault_without_positions(key: str, value: Any) -> None:
    assert fault(changed(PLAIN, **{key: value})) == (None, None, 0, False)


def test_a_ring_takes_more_players_than_the_sides() -> None:
    assert fault(match(seats="ABCDE")) == (None, None, 0, False)
    assert not replay(match(seats="ABCDEFGH", options={"start": "ring"})).fault


# Second row: a seat's own fault


@pytest.mark.parametrize(
    "order",
    [
        "", "TL TL TL TL", "TL TL TL TL TL TL", "X TL TL TL TL", "R R R R R", "tl TL TL TL TL",
        "TL  TL TL TL TL",
        " TL TL TL TL TL", "TL TL TL TL TL ", "TL,TL,TL,TL,TL", "TL\u00a0TL TL TL TL", "TL TL TL TL TL\n",
        "↶ ↶ ↶ ↶ ↶",
        "Resign", "DRAW", "\ud800 TL TL TL TL", "{order} TL TL TL TL", "F" * 10_000, None, 5, True, 1.5,
        ["TL"] * 5, {"TL": 5}, DEEP, 10**400,
    ],
    ids=lambda order: repr(order)[:24],
)  # fmt: skip
def test_an_illegal_order_names_its_turn_and_seat_before_that_turn(order: Any) -> None:
    good = {"A": TURN, "B": TURN}
    assert fault(match({"A": TURN, "B": order})) == (0, "B", 1, False)
    assert fault(match(good, {"A": order, "B": TURN})) == (1, "A", 6, False)
    assert fault(match(good, good, {"A": order, "B": order}, good)) == (2, "A", 11, False)


GOOD = {"A": TURN, "B": TURN}
ALL = GOOD | {"C": TURN}
LEFT = ALL | {"B": "resign"}


@named("turns seats turn seat shown", {
    "an order of the second seat is missing": ([{"A": TURN}], "AB", 0, "B", 1),
    "of the first": ([{"B": TURN}], "AB", 0, "A", 1),
    "of both": ([{}], "AB", 0, "A", 1),
    "of all, in a later turn": ([ALL, {}], "ABC", 1, "A", 6),
    "who is out plays": ([LEFT, ALL], "ABC", 1, "B", 6),
    "who is out resigns": ([LEFT, LEFT], "ABC", 1, "B", 6),
    "who is out agrees": ([LEFT, dict.fromkeys("ABC", "draw")], "ABC", 1, "B", 6),
    "of several at fault the first in seat order": ([{"C": "x", "B": "x"}], "ABC", 0, "A", 1),
    "or the second": ([{"C": "x", "A": TURN}], "ABC", 0, "B", 1),
    "a turn that is nothing": ([GOOD, None], "AB", 1, None, 6),
    "a turn that is a list": ([GOOD, []], "AB", 1, None, 6),
    "a turn of pairs": ([GOOD, [["A", TURN], ["B", TURN]]], "AB", 1, None, 6),
    "a deep turn": ([GOOD, DEEP], "AB", 1, None, 6),
    "G2: a draw by one": ([{"A": "draw"}], "AB", 0, None, 1),
    "G2: a draw beside a program": ([{"A": "draw", "B": TURN}], "AB", 0, None, 1),
    "G2: a draw by some": ([{"A": "draw", "B": "draw", "C": TURN}], "ABC", 0, None, 1),
    "G2: a resignation beside draws": ([{"A": "draw", "B": "draw", "C": "resign"}], "ABC", 0, None, 1),
    "G1: a program beside a resignation that ends it": ([{"A": "resign", "B": TURN}], "AB", 0, None, 1),
    "G1: beside two of three": ([{"A": "resign", "B": "resign", "C": TURN}], "ABC", 0, None, 1),
    "G1: a draw beside it": ([{"A": "resign", "B": "draw"}], "AB", 0, None, 1),
})  # fmt: skip
def test_g1_g2_a_faulty_turn_is_named_with_the_first_seat_at_fault_before_it(
    turns: list[Any], seats: str, turn: int, seat: str | None, shown: int
) -> None:
    assert fault(match(*turns, seats=seats)) == (turn, seat, shown, False)


@pytest.mark.parametrize("key", ["C", "a", "", "AB", "I", "\ud800", "0"])
def test_a_key_that_is_no_seat_names_the_turn(key: str) -> None:
    assert fault(match(GOOD | {key: TURN})) == (0, None, 1, False)
    assert fault(match({"A": "resign", key: "resign"})) == (0, None, 1, False)


# The other rows: what is wrong after the end shows everything, the outcome too


@pytest.mark.parametrize("turn", [{"A": TURN, "B": TURN}, {"A": TURN}, {}, None, {"A": "resign"}, {"Z": 1}])
def test_a_turn_after_the_end_shows_all_and_the_outcome(turn: Any) -> None:
    assert fault(match(KILL, turn)) == (1, None, 6, True)
    assert fault(match({"A": "resign"}, turn)) == (1, None, 1, True)
    assert fault(match({"A": "draw", "B": "draw"}, turn, turn)) == (1, None, 1, True)


@pytest.mark.parametrize(
    "result",
    [
        RESULT,
        {"scores": {"A": 1.0, "B": 0.0}, "reason": "destroyed"},
        {"scores": {"A": 1 - 9e-10, "B": 9e-10}, "reason": "destroyed"},
        {"scores": {"A": 1 + 9e-10, "B": -9e-10}, "reason": "destroyed"},
        {"reason": "destroyed", "scores": {"B": 0, "A": 1}},
    ],
)
def test_the_right_result_is_accepted_to_within_a_billionth(result: Any) -> None:
    assert replay(changed(OVER, result=result)) == replay(OVER)


@pytest.mark.parametrize(
    "result",
    [
        None, {}, [], "A", 1, True,
        {"scores": {"A": 0, "B": 1}, "reason": "destroyed"},
        {"scores": {"A": 0.5, "B": 0.5}, "reason": "destroyed"},
        {"scores": {"A": 1 - 2e-9, "B": 0}, "reason": "destroyed"},
        {"scores": {"A": 1, "B": 0}, "reason": "resigned"},
        {"scores": {"A": 1, "B": 0}},
        {"scores": {"A": 1}, "reason": "destroyed"},
        {"scores": {"A": 1, "B": 0, "C": 0}, "reason": "destroyed"},
        {"scores": {"A": True, "B": False}, "reason": "destroyed"},
        {"scores": {"A": "1", "B": "0"}, "reason": "destroyed"},
        {"scores": {"A": 10**400, "B": 0}, "reason": "destroyed"},
        {"scores": {"A": float("nan"), "B": 0}, "reason": "destroyed"},
        {"scores": {"A": DEEP, "B": DEEP}, "reason": DEEP},
        RESULT | {"by": "A"},
    ],
    ids=lambda result: repr(result)[:40],
)  # fmt: skip
def test_a_result_that_differs_shows_all_and_the_outcome(result: Any) -> None:
    assert fault(changed(OVER, result=result)) == (None, None, 6, True)


def test_a_result_of_a_match_that_goes_on_is_null() -> None:
    assert not replay(changed(PLAIN, result=None)).fault
    assert fault(changed(PLAIN, result=RESULT)) == (None, None, 11, False)


# Seals


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    nonce = "0f" * 32
    seals = [
        {
            seat: {"seal": seal("k3y", number, seat, nonce, order), "nonce": nonce}
            for seat, order in turn.items()
            if order not in ("resign", "draw")
        }
        for number, turn in enumerate(data["turns"])
    ]
    return changed(data, match="k3y", seals=seals)


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        OVER,
        match(),
        match({"A": "resign"}),
        match({"A": "draw", "B": "draw"}),
        match({"A": TURN, "B": "resign", "C": TURN}, {"A": TURN, "C": TURN}, seats="ABC"),
    ],
)
def test_seals_that_open_are_accepted(data: dict[str, Any]) -> None:
    assert replay(sealed(data)) == replay(data)


@pytest.mark.parametrize(("turn", "seat"), [(0, "A"), (0, "B"), (1, "A"), (1, "B")])
def test_a_seal_that_does_not_open_names_its_turn_and_seat(turn: int, seat: str) -> None:
    for name in ("seal", "nonce"):
        data = sealed(PLAIN)
        data["seals"][turn][seat][name] = "ab" * 32
        assert fault(data) == (turn, seat, 11, False)
    data = sealed(PLAIN)
    data["turns"][turn][seat] = "TR TR TR TR TR"
    assert fault(data)[:2] == (turn, seat)


@pytest.mark.parametrize(
    "seals",
    [
        None, {}, "", 1, [], [{}], [{}, {}], [{}, {}, {}], [None, None], [[], []], DEEP,
        [{"A": "x", "B": "x"}, {"A": "x", "B": "x"}],
        [{"A": {}, "B": {}}, {"A": {}, "B": {}}],
        [{seat: {"seal": "0" * 64} for seat in "AB"}] * 2,
        [{"A": {"seal": "0" * 64, "nonce": "0" * 64}}] * 2,
        [{seat: {"seal": "0" * 64, "nonce": "0" * 64} for seat in "ABC"}] * 2,
        [{seat: {"seal": "0" * 63, "nonce": "0" * 64} for seat in "AB"}] * 2,
        [{seat: {"seal": "0" * 64, "nonce": "nonce"} for seat in "AB"}] * 2,
        [{seat: {"seal": "0" * 64, "nonce": "\ud800" * 64} for seat in "AB"}] * 2,
    ],
    ids=lambda seals: repr(seals)[:40],
)  # fmt: skip
def test_seals_of_wrong_shape_or_length_show_all(seals: Any) -> None:
    assert fault(changed(PLAIN, match="k3y", seals=seals)) == (None, None, 11, False)


@pytest.mark.parametrize("nonce", ["nonce", "", "0f" * 31, "0g" * 32, "0f" * 31 + "\n0f", "\ud800" * 64])
def test_a_nonce_is_64_hex_digits_even_where_its_seal_would_open(nonce: str) -> None:
    data = sealed(OVER)
    data["seals"][0]["A"] = {"seal": seal("k3y", 0, "A", nonce, "F F F F F"), "nonce": nonce}
    assert fault(data) == (None, None, 6, True)


def test_seals_need_the_key_of_the_match_and_none_is_of_a_resignation() -> None:
    # printf 'robosite-seal/1\nk3y\n0\nA\n0f0f\nF ^ TR v H' | sha256sum
    assert seal("k3y", 0, "A", "0f0f", "F ^ TR v H") == (
        "2dadc6f4d01e27ee4dde7c575623a4f954e7a1346b4080beb637687a21e76ba1"
    )
    keys: tuple[Any, ...] = (None, 5, ["k3y"])
    for none in keys:
        assert fault(changed(sealed(OVER), match=none)) == (None, None, 6, True)
    assert fault(without(sealed(OVER), "match")) == (None, None, 6, True)
    for key in ("another", "\ud800"):  # the first seal that does not open is named
        assert fault(changed(sealed(OVER), match=key)) == (0, "A", 6, True)
    data = sealed(PLAIN)
    data["seals"][0]["A"]["by"] = "deadline"
    assert not replay(data).fault
    data = sealed(match({"A": "resign"}))
    data["seals"][0]["A"] = {"seal": seal("k3y", 0, "A", "0f" * 32, "resign"), "nonce": "0f" * 32}
    assert fault(data) == (None, None, 1, True)
    assert fault(changed(match({"A": TURN}), seals=5, result=5)) == (0, "B", 1, False), "turns come first"


# Files


def shown(text: str) -> list[tuple[int, bool]]:
    """The number of positions that each record of a file shows, and whether it has a fault."""
    return [(len(r.positions), bool(r.fault)) for r in replay_lines(text.splitlines(keepends=True))]


LINE, OTHER = json.dumps(PLAIN), json.dumps(OVER)
MANY = json.dumps(PLAIN, indent=1)


@named("text found", {
    "a record a line": (f"{LINE}\n{OTHER}\n", [(11, False), (6, False)]),
    "blank lines are passed over": (f"\n \n{LINE}\n\n\t\r\n{OTHER}\n\n", [(11, False), (6, False)]),
    "nothing": ("", []),
    "one record may stretch over many lines": (MANY, [(11, False)]),
    "and with blank lines": ("\n\n" + MANY.replace("\n", "\n\n") + "\n\n", [(11, False)]),
    "a broken line is one fault": (f"{LINE}\n{LINE[:-5]}\n{LINE}", [(11, False), (0, True), (11, False)]),
    "nonsense before a record": (f"nonsense\n\n{LINE}", [(0, True), (11, False)]),
    "nonsense alone": ("nonsense", [(0, True)]),
    "JSON that is no record": (f'5\n"x"\nnull\n[]\n{LINE}', [(0, True)] * 4 + [(11, False)]),
})  # fmt: skip
def test_a_file_is_replayed_record_by_record(text: str, found: list[tuple[int, bool]]) -> None:
    assert shown(text) == found


def test_a_record_over_many_lines_is_no_record_if_another_follows() -> None:
    assert all(broken for _, broken in shown(f"{MANY}\n{MANY}"))


def test_a_file_of_many_records_streams() -> None:
    taken = []

    def lines() -> Iterator[str]:
        for number in range(1000):
            taken.append(number)
            yield json.dumps(PLAIN) + "\n"

    replays = replay_lines(lines())
    for number in range(5):
        assert len(next(replays).positions) == 11
        assert len(taken) == number + 1


def test_a_file_of_many_broken_lines_streams_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "LONGEST", 100)
    taken = []

    def lines() -> Iterator[str]:
        for number in range(1000):
            taken.append(number)
            yield "nonsense that is long enough\n"

    replays = replay_lines(lines())
    assert next(replays).fault
    assert len(taken) < 10
    assert sum(bool(r.fault) for r in replays) == 999


# Whatever it is, it is no traceback

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_a_record_with_anything_anywhere_is_shown_as_json(data: st.DataObject) -> None:
    key = data.draw(st.sampled_from([*sealed(OVER), "options", "setup", "rules", "result"]))
    odd = changed(sealed(OVER), **{key: data.draw(JSON)})
    json.dumps(replay(odd).as_json(), allow_nan=False).encode()


@given(st.data())
def test_a_turn_with_anything_in_it_is_shown_as_json(data: st.DataObject) -> None:
    seat = data.draw(st.sampled_from(["A", "B"]) | st.text(max_size=2))
    odd = match({"A": TURN, "B": TURN}, {"A": TURN, "B": TURN} | {seat: data.draw(JSON)})
    result = replay(odd).as_json()
    json.dumps(result, allow_nan=False).encode()
    assert len(result["positions"]) == (6 if "error" in result else 11)


@given(st.text())
def test_a_file_of_any_text_is_no_traceback(text: str) -> None:
    for one in replay_lines(text.splitlines(keepends=True)):
        assert one.fault
