"""Roboxing from crowded positions on, against the second referee (`positions.js`)."""

from __future__ import annotations

from random import Random

import pytest

from games.core import IllegalOrder, Seat
from games.roboxing.state import RoboxingState
from tests.games.referee import Case, agree_on
from tests.games.ring_table import ROBOXING, crowd, stand
from tests.games.sizes import size


def any_act(rng: Random, names: list[str], name: str, lone: bool) -> str:
    """An order as it might be, legal or not."""
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


def is_legal(state: RoboxingState, seat: Seat, order: str) -> bool:
    try:
        return state.check(seat, order) == order
    except IllegalOrder:
        return False


@pytest.mark.fuzz
def test_turns_from_crowded_positions_agree() -> None:
    rng = Random(1)
    agree_on(fight(rng) for _ in range(size(300, 2_500)))


@pytest.mark.fuzz
def test_what_is_legal_agrees() -> None:
    rng = Random(2)
    found = [some_orders(rng) for _ in range(size(60, 400))]
    agree_on(case for case, _, _ in found)
    share = sum(legal for _, legal, _ in found) / sum(orders for _, _, orders in found)
    assert 0.1 < share < 0.9


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_turns_agree() -> None:
    rng = Random(2004)
    agree_on(case for _ in range(40_000) for case in (fight(rng), some_orders(rng)[0]))
