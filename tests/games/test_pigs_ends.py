"""Robo Battle Pigs, programs and ends: damage, repair, who wins, what a plan came to (P9 to P13, P16)."""

from __future__ import annotations

import pytest

from games.core import Departure, IllegalOrder, Seat
from games.pigs.presentation.planner import PigsPlan
from tests.games.cases import named, scores
from tests.games.pig_table import play, stand, turn

# Robo Battle Pigs, the end: destruction, who wins, and who shares (P11, P13).

A = Seat("A")
TURN = "TL TL TL TL TL"
REPAIR = "R R R R R"


def order(position: str, seat: str, *commands: str) -> str:
    """A program of `seat` with these commands at its start, then its X, then only turning."""
    damage = int(position[position.index(f"{seat}=") + 5])
    words = [*commands, *["X"] * damage]
    return " ".join(words + ["TL"] * (5 - len(words)))


def shoot(position: str, shooters: str, ends: str) -> tuple[list[str], str | None]:
    living = [word[0] for word in position.split(" ") if word[-1] not in "x-"]
    orders = {s: order(position, s, *["F"] * (s in shooters)) for s in living}
    positions, outcome = turn(position, orders, ends=ends)
    return positions, scores(outcome) if outcome else None


@named("position ends steps last result", {
    "first down in the middle of the round": (
        "A=d8S0 B=d1N4 C=h8N0", "first_down", 1, "A=d8S0 B=d1Nx C=h8W0", "AC destroyed",
    ),
    "last standing after the whole round": (
        "A=d8S0 B=d1N4 C=h8N0", "last_standing", 5, "A=d8S0 B=d1Nx C=h8W0", None,
    ),
    "not by four points": ("A=d8S0 B=d1N3", "first_down", 5, "A=d8S0 B=d1S4", None),
})  # fmt: skip
def test_p11_when_it_ends(position: str, ends: str, steps: int, last: str, result: str | None) -> None:
    positions, found = shoot(position, "A", ends)
    assert (len(positions), positions[-1], found) == (steps, last, result)


@named("position shooters first_down last_standing", {
    "of two the one that stands, whatever its damage": ("A=d8S4 B=d1N4", "A", "A", "A"),
    "of two who fall together both": ("A=d8S4 B=d1N4", "AB", "AB", "AB"),
    "those destroyed in the step in which the last fall": (
        "A=a1N4 B=a8E4 C=h8S4 D=h1W4", "ABCD", "ABCD", "ABCD",
    ),
    # A and B shoot each other, and C shoots A
    "of three the only one left standing": ("A=d8S4 B=d1N4 C=h8W4", "ABC", "C", "C"),
    "first down those with the fewest points share": ("A=d8S0 B=d1N4 C=h8N0", "A", "AC", ""),
    "or one has the fewest": ("A=d8S1 B=d1N4 C=h8N0", "A", "C", ""),
    "of four three": ("A=d8S2 B=d1N4 C=h8N2 D=h1N2", "A", "ACD", ""),
    # C shoots A while A brings B down: A has one point now, C none
    "points of the same step count": ("A=d8S0 B=d1N4 C=h8W0", "AC", "C", ""),
})  # fmt: skip
def test_p13_who_wins(position: str, shooters: str, first_down: str, last_standing: str) -> None:
    for ends, winners in (("first_down", first_down), ("last_standing", last_standing)):
        assert shoot(position, shooters, ends)[1] == (f"{winners} destroyed" if winners else None)


# Robo Battle Pigs, programs: five commands, damage moves, repair, the practice board (P9, P10, P16).


def refused(position: str, order: str, **options: object) -> str:
    state = stand(position, **options)
    with pytest.raises(IllegalOrder) as fault:
        state.check(A, order)
    assert state.position() == position
    return str(fault.value)


@named("order says", {
    "none": ("", "” has 0."),
    "one": ("F", "” has 1."),
    "four": ("F ^ TR v", "” has 4."),
    "six": ("F ^ TR v H H", "” has 6."),
    "ten": ("^ ^ ^ ^ ^ ^ ^ ^ ^ ^", "” has 10."),
    "another word": ("F ^ TR v Q", "“Q” is not a command"),
    "half a word": ("F ^ T v H", "“T” is not a command"),
    "a word twice": ("F ^ TR v ^^", "“^^” is not a command"),
    "resigning": ("F ^ TR v resign", "is not a command"),
    "without spaces": ("F^TRvH", "is not a command"),
})  # fmt: skip
def test_p9_a_program_is_exactly_five_commands(order: str, says: str) -> None:
    assert says in refused("A=d8S0 B=e1N0", order)


@pytest.mark.parametrize("damage", range(5))
@pytest.mark.parametrize("marks", range(6))
def test_p9_a_program_holds_exactly_as_many_x_as_the_damage(damage: int, marks: int) -> None:
    order = " ".join(["X"] * marks + ["F"] * (5 - marks))
    if marks == damage:
        assert stand(f"A=d8S{damage} B=e1N0").check(A, order) == order
    else:
        assert order in refused(f"A=d8S{damage} B=e1N0", order)


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("f ^ tr V h", "F ^ TR v H"),
        ("  F,^,  TR\tv\nH ", "F ^ TR v H"),
        ("F ↑ ↷ ↓ H", "F ^ TR v H"),
        ("↖ ↗ ↶ ↺ ↻", "\\ / TL TL TR"),
    ],
)
def test_people_may_type_loosely_and_the_order_is_canonical(typed: str, canonical: str) -> None:
    assert stand("A=d8S0 B=e1N0").check(A, typed) == canonical


