"""P15, continuous feedback: three commands first, then one after every step; hits make the list longer."""

from __future__ import annotations

from random import Random

import pytest

from games import newest
from games.core import IllegalOrder, Seat, play_turn
from games.pigs.presentation.planner import PigsPlan
from games.pigs.state import PigsState
from games.record import replay

PIGS = newest("pigs")
A, B = Seat("A"), Seat("B")
EXAMPLE = [
    {"A": "\\ F \\", "B": "^ ^ ^"},
    {"A": "^", "B": "H"},
    {"A": "TL", "B": "TL"},
    {"A": "F", "B": "TR"},
    {"A": "\\", "B": "TR"},
]


def start(text: str = "", **options: object) -> PigsState:
    chosen = PIGS.read_options({"mode": "continuous", **options})
    return PigsState.read(text, chosen, 2) if text else PigsState.start(chosen, 2, {})


def played_turn(state: PigsState, orders: dict[Seat, str]) -> PigsState:
    *_, last = play_turn(state, orders)
    assert isinstance(last, PigsState)
    return last


def after(state: PigsState, a: str, b: str) -> PigsState:
    return played_turn(state, {A: a, B: b})


def plan(state: PigsState, seat: Seat, order: str, guesses: dict[Seat, str] | None = None) -> PigsPlan:
    made = state.plan(seat, order, guesses)
    assert isinstance(made, PigsPlan)
    return made


def played(turns: int) -> PigsState:
    state = start()
    for turn in EXAMPLE[:turns]:
        state = after(state, turn["A"], turn["B"])
    return state


def test_p15_the_example_of_the_rules_comes_out_move_by_move() -> None:
    record = {
        "format": "robosite/1",
        "game": "pigs",
        "options": {"mode": "continuous"},
        "seats": ["A", "B"],
        "turns": EXAMPLE[:4],
    }
    assert replay(record).as_json() == {
        "positions": [
            "A=d8S0[] B=e1N0[]",
            "A=e7S0[F,\\] B=e2N0[^,^]",
            "A=e7S0[\\,^] B=e3N1[^,H,H]",
            "A=f6S0[^,TL] B=e4N1[H,H,TL]",
            "A=f5S1[TL,F,F] B=e4N1[H,TL,TR]",
        ],
        "outcome": None,
    }


def test_p15_first_three_commands_then_one() -> None:
    state = start()
    for wrong in ("F", "F F", "F F F F", ""):
        with pytest.raises(IllegalOrder, match="three commands"):
            state.check(A, wrong)
    assert state.check(A, "f,^ tl") == "F ^ TL"
    state = after(state, "F F F", "F F F")
    with pytest.raises(IllegalOrder, match="one new command"):
        state.check(A, "F F")
    assert state.check(A, "h") == "H"


@pytest.mark.parametrize("order", ["R R R", "X F F", "F F R"])
def test_p15_there_is_no_repair_and_no_damage_move(order: str) -> None:
    with pytest.raises(IllegalOrder, match="continuous feedback"):
        start("A=d8S2[] B=e1N0[]").check(A, order)


def test_p15_a_pig_hit_twice_in_a_step_repeats_its_last_command_twice() -> None:
    options = PIGS.read_options({"mode": "continuous"})
    state = PigsState.read("A=d8S0[F] B=d5N0[^,TL] C=e5W0[H,F]", options, 3)
    orders = {A: "^", B: "TR", Seat("C"): "H"}
    *_, last = play_turn(state, orders)
    assert last.position() == "A=d8S0[^] B=d6N2[TL,TR,TR,TR] C=e5W0[F,H]"


def test_p15_a_destroyed_pig_is_a_wreck_without_a_list() -> None:
    state = after(start("A=d8S0[F] B=d5N4[TL,TL]"), "F", "F")
    assert state.position() == "A=d8S0[F] B=d5Wx"
    assert state.outcome().scores == {"A": 1, "B": 0}


def test_p15_others_see_only_how_long_a_list_is() -> None:
    state = played(4)
    assert state.view(A).position() == "A=f5S1[TL,F,F] B=e4N1[3]"
    assert state.view(None).position() == "A=f5S1[3] B=e4N1[3]"
    assert state.view(B).events == state.events


def test_p15_what_is_hidden_changes_nothing_that_others_see() -> None:
    one = after(start(), "^ F F", "^ H H")
    two = after(start(), "^ TL v", "^ H H")
    assert one.view(B) == two.view(B)
    assert one.view(None) == two.view(None)
    assert one.view(A) != two.view(A)


def test_p15_a_guess_fits_what_is_known_down_to_the_copies() -> None:
    options = PIGS.read_options({"mode": "continuous"})
    state = PigsState.read("A=d8S0[F,F] B=d5N0[TL,TL] C=d1N0[F]", options, 3)
    state = played_turn(state, {A: "F", B: "TR", Seat("C"): "F"})  # B is hit twice
    view = state.view(A)
    for seed in range(30):
        guess = view.determinize(Random(seed))
        assert guess.view(A) == view
        *_, last, first_copy, second_copy = (queued.command for queued in guess.listed(B))
        assert last == first_copy == second_copy != "?"


