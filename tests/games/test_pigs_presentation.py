"""Robo Battle Pigs as players see it: planning a program (P9 to P16), events as data and as sentences."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from games.core import IllegalOrder, Seat, play_turn, tell
from games.pigs import PigsState
from games.pigs.presentation.picture import cell, effects, pieces
from games.pigs.presentation.planner import PigsPlan
from tests.games.cases import named
from tests.games.pig_table import FREE, played, stand, step_state
from tests.games.test_pigs_properties import crowd, is_race, program, variants

A = Seat("A")


def standing(damage: int, **options: object) -> PigsState:
    plus = "" if options.get("damage_moves", True) else "+0"  # a race (P14)
    return stand(f"A=d8S{damage}{plus} B=e1N0{plus}", **options)


def plan(partial: str, damage: int = 0, **options: object) -> PigsPlan:
    made = standing(damage, **options).plan(A, partial)
    assert isinstance(made, PigsPlan)
    return made


def signs(made: PigsPlan) -> str:
    return " ".join(slot.sign or "." for slot in made.slots)


def test_a_command_fills_the_next_free_slot_until_all_are_taken() -> None:
    made = plan("")
    assert made.order == ". . . . ."
    assert [slot.number for slot in made.slots if slot.next] == [1]
    assert str(made.missing) == "5 slots are still free."
    assert made.ghosts == ()
    order = ""
    for command, expected in zip(
        ["F", "^", "TR", "v", "H"],
        ["F . . . .", "F ^ . . .", "F ^ TR . .", "F ^ TR v .", "F ^ TR v H"],
        strict=True,
    ):
        order = plan(order).choose(command)
        assert signs(plan(order)) == expected
    assert plan(order).missing is None
    assert str(plan("F ^ TR v").missing) == "One slot is still free."
    made = plan("F ^ TR v H")
    assert all(choice.why for choice in made.choices if choice.key in FREE)
    with pytest.raises(IllegalOrder, match="taken"):
        made.choose("F")
    with pytest.raises(IllegalOrder, match="no choice"):
        plan("").choose("slot 6")


def test_a_tapped_slot_is_filled_next_and_its_command_taken_out() -> None:
    made = plan(plan("F ^ TR v H").choose("slot 3"))
    assert signs(made) == "F ^ . v H"
    assert [slot.number for slot in made.slots if slot.next] == [3]
    assert plan(made.choose("TL")).order == "F ^ TL v H"
    made = plan(plan("F").choose("slot 4"))
    assert [slot.number for slot in made.slots if slot.next] == [4]
    assert signs(plan(made.choose("H"))) == "F . . H ."


@pytest.mark.parametrize("damage", range(5))
def test_p9_slots_owed_to_damage_hold_their_x_from_the_start(damage: int) -> None:
    made = plan("", damage)
    assert [slot.owed for slot in made.slots] == [False] * (5 - damage) + [True] * damage
    assert signs(made).count("X") == damage


@pytest.mark.parametrize(
    ("typed", "damage", "options", "shown", "why"),
    [
        ("^ X X X X", 0, {}, "^ . . . .", "Your pig has no damage, so X was taken out."),
        ("X X X X X", 0, {}, ". . . . .", "Your pig has no damage, so X was taken out."),
        ("^ X X X X", 2, {}, "^ X X . .", "Your pig has 2 damage, so only 2 of the commands can be X."),
        ("^ ^ ^ ^ ^ X", 0, {}, "^ ^ ^ ^ ^ .", "Your pig has no damage, so X was taken out."),
        ("^ X X X X", 3, {"damage_moves": False}, "^ . . . .", "Damage takes no slots in this variant"),
    ],
)
def test_p9_an_x_that_is_taken_out_is_told_with_its_cause(
    typed: str, damage: int, options: dict[str, object], shown: str, why: str
) -> None:
    made = plan(typed, damage, **options)
    assert signs(made) == shown
    assert str(made.missing).startswith(why) and "ill the free slots." in str(made.missing)
    assert "still free" in str(plan(made.order, damage, **options).missing), "it is told once"
    with pytest.raises(IllegalOrder, match="X"):  # and typed and sealed at once it is refused in words
        standing(damage, **options).check(A, typed)


def test_p9_tapping_an_x_moves_it_to_the_left_and_around() -> None:
    order, seen = "^ v F H X", []
    for _ in range(5):
        slot = order.split(" ").index("X") + 1
        order = plan(order, 1).choose(f"slot {slot}")
        seen.append(order)
    assert seen == ["^ v F X H", "^ v X F H", "^ X v F H", "X ^ v F H", "H ^ v F X"]


def test_p10_p14_repair_is_offered_only_where_it_is_allowed_and_takes_all_slots() -> None:
    made = plan("^ v", 2)
    order = made.choose("R")
    assert order == "R R R R R"
    assert plan(order, 2).missing is None
    assert signs(plan(plan(order, 2).choose("slot 2"), 2)) == ". . . X X"
    assert "R" in [c.key for c in plan("", 1).palette]
    assert "R" not in [c.key for c in plan("", 0).palette]
    assert "R" not in [c.key for c in plan("", 3, damage_moves=False).palette]
    with pytest.raises(IllegalOrder, match="no damage to repair"):
        plan("").choose("R")
    with pytest.raises(IllegalOrder, match="no repair"):
        plan("", 3, damage_moves=False).choose("R")
    assert signs(plan("", 4, damage_moves=False)) == ". . . . ."


def test_back_takes_the_last_command_out_and_what_is_no_program_is_said() -> None:
    assert signs(plan(plan("F ^ TR").choose("back"))) == "F ^ . . ."
    assert signs(plan(plan("F ^ TR", 2).choose("back"), 2)) == "F ^ . X X"
    assert signs(plan(plan("F ^ TR", 2).choose("clear"), 2)) == ". . . X X"
    for key in ("back", "clear"):
        with pytest.raises(IllegalOrder, match="nothing to take out"):
            plan("", 2).choose(key)
    made = plan("F Q H")
    assert signs(made) == ". . . . ."
    assert "“Q” is not a command" in str(made.missing)
    assert "has 6" in str(plan("F F F F F F").missing)


def test_p16_ghosts_know_the_wall_and_fire_at_whoever_stands_there() -> None:
    made = plan("^ . ^", 0)
    assert [(g.number, g.y) for g in made.ghosts] == [(1, 1.5), (3, 2.5)]
    assert [str(slot.note) for slot in plan("v ^").slots if slot.note] == ["the wall stops you"]
    aimed = stand("A=d8S0 B=d4N0 C=h8N0").plan(A, "F TL F TL F")
    assert isinstance(aimed, PigsPlan)
    assert [(g.x2, g.y2) for g in aimed.ghosts if g.fires] == [(3.5, 4.5), (7.5, 0.5), (3.5, 0)]


def test_badges_of_steps_on_one_square() -> None:
    badges = plan("TL F TR ^ v").badges
    assert [badge.label for badge in badges] == ["1–3", "4", "5"]
    assert len({(badge.x, badge.y) for badge in badges}) == 3
    idle = plan("", damage=2)
    assert not idle.badges and not idle.ghosts
    assert [badge.label for badge in plan("^", damage=2).badges] == ["1", "4–5"]
    made = stand("A=e5S2 B=e1N2").plan(A, "F F")
    assert isinstance(made, PigsPlan)
    one, other = made.badges
    assert abs(one.x - other.x) >= 1.2 * 0.58 or abs(one.y - other.y) >= 1.2 * 0.3


@pytest.mark.parametrize(
    ("partial", "turned"),
    [("TL", [90]), ("TL TL", [0]), ("TL TR", [None]), ("F TR", [270]), ("^ TL", [None])],
)
def test_an_arrow_shows_where_a_pig_that_turns_on_the_spot_faces(partial: str, turned: list[object]) -> None:
    """Its ghost lies under it, facing south before it turns."""
    assert [badge.turned and badge.turned[2] for badge in plan(partial).badges] == turned


@pytest.mark.parametrize("facing", "NESW")
def test_a_badge_leaves_the_letter_of_the_pig_readable(facing: str) -> None:
    """The letter lies behind the pig; a phone draws both a fifth larger."""
    made = stand(f"A=d5{facing}1 B=h1N0").plan(A, "F H F F X")
    assert isinstance(made, PigsPlan)
    (badge,) = made.badges
    aside, down = {"N": (0, 0.34), "E": (-0.34, 0), "S": (0, -0.34), "W": (0.34, 0)}[facing]
    x, y = badge.x - 3.5 - aside, badge.y - 3.5 - down
    assert badge.label == "1–5"
    assert abs(x) >= 1.2 * (0.16 + 0.29) or abs(y) >= 1.2 * (0.15 + 0.17)


def test_what_if_everybody_does_what_is_guessed_or_nothing() -> None:
    state = stand("A=d8S0 B=e1N0 C=h5W0")
    made = state.plan(A, "\\ F", {Seat("B"): "F"})
    assert isinstance(made, PigsPlan)
    assert made.guessable == ("B", "C")
    assert [after.position() for after in made.film] == [
        "A=d8S0 B=e1N0 C=h5W0",
        "A=e7S1 B=e1N0 C=h5W0",
        "A=e7S1 B=e1N1 C=h5W0",
    ]
    assert {ghost.side for ghost in made.ghosts} == {"a", "b"}
    assert made.order == "\\ F . . ."
    made = stand("A=d4N0 B=d5N0").plan(A, "^ ^", {Seat("B"): ""})
    assert isinstance(made, PigsPlan)
    assert made.film[-1].position() == "A=d4N0 B=d5N0"
    assert [ghost.bumped for ghost in made.ghosts] == [True, True]
    made = stand("A=d8S0 B=e1N2").guessing(Seat("B"), "F")
    assert isinstance(made, PigsPlan)
    assert signs(made) == "F . . X X"
    assert made.choose("^") == "F ^ . X X"


# Events as data, as sentences and as drawings.


LETTER = {"north": "N", "east": "E", "south": "S", "west": "W"}


def told(position: str, side_cross: str = "pass", **commands: str) -> list[str]:
    state = step_state(position, commands, side_cross=side_cross, ends="last_standing")
    return [str(tell(state, event)) for event in state.events]


def retold(position: str, events: list[dict[str, Any]]) -> str:
    """The position that the events of a step lead to, knowing nothing else."""
    pigs = dict(word.split("=") for word in position.split(" "))
    for event in events:
        seat = event["by"]
        pig = pigs[seat]
        match event["kind"]:
            case "walked":
                assert pig.startswith(event["from"])
                pigs[seat] = event["to"] + pig[2:]
            case "turned":
                assert pig.startswith(event["at"])
                pigs[seat] = pig[:2] + LETTER[event["to"]] + pig[3:]
            case "stopped":
                assert pig.startswith(event["at"])
            case "flattened":
                assert pig.startswith(event["at"]) and pig.endswith("x")
                pigs[seat] = "-"
            case "fired" | "hit":
                assert pig[:3] == event["from"] + LETTER[event["to"]]
                assert event["hit"] == bool(event["at"])
            case "hurt":
                taken, plus, dealt = pig[3:].partition("+")
                pigs[seat] = f"{pig[:3]}{int(taken) + event['points']}{plus}{dealt}"
                assert ("race" in event) == bool(plus)
            case "scored":
                taken, plus, dealt = pig.partition("+")
                pigs[seat] = f"{taken}{plus}{int(dealt) + event['points']}"
                assert int(dealt) + event["points"] == event["hits"]
            case "repaired":
                pigs[seat] = pig[:3] + str(int(pig[3]) - 1)
                assert int(pigs[seat][3]) >= event["damage"]
            case "destroyed":
                assert int(pig[3]) >= 5
                assert pig.startswith(event["at"])
                pigs[seat] = pig[:3] + "x"
            case kind:
                raise AssertionError(kind)
    return " ".join(f"{seat}={pig}" for seat, pig in pigs.items())


def rounds(number: int) -> list[tuple[str, PigsState]]:
    """Every step of some random rounds: the position before it, and the state after it."""
    steps = []
    rng = Random(number)
    for _ in range(number):
        seats, options = rng.randint(2, 8), variants(rng)
        state = stand(crowd(rng, seats, hulks=seats > 2, race=is_race(options)), **options)
        orders = {seat: program(rng, state.owed(seat)) for seat in state.seats if seat in state.to_act()}
        before = state.position()
        for after in played(play_turn(state, orders)):
            steps.append((before, after))
            before = after.position()
    return steps


STEPS = rounds(500)


def test_the_events_of_a_step_are_exactly_what_changed() -> None:
    """Each point of damage has an attack that struck, and each pig that acts is in the story once."""
    own = ("walked", "turned", "stopped", "fired", "hit")
    for before, state in STEPS:
        assert retold(before, state.events) == state.position(), before
        struck = Counter(
            victim for event in state.events if event["kind"] in ("fired", "hit") for victim in event["at"]
        )
        assert struck == {event["by"]: event["points"] for event in state.events if event["kind"] == "hurt"}
        acting = Counter(event["by"] for event in state.events if event["kind"] in own)
        commands = zip(state.seats, state.cause.commands, strict=True)
        assert acting == Counter(seat for seat, command in commands if command not in ("", "X", "R"))


def test_every_event_has_a_sentence_that_names_its_pig() -> None:
    kinds = set()
    for _, state in STEPS:
        for event in state.events:
            kinds.add(event["kind"])
            assert type(event["step"]) is int and 0 <= event["step"] < 5 and event["by"] in state.seats
            sentence = tell(state, event)
            assert isinstance(sentence.facts["by"], Seat)
            said = str(sentence)
            assert event["by"] in said and said.endswith((".", "!")) and "{" not in said
    assert kinds == {
        "walked", "turned", "stopped", "flattened", "fired", "hit", "hurt", "repaired", "destroyed", "scored",
    }  # fmt: skip


@named("position commands sentences", {
    "back": ("A=d4N0 B=h8N1", "v X", ["A walks back to d3."]),
    "right": ("A=d4N0 B=h8N1", "/ X", ["A steps ahead right to e5."]),
    "turns right": ("A=d4N0 B=h8N1", "TR X", ["A turns right and faces east."]),
    "the wall": ("A=d8N0 B=h8N1", "^ X", ["A walks into the wall and stays on d8."]),
    "a bump": ("A=d4N0 B=d5N1", "^ X", ["A bumps on the way to d5 and stays on d4."]),
    "a miss": ("A=d4N0 B=h8N1", "F X", ["A fires north and misses."]),
    "a punch at nothing": ("A=d4N0 B=h8N1", "H X", ["A punches and hits nothing."]),
    "three, one of them destroyed": (
        "A=d4N0 B=c5N1 C=d5N1 D=e5N4", "H X X X",
        ["A punches B, C and D!", "B has 2 damage now.", "C has 2 damage now.", "D has 5 damage now.",
         "D is destroyed!"],
    ),
    "a wreck is hit": ("A=d4N0 B=d8Nx C=a1N1", "F - X", ["A fires north and hits the wreck of B."]),
    "a wreck is flattened": (
        "A=d4N0 B=d5Nx C=a1N1", "^ - X", ["A walks forward to d5.", "The wreck of B on d5 is flattened."],
    ),
})  # fmt: skip
def test_the_sentences_of_a_step(position: str, commands: str, sentences: list[str]) -> None:
    assert told(position, **dict(zip("ABCD", commands.split(), strict=False))) == sentences


def test_p6_who_walks_forward_or_bumps_instead_of_crossing_is_told_so() -> None:
    said = told("A=d4N0 B=e4N0", "forward", A="/", B="\\")
    assert [s for s in said if "right" in s or "left" in s] == []
    assert "forward to d5" in said[0]
    assert "forward to e5" in said[1]
    said = told("A=d4N0 B=e4N0 C=d5N1", "forward", A="/", B="\\", C="X")
    assert said[0] == "A bumps on the way to d5 and stays on d4."


def test_p10_a_repair_is_told_with_the_fifth_step_and_with_hits_in_the_same_instant() -> None:
    state = stand("A=d8S2 B=d1N0")
    states = list(play_turn(state, {Seat("A"): "R R R R R", Seat("B"): "F TL TR TL TR"}))
    assert [event["kind"] for event in states[3].events] == ["turned"]
    assert str(tell(states[4], states[4].events[-1])) == "A is repaired and has 2 damage now."
    state = stand("A=e4W1 B=d3N0")
    *_, last = play_turn(state, {Seat("A"): "R R R R R", Seat("B"): "TL TR TL TR H"})
    assert [str(tell(last, event)) for event in last.events] == [
        "B punches A!",
        "A takes 1 damage.",
        "A repairs 1 damage in the same moment and has 1 now.",
    ]


def test_the_board_in_words_and_as_a_drawing() -> None:
    said = [str(sentence) for sentence in stand("A=d8S0 B=e1N1 C=h5Wx D=-").words()]
    assert said == [
        "A stands on d8, faces south, and has no damage.",
        "B stands on e1, faces north, and has 1 damage.",
        "C is a wreck on h5.",
        "D is destroyed and gone from the board.",
    ]
    shown = pieces(stand("A=d8S0 B=e1N3 C=h5Wx D=-"))
    assert [(p.seat, p.x, p.y, p.degrees, p.damage, p.hulk) for p in shown] == [
        ("A", 3.5, 0.5, 180, 0, False),
        ("B", 4.5, 7.5, 0, 3, False),
        ("C", 7.5, 3.5, 270, 5, True),
    ]


def test_a_drawing_shows_every_bump_towards_where_the_pig_wanted_to_go() -> None:
    def bumps(position: str, side_cross: str = "pass", **commands: str) -> list[tuple[float, ...]]:
        state = step_state(position, commands, side_cross=side_cross)
        return [(e.x, e.y, e.x2, e.y2, e.wall) for e in effects(state) if e.kind == "bump"]

    assert bumps("A=d4N0 B=d5N0", A="^") == [(3.5, 4.5, 3.5, 3.5, False)]
    assert bumps("A=d8N0 B=d1N0", A="^") == [(3.5, 0.5, 3.5, -0.5, True)]
    assert bumps("A=h4E0 B=a4W0", A="/", B="\\") == [(7.5, 4.5, 8.5, 5.5, True), (0.5, 4.5, -0.5, 5.5, True)]
    assert bumps("A=d1N0 B=h8E0", A="v", B="v") == [(3.5, 7.5, 3.5, 8.5, True)]
    assert bumps("A=d4N0 B=e4N0 C=d5N0", "forward", A="/", B="\\") == [(3.5, 4.5, 3.5, 3.5, False)]


def test_a_drawing_shows_the_laser_as_far_as_it_reaches() -> None:
    def beam(position: str) -> list[tuple[float, ...]]:
        state = step_state(position, {"A": "F"})
        return [(e.x, e.y, e.x2, e.y2, e.hit) for e in effects(state) if e.kind == "fire"]

    assert beam("A=d4N0 B=a1N0") == [(3.5, 4.5, 3.5, 0, False)]
    assert beam("A=d4E0 B=a1N0") == [(3.5, 4.5, 8, 4.5, False)]
    assert beam("A=d4N0 B=d7N0") == [(3.5, 4.5, 3.5, 1.5, True)]
    assert beam("A=d4N0 B=d7N0 C=d6Nx") == [(3.5, 4.5, 3.5, 2.5, False)]
    assert beam("A=d8N0 B=a1N0") == [(3.5, 0.5, 3.5, 0, False)]


def test_the_table_of_programs_marks_what_came_of_each_command() -> None:
    def marks(position: str, **commands: str) -> list[tuple[str, str]]:
        state = step_state(position, commands)
        return [(c.sign, c.mark) for seat in state.seats if (c := cell(state, seat))]

    assert marks("A=d8S0 B=d1N0 C=e1N1 D=a1Nx", A="F", B="^", C="X") == [
        ("F", "hit"),
        ("^", "moved"),
        ("X", ""),
    ]
    assert marks("A=d8S0 B=e1N0 C=h1N0", A="F", B="TL", C="/") == [
        ("F", "missed"),
        ("TL", "turned"),
        ("/", "bumped"),
    ]
