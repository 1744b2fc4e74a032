"""The thorough player where all act at once: legal orders, bounded work, and nobody foresees it."""

from __future__ import annotations

from random import Random

import pytest

from games import newest
from games.core import Seat, State, play_turn
from games.pigs.duel import Duel, Mix, Response, encode
from games.pigs.equilibrium import near_equilibrium
from games.players.thorough import pigs, roboxing
from games.roboxing.state import RoboxingState
from tests.games.pig_table import stand
from tests.games.sizes import size

A, B = Seat("A"), Seat("B")
TABLES = [("pigs", "standard", 3), ("pigs", "bash", 8), ("roboxing", "melee", 3), ("roboxing", "tag-team", 2)]


def some_state(slug: str, preset: str, seats: int, turns: int) -> State:
    game, rng = newest(slug), Random(1)
    options = game.read_options(game.presets[preset].options)
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    for _ in range(turns):
        *_, state = play_turn(state, {seat: state.sample(seat, rng) for seat in sorted(state.to_act())})
    return state


def test_two_pigs_draw_from_a_near_equilibrium() -> None:
    state = stand("A=d5S3 B=d3N3")
    duel = Duel(state)
    mix = near_equilibrium(duel, pigs.GAP, pigs.MOST).mixes[1]
    given = {pigs.order(state, B, Random(seed)) for seed in range(4)}
    assert {encode(order) for order in given} <= set(mix)
    assert len(given) > 1


def test_the_mix_of_two_pigs_has_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    responses = Duel.responses

    def counted(duel: Duel, side: int, mix: Mix, most: int) -> list[Response]:
        nonlocal asked
        asked += 1
        return responses(duel, side, mix, most)

    monkeypatch.setattr(Duel, "responses", counted)
    monkeypatch.setattr(pigs, "MOST", 3)
    order = pigs.order(stand("A=e5S1 B=d4N0"), A, Random(1))
    assert 4 <= asked <= 2 * 3 + 4
    assert order.split(" ").count("X") == 1 or order == "R R R R R"


@pytest.mark.parametrize(("slug", "preset", "seats"), TABLES[:: size(3, 1)])
def test_at_larger_tables_the_turns_that_it_plays_are_bounded(
    slug: str, preset: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, played = some_state(slug, preset, seats, 1), 0
    module, name = (pigs, "_tried") if slug == "pigs" else (roboxing, "_worth")
    play = getattr(module, name)

    def counted(*args: object) -> object:
        nonlocal played
        played += 1
        return play(*args)

    monkeypatch.setattr(module, name, counted)
    seat = min(state.to_act())
    order = module.order(state.view(seat), seat, Random(2))
    assert state.check(seat, order) == order
    assert played <= (23_000 if slug == "pigs" else 21_000)


def test_regret_matching_finds_the_mix_of_rock_paper_scissors() -> None:
    evenly = [roboxing.Reply(0, {}, 1 / 3)] * 3
    weights = roboxing._matched([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5], [0, 0, 0.4]], evenly)
    assert [weight / sum(weights) for weight in weights] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.02)


def test_somebody_whose_mind_is_known_half_the_time_is_met_and_not_only_guarded_against() -> None:
    rock = [roboxing.Reply(0, {}, share) for share in (1.0, 0.0, 0.0)]
    weights = roboxing._matched([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]], rock)
    played = [weight / sum(weights) for weight in weights]
    values = [
        sum(p * row[at] for p, row in zip(played, [[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]], strict=True))
        for at in range(3)
    ]
    assert values[0] > 0.6 and min(values) > 0.3, (played, values)


def test_a_knockout_that_cannot_fail_is_taken() -> None:
    game = newest("roboxing")
    state = game.state.read("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:(a)**/*[e]f/***", game.read_options({}), 2)
    assert isinstance(state, RoboxingState)
    order = roboxing.order(state, A, Random(1))
    *_, after = state.play({A: order, B: "-"})
    assert after.outcome()
