"""The thorough player in a fight of two robots: it sends nothing in vain, and finishes what it can."""

from __future__ import annotations

from random import Random

import pytest

from games import newest
from games.core import Order
from games.roboxing.bot import search as roboxing
from games.roboxing.bot.robot_orders import Chances, paths, written
from games.roboxing.bot.sure_hits import SureHits
from games.roboxing.orders import legs_of, spent, walk
from games.roboxing.robot import ALL, BIT, IN_MASK, LASER, reach
from games.roboxing.rules import Position
from games.roboxing.state import RoboxingState
from tests.games.ring_table import A, B, play, stand
from tests.games.sizes import size

STUCK = "A1@a1:a(b)c/(d)**/**i B1@h8:(a)b*/**e/(g)**"
"""B is stuck: its engines lead north and east out of the ring, and its lasers reach two squares."""


def orders_in_fights(fights: int) -> list[tuple[RoboxingState, Order]]:
    """Yields its orders against a random player, with the views that it had."""
    game, found = newest("roboxing"), []
    options = game.read_options({})
    for seed in range(fights):
        rng = Random(seed)
        state = game.state.start(options, 2, game.draw(options, 2, rng, {}))
        assert isinstance(state, RoboxingState)
        for _ in range(7):
            if state.ended:
                break
            view = state.view(A)
            order = roboxing.order(view, A, rng)
            if view.layouts:
                found.append((view, order))
            state = play(state, A=order, B=state.sample(B, rng))[-1]
    return found


@pytest.mark.more
def test_no_move_comes_back_and_no_shot_is_surely_in_vain() -> None:
    for view, order in orders_in_fights(size(2, 8)):
        move, _, shot = order.partition(" ")
        at = walk(view, 0, legs_of(move))
        assert move == "-" or at != view.squares[0], order
        if shot:
            layout, far = view.layout(0), reach(view.layout(0), view.gone[0], spent(legs_of(move)))
            squares = Chances(view, 0, 1).squares
            assert any(
                squares >> at + by & 1
                for by, away in layout.zones[shot[0]].items()
                if away <= far and at + by >= 0
            ), order


def test_every_square_in_reach_has_one_shortest_move() -> None:
    state = stand("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@h8:(a)b(c)/d[e]f/(g)h(i)")
    ways = {at: path for path, at in paths(state, 0, 0)}
    assert ways[state.squares[0]] == ""
    assert all(walk(state, 0, legs_of(written(path))) == at for at, path in ways.items())
    assert len(ways) == 64 and len(ways[state.ring.at("d6")]) == 2


def test_a_way_shows_no_new_engine_where_one_that_has_moved_will_do() -> None:
    state = stand("A1@a1:abc/d[e](f)/(g)(h)(i) B1@h8:(a)b(c)/d[e]f/(g)h(i)")
    ways = {at: path for path, at in paths(state, 0, BIT["b"] | BIT["c"])}
    assert ways[state.ring.at("b3")] in ("bc", "cb")


@pytest.mark.more
def test_the_squares_where_an_enemy_may_be_are_not_too_few() -> None:
    for view, _ in orders_in_fights(2):
        squares, sure = Chances(view, 0, 1).squares, SureHits(view, A)
        assert all(squares >> at & 1 for at in sure.squares)


def shots_at_a_last_laser() -> RoboxingState:
    """The enemy has lost three lasers, has shown that b, d, f and h move it, and fires i before it is hit."""
    return stand("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:***/d*f/*h(i)")


@pytest.mark.integration
def test_a_last_laser_that_is_known_and_can_be_hit_is_shot_at() -> None:
    state = play(shots_at_a_last_laser(), A="-", B="d1 i b")[-1]
    for move in ("f1", "h1"):
        state = play(state, A="-", B=f"{move} i {IN_MASK[ALL & ~state.gone[0]][0]}")[-1]
    chances = Chances(state.view(A), 0, 1)
    assert chances.fatal & BIT["i"]
    shots = [roboxing.order(state.view(A), A, Random(seed)).partition(" ")[2] for seed in range(4)]
    assert all(not shot or BIT[shot[-1]] & chances.fatal for shot in shots)
    assert any(shots)


@pytest.mark.parametrize("seed", range(size(2, 6)))
def test_an_enemy_stuck_in_a_corner_is_finished_even_after_long_peace(seed: int) -> None:
    state, rng = stand(STUCK), Random(seed)
    for _ in range(12):
        state = play(state, A="-", B="-")[-1]
    for _ in range(8):
        if not state.ended:
            shot = f"- g {IN_MASK[ALL & ~state.gone[0]][0]}"
            reply = "-" if state.gone[1] & BIT["g"] else shot
            state = play(state, A=roboxing.order(state.view(A), A, rng), B=reply)[-1]
    assert state.ended


def test_it_builds_robots_of_several_families_that_its_dice_draw() -> None:
    view = stand("A1@a1 B1@h8")
    built = {seed: roboxing.order(view, A, Random(seed)) for seed in range(40)}
    assert built == {seed: roboxing.order(view, A, Random(seed)) for seed in range(40)}
    patterns = {
        "".join(layout.parts) for order in built.values() for layout in Position.read_layouts(view, order)
    }
    corners = {sum(parts[slot] == LASER for slot in roboxing.CORNERS) for parts in patterns}
    assert corners == {0, 1, 2, 3, 4}
