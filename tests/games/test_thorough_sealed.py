"""The thorough player where all act at once: legal orders, bounded work, and nobody foresees it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from types import ModuleType
from typing import Any

import pytest

from games import GAMES, newest
from games.core import Seat, State, play_turn
from games.pigs import PigsState
from games.pigs.bot import crowd
from games.pigs.bot import search as pigs
from games.pigs.bot.duel import HITS, REPAIRED, Duel, Mix, Response, encode
from games.pigs.bot.equilibrium import near_equilibrium, restricted_response
from games.pigs.bot.values import ahead, pose_value, stakes
from games.pigs.steps import REPAIRS, pose
from games.players import PLAYERS
from games.roboxing import RoboxingState
from games.roboxing.bot import many_robots, two_robots
from games.roboxing.bot import search as roboxing
from tests.games.cases import size
from tests.games.newcomer import gunner, newcomer, points
from tests.games.pig_table import stand
from tests.games.test_players import play, start

A, B, C = Seat("A"), Seat("B"), Seat("C")
TABLES = [("pigs", "standard", 3), ("pigs", "bash", 8), ("roboxing", "melee", 3), ("roboxing", "tag-team", 2)]


FACE_TO_FACE = "A=d5S3 B=d3N3"
"""Two pigs with three hits each and a free square between them."""


@pytest.mark.more
def test_two_pigs_draw_from_a_mix() -> None:
    state = stand(FACE_TO_FACE)
    mix = pigs.mix_of_two(state, B, Random(1))
    dice = Random(1)
    assert sum(mix.values()) == pytest.approx(1) and len(mix) > 1
    assert pigs.mix_of_two(state, B, dice) == mix
    assert encode(pigs.order(state, B, Random(1))) in mix


@pytest.mark.parametrize("side", [0, 1])
def test_an_opponent_expected_half_of_the_time_is_met_and_else_guarded_against(side: int) -> None:
    """The mix gains more on the expectation than an equilibrium, and gives less away than a best response."""
    duel = Duel(stand(FACE_TO_FACE))
    sign, safe = 1 - 2 * side, near_equilibrium(duel, 0.05)
    expected: Mix = {encode("X X X H H"): 0.5, encode("X X X ^ H"): 0.5}
    bold: Mix = {duel.respond(side, expected).program: 1.0}
    half = restricted_response(duel, side, expected, 0.5, 0.02, 60)

    def against(mix: Mix) -> float:
        return sign * duel.expected(*((mix, expected) if side == 0 else (expected, mix)))

    def given_away(mix: Mix) -> float:
        return sign * safe.value + duel.respond(1 - side, mix).value

    assert against(safe.mixes[side]) + 0.1 < against(half) <= against(bold) + 1e-9
    assert given_away(half) + 0.1 < given_away(bold)


def test_an_opponent_who_is_not_trusted_meets_an_equilibrium() -> None:
    duel = Duel(stand(FACE_TO_FACE))
    value = near_equilibrium(duel, 0.02).value
    mix = restricted_response(duel, 0, {encode("X X X H H"): 1.0}, 0.0, 0.02, 120)
    assert -duel.respond(1, mix).value == pytest.approx(value, abs=0.05)


@pytest.mark.more
def test_two_pigs_come_to_blows() -> None:
    """Pigs that looked at the hits of a round alone would stand at their walls and fire, for ever."""
    state: State = newest("pigs").state.start(newest("pigs").read_options({}), 2, {})
    for turn in range(12):
        assert isinstance(state, PigsState)
        if any(state.damage):
            return
        dice = Random(turn)
        *_, state = play_turn(state, {seat: pigs.order(state, seat, dice) for seat in (A, B)})
    raise AssertionError("Nobody was hit.")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("d5N d7N", "d5N d7S"),
        ("d5N d7E", "d5N e7E"),
        ("d5N d7S", "d5S d7S"),
        ("d2N h5S", "d2N h8S"),
        ("d2N a1N", "d8N a1N"),
    ],
)
def test_what_places_are_worth(better: str, worse: str) -> None:
    """Behind the other; in line with it; not turned away; near; not before a wall."""
    one, two = ([pose(text) for text in places.split(" ")] for places in (better, worse))
    assert pose_value(*one) > pose_value(*two)


def test_hits_are_worth_what_they_cost_at_that_damage() -> None:
    """Rulings P9 and P10: a pig with less damage has more commands, and the last hit ends the match."""
    fresh, hurt = stakes(stand("A=d8S0 B=e1N0")), stakes(stand("A=d8S1 B=e1N4"))
    assert fresh.landed == fresh.taken < hurt.landed and fresh.repair_values == (0, 0)
    assert hurt.landed == pytest.approx(ahead(0, 5) - ahead(1, 4)) and hurt.ends is not None
    assert hurt.ends[0] == pytest.approx(hurt.landed) and hurt.ends[2] < -4 * hurt.taken
    turned = stakes(stand("A=d8S4 B=e1N1"))
    assert (turned.landed, turned.taken) == pytest.approx((hurt.taken, hurt.landed))
    assert turned.repair_values == pytest.approx(hurt.repair_values[::-1]) and min(hurt.repair_values) > 0
    assert turned.ends == pytest.approx(tuple(-end for end in reversed(hurt.ends)))
    race = PigsState.start(newest("pigs").read_options({"damage_moves": False}), 2, {})
    assert race.dealt and stakes(race) == HITS


@pytest.mark.integration
def test_a_win_that_nothing_can_stop_is_taken() -> None:
    """Even for a hit, which costs nothing any more once the match is won."""
    state = stand("A=d6E2 B=f6W4")
    duel = Duel(state, stakes(state))
    assert duel.stakes.ends is not None
    for seed in range(size(1, 3)):
        mix = pigs.mix_of_two(state, A, Random(seed))
        assert -duel.respond(1, mix).value == pytest.approx(duel.stakes.ends[0])


@pytest.mark.more
@pytest.mark.parametrize("near", ["A=d7S3 B=f6W0", "A=a1N3 B=c1W1", "A=d7S2 B=g4N0"])
def test_it_does_not_rest_where_the_other_pig_soon_reaches_it(near: str) -> None:
    """Newcomers come near and strike: they expect it to stay where it is."""
    for seed in range(3):
        assert pigs.mix_of_two(stand(near), A, Random(seed)).get(REPAIRED, 0.0) < 0.05


@pytest.mark.integration
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
    guesses, first = 5, 2
    assert guesses + first < asked <= guesses + first + 2 * 3
    assert order.split(" ").count("X") == 1 or order == "R R R R R"
    asked = 0
    monkeypatch.setattr(pigs, "WORK", 1)
    pigs.order(stand("A=e5S1 B=d4N0"), A, Random(1))
    assert asked == guesses + first + 2


@pytest.mark.parametrize(("slug", "preset", "seats"), TABLES[:: size(3, 1)])
def test_at_larger_tables_the_turns_that_it_plays_are_bounded(
    slug: str, preset: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, module = play(start(slug, preset, seats, 1), 1, Random(1)), pigs if slug == "pigs" else roboxing
    played = counted(monkeypatch, *((crowd.Table, "_value") if slug == "pigs" else (many_robots, "brawl")))
    seat = min(state.to_act())
    order = module.order(state.view(seat), seat, Random(2))
    assert state.check(seat, order) == order
    assert 1_000 <= len(played) <= (23_000 if slug == "pigs" else 80_000)


@pytest.mark.parametrize(
    ("preset", "position"),
    [
        ("standard", "A=d4E1 B=d1N4 C=e4W0 D=a4E0"),
        ("bash", "A=d4E1 B=e6N4 C=c4S2 D=h6Ex E=e3Wx F=f4S0"),
        ("crossing", "A=d4N0 B=e4N2 C=h5W3"),
        ("kids", "A=d4E0+4 B=e4W0+1 C=h5W0+0"),
    ],
)
def test_among_more_pigs_programs_are_worth_what_the_rules_say(preset: str, position: str) -> None:
    """Pigs in each other's way, wrecks, crossings, shields, and who is destroyed before the repair."""
    rng = Random(3)
    state = stand(position, **newest("pigs").presets[preset].options)
    others = sorted(state.to_act() - {A})
    rounds = [{other: state.sample(other, rng) for other in others} for _ in range(size(8, 100))]
    rounds[0] |= {other: " ".join(REPAIRS) for other in others if state.owed(other)}
    table = crowd.Table(state, A, rounds)
    ideas = [*crowd.Outlook(table).programs(30), *[tuple(one.split()) for one in state.ideas(A, rng, 30)]]
    for number, orders in enumerate(rounds):
        for idea in ideas:
            *_, played = state.play({**orders, A: state.check(A, " ".join(idea))})
            assert table.hope(idea, [table.rounds[number]]) == pytest.approx(played.evaluate(A))


