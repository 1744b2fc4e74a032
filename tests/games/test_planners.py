"""The planners of all games, at any position: whole plans are legal orders, and choices lead to plans."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core import IllegalOrder, Plan, Seat, State
from tests.games import pitch, ring_table, robble_table
from tests.games.cases import size
from tests.games.pig_table import FREE, stand
from tests.games.test_contract import walked
from tests.games.test_pigs_properties import crowd, is_race, variants
from tests.games.test_robble_properties import strewn

WORDS = (*FREE, "X", "R", ".", "_", "Q")
TYPED = {
    "pigs": st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join),
    "roboxing": st.text(alphabet="abi12+-_>;:! dBA()[]/*?é\ud800", max_size=30),
    "robosoccer": st.text(alphabet="abcdef12345678-->^= .,L", max_size=12),
    "robble": st.sampled_from(["", "swap", "a1", "C3", "e5 ", "f1", "a1 b2", "."]) | st.text(max_size=5),
}


def some_position(slug: str, rng: Random) -> State:
    if slug == "pigs":
        seats, options = rng.randint(2, 8), variants(rng)
        return stand(crowd(rng, seats, hulks=seats > 2, race=is_race(options)), **options)
    if slug == "roboxing":
        seats, robots, centre = rng.randint(2, 4), rng.randint(1, 3), rng.choice(("booster", "free"))
        position = ring_table.crowd(rng, seats, robots, centre == "free")
        return ring_table.stand(position, robots=robots, centre=centre)
    if slug == "robosoccer":
        chosen = pitch.GAME.read_options({"actions": rng.choice(("up_to_two", "two"))})
        state = pitch.GAME.state.read(pitch.crowd(rng, 6, 8), chosen, 2)
        return state if state.to_act() else some_position(slug, rng)
    return robble_table.lay(strewn(rng, rng.choice(robble_table.SIZES), 0.4), rng.choice("bw"))


def checked(whole: State, seat: Seat, typed: str) -> Plan:
    """The plan of a text, of which everything is held against the rules."""
    state = whole.view(seat)
    made = state.plan(seat, typed)
    if made.missing is None:
        assert whole.check(seat, made.order) == made.order
    else:
        assert str(made.missing)
        with pytest.raises(IllegalOrder):
            whole.check(seat, typed)
    again = state.plan(seat, made.order)
    assert repr(state.plan(seat, again.order)) == repr(again)
    allowed = {choice.key for choice in made.choices if choice.allowed}
    assert len({choice.key for choice in made.choices}) == len(made.choices)
    for choice in made.choices:
        assert choice.allowed or (choice.leads_to == made.order and str(choice.why).endswith("."))
    taps: Any = getattr(made, "taps", ())
    assert {tap.key for tap in taps if getattr(tap, "allowed", True)} <= allowed
    return made


@pytest.mark.parametrize("slug", TYPED)
@settings(max_examples=size(12, 100))
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_nothing_is_missing_exactly_when_the_order_is_legal(
    slug: str, data: st.DataObject, seed: int
) -> None:
    rng = Random(seed)
    state = some_position(slug, rng)
    seat = rng.choice(sorted(state.to_act()))
    made = checked(state, seat, data.draw(TYPED[slug]))
    for choice in made.choices[:: len(made.choices) // 3 or 1]:
        assert state.view(seat).plan(seat, choice.leads_to).choices
    order = state.sample(seat, rng)
    made = checked(state, seat, order)
    assert (made.missing, made.order) == (None, order)


@pytest.mark.parametrize("slug", TYPED)
@settings(max_examples=size(5, 60))
@given(seed=st.integers(0, 2**32))
def test_every_allowed_choice_leads_to_a_plan(slug: str, seed: int) -> None:
    rng = Random(seed)
    state, order = some_position(slug, rng), ""
    seat = rng.choice(sorted(state.to_act()))
    for _ in range(14):
        made = checked(state, seat, order)
        order = made.choose(rng.choice([choice.key for choice in made.choices if choice.allowed]))


ROBOTS = [
    ring_table.stand("A1@b2:ga(d)/***/*** B1@c3:c**/(f)**/***"),
    ring_table.stand("A1@b1:*a(d)/(e)[i]*/*** B1@f8:c**/(f)**/***"),
    ring_table.stand("A1@a1:*a(d)/***/*** A2@b8:c**/(f)**/*** B1@b5:c**/(f)**/*** B2@-", robots=2),
]
"""One alone, one with a booster, and two."""


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", ["roboxing", "robosoccer"])
def test_legal_orders_are_all_that_the_planner_leads_to(slug: str) -> None:
    rng = Random(slug)
    pitches = [some_position("robosoccer", rng) for _ in range(size(6, 60))]
    for state in pitches if slug == "robosoccer" else ROBOTS:
        seat = min(state.to_act())
        legal = state.legal(seat, 10_000)
        assert legal and len(legal) == len(set(legal)) and set(legal) == walked(state, seat)
        assert state.legal(seat, len(legal)) == legal and state.legal(seat, len(legal) - 1) is None
