"""Rules that all games share: resigning, drawing, whole turns, strict options (G1 to G3)."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import pytest

from games import GAMES, newest
from games.core import IllegalOption, Outcome, Seat, Sentence, check_turn, play_turn, tell, whole_turn
from tests.games.cases import scores
from tests.games.pig_table import PIGS, play, stand

A, B, C, D = map(Seat, "ABCD")
TURN = "TL TL TL TL TL"
TWO = "A=d8S0 B=e1N0"
THREE = "A=d8S0 B=e1N0 C=h5W0"
FOUR = "A=d8S0 B=e1N0 C=h5W0 D=a4E0"
OUT = "A=d8S0 B=e1Nx C=h5W0"


# G1, two players or one left


@pytest.mark.parametrize(
    ("position", "resign", "winners"),
    [
        (TWO, "A", "B"),
        (TWO, "B", "A"),
        (TWO, "AB", "AB"),
        (THREE, "ABC", "ABC"),
        (FOUR, "ABCD", "ABCD"),
        (THREE, "AC", "B"),
        (FOUR, "ABD", "C"),
        (OUT, "AC", "AC"),
    ],
)
def test_g1_resignations_that_leave_one_or_none_end_the_match_at_once(
    position: str, resign: str, winners: str
) -> None:
    (state,) = play(stand(position), **dict.fromkeys(resign, "resign"))
    assert scores(state.outcome()) == f"{winners} resigned"
    assert (state.position(), state.tick, state.turn) == (position, False, 1)
    assert state.to_act() == state.still_in() == frozenset()


# G1, three or more players


def test_g1_who_resigns_becomes_a_hulk_that_is_cover_and_takes_no_damage() -> None:
    states = play(stand(THREE), A="resign", B="F F F F F", C=TURN)
    assert not states[0].tick
    assert states[0].position() == "A=d8Sx B=e1N0 C=h5W0"
    assert next(s.position() for s in states if s.tick) == "A=d8Sx B=e1N0 C=h5S0"
    assert states[-1].still_in() == states[-1].to_act() == {"B", "C"}
    assert states[-1].turn == 1
    states = play(stand("A=d1N0 B=d4N0 C=d7N0"), A="F H F H F", B="resign", C=TURN)
    assert states[-1].position() == "A=d1N0 B=d4Nx C=d7W0"


# G2


@pytest.mark.parametrize(("position", "who"), [(TWO, "AB"), (THREE, "ABC"), (FOUR, "ABCD"), (OUT, "AC")])
def test_g2_all_who_are_still_in_may_agree_on_a_draw(position: str, who: str) -> None:
    (state,) = play(stand(position), **dict.fromkeys(who, "draw"))
    assert (state.position(), state.tick, state.turn) == (position, False, 1)
    assert scores(state.outcome()) == f"{who} agreed"


# Whole turns: what is sealed and what is public (G1 to G3)


def test_a_turn_waits_until_all_have_sealed_but_not_for_those_who_are_out() -> None:
    state = stand(THREE)
    assert whole_turn(state, {}, set(), set()) is None
    assert whole_turn(state, {A: TURN, C: TURN}, set(), set()) is None
    orders = {A: TURN, B: TURN, C: TURN}
    assert whole_turn(state, orders, set(), set()) == orders
    state = stand("A=d8S0 B=e1Nx C=h5W0")
    assert whole_turn(state, {A: TURN, B: TURN, C: TURN}, {B}, {B}) == {A: TURN, C: TURN}
    over = play(stand(TWO), A="resign")[-1]
    assert whole_turn(over, {A: TURN, B: TURN}, {A, B}, {A, B}) is None


def test_g1_a_resignation_takes_the_place_of_an_order_and_the_last_one_waits_for_nobody() -> None:
    state = stand(THREE)
    assert whole_turn(state, {A: TURN}, {B}, set()) is None
    assert whole_turn(state, {A: TURN, C: TURN}, {B}, set()) == {A: TURN, B: "resign", C: TURN}
    turn = whole_turn(state, {A: TURN, B: TURN, C: TURN}, {B}, set())
    assert turn == {A: TURN, B: "resign", C: TURN}
    assert whole_turn(stand(TWO), {}, {A}, set()) == {A: "resign"}
    assert whole_turn(stand(TWO), {B: TURN}, {A}, set()) == {A: "resign"}
    assert whole_turn(stand(TWO), {}, {A, B}, set()) == {A: "resign", B: "resign"}
    assert whole_turn(stand(THREE), {C: TURN}, {A, B}, set()) == {A: "resign", B: "resign"}


def test_g2_offers_of_all_who_are_still_in_end_the_match_whatever_is_sealed() -> None:
    state = stand("A=d8S0 B=e1Nx C=h5W0")
    assert whole_turn(state, {A: TURN}, set(), {A}) is None
    assert whole_turn(state, {A: TURN, C: TURN}, set(), {A}) == {A: TURN, C: TURN}
    assert whole_turn(state, {A: TURN}, set(), {A, C}) == {A: "draw", C: "draw"}


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


# Options, strictly


def test_the_option_at_fault_is_named() -> None:
    for name, wrong in (("ends", ["first_down"]), ("damage_moves", 1.0), ("start", "Ring"), ("", 3)):
        with pytest.raises(IllegalOption) as fault:
            PIGS.read_options({name: wrong})
        assert fault.value.name == name


def test_options_are_written_where_they_differ_from_the_defaults() -> None:
    given = {"laser": "through", "damage_moves": False, "ends": "first_down", "start": "ring"}
    options = PIGS.read_options(given)
    written = {"start": "ring", "damage_moves": False, "laser": "through"}
    assert list(PIGS.write_options(options).items()) == list(written.items())
    assert PIGS.read_options(PIGS.write_options(options)) == options
    options = PIGS.read_options({})
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.ends = "last_standing"
    PIGS.check_setup(options, 2, {})
    with pytest.raises(IllegalOption, match="corners"):
        PIGS.check_setup(options, 2, {"corners": {}})


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


# Small words


@pytest.mark.parametrize(("winners", "share"), [("A", 1), ("AB", 0.5), ("ABC", 1 / 3), ("ABCD", 0.25)])
def test_the_point_is_shared_equally(winners: str, share: float) -> None:
    outcome = Outcome.shared(frozenset(map(Seat, winners)), (A, B, C, D), "agreed")
    assert outcome.as_json() == {
        "scores": {seat: share if seat in winners else 0 for seat in "ABCD"},
        "reason": "agreed",
    }
    assert share < 1 or {type(score) for score in outcome.scores.values()} == {int}


def test_sentences_show_their_facts_and_tell_agreements_and_resignations_of_every_game() -> None:
    assert str(Sentence("“{order}” is none.", order="{by} {0} {")) == "“{by} {0} {” is none."
    assert str(Sentence("{n}: {name}.", n=1, name=Sentence("turn {way}", way="left"))) == "1: turn left."
    state = stand(THREE)
    agreed = play(state, A="draw", B="draw", C="draw")[-1]
    assert [str(tell(agreed, event)) for event in agreed.events] == ["All agree on a draw."]
    left = play(state, A="resign", B=TURN, C=TURN)[0]
    assert [str(tell(left, event)) for event in left.events] == ["A resigns."]
    over = play(state, A="resign", B="resign")[-1]
    assert [str(tell(over, event)) for event in over.events] == ["A resigns.", "B resigns."]


def test_the_newest_rules_of_a_game_are_the_highest_number() -> None:
    for slug, versions in GAMES.items():
        assert newest(slug) is versions[max(versions)]
        assert all(game.slug == slug and game.rules == rules for rules, game in versions.items())
    with pytest.raises(KeyError):
        newest("chess")