def test_p10_repair_takes_the_whole_round_and_needs_damage() -> None:
    assert stand("A=d8S3 B=e1N0").check(A, "r r r r r") == REPAIR
    for order in ("R X X X ^", "R R R R X", "R", "R R R R ^", "X X X R ^", "R R R R R R"):
        assert refused("A=d8S3 B=e1N0", order)
    assert "no damage to repair" in refused("A=d8S0 B=e1N0", REPAIR)


@named("position b c last over", {
    "once, and keeps four": ("A=d8S4 B=d1N0", "TL TR TL TR F", "", "A=d8S4 B=d1N0", False),
    "twice, and is destroyed": (
        "A=d8S4 B=d1N0 C=a8E0", "TL TR TL TR F", "TL TR TL TR F", "A=d8Sx B=d1N0 C=a8E0", True,
    ),
    "not, while another repairs": ("A=d8S1 B=e1N4", REPAIR, "", "A=d8S0 B=e1N3", False),
})  # fmt: skip
def test_p10_a_pig_is_hit_in_the_fifth_step(position: str, b: str, c: str, last: str, over: bool) -> None:
    positions, outcome = turn(position, {"A": REPAIR, "B": b, **({"C": c} if c else {})})
    assert (positions[-1], bool(outcome)) == (last, over)


@named("position order seen", {
    "where the pig would be after each command": (
        "A=d8S0 B=e1N0", "^ / TL v F",
        [(1, "d7", 180), (2, "c6", 180), (3, "c6", 90), (4, "b6", 90), (5, "b6", 90)],
    ),
    "nothing interferes but the wall": (
        "A=d8N0 B=c8N0 C=d7N0", "^ v TL ^ ^",
        [(1, "d8!", 0), (2, "d7", 0), (3, "d7", 270), (4, "c7", 270), (5, "b7", 270)],
    ),
    "damage moves are counted": (
        "A=d8S2 B=e1N0", "^ X ^ X ^",
        [(1, "d7", 180), (2, "d7", 180), (3, "d6", 180), (4, "d6", 180), (5, "d5", 180)],
    ),
})  # fmt: skip
def test_p16_the_practice_board(position: str, order: str, seen: list[tuple[int, str, int]]) -> None:
    """Squares at which the pig bumps have a `!`."""
    made = stand(position).plan(A, order)
    assert isinstance(made, PigsPlan)
    assert seen == [
        (g.number, f"{'abcdefgh'[int(g.x)]}{8 - int(g.y)}{'!' * g.bumped}", g.degrees) for g in made.ghosts
    ]
    assert [g.fires for g in made.ghosts] == [command == "F" for command in order.split(" ")]


# My plan beside what happened: where a program first went otherwise than alone on the board.


def beside(position: str, a: str, b: str, **options: object) -> Departure:
    before = stand(position, **options)
    made = before.departure_from_plan(A, a, [before, *play(before, A=a, B=b)])
    assert made
    return made


ALONE = "Your pig went where you planned."


@named("position a b at says options", {
    "nothing came in between": ("A=d8S0 B=e1N0", "^ ^ TL F H", TURN, None, ALONE, {}),
    "p4 the wall was in the plan already": ("A=d8S0 B=e1N0", "v v v v v", TURN, None, ALONE, {}),
    "p6 a crossing": (
        "A=d4N0 B=e4N0", "/ TL TL TL TL", "\\ TL TL TL TL", 1,
        "Step 1 was meant to lead to e5; a crossing made your pig walk to d5.", {"side_cross": "forward"},
    ),
    "p11 what was planned after the end of a pig is void": (
        "A=d4N4 B=d6S0", "X X X X F", "TL TR F F F", 3,
        "Your pig was destroyed in step 3, so the rest of your plan wasn’t played.",
        {"ends": "last_standing"},
    ),
    "p15 a hit makes the list longer": (
        "A=d4N0[TL,TL] B=d6S0[F,TL]", "^", "TL", 1,
        "Your pig was hit, so the last command of your list comes once more.", {"mode": "continuous"},
    ),
})  # fmt: skip
def test_what_came_between_a_plan_and_its_turn_is_told(
    position: str, a: str, b: str, at: int | None, says: str, options: dict[str, object]
) -> None:
    made = beside(position, a, b, **options)
    assert (made.at, str(made.sentence)) == (at, says)
    assert at or not made.planned


def test_what_led_to_the_turn_or_who_is_out_is_not_compared_with_a_plan() -> None:
    *_, second = play(stand("A=d8S0 B=e1N0"), A="TL TL TL TL ^", B=TURN)
    film = [second, *play(second, A="^ ^ TL F v", B=TURN)]
    made = second.departure_from_plan(A, "^ ^ TL F v", film)
    assert made is not None
    assert (made.at, str(made.sentence), made.planned) == (None, ALONE, {})
    before = stand("A=d4Nx B=d6S0 C=h5W0", ends="last_standing")
    film = [before, *play(before, B=TURN, C=TURN)]
    assert before.departure_from_plan(A, "^ ^ ^ ^ ^", film) is None


def test_p5_a_bump_is_told_and_the_plan_drawn_from_there_on() -> None:
    made = beside("A=d4N0 B=d6N0", "^ ^ / TL F", TURN)
    assert made.at == 2
    assert (
        str(made.sentence) == "Step 2 was meant to lead to d6; your pig bumped on the way and stayed on d5."
    )
    assert sorted(made.planned) == [2, 3, 4, 5]
    assert (made.planned[2].x, made.planned[2].y) == (3.5, 2.5)
