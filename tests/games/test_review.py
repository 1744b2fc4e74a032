"""The review of a match from its record alone, and a round of two pigs as a zero-sum game."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from games import newest
from games.core import Order, Seat, play_turn
from games.pigs import PigsState
from games.pigs.bot import expectation
from games.pigs.bot.duel import LAST, REPAIRED, Duel, Mix, Program, Stakes, decode, encode
from games.pigs.bot.equilibrium import certify, near_equilibrium
from games.pigs.bot.expectation import GAP, expected, payoff
from games.pigs.bot.review import in_reach
from games.pigs.bot.values import stakes
from games.pigs.steps import HULK
from games.record import load, write
from games.review import review
from games.robble import RobbleState
from games.robble.teaching.puzzle_prover import forced_win
from tests.games.cases import size
from tests.games.pig_table import PIGS, play, stand

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
        pytest.param("kids", "A=d4E0+4 B=e4W0+1 C=h5W0+0", marks=pytest.mark.more),
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


def test_a_match_that_goes_on_or_is_faulty_has_no_review() -> None:
    (line,) = review(record(SHOT))
    assert "not over" in line["error"]["message"]
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


# A round of two pigs as a zero-sum game, beside the rules themselves.


ROUNDS = [preset.options for key, preset in newest("pigs").presets.items() if "continuous" not in key]
DESTROYED = {"damage_moves": False, "ends": "last_standing"}


def naive(state: PigsState, one: Order, two: Order) -> float:
    """The value for the first living pig, from the rules' own positions."""
    seats = sorted(state.still_in())
    *_, after = play(state, **{str(seats[0]): one, str(seats[1]): two})
    if state.dealt:
        gains = [after.dealt[i] - state.dealt[i] for i in map(state.seats.index, seats)]
    else:
        points = [5 if after.damage[i] == HULK else after.damage[i] for i in map(state.seats.index, seats)]
        before = [state.damage[state.seats.index(seat)] for seat in seats]
        gains = [points[1] - before[1], points[0] - before[0]]
    ended = after.outcome()
    last = LAST * (ended.scores[seats[0]] - ended.scores[seats[1]]) if ended else 0
    return gains[0] - gains[1] + last


def some_position(rng: Random, turns: int) -> PigsState:
    """Two pigs in the middle of a match, of any preset of rounds; sometimes there were three before."""
    options = PIGS.read_options(rng.choice([*ROUNDS, DESTROYED]))
    state = PigsState.start(options, rng.choice((2, 3)), {})
    if len(state.seats) == 3:
        state = state.leave(frozenset({rng.choice(state.seats)}))
    for _ in range(turns):
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        *_, after = play_turn(state, orders)
        if after.outcome():
            break
        assert isinstance(after, PigsState)
        state = after
    return state


def some_mix(state: PigsState, seat: Seat, rng: Random, count: int) -> Mix:
    programs = {encode(state.sample(seat, rng)): rng.random() for _ in range(count)}
    return {program: share / sum(programs.values()) for program, share in programs.items()}


@pytest.mark.fuzz
def test_the_payoff_is_what_the_rules_give() -> None:
    rng = Random(1)
    for _ in range(size(30, 1_000)):
        state = some_position(rng, rng.randint(0, 12))
        duel = Duel(state)
        for _ in range(5):
            one, two = (state.sample(seat, rng) for seat in duel.seats)
            assert duel.payoff(encode(one), encode(two)) == naive(state, one, two), (state, one, two)


def by_stakes(state: PigsState, at_stake: Stakes, one: Order, two: Order) -> float:
    """The same by what events are worth: a match that ends is worth its end, whatever was hit before."""
    seats = sorted(state.still_in())
    *_, after = play(state, **{str(seats[0]): one, str(seats[1]): two})
    ended = after.outcome()
    if ended:
        assert at_stake.ends
        return at_stake.ends[1 - round(ended.scores[seats[0]] - ended.scores[seats[1]])]
    mended = [decode(REPAIRED) == order for order in (one, two)]
    taken, landed = (
        after.damage[i] - state.damage[i] + mended[side]
        for side, i in enumerate(map(state.seats.index, seats))
    )
    repairs = at_stake.repair_values[0] * mended[0] - at_stake.repair_values[1] * mended[1]
    return at_stake.landed * landed - at_stake.taken * taken + repairs


