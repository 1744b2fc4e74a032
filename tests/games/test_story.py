"""Events as data and as sentences: every event has a sentence, both as the position has it."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from games.core import Seat, play_turn, tell
from games.pigs.presentation.picture import cell, effects, pieces
from games.pigs.state import PigsState
from tests.games.pig_table import played, stand, step_state
from tests.games.test_pigs_properties import crowd, is_race, program, variants

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
    for before, state in STEPS:
        assert retold(before, state.events) == state.position(), before


def test_every_point_of_damage_has_an_attack_that_struck() -> None:
    for _, state in STEPS:
        struck = Counter(
            victim for event in state.events if event["kind"] in ("fired", "hit") for victim in event["at"]
        )
        hurt = {event["by"]: event["points"] for event in state.events if event["kind"] == "hurt"}
        assert struck == hurt


def test_every_living_pig_that_walks_turns_or_attacks_is_in_the_story_once() -> None:
    own = ("walked", "turned", "stopped", "fired", "hit")
    for _, state in STEPS:
        acting = Counter(event["by"] for event in state.events if event["kind"] in own)
        busy = [
            seat
            for seat, command in zip(state.seats, state.cause.commands, strict=True)
            if command not in ("", "X", "R")
        ]
        assert acting == Counter(busy)


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


@pytest.mark.parametrize(
    ("position", "commands", "sentences"),
    [
        ("A=d4N0 B=h8N1", {"A": "^", "B": "X"}, ["A walks forward to d5."]),
        ("A=d4N0 B=h8N1", {"A": "v", "B": "X"}, ["A walks back to d3."]),
        ("A=d4N0 B=h8N1", {"A": "\\", "B": "X"}, ["A steps ahead left to c5."]),
        ("A=d4N0 B=h8N1", {"A": "/", "B": "X"}, ["A steps ahead right to e5."]),
        ("A=d4N0 B=h8N1", {"A": "TL", "B": "X"}, ["A turns left and faces west."]),
        ("A=d4N0 B=h8N1", {"A": "TR", "B": "X"}, ["A turns right and faces east."]),
        ("A=d8N0 B=h8N1", {"A": "^", "B": "X"}, ["A walks into the wall and stays on d8."]),
        ("A=d4N0 B=d5N1", {"A": "^", "B": "X"}, ["A bumps on the way to d5 and stays on d4."]),
        ("A=d4N0 B=h8N1", {"A": "F", "B": "X"}, ["A fires north and misses."]),
        ("A=d4N0 B=d8N1", {"A": "F", "B": "X"}, ["A fires north and hits B!", "B has 2 damage now."]),
        ("A=d4N0 B=h8N1", {"A": "H", "B": "X"}, ["A punches and hits nothing."]),
        ("A=d4N0 B=c5N1", {"A": "H", "B": "X"}, ["A punches B!", "B has 2 damage now."]),
        (
            "A=d4N0 B=c5N1 C=d5N1",
            {"A": "H", "B": "X", "C": "X"},
            ["A punches B and C!", "B has 2 damage now.", "C has 2 damage now."],
        ),
        (
            "A=d4N0 B=c5N1 C=d5N1 D=e5N4",
            dict(zip("ABCD", "HXXX", strict=True)),
            [
                "A punches B, C and D!",
                "B has 2 damage now.",
                "C has 2 damage now.",
                "D has 5 damage now.",
                "D is destroyed!",
            ],
        ),
        ("A=d4N0 B=d8Nx C=a1N1", {"A": "F", "C": "X"}, ["A fires north and hits the wreck of B."]),
        (
            "A=d4N0 B=d5Nx C=a1N1",
            {"A": "^", "C": "X"},
            ["A walks forward to d5.", "The wreck of B on d5 is flattened."],
        ),
    ],
)
def test_the_sentences_of_a_step(position: str, commands: dict[str, str], sentences: list[str]) -> None:
    assert told(position, **commands) == sentences


def test_p6_who_walks_forward_instead_of_crossing_is_told_so() -> None:
    said = told("A=d4N0 B=e4N0", "forward", A="/", B="\\")
    assert [s for s in said if "right" in s or "left" in s] == []
    assert "forward to d5" in said[0]
    assert "forward to e5" in said[1]


def test_p6_who_is_bumped_on_the_way_forward_wanted_to_go_forward() -> None:
    said = told("A=d4N0 B=e4N0 C=d5N1", "forward", A="/", B="\\", C="X")
    assert said[0] == "A bumps on the way to d5 and stays on d4."


def test_p10_a_repair_is_told_with_the_fifth_step() -> None:
    state = stand("A=d8S2 B=d1N0")
    states = list(play_turn(state, {Seat("A"): "R R R R R", Seat("B"): "F TL TR TL TR"}))
    assert [event["kind"] for event in states[3].events] == ["turned"]
    assert str(tell(states[4], states[4].events[-1])) == "A is repaired and has 2 damage now."


def test_p10_hits_in_the_instant_of_a_repair_are_told_so_that_the_sum_is_clear() -> None:
    state = stand("A=e4W1 B=d3N0")
    *_, last = play_turn(state, {Seat("A"): "R R R R R", Seat("B"): "TL TR TL TR H"})
    assert [str(tell(last, event)) for event in last.events] == [
        "B punches A!",
        "A takes 1 damage.",
        "A repairs 1 damage in the same moment and has 1 now.",
    ]


def test_the_board_in_words() -> None:
    said = [str(sentence) for sentence in stand("A=d8S0 B=e1N1 C=h5Wx D=-").words()]
    assert said == [
        "A stands on d8, faces south, and has no damage.",
        "B stands on e1, faces north, and has 1 damage.",
        "C is a wreck on h5.",
        "D is destroyed and gone from the board.",
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


def test_a_drawing_shows_every_pig_and_hulk_on_the_board() -> None:
    shown = pieces(stand("A=d8S0 B=e1N3 C=h5Wx D=-"))
    assert [(p.seat, p.x, p.y, p.degrees, p.damage, p.hulk) for p in shown] == [
        ("A", 3.5, 0.5, 180, 0, False),
        ("B", 4.5, 7.5, 0, 3, False),
        ("C", 7.5, 3.5, 270, 5, True),
    ]


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
