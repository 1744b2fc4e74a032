"""The thorough player: legal, the same for the same dice, bounded by its work, and true to the rules."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games import GAMES, newest
from games.core import Order, Seat, State, play_turn
from games.players import PLAYERS, version_of
from games.players.ladder import Rung, elo
from games.robble.bot import search as robble
from games.robble.rules import Position as RobblePosition
from games.robosoccer.bot import search as robosoccer
from games.robosoccer.bot.pitch import Pitch, pitch_of
from games.robosoccer.rules import Position as RobosoccerPosition
from games.robosoccer.turns import PLAYING, cells_after, scored, turns
from games.roboxing import RoboxingState
from games.roboxing.bot import search as roboxing
from games.roboxing.bot.robot_orders import Chances, paths, written
from games.roboxing.bot.sure_hits import SureHits
from games.roboxing.orders import legs_of, spent, walk
from games.roboxing.robot import ALL, BIT, IN_MASK, LASER, reach
from games.roboxing.rules import Position
from games.zero_sum import Matrix, solve
from tests.games.cases import size
from tests.games.ring_table import play, stand
from tests.games.test_players import start

OWN = ("robble", "robosoccer")
"""The games whose searches are tested here."""
A, B = Seat("A"), Seat("B")
BEYOND = 10_000
"""The actions that Robosoccer may try beyond its work: for the position that it is at, and its answers."""


def by_chance(state: State, turns: int, rng: Random) -> State:
    for _ in range(turns):
        if not state.to_act():
            break
        (seat,) = state.to_act()
        *_, after_it = play_turn(state, {seat: state.sample(seat, rng)})
        state = after_it
    return state


@pytest.mark.parametrize("slug", OWN)
def test_its_work_is_counted(slug: str) -> None:
    for turns_played in (5, 20):
        state = by_chance(start(slug, "standard", 2, 4), turns_played, Random(5))
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
        state = by_chance(start("robosoccer", preset, 2, seed), PLAYING + rng.randrange(60), rng)
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
        state = by_chance(start("robble", "standard", 2, seed), 2 + rng.randrange(60), rng)
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
        state = by_chance(start("robble", "small", 2, seed), 25, rng)
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


def test_robosoccer_scores_where_it_can_and_is_content_behind_and_not_ahead() -> None:
    game, player = newest("robosoccer"), PLAYERS["thorough"]
    options = game.read_options({})
    goal = game.state.read("2S3/6/O5/6/6/6/1o4/4s1 w", options, 2)
    (seat,) = goal.to_act()
    *_, over = play_turn(goal, {seat: player.order(goal, seat, Random(1))})
    assert over.ended and over.ended.scores[seat] == 1
    ahead = game.state.read("2S3/6/O5/6/6/6/1o4/4s1 w", game.read_options({}), 2)
    assert not player.is_content(ahead, A, Random(1)) and player.is_content(ahead, B, Random(1))
    robbled = newest("robble").state.read("7/7/2bb3/2bb3/2bb3/7/6w b", newest("robble").read_options({}), 2)
    assert not player.is_content(robbled, A, Random(1)) and player.is_content(robbled, B, Random(1))


def test_elo_follows_from_the_share_of_points() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1.0) is None


@pytest.mark.parametrize(
    ("points", "matches", "decided"), [(11, 11, ""), (12, 12, "H1"), (0, 8, ""), (0, 9, "H0"), (35, 70, "")]
)
def test_a_sequential_test_decides_between_0_and_100_elo(points: int, matches: int, decided: str) -> None:
    rung = Rung("quick", "hasty", first=[float(points)], turns=[1] * matches)
    assert rung.sprt() == decided


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
    resumed = Rung("quick", "random")
    resumed.read(again.as_json())
    resumed.play(newest("robble"), "small", "1", 1)
    assert resumed.as_json() == told


# The thorough player in a fight of two robots: it sends nothing in vain, and finishes what it can.


STUCK = "A1@a1:a(b)c/(d)**/**i B1@h8:(a)b*/**e/(g)**"
"""B is stuck: its engines lead north and east out of the ring, and its lasers reach two squares."""


def orders_in_fights(fights: int) -> list[tuple[RoboxingState, Order]]:
    game, found = newest("roboxing"), []
    options = game.read_options({})
    for seed in range(fights):
        rng = Random(seed)
        state = game.state.start(options, 2, game.draw(options, 2, rng, {}))
        assert isinstance(state, RoboxingState)
        for _ in range(7):
            if state.ended:
                break
            view = state.view(A)
            order = roboxing.order(view, A, rng)
            if view.layouts:
                found.append((view, order))
            state = play(state, A=order, B=state.sample(B, rng))[-1]
    return found


@pytest.mark.more
def test_no_move_comes_back_no_shot_is_surely_in_vain_and_squares_are_not_too_few() -> None:
    for view, order in orders_in_fights(size(2, 8)):
        move, _, shot = order.partition(" ")
        at = walk(view, 0, legs_of(move))
        assert move == "-" or at != view.squares[0], order
        assert all(Chances(view, 0, 1).squares >> at & 1 for at in SureHits(view, A).squares)
        if shot:
            layout, far = view.layout(0), reach(view.layout(0), view.gone[0], spent(legs_of(move)))
            squares = Chances(view, 0, 1).squares
            assert any(
                squares >> at + by & 1
                for by, away in layout.zones[shot[0]].items()
                if away <= far and at + by >= 0
            ), order


def test_every_square_in_reach_has_one_shortest_move_by_engines_that_have_moved() -> None:
    state = stand("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@h8:(a)b(c)/d[e]f/(g)h(i)")
    ways = {at: path for path, at in paths(state, 0, 0)}
    assert ways[state.squares[0]] == ""
    assert all(walk(state, 0, legs_of(written(path))) == at for at, path in ways.items())
    assert len(ways) == 64 and len(ways[state.ring.at("d6")]) == 2
    state = stand("A1@a1:abc/d[e](f)/(g)(h)(i) B1@h8:(a)b(c)/d[e]f/(g)h(i)")
    ways = {at: path for path, at in paths(state, 0, BIT["b"] | BIT["c"])}
    assert ways[state.ring.at("b3")] in ("bc", "cb")


def shots_at_a_last_laser() -> RoboxingState:
    """The enemy has lost three lasers, has shown that b, d, f and h move it, and fires i before it is hit."""
    return stand("A1@d4:(a)b(c)/d[e]f/(g)h(i) B1@e5:***/d*f/*h(i)")


@pytest.mark.integration
def test_a_last_laser_that_is_known_and_can_be_hit_is_shot_at() -> None:
    state = play(shots_at_a_last_laser(), A="-", B="d1 i b")[-1]
    for move in ("f1", "h1"):
        state = play(state, A="-", B=f"{move} i {IN_MASK[ALL & ~state.gone[0]][0]}")[-1]
    chances = Chances(state.view(A), 0, 1)
    assert chances.fatal & BIT["i"]
    shots = [roboxing.order(state.view(A), A, Random(seed)).partition(" ")[2] for seed in range(4)]
    assert all(not shot or BIT[shot[-1]] & chances.fatal for shot in shots)
    assert any(shots)


@pytest.mark.parametrize("seed", range(size(2, 6)))
def test_an_enemy_stuck_in_a_corner_is_finished_even_after_long_peace(seed: int) -> None:
    state, rng = stand(STUCK), Random(seed)
    for _ in range(12):
        state = play(state, A="-", B="-")[-1]
    for _ in range(8):
        if not state.ended:
            shot = f"- g {IN_MASK[ALL & ~state.gone[0]][0]}"
            reply = "-" if state.gone[1] & BIT["g"] else shot
            state = play(state, A=roboxing.order(state.view(A), A, rng), B=reply)[-1]
    assert state.ended


def test_it_builds_robots_of_several_families_that_its_dice_draw() -> None:
    view = stand("A1@a1 B1@h8")
    built = {seed: roboxing.order(view, A, Random(seed)) for seed in range(40)}
    assert built == {seed: roboxing.order(view, A, Random(seed)) for seed in range(40)}
    patterns = {
        "".join(layout.parts) for order in built.values() for layout in Position.read_layouts(view, order)
    }
    corners = {sum(parts[slot] == LASER for slot in roboxing.CORNERS) for parts in patterns}
    assert corners == {0, 1, 2, 3, 4}


# The optimal mixes of small zero-sum games.


def error(matrix: Matrix) -> float:
    """The gain of both players' best responses together on the mixes that were found."""
    solution = solve(matrix)
    assert sum(solution.rows) == pytest.approx(1) and sum(solution.columns) == pytest.approx(1)
    best = max(sum(a * q for a, q in zip(row, solution.columns, strict=True)) for row in matrix)
    columns = zip(*matrix, strict=True)
    worst = min(sum(a * p for a, p in zip(column, solution.rows, strict=True)) for column in columns)
    assert worst - 1e-6 <= solution.value <= best + 1e-6
    return best - worst