def test_among_more_pigs_the_hit_that_wins_is_tried_at_once() -> None:
    state = stand("A=d4N0 B=d5N4 C=a1W2")
    for seed in range(2):
        assert crowd.order(state, A, Random(seed)).split()[0] in {"H", "F"}


def test_the_turns_of_two_robots_that_it_tries_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    state = play(start("roboxing", "standard", 2, 1), 1, Random(1))
    assert isinstance(state, RoboxingState)
    played = counted(monkeypatch, two_robots, "clash")
    order = roboxing.order(state.view(A), A, Random(2))
    assert state.check(A, order) == order
    assert 10_000 <= len(played) <= 120_000


def counted(monkeypatch: pytest.MonkeyPatch, module: ModuleType | type, name: str) -> list[None]:
    calls: list[None] = []
    play = getattr(module, name)

    def counting(*args: object) -> object:
        calls.append(None)
        return play(*args)

    monkeypatch.setattr(module, name, counting)
    return calls


ROCK = ((0.5, 0.0, 1.0), (1.0, 0.5, 0.0), (0.0, 1.0, 0.5))
"""The payoffs of rock, paper and scissors against scissors, rock and paper, as shares of a point."""


def shares(plain: list[float], rows: Sequence[Sequence[float]]) -> list[float]:
    """The share of each row against somebody who knows the one world there is."""
    weights = two_robots.matched(plain, [[row] for row in rows])
    return [weight / sum(weights) for weight in weights]


