"""The events of Roboxing, as data, sentences and drawings, as the position has them."""

from __future__ import annotations

import json
from random import Random

import pytest

from games.core import Seat, play_turn, tell
from games.roboxing import RoboxingState
from tests.games.ring_table import FRED, SALLY, A, B, C, crowd, duel, opening, play, stand

TEAM = f"A1@a1:{FRED} A2@b1:{SALLY} B1@d4:*(b)*/*[i]h/c** B2@g8:{FRED}"


def told(states: list[RoboxingState]) -> list[str]:
    return [str(tell(state, event)) for state in states for event in state.events]


def test_a_turn_is_told_in_the_order_of_the_rules() -> None:
    assert told(play(duel("a1", "d4"), A="h1+a1 d c", B="- f b")) == [
        "A moves from a1 to b2: engine h, one square, then engine a, one square.",
        "B stays on d4.",
        "A fires laser d at B’s slot c and hits!",
        "B fires laser f at A’s slot b and hits!",
        "Slot b of A is destroyed.",
        "Slot c of B is destroyed.",
    ]
    assert told(play(duel(), A="- e c", B="a2"))[2:] == [
        "A fires laser e at B’s slot c and misses: it fires west, and f6 isn’t on that side."
    ]
    assert told(play(duel(), A="-", B="-")) == ["A stays on a1.", "B stays on h8."]


def test_a_knockout_is_told_and_robots_have_numbers_where_there_are_several() -> None:
    states = play(stand(TEAM, robots=2), A="- d B1:b;-", B="-;c1")
    assert told(states) == [
        "A’s robot 1 stays on a1.",
        "A’s robot 2 stays on b1.",
        "B’s robot 1 stays on d4.",
        "B’s robot 2 moves from g8 to f7: engine c, one square.",
        "A’s robot 1 fires laser d at B’s robot 1’s slot b and hits!",
        "Slot b of B’s robot 1 is destroyed.",
        "B’s robot 1 is knocked out on d4!",
    ]
    lone = stand(TEAM.replace(f"B2@g8:{FRED}", "B2@-"), robots=2)
    assert told(play(lone, A="- d B1:b;-", B="-"))[-1] == "B has no robot left."


def test_building_and_leaving_are_told() -> None:
    states = list(play_turn(opening(3), {A: FRED, B: SALLY, C: "resign"}))
    assert told(states) == ["C resigns.", "A has built a robot.", "B has built a robot."]  # type: ignore[arg-type]
    two = f"{FRED} {SALLY}"
    assert told(play(opening(robots=2), A=two, B=two))[0] == "A has built 2 robots."


def retold(position: str, states: list[RoboxingState]) -> str:
    """The position that the events of a turn lead to, knowing nothing else."""
    robots = dict(word.split("@") for word in position.split(" "))
    for event in [event for state in states for event in state.events if "by" in event]:
        by = event["by"]
        match event["kind"]:
            case "moved":
                square, _, rest = robots[by].partition(":")
                assert square == event["from"]
                robots[by] = f"{event['to']}:{rest}"
            case "stayed":
                assert robots[by].startswith(event["at"] + ":")
            case "destroyed":
                square, _, rest = robots[by].partition(":")
                letter = event["letter"]
                shown = next(s for s in (f"({letter})", f"[{letter}]", letter) if s in rest)
                robots[by] = f"{square}:{rest.replace(shown, '*')}"
            case "knocked out":
                assert robots[by].startswith(event["from"] + ":")
                robots[by] = "-"
            case "out":
                assert all(at == "-" for name, at in robots.items() if name[0] == by)
    return " ".join(f"{name}@{at}" for name, at in robots.items())


def test_the_events_of_a_turn_are_exactly_what_changed() -> None:
    rng = Random(12)
    for _ in range(400):
        robots = rng.randint(1, 3)
        position = crowd(rng, rng.randint(2, 4), robots, False)
        state = stand(position, robots=robots)
        orders = {str(seat): state.sample(seat, rng) for seat in sorted(state.to_act())}
        states = play(state, **orders)
        assert retold(position, states) == states[-1].position()
        assert [event["kind"] in ("moved", "stayed") for event in states[0].events] == [True] * len(
            states[0].events
        )
        for after in states:
            assert json.loads(json.dumps(after.events)) == after.events
            assert all(str(tell(after, event)) for event in after.events)
        shots = [event for event in states[1].events if event["kind"] == "shot"]
        hit = {(event["at"], event["letter"]) for event in shots if event["hit"]}
        gone = {(e["by"], e["letter"]) for e in states[1].events if e["kind"] == "destroyed"}
        assert hit == gone


def test_the_board_in_words() -> None:
    state = stand(f"A1@a1:ga*/(e)[i]h/c(b)(f) B1@h8:{SALLY} C1@-")
    said = [str(sentence) for sentence in state.view(A).words()]
    assert said[0] == "A stands on a1; destroyed: d."
    assert said[1:3] == ["B stands on h8, undamaged.", "C is out of the ring."]
    assert said[3] == "A: lasers 3, engines 4, and a booster."
    assert said[4] == "north-west: engine g."
    assert said[6] == "north-east: laser d, destroyed."
    assert len(state.view(None).words()) == 3


