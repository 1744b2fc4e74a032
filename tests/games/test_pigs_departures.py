"""My plan beside what happened: where a program first went otherwise than alone on the board."""

from __future__ import annotations

from games.core import Departure, Seat
from tests.games.pig_table import play, stand

A = Seat("A")


def beside(position: str, a: str, b: str, **options: object) -> Departure:
    before = stand(position, **options)
    made = before.departure_from_plan(A, a, [before, *play(before, A=a, B=b)])
    assert made
    return made


def test_nothing_came_in_between() -> None:
    made = beside("A=d8S0 B=e1N0", "^ ^ TL F H", "TL TL TL TL TL")
    assert made.at is None
    assert str(made.sentence) == "Your pig went where you planned."
    assert made.planned == {}


def test_what_led_to_the_turn_is_not_compared_with_its_plan() -> None:
    *_, second = play(stand("A=d8S0 B=e1N0"), A="TL TL TL TL ^", B="TL TL TL TL TL")
    film = [second, *play(second, A="^ ^ TL F v", B="TL TL TL TL TL")]
    made = second.departure_from_plan(A, "^ ^ TL F v", film)
    assert made is not None
    assert (made.at, str(made.sentence), made.planned) == (
        None,
        "Your pig went where you planned.",
        {},
    )


def test_p4_the_wall_was_in_the_plan_already() -> None:
    assert beside("A=d8S0 B=e1N0", "v v v v v", "TL TL TL TL TL").at is None


def test_p5_a_bump_is_told_and_the_plan_drawn_from_there_on() -> None:
    made = beside("A=d4N0 B=d6N0", "^ ^ / TL F", "TL TL TL TL TL")
    assert made.at == 2
    assert str(made.sentence) == "Step 2 was meant to lead to d6; your pig was bumped and stayed on d5."
    assert sorted(made.planned) == [2, 3, 4, 5]
    assert (made.planned[2].x, made.planned[2].y) == (3.5, 2.5)


def test_p6_a_crossing_is_told() -> None:
    made = beside("A=d4N0 B=e4N0", "/ TL TL TL TL", "\\ TL TL TL TL", side_cross="forward")
    assert str(made.sentence) == "Step 1 was meant to lead to e5; a crossing made your pig walk to d5."


def test_p11_what_was_planned_after_the_end_of_a_pig_is_void() -> None:
    made = beside("A=d4N4 B=d6S0", "X X X X F", "TL TR F F F", ends="last_standing")
    assert made.at == 3
    assert str(made.sentence) == "Step 3 destroyed your pig, so the rest of your plan wasn’t played."


def test_p15_a_hit_makes_the_list_longer() -> None:
    position = "A=d4N0[TL,TL] B=d6S0[F,TL]"
    made = beside(position, "^", "TL", mode="continuous")
    assert made.at == 1
    assert str(made.sentence) == "Your pig was hit, so the last command of your list comes once more."


def test_who_is_out_has_planned_nothing() -> None:
    before = stand("A=d4Nx B=d6S0 C=h5W0", ends="last_standing")
    film = [before, *play(before, B="TL TL TL TL TL", C="TL TL TL TL TL")]
    assert before.departure_from_plan(A, "^ ^ ^ ^ ^", film) is None