def test_regret_matching_finds_the_mix_and_meets_somebody_whose_mind_is_known_half_the_time() -> None:
    mix = shares([0.5] * 4, (*ROCK, (0.0, 0.0, 0.4)))
    assert mix == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.03)
    mix = shares([row[0] for row in ROCK], ROCK)
    values = [sum(share * row[at] for share, row in zip(mix, ROCK, strict=True)) for at in range(3)]
    assert values[0] > 0.6 and min(values) > 0.3, (mix, values)


def test_the_longer_nobody_is_hit_the_nearer_is_a_draw_and_who_stood_still_is_thought_to_again() -> None:
    state: State = roboxing_position("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:(a)**/*[e]f/***")
    kept = []
    for _ in range(two_robots.LONG):
        assert isinstance(state, RoboxingState)
        kept.append(two_robots.keeps(state))
        *_, state = play_turn(state, {A: "-", B: "-"})
    assert kept == sorted(kept, reverse=True) and kept[0] > 0.9 and kept[-1] == two_robots.LEAST
    state = roboxing_position("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@h8:(a)b(c)/d[e]f/(g)h(i)")
    for move in ("b1", "h1", "b1"):
        *_, state = play_turn(state, {A: move, B: "-"})
    assert isinstance(state, RoboxingState)
    assert not two_robots.stands(state, 0) and two_robots.stands(state, 1)
    worlds = two_robots.Search(state.view(A), A, Random(1)).worlds
    assert sum(world.plain[-1].to == state.squares[1] for world in worlds) == len(worlds)


