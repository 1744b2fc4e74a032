"""Rules that all games share: resigning, drawing, whole turns, strict options (G1 to G3)."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import pytest

from games import GAMES, newest
from games.core import (
    IllegalOption,
    IllegalOrder,
    Outcome,
    Seat,
    Sentence,
    check_turn,
    play_turn,
    tell,
    whole_turn,
)
from tests.games.cases import scores
from tests.games.pig_table import PIGS, play, stand

A, B, C, D = map(Seat, "ABCD")
TURN = "TL TL TL TL TL"
TWO = "A=d8S0 B=e1N0"
THREE = "A=d8S0 B=e1N0 C=h5W0"
FOUR = "A=d8S0 B=e1N0 C=h5W0 D=a4E0"


def refused(position: str, orders: dict[str, object]) -> tuple[Seat | None, str]:
    """The seat at fault and the sentence with which a turn is refused."""
    with pytest.raises(IllegalOrder) as fault:
        check_turn(stand(position), orders)
    return fault.value.seat, str(fault.value)


# G1, two players or one left


@pytest.mark.parametrize(("resigns", "wins"), [("A", "B"), ("B", "A")])
def test_g1_of_two_who_resigns_loses_at_once(resigns: str, wins: str) -> None:
    state = stand(TWO)
    states = play(state, **{resigns: "resign"})
    assert len(states) == 1
    assert states[0].position() == TWO
    assert not states[0].tick
    assert states[0].turn == 1
    assert states[0].to_act() == states[0].still_in() == frozenset()
    assert scores(states[0].outcome()) == f"{wins} resigned"


@pytest.mark.parametrize(
    ("position", "resign", "winners"),
    [
        (TWO, "AB", "AB"),
        (THREE, "ABC", "ABC"),
        (FOUR, "ABCD", "ABCD"),
        (THREE, "AC", "B"),
        (FOUR, "ABD", "C"),
    ],
)
def test_g1_resignations_that_leave_one_or_none_end_the_match(
    position: str, resign: str, winners: str
) -> None:
    state = play(stand(position), **dict.fromkeys(resign, "resign"))[-1]
    assert scores(state.outcome()) == f"{winners} resigned"
    assert state.position() == position


def test_g1_nobody_left_only_those_share_who_resigned_in_this_turn() -> None:
    state = play(stand("A=d8S0 B=e1N0 C=h5Wx"), A="resign", B="resign")[-1]
    assert scores(state.outcome()) == "AB resigned"


def test_g1_nothing_is_played_beside_resignations_that_end_the_match() -> None:
    assert refused(TWO, {"A": "resign", "B": TURN})[0] is None
    assert refused(THREE, {"A": "resign", "B": "resign", "C": TURN})[0] is None
    assert refused(THREE, {"A": "resign", "B": "resign", "C": "draw"})[0] is None


# G1, three or more players


def test_g1_the_pig_becomes_a_hulk_where_it_stands_before_the_turn_is_played() -> None:
    states = play(stand(THREE), A="resign", B="F F F F F", C=TURN)
    assert not states[0].tick
    assert states[0].position() == "A=d8Sx B=e1N0 C=h5W0"
    assert next(s.position() for s in states if s.tick) == "A=d8Sx B=e1N0 C=h5S0"
    assert states[-1].still_in() == states[-1].to_act() == {"B", "C"}
    assert states[-1].turn == 1


def test_g1_who_resigned_is_cover_and_takes_no_damage() -> None:
    states = play(stand("A=d1N0 B=d4N0 C=d7N0"), A="F H F H F", B="resign", C=TURN)
    assert states[-1].position() == "A=d1N0 B=d4Nx C=d7W0"


def test_g1_resigning_is_no_destruction_that_ends_a_first_down_game() -> None:
    states = play(stand(THREE), A=TURN, B="resign", C=TURN)
    assert len([s for s in states if s.tick]) == 5
    assert states[-1].outcome() is None


@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
def test_g1_who_resigned_has_no_share_when_the_others_end_the_match(ends: str) -> None:
    state = stand("A=d8S0 B=d1N4 C=h5W0", ends=ends)
    assert scores(play(state, A="F TL TL TL TL", B="X X X X TL", C="resign")[-1].outcome()) == "A destroyed"
    state = stand("A=d8S4 B=d1N4 C=h5W0", ends=ends)
    together = play(state, A="F X X X X", B="F X X X X", C="resign")[-1]
    assert scores(together.outcome()) == "AB destroyed"


def test_g1_two_of_four_resign_and_the_others_play() -> None:
    state = play(stand(FOUR), A="resign", B=TURN, C=TURN, D="resign")[-1]
    assert state.position() == "A=d8Sx B=e1W0 C=h5S0 D=a4Ex"
    assert state.outcome() is None


def test_g1_a_seat_that_is_out_cannot_resign() -> None:
    assert refused("A=d8S0 B=e1Nx C=h5W0", {"A": TURN, "B": "resign", "C": TURN})[0] == "B"


# G2


@pytest.mark.parametrize(
    ("position", "who"), [(TWO, "AB"), (THREE, "ABC"), (FOUR, "ABCD"), ("A=d8S0 B=e1Nx C=h5W0", "AC")]
)
def test_g2_all_who_are_still_in_may_agree_on_a_draw(position: str, who: str) -> None:
    states = play(stand(position), **dict.fromkeys(who, "draw"))
    assert len(states) == 1
    assert not states[0].tick
    assert states[0].turn == 1
    assert states[0].position() == position
    assert scores(states[0].outcome()) == f"{who} agreed"


@pytest.mark.parametrize(
    "orders",
    [
        {"A": "draw", "B": TURN, "C": TURN},
        {"A": "draw", "B": "draw", "C": TURN},
        {"A": "draw"},
        {"A": "draw", "B": "draw"},
        {"A": "draw", "B": "draw", "C": "resign"},
    ],
)
def test_g2_a_draw_by_some_only_is_no_order(orders: dict[str, object]) -> None:
    seat, said = refused(THREE, orders)
    assert seat is None
    assert "draw" in said


# Whole turns: what is sealed and what is public (G1 to G3)


def test_a_turn_waits_until_all_have_sealed() -> None:
    state = stand(THREE)
    assert whole_turn(state, {}, set(), set()) is None
    assert whole_turn(state, {A: TURN, C: TURN}, set(), set()) is None
    orders = {A: TURN, B: TURN, C: TURN}
    assert whole_turn(state, orders, set(), set()) == orders


def test_g1_a_resignation_completes_the_turn_when_all_others_have_sealed() -> None:
    state = stand(THREE)
    assert whole_turn(state, {A: TURN}, {B}, set()) is None
    assert whole_turn(state, {A: TURN, C: TURN}, {B}, set()) == {A: TURN, B: "resign", C: TURN}


def test_g1_a_resignation_takes_the_place_of_a_sealed_order() -> None:
    state = stand(THREE)
    turn = whole_turn(state, {A: TURN, B: TURN, C: TURN}, {B}, set())
    assert turn == {A: TURN, B: "resign", C: TURN}


def test_g1_a_resignation_that_ends_the_match_waits_for_nobody() -> None:
    assert whole_turn(stand(TWO), {}, {A}, set()) == {A: "resign"}
    assert whole_turn(stand(TWO), {B: TURN}, {A}, set()) == {A: "resign"}
    assert whole_turn(stand(TWO), {}, {A, B}, set()) == {A: "resign", B: "resign"}
    assert whole_turn(stand(THREE), {C: TURN}, {A, B}, set()) == {A: "resign", B: "resign"}


def test_g2_offers_of_all_who_are_still_in_end_the_match_whatever_is_sealed() -> None:
    state = stand("A=d8S0 B=e1Nx C=h5W0")
    assert whole_turn(state, {A: TURN}, set(), {A}) is None
    assert whole_turn(state, {A: TURN, C: TURN}, set(), {A}) == {A: TURN, C: TURN}
    assert whole_turn(state, {A: TURN}, set(), {A, C}) == {A: "draw", C: "draw"}


def test_nobody_who_is_out_counts_in_a_turn() -> None:
    state = stand("A=d8S0 B=e1Nx C=h5W0")
    assert whole_turn(state, {A: TURN, B: TURN, C: TURN}, {B}, {B}) == {A: TURN, C: TURN}


def test_there_is_no_turn_after_the_end() -> None:
    over = play(stand(TWO), A="resign")[-1]
    assert whole_turn(over, {A: TURN, B: TURN}, {A, B}, {A, B}) is None


@pytest.mark.parametrize("position", [TWO, THREE, FOUR, "A=d8S0 B=e1Nx C=h5W0 D=a4E0"])
def test_every_whole_turn_is_a_legal_one(position: str) -> None:
    state = stand(position)
    sealed = dict.fromkeys(state.to_act(), TURN)
    groups = [frozenset(g) for n in range(len(state.seats) + 1) for g in combinations(state.seats, n)]
    for resigning in groups:
        for drawing in groups:
            turn = whole_turn(state, sealed, resigning, drawing)
            assert turn
            check_turn(state, turn)
            assert list(play_turn(state, turn))[-1].turn == 1


# Faults of a turn


@pytest.mark.parametrize(
    ("orders", "seat"),
    [
        ({"A": TURN, "B": TURN}, "C"),
        ({"C": TURN}, "A"),
        ({}, "A"),
        ({"A": TURN, "B": 5, "C": TURN}, "B"),
        ({"A": TURN, "B": None, "C": TURN}, "B"),
        ({"A": TURN, "B": ["TL"] * 5, "C": TURN}, "B"),
        ({"A": "TL", "B": TURN, "C": "TL"}, "A"),
        ({"A": TURN, "B": "tl TL TL TL TL", "C": TURN}, "B"),
        ({"A": TURN, "B": TURN, "C": "TL  TL TL TL TL"}, "C"),
        ({"A": "Resign", "B": TURN, "C": TURN}, "A"),
        ({"A": TURN, "B": TURN, "C": TURN, "D": TURN}, None),
        ({"A": TURN, "B": TURN, "C": TURN, "": TURN}, None),
        ({"a": TURN, "B": TURN, "C": TURN}, None),
    ],
)
def test_a_faulty_turn_names_the_first_seat_at_fault(orders: dict[str, object], seat: str | None) -> None:
    at_fault, said = refused(THREE, orders)
    assert at_fault == seat
    assert said


def test_an_order_of_a_seat_that_is_out_is_refused() -> None:
    seat, said = refused("A=d8S0 B=e1Nx C=h5W0", {"A": TURN, "B": TURN, "C": TURN})
    assert seat == "B"
    assert "out" in said


# Options, strictly


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"ends": "never"}, "ends"),
        ({"ends": True}, "ends"),
        ({"ends": None}, "ends"),
        ({"ends": ["first_down"]}, "ends"),
        ({"damage_moves": 1}, "damage_moves"),
        ({"damage_moves": 0}, "damage_moves"),
        ({"damage_moves": "false"}, "damage_moves"),
        ({"damage_moves": 1.0}, "damage_moves"),
        ({"start": "Ring"}, "start"),
        ({"laser": True}, "laser"),
        ({"speed": 3}, "speed"),
        ({"": 3}, ""),
    ],
)
def test_options_are_strictly_typed_and_the_one_at_fault_is_named(
    given: dict[str, object], name: str
) -> None:
    with pytest.raises(IllegalOption) as fault:
        PIGS.read_options(given)
    assert fault.value.name == name
    assert str(fault.value)


def test_options_are_written_where_they_differ_from_the_defaults() -> None:
    given = {"laser": "through", "damage_moves": False, "ends": "first_down", "start": "ring"}
    options = PIGS.read_options(given)
    written = {"start": "ring", "damage_moves": False, "laser": "through"}
    assert list(PIGS.write_options(options).items()) == list(written.items())
    assert PIGS.read_options(PIGS.write_options(options)) == options


def test_options_cannot_be_changed() -> None:
    options = PIGS.read_options({})
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.ends = "last_standing"


@pytest.mark.parametrize(("start", "allowed"), [("sides", range(2, 5)), ("ring", range(2, 9))])
def test_p1_p2_how_many_may_play(start: str, allowed: range) -> None:
    options = PIGS.read_options({"start": start})
    for seats in range(12):
        if seats in allowed:
            PIGS.check_seats(options, seats)
        else:
            with pytest.raises(IllegalOption) as fault:
                PIGS.check_seats(options, seats)
            assert fault.value.name == "seats"


def test_a_game_without_chance_takes_no_setup() -> None:
    options = PIGS.read_options({})
    PIGS.check_setup(options, 2, {})
    with pytest.raises(IllegalOption, match="corners"):
        PIGS.check_setup(options, 2, {"corners": {}})


# Small words


@pytest.mark.parametrize(("winners", "share"), [("A", 1), ("AB", 0.5), ("ABC", 1 / 3), ("ABCD", 0.25)])
def test_the_point_is_shared_equally(winners: str, share: float) -> None:
    outcome = Outcome.shared(frozenset(map(Seat, winners)), (A, B, C, D), "agreed")
    assert outcome.as_json() == {
        "scores": {seat: share if seat in winners else 0 for seat in "ABCD"},
        "reason": "agreed",
    }


def test_a_won_point_is_a_whole_number_in_json() -> None:
    outcome = Outcome.shared(frozenset([A]), (A, B), "destroyed")
    assert [type(score) for score in outcome.scores.values()] == [int, int]


def test_a_sentence_shows_its_facts_whatever_they_hold() -> None:
    assert str(Sentence("“{order}” is none.", order="{by} {0} {")) == "“{by} {0} {” is none."
    assert str(Sentence("{n}: {name}.", n=1, name=Sentence("turn {way}", way="left"))) == "1: turn left."


def test_the_newest_rules_of_a_game_are_the_highest_number() -> None:
    for slug, versions in GAMES.items():
        assert newest(slug) is versions[max(versions)]
        assert all(game.slug == slug and game.rules == rules for rules, game in versions.items())
    with pytest.raises(KeyError):
        newest("chess")


def test_agreements_and_resignations_are_told_for_every_game() -> None:
    state = stand(THREE)
    agreed = play(state, A="draw", B="draw", C="draw")[-1]
    assert [str(tell(agreed, event)) for event in agreed.events] == ["All agree on a draw."]
    left = play(state, A="resign", B=TURN, C=TURN)[0]
    assert [str(tell(left, event)) for event in left.events] == ["A resigns."]
    over = play(state, A="resign", B="resign")[-1]
    assert [str(tell(over, event)) for event in over.events] == ["A resigns.", "B resigns."]
