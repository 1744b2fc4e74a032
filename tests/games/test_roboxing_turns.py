"""Roboxing, the turn: moves, then shots, then damage; knocked out, won, left (X3, X6, X10, X11, G1)."""

from __future__ import annotations

import pytest

from games.core import DRAW, IllegalOrder, check_turn, play_turn, whole_turn
from games.roboxing.presentation.xray import look_back
from games.roboxing.state import RoboxingState
from tests.games.cases import scores
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, C, after, duel, play, stand

# Robots with one laser (b, north) or one engine (h, east) left, and a booster
LAST_LASER = "*(b)*/*[i]h/c**"
LAST_ENGINE = "(a)(b)(c)/*[i]h/**(g)"
TEAM = {"robots": 2}


def test_x3_moves_come_before_shots() -> None:
    # Fred's turret d (north-east) does not cover e4 from f5, but covers Sally where she moves to
    state = duel("f5", "e4", fred=FRED, sally=SALLY)
    assert after(state, A="- d c", B="b2").split(":")[2] == "*(g)b/(f)[e](i)/a(h)d"
    assert after(state, A="- d c", B="-").split(":")[2] == SALLY


def test_x3_the_first_picture_shows_the_moves_and_the_second_the_damage() -> None:
    moved, damaged = play(duel("a1", "d4"), A="h1 d c", B="-")
    assert (moved.tick, moved.turn, damaged.tick, damaged.turn) == (False, 0, True, 1)
    assert moved.position() == f"A1@b1:{FRED} B1@d4:{SALLY}"
    assert damaged.position() == f"A1@b1:{FRED} B1@d4:*(g)b/(f)[e](i)/a(h)d"


def test_x3_a_turret_destroyed_this_turn_still_fires_and_an_engine_still_moves() -> None:
    state = duel("d4", "g4")
    assert after(state, A="- d f", B="- f d") == "A1@d4:ga*/(e)[i]h/c(b)(f) B1@g4:c(g)b/*[e](i)/a(h)d"


def test_x6_robots_pass_through_each_other_and_share_a_square() -> None:
    state = duel("a1", "c3", sally="c(g)b/(f)[e](i)/a(h)d")
    assert after(state, A="h2+a2", B="a2") == f"A1@c3:{FRED} B1@a1:{SALLY}"
    assert after(state, A="h2+a2", B="-") == f"A1@c3:{FRED} B1@c3:{SALLY}"


# X10: shots


@pytest.mark.parametrize(("order", "says"), [
    ("- a b", "not a laser"), ("- i b", "not a laser"), ("- z b", "not a laser"),
    ("- d z", "not a target"),
    ("- d B2:e", "no robot B2"), ("- d A1:e", "your own robot"), ("- d", "should be a move"),
    ("- d B:e", "not a target"), ("- d C1:e", "no robot C1"),
])  # fmt: skip
def test_x10_a_wrong_shot_is_refused_and_told_why(order: str, says: str) -> None:
    with pytest.raises(IllegalOrder, match=says):
        duel().check(A, order)


def test_x10_a_destroyed_letter_and_a_destroyed_turret_are_refused() -> None:
    state = stand("A1@a1:ga*/(e)[i]h/c(b)(f) B1@h8:*(g)b/(f)[e](i)/a(h)d")
    with pytest.raises(
        IllegalOrder, match="Slot c of B is destroyed already; a, b, d, e, f, g, h, i are left"
    ):
        state.check(A, "- e c")
    with pytest.raises(IllegalOrder, match="Your laser d is destroyed"):
        state.check(A, "- d b")


def test_x10_with_more_enemies_the_robot_is_named() -> None:
    state = stand(f"A1@a1:{FRED} B1@h8:{SALLY} C1@a8:{SALLY}")
    assert state.check(A, "- D b1:E") == "- d B1:e"
    with pytest.raises(IllegalOrder, match="like B1:e"):
        state.check(A, "- d e")


def test_x10_the_name_stays_when_one_enemy_is_left() -> None:
    state = stand(f"A1@a1:{FRED} B1@- C1@a8:{SALLY}")
    assert state.check(A, "- d e") == "- d C1:e"
    with pytest.raises(IllegalOrder, match="B1 has left the ring"):
        state.check(A, "- d B1:e")


