"""The pigs' options: kids (P14), and continuous feedback (P15)."""

from __future__ import annotations

from random import Random

import pytest

from games.core import IllegalOrder, Seat, play_turn, tell
from games.pigs import PigsState
from games.pigs.presentation.picture import cell, effects, pieces
from games.pigs.presentation.planner import PigsPlan
from tests.games.cases import scores
from tests.games.pig_table import FREE, PIGS, play, stand, turn

# P14, kids: damage takes no slots; a race to five hits, or five hits taken that destroy. And P15 with it.


A, B = Seat("A"), Seat("B")
TURN = "TL TL TL TL TL"
FULL = "TL TR TL TR TL"


def race(position: str, **orders: str) -> tuple[list[str], str]:
    """The positions of a turn of a race, and who shares the point; "" while it goes on."""
    positions, outcome = turn(position, orders, damage_moves=False)
    return positions, scores(outcome) if outcome else ""


@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
def test_p14_kids_have_five_free_commands_no_x_and_no_r(ends: str) -> None:
    plus = "+0" if ends == "first_down" else ""
    state = stand(f"A=d8S4{plus} B=e1N0{plus}", ends=ends, damage_moves=False)
    assert state.check(A, "F F F F F") == "F F F F F"
    for order in ("R R R R R", "X F F F F", "X X X X F", "X X X X X", "R F F F F"):
        with pytest.raises(IllegalOrder, match="in this variant"):
            state.check(A, order)


def test_p14_p15_what_is_written_of_a_race_is_read_with_hits_dealt_before_the_list() -> None:
    for position in ("A=d8S12+7 B=e1Nx C=-", "A=d8S0+0 B=e1N99+99 C=h4Wx"):
        assert stand(position, damage_moves=False).position() == position
    position = "A=d8S2+3[F,\\] B=e1N0+0[]"
    state = stand(position, damage_moves=False, mode="continuous")
    assert state.position() == position
    assert state.view(A).position() == "A=d8S2+3[F,\\] B=e1N0+0[0]"
    assert stand("A=d8S0[] B=e1N4[]", damage_moves=False, mode="continuous", ends="last_standing")


@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
def test_p15_without_damage_moves_a_hit_repeats_nothing(ends: str) -> None:
    plus = "+0" if ends == "first_down" else ""
    position = f"A=d8S0{plus}[F,TL] B=d5N0{plus}[TL,TR]"
    state = stand(position, damage_moves=False, mode="continuous", ends=ends)
    (after,) = play(state, A="^", B="H")
    assert after.position().replace("+1", "").replace("+0", "") == "A=d8S0[TL,^] B=d5W1[TR,H]"
    assert "repeats" not in [event["kind"] for event in after.events]
    made = state.departure_from_plan(B, "H", [state, after])
    assert made and str(made.sentence) == "Your pig went where you planned."
    film = state.view(B).plan(B, "H", {A: "F TL ^"}).film
    assert [shown.position().split(" ")[1].partition("[")[2] for shown in film[1:]] == ["TR,H]", "H]", "]"]


def test_p14_the_story_of_a_race_and_its_last_sentence() -> None:
    state = stand("A=d4N0+2 B=c5S0+0 C=d8S4+0", damage_moves=False)
    first, second, *_ = play_turn(state, {A: "H F TL TL TL", B: "F TL TL TL TL", Seat("C"): FULL})
    assert [str(tell(first, event)) for event in first.events] == [
        "C turns left and faces east.",
        "A punches B!",
        "B fires south and misses.",
        "B has been hit once so far.",
        "A has landed 3 of 5 hits.",
    ]
    assert [str(tell(second, event)) for event in second.events][2:] == [
        "A fires north and hits C!",
        "C has been hit 5 times so far.",
        "A has landed 4 of 5 hits.",
    ][-3:]
    assert second.events[-1] == {"kind": "scored", "step": 1, "by": "A", "points": 1, "hits": 4}
    *_, last = play(stand("A=d8S0+4 B=d1N0+0", damage_moves=False), A="F F F F F", B=TURN)
    assert str(tell(last, last.events[-1])) == "A has landed 5 hits!"


def test_p14_the_board_the_table_and_the_list_of_players_show_the_hits_dealt() -> None:
    state = stand("A=d4N1+2 B=c5S7+0 C=e5S0+1 D=a1Nx", damage_moves=False)
    first = play(state, A="H F TL TL TL", B=FULL, C=TURN)[0]
    assert [(p.seat, p.tally and p.tally.reached) for p in pieces(first)] == [
        ("A", 4),
        ("B", 0),
        ("C", 1),
        ("D", None),
    ]
    assert [(e.kind, e.points) for e in effects(first)] == [
        ("hit", 0),
        ("hurt", 0),
        ("hurt", 0),
        ("scored", 2),
    ]
    shown = cell(first, A)
    assert shown and (shown.mark, shown.hits) == ("hit", 2)
    side_scores = [first.progress(seat) for seat in first.seats]
    assert [tally and (tally.reached, tally.goal, str(tally.says)) for tally in side_scores] == [
        (4, 5, "4 of 5 hits"),
        (0, 5, "0 of 5 hits"),
        (1, 5, "1 of 5 hits"),
        None,
    ]


