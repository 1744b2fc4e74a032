"""Programs that play: they see a view, give legal orders in every preset, and the quick one beats chance."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import pytest

from games import GAMES, newest
from games import search as quick
from games.core import Order, Seat, State, after_turn, play_turn
from games.players import IDLE, PATIENCE, PLAYERS, is_stuck
from games.roboxing import RoboxingState
from games.roboxing.bot import is_sound
from tests.games.cases import size
from tests.games.test_contract import Table, sampled

LITTLE = 500
TABLES = [
    pytest.param(
        slug,
        preset,
        seats,
        id=f"{slug}-{preset}-{seats}",
        marks=[] if (preset, seats) == ("standard", 2) else pytest.mark.more,
    )
    for slug in GAMES
    for preset, known in newest(slug).presets.items()
    for seats in known.seats
]


@pytest.fixture(autouse=True)
def _little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The searches of the thorough one look at little here: what is tested does not depend on how much."""
    for slug in GAMES:
        module = newest(slug).state.search
        if hasattr(module, "WORK"):
            monkeypatch.setattr(module, "WORK", min(module.WORK, LITTLE))


def start(slug: str, preset: str, seats: int, seed: int) -> State:
    return Table(newest(slug), preset, seats).start(seed)


def play(state: State, turns: int, rng: Random) -> State:
    for _ in range(turns):
        if state.to_act():
            *_, state = play_turn(state, sampled(state, rng))
    return state


class Score(NamedTuple):
    """The share of the points that one player got, and how many it would have got among equals."""

    got: float
    even: float
    matches: int

    @property
    def better(self) -> float:
        """0 among equals, 1 if it won all that could be won."""
        return (self.got - self.even) / (self.matches - self.even)


def match(slug: str, preset: str, seats: int, seed: int) -> float:
    """The score of the quick bot, on a seat that changes with the seed, against chance on all others."""
    state, rng = start(slug, preset, seats, seed), Random(seed)
    own = state.seats[seed % seats]
    while state.to_act():
        if state.turn >= PATIENCE:
            return 1 / len(state.still_in()) if own in state.still_in() else 0
        orders = {}
        for seat in sorted(state.to_act()):
            player = PLAYERS["quick" if seat == own else "random"]
            orders[seat] = player.order(state.view(seat), seat, rng)
        *_, state = play_turn(state, orders)
    outcome = state.outcome()
    assert outcome
    return outcome.scores[own]


def score(slug: str, preset: str, seats: int, matches: int) -> Score:
    got = sum(match(slug, preset, seats, seed) for seed in range(matches))
    return Score(got, matches / seats, matches)


# Legal orders


@pytest.mark.fuzz
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(("slug", "preset", "seats"), TABLES)
def test_orders_are_legal_and_canonical(slug: str, preset: str, seats: int, player: str) -> None:
    state, rng = start(slug, preset, seats, 1), Random(1)
    for turns in size((4, 12) if player != "thorough" else (4,), (0, 1, 2, 4, 12)):
        state = play(state, turns, rng)
        for seat in sorted(state.to_act())[:2]:
            order = PLAYERS[player].order(state.view(seat), seat, rng)
            assert state.check(seat, order) == order