def test_x10_several_may_aim_at_the_same_letter() -> None:
    state = stand(f"A1@a1:{FRED} A2@b1:{FRED} B1@d4:{SALLY} B2@-", **TEAM)
    states = play(state, A="- d B1:c;- d B1:c", B="-")
    assert [event["hit"] for event in states[-1].events if event["kind"] == "shot"] == [True, True]
    assert states[-1].position().endswith("B1@d4:*(g)b/(f)[e](i)/a(h)d B2@-")
    assert [event["kind"] for event in states[-1].events].count("destroyed") == 1


def test_a_team_gives_an_order_for_every_robot_in_the_ring() -> None:
    state = stand(f"A1@- A2@b1:{FRED} B1@d4:{SALLY} B2@e4:{SALLY}", **TEAM)
    assert state.check(A, "a1") == "a1"
    assert state.check(B, "a1 ; - g A2:b") == "a1;- g A2:b"
    assert after(state, A="a1", B="a1;- g A2:b").startswith("A1@- A2@b2:")
    for order in ("a1", "a1;-;-", "a1;"):
        with pytest.raises(IllegalOrder):
            state.check(B, order)


# X11: knocked out


def test_x11_without_lasers_a_robot_is_knocked_out() -> None:
    states = play(duel("a1", "d4", sally=LAST_LASER), A="- d b", B="-")
    assert states[-1].position() == f"A1@a1:{FRED} B1@-"
    assert scores(states[-1].outcome()) == "A knockout"


def test_x11_without_engines_a_robot_is_knocked_out() -> None:
    states = play(duel("a1", "d4", sally=LAST_ENGINE), A="- d h", B="-")
    assert scores(states[-1].outcome()) == "A knockout"


def test_x11_the_booster_is_neither() -> None:
    states = play(duel("a1", "d4", sally=LAST_LASER), A="- d i", B="-")
    assert states[-1].position() == f"A1@a1:{FRED} B1@d4:*(b)*/**h/c**"
    assert states[-1].outcome() is None


def test_x11_an_engine_in_the_centre_counts() -> None:
    sally = "(a)(b)(c)/*ih/**(g)"
    states = play(duel("a1", "d4", sally=sally, centre="free"), A="- d h", B="-")
    assert states[-1].position().endswith("B1@d4:(a)(b)(c)/*i*/**(g)")


def test_x11_two_that_fall_together_draw() -> None:
    state = duel("d4", "d6", fred=LAST_LASER, sally="*h*/*[i]*/c(b)*")
    states = play(state, A="- b b", B="- b b")
    assert states[-1].position() == "A1@- B1@-"
    assert scores(states[-1].outcome()) == "AB knockout"
    assert states[-1].to_act() == frozenset()


def test_x11_a_player_is_out_with_the_last_robot() -> None:
    state = stand(f"A1@a1:{FRED} A2@b1:{FRED} B1@d4:{LAST_LASER} B2@h8:{SALLY}", **TEAM)
    states = play(state, A="- d B1:b;-", B="-;-")
    assert states[-1].position().endswith(f"B1@- B2@h8:{SALLY}")
    assert states[-1].outcome() is None
    state = stand(f"A1@a1:{FRED} A2@b1:{FRED} B1@d4:{LAST_LASER} B2@-", **TEAM)
    assert scores(play(state, A="- d B1:b;-", B="-")[-1].outcome()) == "A knockout"


def test_x11_of_three_the_last_one_left_wins_and_those_who_fall_last_together_share() -> None:
    state = stand(f"A1@d4:{LAST_LASER} B1@d6:*h*/*[i]*/c(b)* C1@d5:{LAST_LASER}")
    states = play(state, A="- b B1:b", B="- b A1:b", C="- b B1:h")
    assert states[-1].position() == f"A1@- B1@- C1@d5:{LAST_LASER}"
    assert scores(states[-1].outcome()) == "C knockout"
    state = stand(f"A1@d4:{LAST_LASER} B1@d6:*h*/*[i]*/c(b)* C1@-")
    assert scores(play(state, A="- b B1:b", B="- b A1:b")[-1].outcome()) == "AB knockout"


# G1: leaving


def opening(seats: int, **options: object) -> RoboxingState:
    corners = dict(zip("ABCD", ("a1", "h8", "a8", "h1"), strict=False))
    setup = {"corners": {seat: corners[seat] for seat in "ABCD"[:seats]}}
    state = ROBOXING.state.start(ROBOXING.read_options(options), seats, setup)
    assert isinstance(state, RoboxingState)
    return state