def test_rock_paper_scissors_is_played_evenly_and_a_saddle_point_for_certain() -> None:
    solution = solve([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert solution.value == pytest.approx(0)
    assert solution.rows == pytest.approx([1 / 3] * 3) and solution.columns == pytest.approx([1 / 3] * 3)
    solution = solve([[3, 1, 4], [2, 0, 5]])
    assert (solution.value, solution.rows, solution.columns) == (1, [1, 0], [0, 1, 0])
    rng = Random(1)
    for _ in range(60):
        rows, columns = rng.randint(1, 15), rng.randint(1, 15)
        assert error([[rng.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]) < 1e-6


# A program that plays otherwise than before has another version.


PLAYED = Path(__file__).with_name("played.json")
"""By game and program: its version, and a digest of what that plays. A new version gets a new digest."""
TURNS, SEEDS, MOST = 6, 2, 4


def starts(slug: str) -> list[State]:
    """The standard game of two after some turns by chance, and, where more can play, one of up to four."""
    game = newest(slug)
    kinds = [("standard", 2)] * SEEDS
    larger = [(key, max(preset.seats)) for key, preset in game.presets.items() if max(preset.seats) > 2]
    kinds += [(key, min(seats, MOST)) for key, seats in larger[:1]]
    positions = []
    for seed, (key, seats) in enumerate(kinds):
        rng = Random(f"{slug} {seed}")
        options = game.read_options(game.presets[key].options)
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        for _ in range(TURNS):
            orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
            *_, after = play_turn(state, orders)
            if not after.to_act():
                break
            state = after
        positions.append(state)
    return positions


def digest(slug: str, player: str) -> str:
    played = [
        PLAYERS[player].order(state.view(seat), seat, Random(n))
        for n, state in enumerate(starts(slug))
        for seat in sorted(state.to_act())
    ]
    return hashlib.sha256("\n".join(played).encode()).hexdigest()[:16]


@pytest.mark.more
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("slug", GAMES)
def test_who_plays_otherwise_has_another_version(slug: str, player: str) -> None:
    known: dict[str, Any] = json.loads(PLAYED.read_text())[slug][player]
    now = {"version": version_of(player, slug), "plays": digest(slug, player)}
    assert now == known, f"Raise its version in VERSIONS, and put it into {PLAYED.name}: {json.dumps(now)}"