def test_a_drawing_has_the_ring_and_every_robot_in_it_side_by_side() -> None:
    drawn = stand(f"A1@a1:{FRED} B1@e5:{SALLY} C1@-", width=5, height=7).view(A).drawing()
    assert (drawn["width"], drawn["height"]) == (5, 7)
    assert drawn["files"] == [("a", 0.5), ("b", 1.5), ("c", 2.5), ("d", 3.5), ("e", 4.5)]
    assert drawn["ranks"][0] == ("1", 6.5)
    assert [(p.robot, p.x, p.y, p.square) for p in drawn["pieces"]] == [
        ("A1", 0.5, 6.5, "a1"),
        ("B1", 4.5, 2.5, "e5"),
    ]
    assert [(part.slot, part.x, part.y, part.letter, part.part) for part in drawn["pieces"][0].parts][:3] == [
        ("NW", -1, -1, "g", "engine"),
        ("N", 0, -1, "a", "engine"),
        ("NE", 1, -1, "d", "laser"),
    ]
    pieces = duel("d4", "d4").drawing()["pieces"]
    assert [(p.place, p.crowd) for p in pieces] == [(0, 2), (1, 2)]


def test_a_drawing_shows_shots_side_by_side_and_what_they_destroyed() -> None:
    states = play(duel("a1", "d4"), A="h1+a1 d c", B="- g b")
    assert [(e.kind, e.x, e.y, e.x2, e.y2) for e in states[0].drawing()["effects"]] == [
        ("path", 0.5, 7.5, 1.5, 6.5)
    ]
    shot, miss, gone = states[1].drawing()["effects"]
    assert (shot.x, shot.y, shot.x2, shot.y2, shot.hit, shot.turret, shot.letter) == (
        1.5, 6.5, 3.5, 4.5, True, "d", "c",
    )  # fmt: skip
    assert not miss.hit
    assert (gone.kind, gone.robot, gone.letter) == ("destroyed", "B1", "c")
    a, b = [
        e for e in play(duel("c3", "d4"), A="- d c", B="- g b")[-1].drawing()["effects"] if e.kind == "shot"
    ]
    assert (a.x, a.y, a.x2, a.y2) == (b.x2, b.y2, b.x, b.y)
    assert a.aside == (-b.aside[0], -b.aside[1]) != (0, 0)
    away = (a.x2 - a.x) * a.aside[0] + (a.y2 - a.y) * a.aside[1]
    assert away == 0  # sideways, neither longer nor shorter
    state = stand(f"A1@a1:{FRED} B1@h8:{SALLY} C1@b2:{SALLY}")
    *_, last = play_turn(state, {A: "- d C1:b", B: "-", C: "resign"})
    (shot,) = last.drawing()["effects"]
    assert (shot.aimed, shot.x2, shot.y2) == (False, shot.x, shot.y)


def test_x3_the_zone_is_drawn_as_it_was_before_the_damage() -> None:
    last = play(duel("d4", "g4"), A="- d f", B="- f d")[-1]
    zones = [sum(run.width for run in e.zone) for e in last.drawing()["effects"] if e.kind == "shot"]
    assert zones == [24, 3 + 5 + 7 + 8 + 8 + 8]


def test_the_table_of_orders_shows_moves_as_arrows_and_then_shots() -> None:
    states = play(duel("a1", "d4"), A="h1 d c", B="- g b")
    cells = [[state.cell(seat) for seat in (A, B)] for state in states]
    assert [[(c.sign, c.mark) for c in row if c] for row in cells] == [
        [("h1", "moved"), ("-", "")],
        [("d c", "hit"), ("g b", "missed")],
    ]
    (act,) = states[0].cell(A).acts
    assert (str(act.name), str(act.says)) == ("to b1 (h×1)", "to b1: engine h, one square")
    (act,) = play(duel("a1", "d4"), A="h2+a1", B="-")[0].cell(A).acts
    assert str(act.name) == "to c2 (h×2 + a×1)"
    assert stand(f"A1@- B1@h8:{SALLY} C1@a8:{SALLY}").cell(A) is None
    assert play(duel(), A="h1", B="-")[-1].cell(Seat("A")).sign == "-"
    moved = play(duel("a1", "h8"), A="h2", B="a1")[0]
    assert [moved.cell(seat).icon for seat in (A, B)] == ["act-move-90", "act-move-225"]
    bent = play(duel("a1", "d4"), A="h4+a1", B="-")[0]
    assert bent.cell(A).icon == "act-move-90"


@pytest.mark.parametrize("seat", [A, B, None])
def test_a_view_is_told_and_drawn_as_the_whole_is_but_for_what_is_hidden(seat: Seat | None) -> None:
    for state in play(duel("a1", "d4"), A="h1 d c", B="- g b"):
        view = state.view(seat)
        assert view.events == state.events
        for shown, whole in zip(view.drawing()["pieces"], state.drawing()["pieces"], strict=True):
            assert shown == (whole if whole.seat == seat else whole._replace(parts=()))
