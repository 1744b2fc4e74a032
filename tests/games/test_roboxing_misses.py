"""Sentences say why a shot missed, and what a turn shows of letters: no more than is known (X12)."""

from __future__ import annotations

from random import Random

import pytest

from games.core import Event, Seat, tell
from games.roboxing.robot import CENTRE, ZONES, reach
from games.roboxing.state import RoboxingState
from tests.games.ring_table import FRED, A, B, crowd, duel, play, stand

START = "A fires laser {} at B’s slot c and misses: {}"


def shots(state: RoboxingState) -> list[Event]:
    return [event for event in state.events if event["kind"] == "shot"]


def told(state: RoboxingState, viewer: Seat | None) -> str:
    """The first shot of the turn, as `viewer` is told of it."""
    view = state.view(viewer)
    return str(tell(view, shots(view)[0]))


@pytest.mark.parametrize(
    ("state", "orders", "known", "seen"),
    [
        pytest.param(
            duel("d4", "c4"),
            ("- d c", "-"),
            "it fires north-east, and c4 isn’t on that side.",
            "c4 isn’t on the side to which it fires.",
            id="another side",
        ),
        pytest.param(
            duel("c4", "e4"),
            ("h2 d c", "-"),
            "both stand on e4, and no laser hits its own square.",
            "both stand on e4, and no laser hits its own square.",
            id="same square",
        ),
        pytest.param(
            duel("a1", "h8"),
            ("h2+a3 d c", "-"),
            "h8 is 5 squares away, and it reaches 4: the booster was spent on the move.",
            "h8 is 5 squares away, too far for it.",
            id="booster spent",
        ),
        pytest.param(
            duel("d4", "b5"),
            ("- e c", "d4"),
            "B moved out of the danger zone, from b5 to f1.",
            "f1 isn’t on the side to which it fires.",
            id="moved away",
        ),
    ],
)
def test_x12_a_miss_says_why_as_far_as_its_reader_may_know(
    state: RoboxingState, orders: tuple[str, str], known: str, seen: str
) -> None:
    turn = play(state, A=orders[0], B=orders[1])[-1]
    laser = orders[0].split(" ")[1]
    assert told(turn, A) == START.format(laser, known)
    for other in (B, None):
        assert told(turn, other) == f"{START.format(laser, seen)} So slot {laser} is a laser."


def test_x7_out_of_reach_says_how_far_it_reaches() -> None:
    state = stand(f"A1@a1:g*(d)/*[i]h/c(b)* B1@h8:{FRED}")
    turn = play(state, A="- d c", B="-")[-1]
    assert told(turn, A) == START.format("d", "h8 is 7 squares away, and it reaches 4.")
    assert told(turn, B).startswith(START.format("d", "from a1 it doesn’t cover h8."))


def test_g1_a_shot_at_a_robot_that_has_left_says_so() -> None:
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
    assert ("and it reaches" in known) <= (ZONES[CENTRE].get(away, 0) > far)


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
