"""The review of a match, from its record alone."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from games import newest
from games.core import Seat, play_turn
from games.pigs.bot import expectation
from games.pigs.bot.duel import Duel, encode
from games.pigs.bot.equilibrium import certify
from games.pigs.bot.expectation import GAP, expected, payoff
from games.pigs.bot.review import in_reach
from games.record import load, write
from games.review import review
from games.robble.state import RobbleState
from games.robble.teaching.puzzle_prover import forced_win
from tests.games.pig_table import PIGS, stand

A, B, C = Seat("A"), Seat("B"), Seat("C")


def record(*turns: dict[Seat, str], seats: int = 2) -> dict[str, Any]:
    return write(PIGS, PIGS.read_options({}), seats, {}, list(turns))


SHOT = {A: "\\ F F F F", B: "TL TL TL TL TL"}
"""A stands on the e-file after its first step, and hits four times."""


def test_the_record_of_a_match_tells_what_each_order_cost() -> None:
    head, first, end = review(record(SHOT, {B: "resign"}))
    assert head["outcome"]["reason"] == "resigned" and "hits" in head["unit"]
    one, two = first["seats"][A], first["seats"][B]
    assert one["value"] == -two["value"]
    for seat, other in ((A, B), (B, A)):
        told = first["seats"][seat]
        state = stand(first["position"])
        duel = Duel(state)
        pair = {seat: told["best"], other: SHOT[other]}
        again = duel.payoff(encode(pair[A]), encode(pair[B])) * (1 if seat == A else -1)
        assert told["best_value"] == again and told["regret"] == again - told["value"] >= 0
    assert end["regret"] == {A: one["regret"], B: two["regret"]}


def test_the_certificate_is_that_of_the_mixes_as_they_are_told() -> None:
    told = list(review(record(SHOT, {B: "resign"})))[1]["equilibrium"]
    mixes = tuple({encode(order): share for order, share in told[seat]["mix"].items()} for seat in (A, B))
    assert [sum(mix.values()) for mix in mixes] == pytest.approx([1, 1])
    again = certify(Duel(stand("A=d8S0 B=e1N0")), (mixes[0], mixes[1]))
    assert [told[seat]["gap"] for seat in (A, B)] == pytest.approx(again.gaps, abs=1e-6)
    assert sum(again.gaps) <= 0.06


THREE = {A: "\\ F F F F", B: "TL TL TL TL TL", C: "^ TL F TR TL"}


def test_with_three_pigs_there_is_an_exact_best_answer() -> None:
    first = list(review(record(THREE, {A: "resign", B: "resign"}, seats=3)))[1]
    state, rng = stand("A=d8S0 B=e1N0 C=h5W0"), Random(1)
    for seat in (A, B, C):
        told = first["seats"][seat]
        assert told["regret"] >= 0
        assert payoff(state, seat, {**THREE, seat: told["best"]}) == told["best_value"]
        for order in rng.sample(state.legal(seat, 40_000) or [], 300):
            assert payoff(state, seat, {**THREE, seat: order}) <= told["best_value"]


@pytest.mark.parametrize(
    ("preset", "position"),
    [
        ("standard", "A=d4E0 B=d1N4 C=e4W0 D=a4E3"),
        ("crossing", "A=d4N0 B=e4N2 C=h5W3"),
        ("kids", "A=d4E0+4 B=e4W0+1 C=h5W0+0"),
        pytest.param("bash", "A=d4E1 B=e6N4 C=c4S2 D=h6Ex E=e3W0 F=f4S0", marks=pytest.mark.more),
    ],
)
def test_among_more_pigs_what_could_be_expected_has_a_certificate(preset: str, position: str) -> None:
    """Counted again by the rules, from the rounds alone: no program that was tried gains more."""
    state = stand(position, **newest("pigs").presets[preset].options)
    found = expected(state, Random(2), {seat: [state.sample(seat, Random(3))] for seat in state.to_act()})
    assert sum(found.shares) == pytest.approx(1) and min(found.shares) >= 0
    for seat in sorted(state.to_act()):
        orders = found.programs[seat]
        assert all(state.check(seat, order) == order for order in orders)
        gains = dict.fromkeys([*orders, None], 0.0)
        for share, played in zip(found.shares, found.rounds, strict=True):
            usual = {other: found.programs[other][at] for other, at in played.items()}
            for order in gains:
                gains[order] += share * payoff(state, seat, {**usual, seat: order or usual[seat]})
        usually = gains.pop(None)
        assert max(gains.values()) - usually <= GAP
        assert found.gap(seat) == pytest.approx(max(0, max(gains.values()) - usually))
        assert found.values(seat) == pytest.approx(gains)


def test_an_order_is_judged_by_what_could_be_expected_and_no_more_is_claimed() -> None:
    state = stand("A=d4N0 B=d5N4 C=a1W2")
    found = state.review({A: "H TL TL TL TL", B: "F X X X X", C: "F F F X X"}, Random(1))
    assert found and set(found.mixes) == {A, B, C}
    for seat, mixed in found.mixes.items():
        then = found.judged[seat].with_knowledge_then
        assert 0 <= mixed.gap <= GAP and sum(mixed.mix.values()) == pytest.approx(1, abs=0.01)
        assert then and (then.regret == 0 or then.regret > GAP)


def test_nothing_is_claimed_where_a_program_gains_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expectation, "PASSES", 0)
    monkeypatch.setattr(expectation, "WORK", 30)
    found = stand("A=d4N0 B=d5N4 C=a1W2").review(
        {A: "H TL TL TL TL", B: "F X X X X", C: "F F F X X"}, Random(1)
    )
    assert found and not found.mixes
    assert not any(one.with_knowledge_then for one in found.judged.values())


def test_a_pig_reaches_whom_it_hits_at_once_or_after_one_step() -> None:
    d = Seat("D")
    for hurt, after_a_step in ((0, (A, B)), (4, ())):  # with four X there is no room for a step
        state = stand(f"A=d4N0 B=d8N0 C=b6E{hurt} D=h1N0")
        reached = {seat: in_reach(state, seat) for seat in sorted(state.to_act())}
        assert reached == {A: (B, C), B: (), C: after_a_step, d: ()}


def test_two_pigs_are_judged_alike_by_both_ways_to_count() -> None:
    rng, state = Random(2), stand("A=d5S3 B=e3N4")
    duel = Duel(state)
    for _ in range(200):
        orders = {seat: state.sample(seat, rng) for seat in (A, B)}
        value = duel.payoff(encode(orders[A]), encode(orders[B]))
        if not any(order.startswith("R") for order in orders.values()):
            assert payoff(state, A, orders) == value == -payoff(state, B, orders)


@pytest.mark.parametrize(("seat", "least"), [(A, 3.0), (B, 0.0)])
def test_the_best_of_three_hurt_pigs_is_legal(seat: Seat, least: float) -> None:
    state = stand("A=d5S4 B=d2N4 C=h1W2", ends="last_standing")
    found = state.review({A: "F X X X X", B: "R R R R R", C: "X X TL TL TL"}, Random(1))
    assert found and state.check(seat, found.judged[seat].best) == found.judged[seat].best
    assert found.judged[seat].best_value >= least or found.judged[seat].regret == 0


def test_a_match_that_goes_on_has_no_review() -> None:
    (line,) = review(record(SHOT))
    assert "not over" in line["error"]["message"]


def test_a_faulty_record_has_none_either() -> None:
    (line,) = review(record({A: "^ ^ ^ ^ X", B: "TL TL TL TL TL"}))
    assert line["error"]["turn"] == 0 and line["error"]["seat"] == "A"


def test_the_command_prints_a_line_a_turn(tmp_path: Path) -> None:
    file, printed = tmp_path / "match.json", StringIO()
    file.write_text(json.dumps(record(SHOT, {B: "resign"})))
    call_command("review", str(file), stdout=printed)
    lines = [load(line) for line in printed.getvalue().splitlines()]
    assert len(lines) == 3 and lines[1]["seats"]["B"]["regret"] > 0


@pytest.mark.more
def test_a_robble_turn_that_throws_a_certain_win_away_is_told_so() -> None:
    game, rng = newest("robble"), Random(11)
    options = game.read_options(game.presets["small"].options)
    setup = game.draw(options, 2, rng, {})
    state, turns = game.state.start(options, 2, setup), []
    while not state.outcome():
        turns.append({seat: state.sample(seat, rng) for seat in state.to_act()})
        *_, state = play_turn(state, turns[-1])
    head, *judged, _end = review(write(game, options, 2, setup, turns))
    assert "estimate" in head["unit"]
    lines = [(one["turn"], seat, told) for one in judged for seat, told in one["seats"].items()]
    assert all(0 <= told["value"] <= told["best_value"] <= 1 for _turn, _seat, told in lines)
    sure = [(turn, Seat(seat), told) for turn, seat, told in lines if told.get("sure")]
    assert sure and all(told["best_value"] == 1 > told["value"] for _turn, _seat, told in sure)
    turn, seat, told = sure[-1]  # near the end: every line can be tried
    before = game.state.start(options, 2, setup)
    for orders in turns[:turn]:
        *_, before = play_turn(before, orders)
    assert isinstance(before, RobbleState)
    assert forced_win(before, seat, told["best"], moves=30)[0]