@pytest.mark.more
def test_with_more_enemies_it_hits_somebody() -> None:
    state = roboxing_position(
        "A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:(a)**/*[e]f/*** C1@h1:(a)b(c)/d[e]f/(g)h(i)", 3
    )
    hits = 0
    for seed in range(6):
        order = roboxing.order(state.view(A), A, Random(seed))
        *_, after = state.play({A: order, B: "-", C: "-"})
        hits += after.gone != state.gone
    assert hits >= 4


def roboxing_position(text: str, seats: int = 2) -> RoboxingState:
    game = newest("roboxing")
    state = game.state.read(text, game.read_options({}), seats)
    assert isinstance(state, RoboxingState)
    return state


def test_a_knockout_that_cannot_fail_is_taken() -> None:
    state = roboxing_position("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:(a)**/**f/***")
    order = roboxing.order(state.view(A), A, Random(1))
    *_, after = state.play({A: order, B: "-"})
    assert after.outcome()


@pytest.mark.integration
def test_a_turn_of_roboxing_is_judged_on_what_was_true_and_on_what_was_known() -> None:
    state = roboxing_position("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:(a)**/*[e]f/***")
    review = roboxing.judge(state, {A: "b1 a a", B: "-"}, Random(1))
    assert review
    judged = review.judged[A]
    assert judged.order == "b1 a a" and judged.best_value == 1.0 and judged.value < 0.99
    then = judged.with_knowledge_then
    assert then and then.best_value > then.value


# Levels that are fun: the easy bot comes out, newcomers win now and then, and rarely against medium.


A, B = Seat("A"), Seat("B")
EASY, MEDIUM = PLAYERS["hasty"].order, PLAYERS["quick"].order


def stays_passive(number: int, seats: int) -> int:
    """The most turns in a row in which easy neither moved, as it could, nor hit: a newcomer, or its like."""
    game, rng = newest("roboxing"), Random(number)
    options, other = game.read_options({}), newcomer("roboxing") if seats == 2 else EASY
    state: Any = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    longest = passive = 0
    while state.outcome() is None and A in state.to_act() and state.turn < 24:
        before: Any = state
        players = {seat: other if seat != A else EASY for seat in sorted(state.to_act())}
        orders = {seat: player(state.view(seat), seat, rng) for seat, player in players.items()}
        *_, state = play_turn(state, orders)
        if before.layouts:
            moved, hit = not orders[A].startswith("-"), state.past[-1].hits[0]
            passive = 0 if moved or hit or not can_move(before) else passive + 1
            longest = max(longest, passive)
    return longest


def can_move(state: Any) -> bool:
    """True if an intact engine of A's robot has room."""
    layout = state.layouts[0]
    engines = layout.powers[state.gone[0]][0]
    return any(state.ring.room[layout.steps[letter]][state.squares[0]] for letter in engines)


@pytest.mark.fuzz
@pytest.mark.parametrize("seats", [2, 4])
def test_easy_never_stands_still_for_four_turns_while_it_could_move(seats: int) -> None:
    assert max(stays_passive(number, seats) for number in range(size(6, 60))) < 4


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", ["pigs", "roboxing"])
def test_nobody_wins_by_standing_still_against_easy(slug: str) -> None:
    matches = size(6, 60)
    assert points(slug, EASY, gunner(slug), matches) >= 2 / 3 * matches


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", GAMES)
def test_a_newcomer_gets_something_against_easy(slug: str) -> None:
    matches = size(10, 60)
    assert 0.1 * matches <= points(slug, newcomer(slug), EASY, matches) <= 0.8 * matches


@pytest.mark.slow
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("slug", GAMES)
def test_a_newcomer_wins_some_against_easy_and_few_against_medium(slug: str) -> None:
    """The aims are 30 to 60 % and 5 to 25 %, with two standard errors of 100 matches (docs/strength.md)."""
    assert 20 <= points(slug, newcomer(slug), EASY, 100) <= 70
    assert 1 <= points(slug, newcomer(slug), MEDIUM, 100) <= 34
