"""Roboxing, what is true of every turn: of any robots anywhere, whatever they do."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import Seat
from games.roboxing import RoboxingState
from games.roboxing.bot import bout
from games.roboxing.bot.bout import Boxer, brawl, clash
from games.roboxing.bot.many_robots import boxers_of
from games.roboxing.bot.many_robots import played as played_of_bout
from games.roboxing.ring import OFF
from games.roboxing.robot import ALL, BIT, FAR, IN_MASK, MIDDLE, ROW, built, longest, power, reach, shuffled
from tests.games.cases import size
from tests.games.referee import Case, agree_on, is_legal
from tests.games.ring_table import ROBOXING, crowd, stand


@given(st.integers(0, 2**32), st.integers(0, ALL), st.booleans())
def test_what_a_robot_can_do_is_kept_as_its_rules_have_it(seed: int, gone: int, free: bool) -> None:
    layout = built(*shuffled(Random(seed), free))
    able = layout.powers[gone]
    assert able.movers == IN_MASK[layout.movers & ~gone] and able.turrets == IN_MASK[layout.lasers & ~gone]
    assert (able.spaces, able.spaces_unboosted) == (longest(layout, gone), power(layout, gone))
    for moved in range(9):
        assert (able.reach if moved <= able.spaces_unboosted else able.reach_unboosted) == reach(
            layout, gone, moved
        )
    zones = [zone for letter, zone in layout.zones.items() if not gone & BIT[letter]]
    for by in (dy * ROW + dx for dx in range(-14, 15) for dy in range(-14, 15)):
        seen = any(zone.get(by, FAR) <= able.reach for zone in zones)
        assert seen == bool(able.sight >> MIDDLE + by & 1), by


# Roboxing from crowded positions on, against the second referee (`positions.js`).


def any_act(rng: Random, names: list[str], name: str, lone: bool) -> str:
    legs = [f"{rng.choice('abcdefghi')}{rng.randint(1, 4)}" for _ in range(rng.choice((0, 1, 1, 2)))]
    move = "+".join(legs) or "-"
    if rng.random() < 0.4:
        return move
    other = rng.choice([other for other in names if rng.random() < 0.05 or other[0] != name[0]] or names)
    target = rng.choice("abcdefghi")
    return f"{move} {rng.choice('abcdefghi')} {target if lone else f'{other}:{target}'}"


def table(rng: Random) -> RoboxingState:
    seats, robots, centre = rng.randint(2, 4), rng.randint(1, 3), rng.choice(("booster", "free"))
    if rng.random() < 0.5:
        seats = 2
        robots = 1
    width, height = rng.choice(((8, 8), (5, 5), (15, 15), (5, 9), (12, 7)))
    position = crowd(rng, seats, robots, centre == "free", width, height)
    return stand(position, robots=robots, centre=centre, width=width, height=height)


def fight(rng: Random) -> Case:
    """Three turns at most; sometimes somebody resigns."""
    case = Case("roboxing", state := table(rng), ROBOXING.write_options(state.options))
    for _ in range(3):
        state = case.state
        orders = {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}
        if len(orders) > 2 and rng.random() < 0.2:
            orders[rng.choice(sorted(orders))] = "resign"
        if case.play(orders).ended:
            break
    return case


def some_orders(rng: Random) -> tuple[Case, int, int]:
    """Ten orders of a seat in one position, how many of them are legal, and of how many."""
    state = table(rng)
    seat = rng.choice(sorted(state.to_act()))
    words = [word.split("@") for word in state.position().split(" ")]
    mine = [name for name, rest in words if name[0] == seat and rest != "-"]
    others = [name for name, _ in words if name[0] != seat]
    orders = []
    for _ in range(10):
        acts = [any_act(rng, others, name, state.ring.is_one_on_one) for name in mine]
        if rng.random() < 0.7:  # a legal order, with one robot's part of it replaced
            n = rng.randrange(len(acts))
            legal = state.sample(seat, rng).split(";")
            acts = [*legal[:n], acts[n], *legal[n + 1 :]]
        orders.append(";".join(acts))
    case = Case("roboxing", state, ROBOXING.write_options(state.options))
    legal = [order for order in orders if is_legal(state, seat, order)]
    case.expect(legal, "legalOf", seat, orders)
    return case, len(legal), len(orders)


@pytest.mark.fuzz
def test_turns_from_crowded_positions_agree() -> None:
    rng = Random(1)
    agree_on(fight(rng) for _ in range(size(300, 10_000)))


@pytest.mark.fuzz
def test_what_is_legal_agrees() -> None:
    rng = Random(2)
    found = [some_orders(rng) for _ in range(size(60, 2_000))]
    agree_on(case for case, _, _ in found)
    share = sum(legal for _, legal, _ in found) / sum(orders for _, _, orders in found)
    assert 0.1 < share < 0.9


# Turns of Roboxing tried as numbers: the same end, damage and dead fights as the rules give.


A, B = Seat("A"), Seat("B")
TABLES = [("standard", 2), ("free-centre", 2), ("melee", 4), ("tag-team", 2), ("arena", 3)]


def fight_roboxing_bout(
    preset: str, seats: int, seed: int
) -> list[tuple[RoboxingState, dict[Seat, str], RoboxingState]]:
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
        for state, orders, after in fight_roboxing_bout(preset, seats, seed):
            boxers, acts = played_of_bout(state, orders)
            ends += after.ended is not None
            for seat in orders:
                hope = brawl(boxers, state.ring.owners, acts, seat)
                assert hope == pytest.approx(hoped(after, seat)), (state.position(), orders)
            if preset in ("standard", "free-centre"):
                for keeps in (1.0, 0.5):
                    is_the_same_by_the_shorter_way(boxers, acts, state, keeps)
    assert ends


def is_the_same_by_the_shorter_way(boxers: Any, acts: Any, state: RoboxingState, keeps: float) -> None:
    one, other = boxers.values()
    one.keeps = other.keeps = keeps
    hope = brawl(boxers, state.ring.owners, acts, A)
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
