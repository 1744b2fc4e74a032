"""The thorough player: legal, the same for the same dice, bounded by its work, and true to the rules."""

from __future__ import annotations

from random import Random

import pytest

from games import newest
from games.core import Seat, State, play_turn
from games.players import PLAYERS
from games.players.ladder import Rung, elo, interval
from games.robble.bot import search as robble
from games.robble.rules import Position as RobblePosition
from games.robosoccer.bot import search as robosoccer
from games.robosoccer.bot.pitch import Pitch, pitch_of
from games.robosoccer.rules import Position as RobosoccerPosition
from games.robosoccer.turns import PLAYING, cells_after, scored, turns
from tests.games.sizes import size

OWN = ("robble", "robosoccer")
"""The games whose searches are tested here."""
PRESETS = [
    pytest.param(slug, preset, id=f"{slug}-{preset}", marks=[] if preset == "standard" else pytest.mark.more)
    for slug in OWN
    for preset in newest(slug).presets
]
A, B = Seat("A"), Seat("B")
BEYOND = 10_000
"""The actions that Robosoccer may try beyond its work: for the position that it is at, and its answers."""


def start(slug: str, preset: str, seed: int) -> State:
    game, rng = newest(slug), Random(seed)
    options = game.read_options(game.presets[preset].options)
    return game.state.start(options, 2, game.draw(options, 2, rng, {}))


def by_chance(state: State, turns: int, rng: Random) -> State:
    for _ in range(turns):
        if not state.to_act():
            break
        (seat,) = state.to_act()
        *_, after_it = play_turn(state, {seat: state.sample(seat, rng)})
        state = after_it
    return state


@pytest.mark.fuzz
@pytest.mark.parametrize(("slug", "preset"), PRESETS)
def test_its_orders_are_legal_at_every_stage_of_a_match(
    slug: str, preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = start(slug, preset, 1)
    monkeypatch.setattr(state.search, "WORK", size(500, 5_000))
    rng, player = Random(2), PLAYERS["thorough"]
    for turns_between in (0, 1, 1, 1, 3, 8, *[4] * size(2, 12)):
        state = by_chance(state, turns_between, rng)
        for seat in state.to_act():
            view = state.view(seat)
            order = player.order(view, seat, Random(3))
            assert state.check(seat, order) == order
            assert player.order(view, seat, Random(3)) == order


@pytest.mark.parametrize("slug", OWN)
def test_its_work_is_counted(slug: str) -> None:
    for turns_played in (5, 20):
        state = by_chance(start(slug, "standard", 4), turns_played, Random(5))
        if isinstance(state, RobblePosition):
            assert robble.search(state, Random(6), robble.WORK).looked <= robble.WORK
        else:
            assert isinstance(state, RobosoccerPosition)
            pitch = Pitch(pitch_of(state.board), state.least, 8_000)
            robosoccer.Search(pitch).search_root(state, Random(6))
            assert pitch.tried <= 8_000 + BEYOND


@pytest.mark.fuzz
@pytest.mark.parametrize("preset", newest("robosoccer").presets)
@pytest.mark.parametrize("least", [1, 2])
def test_the_pitch_knows_the_turns_and_the_goals_of_the_rules(preset: str, least: int) -> None:
    rng = Random(7)
    for seed in range(size(3, 60)):
        state = by_chance(start("robosoccer", preset, seed), PLAYING + rng.randrange(60), rng)
        assert isinstance(state, RobosoccerPosition)
        if state.ended:
            continue
        board, cells, side = state.board, state.cells, state.mover
        pitch = Pitch(pitch_of(board), least, 10**9)
        every = {turn.cells for turn in turns(board, cells, side, least)}
        winning = {board_after for board_after in every if scored(board, board_after, side)}
        found = pitch.turns(cells, side)
        assert pitch.scores(cells, side) == bool(winning) == found[0].scores
        assert {turn.cells for turn in found} <= winning if winning else {t.cells for t in found} == every
        for turn in found:
            gained = pitch.squares(turn.cells, side) - pitch.squares(cells, side)
            if not winning:
                assert turn.gain == pytest.approx(gained)
            between = cells_after(cells, turn.first)
            assert turn.cells == (cells_after(between, turn.second) if turn.second else between)


@pytest.mark.fuzz
def test_robble_s_children_are_those_of_the_rules() -> None:
    rng = Random(8)
    for seed in range(size(5, 100)):
        state = by_chance(start("robble", "standard", seed), 2 + rng.randrange(60), rng)
        assert isinstance(state, RobblePosition)
        if state.ended:
            continue
        found = robble.Search(state.board, frozenset(), 10**6).children(state.stones)
        placed = {child.square: state.place(child.square) for child in found}
        assert {state.board.names[square] for square in placed} == set(state._every())
        for child in found:
            after_it = placed[child.square]
            assert after_it.stones == child.stones
            if after_it.ended:
                mover = after_it.seat(after_it.colour_to_move)
                assert child.value == (robble.WON if after_it.ended.scores[mover] else -robble.WON)


def test_robble_wins_with_the_last_stone() -> None:
    rng, seen = Random(9), 0
    for seed in range(40):
        state = by_chance(start("robble", "small", seed), 25, rng)
        while not state.ended:
            assert isinstance(state, RobblePosition)
            (seat,) = state.to_act()
            ends = [state.place(state.board.numbers[name]).ended for name in state._every()]
            if any(end and end.scores[seat] == 1 for end in ends):
                order = PLAYERS["thorough"].order(state, seat, rng)
                *_, over = state.play({seat: order})
                seen += bool(over.ended)
                assert robble.search(state, rng, robble.WORK).value >= robble.WON
                break
            state = by_chance(state, 1, rng)
        if seen >= size(2, 20):
            break
    assert seen


def test_robosoccer_scores_where_it_can() -> None:
    game, player = newest("robosoccer"), PLAYERS["thorough"]
    options = game.read_options({})
    goal = game.state.read("2S3/6/O5/6/6/6/1o4/4s1 w", options, 2)
    (seat,) = goal.to_act()
    *_, over = play_turn(goal, {seat: player.order(goal, seat, Random(1))})
    assert over.ended and over.ended.scores[seat] == 1


def test_it_is_content_behind_and_not_ahead() -> None:
    game, player = newest("robosoccer"), PLAYERS["thorough"]
    ahead = game.state.read("2S3/6/O5/6/6/6/1o4/4s1 w", game.read_options({}), 2)
    assert not player.is_content(ahead, A, Random(1)) and player.is_content(ahead, B, Random(1))
    robbled = newest("robble").state.read("7/7/2bb3/2bb3/2bb3/7/6w b", newest("robble").read_options({}), 2)
    assert not player.is_content(robbled, A, Random(1)) and player.is_content(robbled, B, Random(1))


def test_elo_follows_from_the_share_of_points() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1.0) is None
    low, high = interval(0.75, 100)
    assert 0.65 < low < 0.75 < high < 0.83
    assert interval(1, 10)[1] == 1 and interval(1, 10)[0] < 0.75


def test_a_rung_changes_sides_and_counts_points_for_the_stronger_one() -> None:
    rung = Rung("quick", "random")
    for number in range(2):
        rung.play(newest("robble"), "small", "1", number)
    told = rung.as_json()
    assert told["matches"] == 2 == len(rung.first) + len(rung.second)
    assert told["points"] == told["first"] + told["second"]
    again = Rung("quick", "random")
    again.play(newest("robble"), "small", "1", 0)
    assert (again.first, again.turns) == (rung.first, rung.turns[:1])