def test_g1_whoever_resigns_before_the_layouts_are_in_simply_leaves() -> None:
    state = opening(3)
    turn = whole_turn(state, {A: FRED, B: SALLY}, {C}, set())
    assert turn == {"A": FRED, "B": SALLY, "C": "resign"}
    states = play(state, **{str(seat): order for seat, order in turn.items()})
    assert states[0].position() == "A1@a1 B1@h8 C1@-"
    assert not states[0].tick
    assert states[-1].position() == f"A1@a1:{FRED} B1@h8:{SALLY} C1@-"
    assert states[-1].tick
    assert not states[-1].conceals(0, C)
    after_that = play(states[-1], A="h1 d B1:a", B="-")
    assert after_that[-1].position().startswith("A1@b1:")


def test_g1_a_shot_at_a_robot_that_leaves_is_legal_and_misses() -> None:
    state = stand(f"A1@a1:{FRED} B1@h8:{SALLY} C1@b2:{SALLY}")
    orders = {A: "- d C1:b", B: "-", C: "resign"}
    check_turn(state, orders)
    *_, last = play_turn(state, orders)
    assert last.position() == f"A1@a1:{FRED} B1@h8:{SALLY} C1@-"
    assert last.events == [{"kind": "shot", "by": "A1", "at": "C1", "letter": "b", "hit": False}]


def test_g1_whoever_leaves_shares_nothing_when_the_others_fall_together() -> None:
    state = stand(f"A1@d4:{LAST_LASER} B1@d6:*h*/*[i]*/c(b)* C1@a1:{SALLY}")
    states = list(play_turn(state, {A: "- b B1:b", B: "- b A1:b", C: "resign"}))
    assert scores(states[-1].outcome()) == "AB knockout"


def test_g1_a_whole_team_leaves() -> None:
    state = opening(3, robots=2)
    left = state.leave(frozenset({B}))
    assert left.position() == "A1@a1 A2@b1 B1@- B2@- C1@a8 C2@b8"
    assert left.still_in() == {"A", "C"}


# Positions


@pytest.mark.parametrize("text", [
    f"A1@a1:{FRED} B1@h9:{SALLY}", f"A1@a1:{FRED} B1@h8", f"A1@a1:{FRED} B2@h8:{SALLY}", f"A1@a1:{FRED}",
    f"A1@a1:{FRED}  B1@h8:{SALLY}", f"A1@a1:{FRED} B1@h8:{SALLY} ", f"A1@A1:{FRED} B1@h8:{SALLY}",
    f"A1@a1:{FRED} B1@h8:", f"A1@a1:{FRED} B1@h8:?ba", f"A1@a1:{FRED} B1@h8:?bb", f"A1@a1:{FRED} B1@h8:?j",
    f"A1@a1:{FRED} B1@h8:?abcdefgh", f"A1@a1:{FRED} B1@h8:*******(a)b", f"A1@a1:{FRED} B1@h8:{SALLY.upper()}",
    f"A1@a1:{FRED} B1@h8:*(a)*/*b*/***", f"A1@a1:{FRED} B1@h8:c(g)b(f)[e](i)a(h)d", "A1@x B1@y",
    f"A1@a1:{FRED} B1@h8:(*)***/*[e]*/a**", f"A1@a1:{FRED} B1@h8:(a)(b)(c)/(d)*e/(f)gh",
])  # fmt: skip
def test_a_position_is_read_strictly(text: str) -> None:
    with pytest.raises(ValueError):
        stand("A1@a1 B1@h8").read(text, ROBOXING.read_options({}), 2)


@pytest.mark.parametrize("text", [
    "A1@a1 B1@h8", f"A1@a1:{FRED} B1@h8:?", f"A1@a1:{FRED} B1@h8:?be", f"A1@- B1@h8:{SALLY}", "A1@- B1@-",
    "A1@a1:*(b)*/**h/c** B1@h8:" + SALLY,
])  # fmt: skip
def test_a_position_is_read_and_written(text: str) -> None:
    assert stand(text).position() == text


def test_a_seat_that_is_out_owes_nothing() -> None:
    state = stand(f"A1@a1:{FRED} B1@- C1@a8:{SALLY}")
    assert state.to_act() == {"A", "C"}


def test_an_agreed_draw_is_no_turn_of_shots() -> None:
    *_, fought = play(duel("f5", "e4"), A="- d c", B="-")
    *_, drawn = play(fought, A=DRAW, B=DRAW)
    for state in (fought, drawn):
        (shot,) = [shot for robot in look_back(state) or () for shot in robot.shots]
        assert shot.turn == fought.turn