def test_p9_without_a_race_the_table_and_the_board_show_the_damage_of_all() -> None:
    state = stand("A=d4N1 B=c5S4 C=a1Nx")
    told = [state.progress(seat) for seat in state.seats]
    assert [tally and (tally.reached, tally.goal, str(tally.says), tally.icon) for tally in told] == [
        (1, 5, "1 of 5 damage", ""),
        (4, 5, "4 of 5 damage", ""),
        (5, 5, "a wreck", ""),
    ]

    def shown(position: str, **options: object) -> list[str]:
        pieces = stand(position, **options).drawing()["pieces"]
        return [str(piece.harm.says) if piece.harm else "" for piece in pieces]

    assert shown("A=d4N1 B=c5S0 C=a1Nx") == ["1 of 5 damage", "", ""]
    assert shown("A=d4N9+3 B=c5S1+0", damage_moves=False) == ["", ""]


def test_p14_the_planner_and_programs_count_hits_dealt_not_taken() -> None:
    state = stand("A=a1N9+3 B=h8S0+1 C=d4W0+1", damage_moves=False)
    assert state.evaluate(A) > 0.5 > state.evaluate(B) == state.evaluate(Seat("C"))
    assert sum(map(state.evaluate, state.seats)) == pytest.approx(1)
    state = stand("A=d8S9+0 B=d1N9+0", damage_moves=False)
    made = state.plan(A, "F F", {B: "F F"})
    assert [shown.position() for shown in made.film[1:]] == ["A=d8S10+1 B=d1N10+1", "A=d8S11+2 B=d1N11+2"]
    assert [choice.key for choice in made.choices if choice.key in FREE] == list(FREE)


# P15, continuous feedback: three commands first, then one after every step; hits make the list longer.
EXAMPLE = [("\\ F \\", "^ ^ ^"), ("^", "H"), ("TL", "TL"), ("F", "TR"), ("\\", "TR")]
"""The sample of the published rules, and a turn more."""


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
    for a, b in EXAMPLE[:turns]:
        state = after(state, a, b)
    return state


def test_p15_first_three_commands_then_one_without_repair_or_damage_moves() -> None:
    state = start()
    for wrong in ("F", "F F", "F F F F", ""):
        with pytest.raises(IllegalOrder, match="three commands"):
            state.check(A, wrong)
    for wrong in ("R R R", "X F F", "F F R"):
        with pytest.raises(IllegalOrder, match="continuous feedback"):
            start("A=d8S2[] B=e1N0[]").check(A, wrong)
    assert state.check(A, "f,^ tl") == "F ^ TL"
    state = after(state, "F F F", "F F F")
    with pytest.raises(IllegalOrder, match="one new command"):
        state.check(A, "F F")
    assert state.check(A, "h") == "H"


def test_p15_others_see_only_how_long_a_list_is() -> None:
    state = played(4)
    assert state.view(A).position() == "A=f5S1[TL,F,F] B=e4N1[3]"
    assert state.view(None).position() == "A=f5S1[3] B=e4N1[3]"
    assert state.view(B).events == state.events
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
    state = start("A=d8S0[F,F,F] B=d5N0[TL]")
    state = after(state, "F", "TR")  # TR is on the list twice now
    state = after(state, "F", "v")  # one of them is executed, and both hits add a v
    guesses = {state.view(A).determinize(Random(seed)).listed(B)[0].command for seed in range(20)}
    assert guesses == {"TR"}


def test_p15_an_order_is_secret_until_all_of_it_was_executed_or_it_is_over() -> None:
    secret = [[played(n).conceals(turn, A) for turn in range(n)] for n in range(5)]
    assert secret == [[], [True], [True, True], [False, True, True], [False, False, True, True]]
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


def test_p15_a_guess_fills_what_only_its_player_knows() -> None:
    state = PigsState.read("A=d4N0[TL,TL] B=d6S0[F,TL]", PIGS.read_options({"mode": "continuous"}), 2)
    made = state.view(A).guessing(B, "F")
    assert isinstance(made, PigsPlan)
    assert [slot.locked for slot in made.slots] == [False, False, False]
    assert made.order == "F . ."
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
