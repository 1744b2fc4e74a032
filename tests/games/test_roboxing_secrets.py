"""Roboxing, what is secret until the fight ends, what is public, and what can be guessed (X12)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest

from games.core import Event, Order, Seat, play_turn, tell
from games.roboxing import RoboxingState
from games.roboxing.deduction import Guesses
from games.roboxing.notes import notes
from games.roboxing.robot import BIT, CENTRE, ENGINE, LASER, PART_NAMES, SLOTS, ZONES, reach
from tests.games.cases import named, size
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, crowd, duel, play, stand

PRESETS = [(preset, seats) for preset, known in ROBOXING.presets.items() for seats in known.seats]
every_preset = pytest.mark.parametrize(("preset", "seats"), PRESETS)


def match(
    preset: str, seats: int, seed: int, turns: int = 60
) -> Iterator[tuple[dict[Seat, Order], list[RoboxingState]]]:
    options = ROBOXING.read_options(ROBOXING.presets[preset].options)
    rng = Random(seed)
    state = ROBOXING.state.start(options, seats, ROBOXING.draw(options, seats, rng, {}))
    assert isinstance(state, RoboxingState)
    while state.to_act() and state.turn < turns:
        orders = {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}
        states = [state, *play_turn(state, orders)]
        yield orders, states  # type: ignore[misc]
        state = states[-1]


def test_x12_an_enemys_layout_is_hidden_and_its_destroyed_letters_shown_in_alphabetical_order() -> None:
    state = stand("A1@a1:*a(d)/(e)[i]h/c(b)* B1@h8:c(g)*/(f)*(i)/a(h)d")
    assert state.view(A).position() == "A1@a1:*a(d)/(e)[i]h/c(b)* B1@h8:?be"
    assert state.view(B).position() == "A1@a1:?fg B1@h8:c(g)*/(f)*(i)/a(h)d"
    assert state.view(None).position() == "A1@a1:?fg B1@h8:?be"
    assert state.view(A).view(B).position() == "A1@a1:?fg B1@h8:?be"
    state = duel()
    assert not state.conceals(0, A)
    assert not play(state, A="h1", B="-")[-1].conceals(0, A)


def test_x12_an_enemys_move_and_turret_are_drawn_for_its_player_alone() -> None:
    moved = play(duel(), A="h1+a2", B="-")[0]
    assert moved.view(A).drawing()["effects"][0].legs == ((0.5, 7.5), (1.5, 7.5), (1.5, 5.5))
    assert moved.view(B).drawing()["effects"][0].legs == ()
    assert moved.view(B).drawing()["pieces"][0].parts == ()
    shot = play(duel(), A="h2+a2 d b", B="-")[1]
    assert sum(run.width for run in shot.view(A).drawing()["effects"][0].zone) == 35
    assert shot.view(B).drawing()["effects"][0].zone == ()


@every_preset
def test_x12_layouts_stay_secret_until_it_is_over(preset: str, seats: int) -> None:
    for seed in range(4):
        for _, states in match(preset, seats, seed, 300):
            for state in states:
                secret = bool(state.turn) and not state.ended
                for seat in state.seats:
                    assert state.conceals(0, seat) == secret
                    assert not state.conceals(1, seat)
        if states[-1].ended:
            assert states[-1].view(None) == states[-1]


@pytest.mark.fuzz
@every_preset
def test_x12_nothing_hidden_is_in_a_views_answers(preset: str, seats: int) -> None:
    for _, states in match(preset, seats, 5, size(20, 60)):
        for state in states:
            for viewer in (*state.seats, None):
                if not state.layouts or state.ended:
                    continue
                view = state.view(viewer)
                shown = json.dumps([repr(view), view.events, view.position()]) + repr(view.drawing())
                shown += repr([[str(s), repr(s.facts)] for s in view.words()])
                shown += " ".join(str(tell(view, event)) for event in view.events)
                for owner, layout in zip(state.ring.owners, state.layouts, strict=True):
                    assert layout
                    assert (layout.text in shown) <= (owner == viewer)
                    assert owner == viewer or layout not in view.layouts


@every_preset
def test_x12_a_guess_fits_its_view_and_the_whole_public_past(preset: str, seats: int) -> None:
    """The match is played again with guessed layouts: everybody sees the same at every turn."""
    rng = Random(6)
    for seed in range(3):
        turns = list(match(preset, seats, seed, 70))
        for viewer, upto in ((A, len(turns) // 3), (B, len(turns) - 1), (None, len(turns) - 2)):
            state = turns[upto][1][0]
            if not state.layouts:
                continue
            guessed = state.view(viewer).determinize(rng)
            assert guessed.view(viewer) == state.view(viewer)
            assert all(guessed.layouts[i] for i, at in enumerate(state.squares) if at < 1000)
            again = _with_layouts(turns[1][1][0], guessed, state)
            for orders, states in turns[1:upto]:
                for seat, order in orders.items():
                    assert again.check(seat, order) == order
                again = play(again, **{str(seat): order for seat, order in orders.items()})[-1]
                assert again.view(None) == states[-1].view(None)


def _with_layouts(first: RoboxingState, guessed: RoboxingState, whole: RoboxingState) -> RoboxingState:
    """The start of the fight with the guessed layouts; those that have left meanwhile have their own."""
    layouts = tuple(guess or own for guess, own in zip(guessed.layouts, whole.layouts, strict=True))
    return first._replace(layouts=layouts)


def test_x12_the_true_layout_is_among_the_guesses_when_all_is_known() -> None:
    state = duel("d4", "a8")
    for move in ("g1", "h1", "c1", "a1"):
        state = play(state, A=move, B="-")[-1]
    seen = {Guesses(state.view(B), 0).draw(Random(seed)).text for seed in range(200)}
    assert all(text.startswith("ga(") for text in seen)
    assert len(seen) > 50


# The notes on an enemy's letters: what anybody at the table could have written down, and no more (X12).


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


def test_x12_a_letter_that_moves_is_noted_as_an_engine_that_looks_where_it_went() -> None:
    assert sheet(duel()) == {}
    assert str(notes(duel().view(A), 1)[0].words) == "Slot a hasn’t revealed anything yet."
    assert sheet(fight(duel(), ("-", "a2"))) == {"a": "engine SW"}
    state = fight(duel(b="e4"), ("-", "a1+b2"))
    assert sheet(state) == {"a": "engine", "b": "engine"}
    assert sheet(fight(state, ("-", "a1"))) == {"a": "engine SW", "b": "engine NE"}
    state = stand(f"A1@a1:{FRED} B1@c3:{SALLY} C1@h1:{FRED}")
    state = play(state, A="-", B="a1", C="resign")[-1]
    assert sheet(state) == {"a": "engine SW"}


def test_x12_a_letter_that_fires_is_noted_with_its_last_shots_and_a_destroyed_one_with_what_it_was() -> None:
    state = fight(duel("c4", "e4"), ("-", "- f a"), ("h1", "- g b"))
    assert sheet(state) == {"f": "laser", "g": "laser"}
    shots = {note.letter: [tuple(shot) for shot in note.shots] for note in notes(state.view(A), 1)}
    assert (shots["f"], shots["g"]) == ([("e4", "c4", True)], [("e4", "d4", False)])
    state = fight(state, *[("-", "- g b")] * 6)
    assert notes(state.view(A), 1)[6].shots == (("e4", "d4", False),), "what tells the same is noted once"
    state = fight(state, *[("h1", f"- g {letter}") for letter in "bcde"])
    assert [shot.to for shot in notes(state.view(A), 1)[6].shots] == ["h4", "g4", "f4", "e4"]
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


# Sentences say why a shot missed, and what a turn shows of letters: no more than is known (X12).


START = "A fires laser {} at B’s slot c and misses: {}"


def shots(state: RoboxingState) -> list[Event]:
    return [event for event in state.events if event["kind"] == "shot"]


def told(state: RoboxingState, viewer: Seat | None) -> str:
    """The first shot of the turn, as `viewer` is told of it."""
    view = state.view(viewer)
    return str(tell(view, shots(view)[0]))


@named("squares orders known seen", {
    "another side": (
        "d4 c4", ("- d c", "-"), "it fires north-east, and c4 isn’t on that side.",
        "c4 isn’t on the side to which it fires.",
    ),
    "same square": (
        "c4 e4", ("h2 d c", "-"), "both stand on e4, and no laser hits its own square.",
        "both stand on e4, and no laser hits its own square.",
    ),
    "booster spent": (
        "a1 h8", ("h2+a3 d c", "-"),
        "h8 is 5 squares away, and its reach is 4: the booster was spent on the move.",
        "h8 is 5 squares away, too far for it.",
    ),
    "moved away": (
        "d4 b5", ("- e c", "d4"), "B moved out of the danger zone, from b5 to f1.",
        "f1 isn’t on the side to which it fires.",
    ),
})  # fmt: skip
def test_x12_a_miss_says_why_as_far_as_its_reader_may_know(
    squares: str, orders: tuple[str, str], known: str, seen: str
) -> None:
    turn = play(duel(*squares.split()), A=orders[0], B=orders[1])[-1]
    laser = orders[0].split(" ")[1]
    assert told(turn, A) == START.format(laser, known)
    for other in (B, None):
        assert told(turn, other) == f"{START.format(laser, seen)} So slot {laser} is a laser."


def test_g1_x7_out_of_reach_says_how_far_it_reaches_and_a_robot_that_has_left_that_it_has() -> None:
    state = stand(f"A1@a1:g*(d)/*[i]h/c(b)* B1@h8:{FRED}")
    turn = play(state, A="- d c", B="-")[-1]
    assert told(turn, A) == START.format("d", "h8 is 7 squares away, and its reach is 4.")
    assert told(turn, B).startswith(START.format("d", "from a1 it doesn’t cover h8."))
    state = stand(f"A1@a1:{FRED} B1@c3:{FRED} C1@h8:{FRED}")
    turn = play(state, A="- d B1:c", B="resign", C="-")[-1]
    assert told(turn, None).startswith(START.format("d", "B has left the ring."))


def test_x12_what_a_letter_shows_is_said_once_and_to_those_who_do_not_know_it() -> None:
    once = play(duel("a1", "h8"), A="h1+a1 d c", B="-")
    again = play(once[-1], A="h1 d b", B="-")
    more = play(again[-1], A="a1", B="-")

    def moved(states: list[RoboxingState], viewer: Seat | None) -> str:
        view = states[0].view(viewer)
        return str(tell(view, view.events[0]))

    way = "A moves from a1 to b2: engine h, one square, then engine a, one square."
    assert moved(once, A) == way
    assert moved(once, B) == f"{way} So slot a is an engine. So slot h is an engine."
    news = "So slot a is an engine and points north. So slot h is an engine and points east."
    assert moved(again, B).endswith(news)
    assert moved(more, None) == "A moves from c2 to c3: engine a, one square."
    assert told(once[-1], None).endswith("So slot d is a laser.")
    assert "So " not in told(again[-1], None) and "So " not in told(once[-1], A)


def test_x12_what_is_said_of_a_miss_is_true_and_follows_from_the_view() -> None:
    rng, misses = Random(36), 0
    for _ in range(40):
        robots, free = rng.randint(1, 2), rng.random() < 0.5
        state = stand(crowd(rng, 3, robots, free), robots=robots, centre="free" if free else "booster")
        for _ in range(6):
            if state.ended:
                break
            before = state
            orders = {str(seat): state.sample(seat, rng) for seat in sorted(state.to_act())}
            state = play(state, **orders)[-1]
            for event in shots(state):
                if not event["hit"]:
                    misses += 1
                    judge(before, state, event)
    assert misses > 100


def judge(before: RoboxingState, state: RoboxingState, event: Event) -> None:
    """Holds what watchers are told of a miss against the layout that they do not know."""
    ring, cause = state.ring, state.past[-1]
    i, target = ring.index[event["by"]], ring.index[event["at"]]
    move, turret, _ = cause.acts[i].split(" ")
    moved = sum(int(leg[1:]) for leg in move.split("+")) if move != "-" else 0
    layout, away = before.layout(i), cause.after[target] - cause.after[i]
    far = reach(layout, before.gone[i], moved)
    said = str(tell(state.view(None), event))
    if "too far" in said:
        assert ZONES[CENTRE][away] > far
    elif "isn’t on the side" in said:
        assert away not in layout.zones[turret]
    elif "both stand" in said:
        assert away == 0
    known = str(tell(state, event))
    assert ("moved out" in known) <= (cause.before[target] - cause.after[i] in layout.zones[turret])
    assert ("isn’t on that side" in known) <= (away not in layout.zones[turret])
    assert ("and its reach is" in known) <= (ZONES[CENTRE].get(away, 0) > far)


def test_x12_the_sheet_says_what_the_last_turn_has_shown_and_says_it_once() -> None:
    once = play(duel("c4", "e4"), A="-", B="a1 f a")[-1]
    enemy = once.plan(A, "").enemies[0]  # type: ignore[attr-defined]
    assert [letter.letter for letter in enemy.letters if letter.fresh] == ["a", "f"]
    assert list(map(str, enemy.news)) == ["Slot a is an engine and points south-west.", "Slot f is a laser."]
    again = play(once, A="-", B="- f b")[-1]
    assert again.plan(A, "").enemies[0].news == ()  # type: ignore[attr-defined]


def test_x6_robots_on_one_square_stand_side_by_side_and_a_planned_one_beside_who_is_there() -> None:
    one, other = stand(f"A1@d4:{FRED} B1@d4:{FRED}").drawing()["pieces"]
    assert one.y == other.y == 4.5 and other.x - one.x > 0.6 and one.scale == other.scale > 0.6
    (planned,) = duel("d4", "h4").plan(A, "h4").robots  # type: ignore[attr-defined]
    assert (planned.square, planned.y, planned.scale) == ("h4", 4.5, 0.68) and planned.x < 7.5
    (alone,) = duel("d4", "h8").plan(A, "h4").robots  # type: ignore[attr-defined]
    assert (alone.x, alone.scale) == (7.5, 1)
