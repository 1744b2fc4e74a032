"""Turns of Roboxing tried as numbers: the same end, damage and dead fights as the rules give."""

from __future__ import annotations

from random import Random

import pytest

from games.core import Seat
from games.roboxing.bot import bout
from games.roboxing.bot.bout import Boxer, brawl, clash
from games.roboxing.bot.many_robots import boxers_of, played
from games.roboxing.ring import OFF
from games.roboxing.state import RoboxingState
from tests.games.ring_table import ROBOXING, stand
from tests.games.sizes import size

A, B = Seat("A"), Seat("B")
TABLES = [("standard", 2), ("free-centre", 2), ("melee", 4), ("tag-team", 2), ("arena", 3)]


def fight(preset: str, seats: int, seed: int) -> list[tuple[RoboxingState, dict[Seat, str], RoboxingState]]:
    """Yields the positions of a random fight, each with its orders and the positions that follow."""
    rng = Random(seed)
    options = ROBOXING.read_options(ROBOXING.presets[preset].options)
    state = ROBOXING.state.start(options, seats, ROBOXING.draw(options, seats, rng, {}))
    found = []
    while state.to_act() and state.turn < 40:
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        *_, after = state.play(orders)
        assert isinstance(state, RoboxingState) and isinstance(after, RoboxingState)
        if state.layouts:
            found.append((state, orders, after))
        state = after
    return found


def hoped(state: RoboxingState, seat: Seat) -> float:
    """The value of the position, from the position that the rules give."""
    if state.ended:
        return state.ended.scores[seat]
    standing = [
        (state.ring.owners[i], bout.DamagedRobot(state.ring.inside, state.layout(i), state.gone[i]), at)
        for i, at in enumerate(state.squares)
        if at != OFF
    ]
    return bout.shares(standing).get(seat, 0.0)


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_turn_as_numbers_is_the_turn_of_the_rules(preset: str, seats: int) -> None:
    ends = 0
    for seed in range(size(6, 60)):
        for state, orders, after in fight(preset, seats, seed):
            boxers, acts = played(state, orders)
            ends += after.ended is not None
            for seat in orders:
                hope = brawl(boxers, state.ring.owners, acts, seat)
                assert hope == pytest.approx(hoped(after, seat)), (state.position(), orders)
    assert ends


@pytest.mark.parametrize("preset", ["standard", "free-centre"])
def test_two_robots_are_the_same_by_the_shorter_way(preset: str) -> None:
    for seed in range(size(6, 60)):
        for state, orders, _ in fight(preset, 2, seed):
            (one, other), acts = played(state, orders)[0].values(), played(state, orders)[1]
            for keeps in (1.0, 0.5):
                one.keeps = other.keeps = keeps
                hope = brawl({0: one, 1: other}, state.ring.owners, acts, A)
                assert clash(one, other, acts[0], acts[1]) == pytest.approx(hope)
                assert clash(other, one, acts[1], acts[0]) == pytest.approx(1 - hope)


def test_what_nobody_hits_brings_less_and_less() -> None:
    state = stand("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:(a)**/*[e]f/***")
    boxers = {i: Boxer(state, i, state.layout(i)) for i in range(2)}
    ahead = brawl(boxers, state.ring.owners, {i: boxers[i].act("-") for i in range(2)}, A)
    for boxer in boxers.values():
        boxer.keeps = 0.5
    assert boxers_of(state, boxers, B) == {1: boxers[1]}
    later = brawl(boxers, state.ring.owners, {i: boxers[i].act("-") for i in range(2)}, A)
    assert ahead > 0.6 and later - 0.5 == pytest.approx((ahead - 0.5) / 2)


def test_it_is_worth_something_to_come_near_to_where_the_enemy_can_be_hit() -> None:
    state = stand("A1@a8:(h)b(a)/d[e]i/*f* B1@h2:*de/*[c](i)/bf(a)")
    robot = Boxer(state, 0, state.layout(0)).damaged(state.gone[0])
    there = state.squares[1]
    values = {name: robot.value_against(state.ring.at(name), there) for name in ("a8", "c6", "f2")}
    assert all(finds for _, finds in values.values())
    assert values["a8"] < values["c6"] < values["f2"]