@pytest.mark.fuzz
def test_a_payoff_by_what_is_at_stake_is_what_the_rules_give() -> None:
    rng, ends = Random(2), 0
    for _ in range(size(60, 1_000)):
        state = some_position(rng, rng.randint(0, 20))
        if state.repairs:
            duel = Duel(state, at_stake := stakes(state))
            for _ in range(5):
                one, two = (state.sample(seat, rng) for seat in duel.seats)
                expected = by_stakes(state, at_stake, one, two)
                assert duel.payoff(encode(one), encode(two)) == pytest.approx(expected), (state, one, two)
                ends += expected in (at_stake.ends or ())
    assert ends


SMALL = [
    pytest.param("A=d5S3 B=d3N3", {}, id="close"),
    pytest.param("A=d5S4 B=e4N3", {}, id="nearly over", marks=pytest.mark.more),
    pytest.param("A=d5S3 B=e4N4 C=d4Ex", {"ends": "last_standing"}, id="a hulk between"),
    pytest.param("A=d5S3 B=e5N3", {"side_cross": "forward"}, id="side by side", marks=pytest.mark.more),
]


def test_a_best_response_without_damage_is_beaten_by_none() -> None:
    state, rng = stand("A=d6S0 B=c4N0"), Random(3)
    duel = Duel(state)
    mix = some_mix(state, Seat("B"), rng, 5)
    found = duel.respond(0, mix)
    for order in rng.sample(state.legal(Seat("A"), 40_000) or [], 2_000):
        assert duel.expected({encode(order): 1.0}, mix) <= found.value + 1e-9
    assert duel.expected({found.program: 1.0}, mix) == pytest.approx(found.value)
    duel = Duel(stand("A=a8N1 B=h1S0"))
    found = duel.respond(0, {encode("TL TL TL TL TL"): 1.0})
    assert found == (1.0, REPAIRED)


@pytest.mark.fuzz
def test_no_program_at_all_beats_a_best_response() -> None:
    """All programs one by one; the responses come in order, and each gives what it says."""
    rng = Random(4)
    for _ in range(size(1, 60)):
        state = some_position(rng, rng.randint(0, 8))
        duel, side = Duel(state), rng.randrange(2)
        mix = some_mix(state, duel.seats[1 - side], rng, rng.randint(1, 12))
        found = duel.responses(side, mix, 5)
        assert found == sorted(found, reverse=True) and len(set(found)) == len(found)
        for response in found:
            assert gained(duel, side, response.program, mix) == pytest.approx(response.value)
        every = map(encode, state.legal(duel.seats[side], 40_000) or [])
        assert found[0].value == pytest.approx(max(gained(duel, side, program, mix) for program in every))


def gained(duel: Duel, side: int, program: Program, mix: Mix) -> float:
    if side == 0:
        return duel.expected({program: 1.0}, mix)
    return -duel.expected(mix, {program: 1.0})


@pytest.mark.parametrize(("position", "options"), SMALL)
def test_nobody_gains_more_on_an_equilibrium_than_its_certificate_says(
    position: str, options: dict[str, object]
) -> None:
    """With the rules alone: every program of each side against the other's mix."""
    state = stand(position, **options)
    duel = Duel(state)
    found = near_equilibrium(duel)
    assert found.gap <= 0.05 and min(found.gaps) >= -1e-9
    for side, seat in enumerate(duel.seats):
        mix = found.mixes[1 - side]
        best = max(
            sum(
                share * (1, -1)[side] * duel.payoff(*((p, q) if side == 0 else (q, p)))
                for q, share in mix.items()
            )
            for p in map(encode, state.legal(seat, 10_000) or [])
        )
        assert best == pytest.approx(found.responses[side].value)
    some_one, some_two = (decode(max(mix)) for mix in found.mixes)
    assert duel.payoff(encode(some_one), encode(some_two)) == naive(state, some_one, some_two)


def test_each_side_keeps_its_safest_mix_and_the_same_mixes_their_certificate() -> None:
    """Here the mixes of single solutions go in a circle, none of them with a gap under 0.052."""
    assert near_equilibrium(Duel(stand("A=e6S1 B=e7N0", damage_moves=True))).gap <= 0.05
    found = near_equilibrium(Duel(stand("A=d7S2 B=c3N2")))
    again = certify(Duel(stand("A=d7S2 B=c3N2")), found.mixes)
    assert again.value == pytest.approx(found.value) and again.gaps == pytest.approx(found.gaps)
