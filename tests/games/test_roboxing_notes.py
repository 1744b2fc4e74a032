"""The notes on an enemy's letters: what anybody at the table could have written down, and no more (X12)."""

from __future__ import annotations

from random import Random

from games.roboxing.notes import notes
from games.roboxing.robot import BIT, ENGINE, LASER, PART_NAMES, SLOTS
from games.roboxing.state import RoboxingState
from tests.games.ring_table import FRED, SALLY, A, B, crowd, duel, play, stand


def sheet(state: RoboxingState, robot: int = 1) -> dict[str, str]:
    """The notes on the letters of a robot, without those that have shown nothing."""
    return {
        note.letter: " ".join(filter(None, (note.part, note.slot, "gone" if note.gone else "")))
        for note in notes(state.view(A), robot)
        if note.part or note.gone
    }


def fight(state: RoboxingState, *turns: tuple[str, str]) -> RoboxingState:
    for a, b in turns:
        state = play(state, A=a, B=b)[-1]
    return state


def test_at_first_nothing_is_noted() -> None:
    assert sheet(duel()) == {}
    assert str(notes(duel().view(A), 1)[0].words) == "Slot a hasn’t revealed anything yet."


def test_x12_a_letter_that_moves_is_an_engine_and_looks_where_it_went() -> None:
    assert sheet(fight(duel(), ("-", "a2"))) == {"a": "engine SW"}


def test_x12_a_move_by_several_engines_is_taken_apart_once_the_others_are_known() -> None:
    state = fight(duel(b="e4"), ("-", "a1+b2"))
    assert sheet(state) == {"a": "engine", "b": "engine"}
    assert sheet(fight(state, ("-", "a1"))) == {"a": "engine SW", "b": "engine NE"}


def test_x12_a_letter_that_fires_is_a_laser_and_its_last_shots_are_kept() -> None:
    state = fight(duel("c4", "e4"), ("-", "- f a"), ("h1", "- g b"))
    assert sheet(state) == {"f": "laser", "g": "laser"}
    shots = {note.letter: [tuple(shot) for shot in note.shots] for note in notes(state.view(A), 1)}
    assert (shots["f"], shots["g"]) == ([("e4", "c4", True)], [("e4", "d4", False)])
    state = fight(state, *[("-", "- g b")] * 6)
    assert notes(state.view(A), 1)[6].shots == (("e4", "d4", False),), "what tells the same is noted once"
    state = fight(state, *[("h1", f"- g {letter}") for letter in "bcde"])
    assert [shot.to for shot in notes(state.view(A), 1)[6].shots] == ["h4", "g4", "f4", "e4"]


def test_x12_what_is_destroyed_is_noted_and_what_it_was_only_if_it_has_shown_that() -> None:
    state = fight(duel("c4", "e4"), ("- d f", "- f a"), ("- d g", "-"))
    assert sheet(state) == {"f": "laser gone", "g": "gone"}
    words = {note.letter: str(note.words) for note in notes(state.view(A), 1)}
    assert words["f"] == "Slot f was a laser; destroyed."
    assert words["g"] == "Slot g is destroyed; no one knows what it was."


def test_x12_notes_come_from_what_everybody_saw_and_are_true() -> None:
    rng = Random(8)
    for _ in range(30):
        robots, free = rng.randint(1, 3), rng.random() < 0.5
        state = stand(crowd(rng, 3, robots, free), robots=robots, centre="free" if free else "booster")
        layouts = state.layouts
        for _ in range(8):
            if state.ended:
                break
            state = play(state, **{str(seat): state.sample(seat, rng) for seat in sorted(state.to_act())})[-1]
        for i, layout in enumerate(layouts):
            if layout is None:
                continue
            assert {repr(notes(state.view(seat), i)) for seat in (None, A, B)} == {repr(notes(state, i))}
            for note in notes(state, i):
                kind = layout.part(note.letter)
                assert note.part in ("", PART_NAMES[kind])
                assert note.slot in ("", SLOTS[layout.slot(note.letter)])
                assert note.gone == bool(state.gone[i] & BIT[note.letter])
                assert not note.shots or kind == LASER
                assert not note.slot or kind == ENGINE


def test_what_a_robot_that_left_showed_last_is_kept() -> None:
    state = stand(f"A1@a1:{FRED} B1@c3:{SALLY} C1@h1:{FRED}")
    state = play(state, A="-", B="a1", C="resign")[-1]
    assert sheet(state) == {"a": "engine SW"}
