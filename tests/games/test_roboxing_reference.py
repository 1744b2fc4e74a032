"""Roboxing against a second, naive implementation written from the rulings alone."""

from __future__ import annotations

from random import Random

import pytest

from games.core import IllegalOrder, Seat, check_turn, play_turn
from games.roboxing.state import RoboxingState
from tests.games import reference_roboxing as reference
from tests.games.ring_table import crowd, stand
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


def table(rng: Random) -> tuple[str, RoboxingState]:
    seats, robots, centre = rng.randint(2, 4), rng.randint(1, 3), rng.choice(("booster", "free"))
    if rng.random() < 0.5:
        seats = 2
        robots = 1
    width, height = rng.choice(((8, 8), (5, 5), (15, 15), (5, 9), (12, 7)))
    position = crowd(rng, seats, robots, centre == "free", width, height)
    return position, stand(position, robots=robots, centre=centre, width=width, height=height)


def compare(rng: Random) -> None:
    position, state = table(rng)
    for _ in range(3):
        orders = {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}
        if len(orders) > 2 and rng.random() < 0.2:
            orders[rng.choice(sorted(orders))] = "resign"
        check_turn(state, orders)
        *_, fought, state = play_turn(state, orders)  # type: ignore[assignment]
        position, hits, scores = reference.play(position, orders, state.options.width, state.options.height)
        assert state.position() == position, orders
        shot = {event["by"]: event["hit"] for event in state.events if event["kind"] == "shot"}
        assert shot == hits
        assert not fought.tick
        assert (state.ended and state.ended.scores) == (scores and {s: float(p) for s, p in scores.items()})
        if state.ended:
            return


@pytest.mark.fuzz
def test_a_turn_agrees_with_the_reference() -> None:
    rng = Random(1)
    for _ in range(size(300, 2500)):
        compare(rng)


def compare_legality(rng: Random) -> bool:
    """Tell whether an order was legal, by both."""
    position, state = table(rng)
    robots = reference.read(position)
    seat = rng.choice(sorted(state.to_act()))
    mine = [name for name in robots if name[0] == seat and robots[name]]
    names = [name for name in robots if name[0] != seat]
    if rng.random() < 0.7:  # a legal order, with one robot's part of it replaced
        acts = state.sample(seat, rng).split(";")
        n = rng.randrange(len(acts))
        acts[n] = any_act(rng, names, mine[n], state.ring.is_one_on_one)
    else:
        acts = [any_act(rng, names, name, state.ring.is_one_on_one) for name in mine]
    options = state.options
    legal = all(
        reference.act_is_legal(robots, name, act, options.width, options.height)
        for name, act in zip(mine, acts, strict=True)
    )
    order = ";".join(acts)
    try:
        assert state.check(Seat(seat), order) == order
        assert legal, (position, seat, order)
    except IllegalOrder:
        assert not legal, (position, seat, order)
    return legal


@pytest.mark.fuzz
def test_what_is_legal_agrees_with_the_reference() -> None:
    rng = Random(2)
    legal = [compare_legality(rng) for _ in range(size(500, 3500))]
    assert 300 / 3500 < sum(legal) / len(legal) < 3200 / 3500


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_turns_agree_with_the_reference() -> None:
    rng = Random(2004)
    for _ in range(40_000):
        compare(rng)
        compare_legality(rng)