def test_p15_a_copy_of_a_command_that_was_executed_is_no_secret() -> None:
    state = start("A=d8S0[F,F,F] B=d5N0[TL]")
    state = after(state, "F", "TR")  # TR is on the list twice now
    state = after(state, "F", "v")  # one of them is executed, and both hits add a v
    guesses = {state.view(A).determinize(Random(seed)).listed(B)[0].command for seed in range(20)}
    assert guesses == {"TR"}


def test_p15_an_order_is_secret_until_all_of_it_was_executed() -> None:
    secret = [[played(n).conceals(turn, A) for turn in range(n)] for n in range(5)]
    assert secret == [[], [True], [True, True], [False, True, True], [False, False, True, True]]


def test_p15_nothing_is_secret_once_it_is_over() -> None:
    state = after(start("A=d8S0[F] B=d5N4[TL,TL]"), "F", "F")
    assert state.view(None) == state
    assert not any(state.conceals(0, seat) for seat in state.seats)


def test_p15_who_resigned_keeps_secret_what_was_never_executed() -> None:
    options = PIGS.read_options({"mode": "continuous", "ends": "last_standing"})
    state = PigsState.start(options, 3, {})
    c = Seat("C")
    state = played_turn(state, {A: "^ ^ ^", B: "^ ^ ^", c: "^ ^ ^"})
    state = played_turn(state, {A: "resign", B: "H", c: "H"})
    assert state.position().startswith("A=d7Sx B=e3N0[^,H]")
    assert state.conceals(0, A)
    assert all(queued.command == "?" for queued in state.view(B).listed(A))


def test_p15_the_plan_shows_the_list_locked_and_one_free_slot() -> None:
    empty = plan(played(4).view(B), B, "")
    assert [(slot.sign, bool(slot.key)) for slot in empty.slots] == [
        ("H", False),
        ("TL", False),
        ("TR", False),
        ("", True),
    ]
    assert empty.order == "."
    assert "R" not in [choice.key for choice in empty.palette]
    filled = plan(played(4), B, empty.choose("^"))
    assert filled.order == "^"
    assert filled.missing is None
    assert [ghost.number for ghost in filled.ghosts] == [1, 2, 3, 4]


def test_what_if_plays_guesses_through_with_bumps_and_hits() -> None:
    state = PigsState.read("A=d5N0 B=d7S0", PIGS.read_options({}), 2)
    alone = plan(state, A, "^ F . . .")
    together = plan(state, A, "^ F . . .", {B: "^ H"})
    assert [str(sentence) for sentence in alone.words] == [
        "Slot 1: forward; you go to d6, facing north.",
        "Slot 2: fire; you stand on d6, facing north.",
    ]
    assert [str(sentence) for sentence in together.words][:3] == [
        "A tries to go to d6, gets bumped and stays on d5.",
        "B tries to go to d6, gets bumped and stays on d7.",
        "A fires north and hits B!",
    ]
    assert {ghost.side for ghost in together.ghosts} == {"a", "b"}


def test_what_if_takes_any_text_as_a_guess() -> None:
    state = PigsState.start(PIGS.read_options({}), 2, {})
    assert state.plan(A, "^", {B: "Not found"}).words


def test_p15_a_guess_fills_what_only_its_player_knows() -> None:
    state = PigsState.read("A=d4N0[TL,TL] B=d6S0[F,TL]", PIGS.read_options({"mode": "continuous"}), 2)
    made = state.view(A).guessing(B, "F")
    assert isinstance(made, PigsPlan)
    assert [slot.locked for slot in made.slots] == [False, False, False]
    assert made.order == "F . ."


def test_p15_what_is_known_of_a_list_is_not_guessed() -> None:
    state = PigsState.read("A=d4N0[F,TL] B=d6S0[F,TL]", PIGS.read_options({"mode": "continuous"}), 2)
    hit = after(after(state, "TR", "TR"), "TR", "TR")  # both were hit: TR, TR repeated
    known = [queued.command for queued in hit.view(A).listed(B)]
    made = hit.view(A).guessing(B, "")
    assert isinstance(made, PigsPlan)
    assert made.order.count(".") + made.order.count("_") == known.count("?") + 1 - sum(
        queued.repeat and queued.command == "?" for queued in hit.view(A).listed(B)
    )
    assert [slot.locked for slot in made.slots].count(True) == len(made.slots) - len(made.order.split())


def test_p15_what_if_hits_repeat_the_last_command() -> None:
    state = PigsState.read("A=d4N0[TL,^] B=d6S0[F,TL]", PIGS.read_options({"mode": "continuous"}), 2)
    made = plan(state.view(A), A, "v", {B: "F TL TR"})
    assert [listed.position() for listed in made.film[1:]] == [
        "A=d4W1[^,v,v] B=d6S0[2]",
        "A=c4W1[v,v] B=d6E0[1]",
        "A=d4W1[v] B=d6S0[0]",
        "A=e4W1[] B=d6S0[0]",
    ]