@pytest.mark.fuzz
@pytest.mark.parametrize(("slug", "preset"), [(slug, key) for slug in GAMES for key in newest(slug).presets])
def test_the_work_for_an_answer_is_bounded(slug: str, preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it needs no clock: the turns played for one order, and pieces moved, at any table and time."""
    moved: list[int] = []
    play_one = after_turn

    def counted(state: State, orders: Mapping[Seat, Order]) -> State:
        moved.append(state.pieces())
        return play_one(state, orders)

    monkeypatch.setattr(quick, "after_turn", counted)
    for turns in size((2,), (0, 2, 3, 12)):
        state = play(start(slug, preset, newest(slug).presets[preset].seats[-1], 4), turns, Random(4))
        for seat in sorted(state.to_act())[:1]:
            moved.clear()
            quick.order(state.view(seat), seat, Random(5))
            assert len(moved) <= 5_000 and sum(moved) <= 17_000, turns


# What is hidden


PLAIN = "(a)b(c)/d[e]f/(g)h(i)"


@pytest.mark.parametrize(
    ("slug", "preset", "own", "others"),
    [
        ("roboxing", "standard", PLAIN, ("(i)h(g)/f[e]d/(c)b(a)", "abc/d[i](e)/(f)(g)(h)")),
        ("pigs", "continuous", "^ ^ F", ("^ H F", "^ TL TL")),
    ],
)
def test_what_is_hidden_changes_no_order(slug: str, preset: str, own: str, others: tuple[str, str]) -> None:
    state = start(slug, preset, 2, 6)
    worlds = [list(play_turn(state, {Seat("A"): own, Seat("B"): other}))[-1] for other in others]
    assert worlds[0] != worlds[1]
    for player in PLAYERS.values():
        assert len({player.order(world.view(Seat("A")), Seat("A"), Random(7)) for world in worlds}) == 1


# Draws


@pytest.mark.parametrize("slug", GAMES)
def test_every_program_agrees_to_a_draw_at_the_start_and_after_long(slug: str) -> None:
    state = start(slug, "standard", 2, 10)
    late = state._replace(turn=PATIENCE)  # type: ignore[attr-defined]
    for player in PLAYERS.values():
        for seat in state.seats:
            assert player.agrees(state.view(seat), seat, Random(1))
            assert player.agrees(late.view(seat), seat, Random(1))
    *_, over = play_turn(state, {Seat("A"): "resign"})
    assert [over.evaluate(seat) for seat in over.seats] == [0, 1], "the end is worth what it gives"


def test_turns_without_a_hit_are_idle_and_make_for_a_draw() -> None:
    game = newest("roboxing")
    state = game.state.read(f"A1@a1:{PLAIN} B1@h8:(a)b(c)/d[e]f/(g)**", game.read_options({}), 2)
    a = Seat("A")
    assert not PLAYERS["quick"].agrees(state.view(a), a, Random(1))
    for turn in range(IDLE):
        assert state.turns_without_change() == turn and not is_stuck(state)
        *_, state = play_turn(state, {a: "- g a", Seat("B"): "-"})
    assert PLAYERS["quick"].agrees(state.view(a), a, Random(1))
    *_, state = play_turn(state, {a: "- c a", Seat("B"): "-"})
    assert state.turns_without_change() == 0


@pytest.mark.parametrize("preset", newest("roboxing").presets)
def test_the_quick_one_builds_robots_that_no_corner_holds(preset: str) -> None:
    state = start("roboxing", preset, newest("roboxing").presets[preset].seats[0], 1)
    assert isinstance(state, RoboxingState)
    for seed in range(3):
        order = quick.order(state.view(Seat("A")), Seat("A"), Random(seed))
        assert all(map(is_sound, state.read_layouts(order)))


def test_the_quick_one_plays_on_when_it_is_ahead_and_agrees_when_it_is_behind() -> None:
    game = newest("pigs")
    state = game.state.read("A=d8S0 B=e1N3", game.read_options({}), 2)
    agrees = PLAYERS["quick"].agrees
    assert not agrees(state.view(Seat("A")), Seat("A"), Random(1))
    assert agrees(state.view(Seat("B")), Seat("B"), Random(1))


# Promises


@pytest.mark.parametrize(("slug", "preset", "seats"), TABLES)
def test_evaluations_share_one_point(slug: str, preset: str, seats: int) -> None:
    state, rng = start(slug, preset, seats, 11), Random(11)
    for _ in range(12):
        whole = state.view(None).determinize(rng)
        for evaluate in (whole.evaluate, whole.evaluate_closely):
            hopes = [evaluate(seat) for seat in state.seats]
            assert all(0 <= hope <= 1 for hope in hopes)
            assert sum(hopes) == pytest.approx(1)
        state = play(state, 1, rng)


@pytest.mark.parametrize(("slug", "preset", "seats"), TABLES)
def test_ideas_are_different_legal_orders_and_no_more_than_asked_for(
    slug: str, preset: str, seats: int
) -> None:
    state = play(start(slug, preset, seats, 13), 4, Random(13))
    for seat in sorted(state.to_act())[:1]:
        for most in (1, 40):
            ideas = state.view(seat).ideas(seat, Random(14), most)
            assert 1 <= len(ideas) <= most and len(set(ideas)) == len(ideas)
            assert all(state.check(seat, idea) == idea for idea in ideas)


# Strength


@pytest.mark.fuzz
@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=pytest.mark.more if slug == "robosoccer" else ()) for slug in GAMES]
)
def test_the_quick_one_beats_chance(slug: str) -> None:
    assert score(slug, "standard", 2, size(1, 4)).better >= 0.5


MATCHES = {"pigs": 50, "roboxing": 50, "robosoccer": 100, "robble": 70}
"""A row; at least 200 a game, with the quick one on every seat."""
WORTH_PLAYING = [
    ("pigs", "standard", 2, 0.8),
    ("pigs", "standard", 4, 0.3),
    ("pigs", "bash", 8, 0.5),
    ("pigs", "kids", 2, 0.8),
    ("pigs", "continuous", 2, 0.6),
    ("roboxing", "standard", 2, 0.5),
    ("roboxing", "free-centre", 2, 0.5),
    ("roboxing", "melee", 3, 0.4),
    ("roboxing", "tag-team", 2, 0.6),
    ("robosoccer", "standard", 2, 0.9),
    ("robosoccer", "custom", 2, 0.9),
    ("robble", "standard", 2, 0.8),
    ("robble", "small", 2, 0.8),
    ("robble", "big", 2, 0.8),
]


@pytest.mark.slow
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize(("slug", "preset", "seats", "least"), WORTH_PLAYING)
def test_the_quick_one_clearly_beats_chance(slug: str, preset: str, seats: int, least: float) -> None:
    assert score(slug, preset, seats, MATCHES[slug]).better >= least
