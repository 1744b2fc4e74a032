"""Puzzles: few orders win in each position, and these win whatever anybody does."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import cast

import pytest

import games
from games import GAMES
from games.core import play_turn
from games.proofs import has_won, replies
from games.puzzles import Puzzle, read
from games.robble.rules import Position as RobblePosition
from games.robble.teaching.puzzle_prover import forced_win
from games.roboxing.bot.sure_hits import SureHits
from games.roboxing.rules import Position

PUZZLES = read(Path(games.__file__).with_name("puzzles.json").read_text(encoding="utf-8"))
EVERY = [pytest.param(one, id=f"{slug}-{n}") for slug in GAMES for n, one in enumerate(PUZZLES[slug], 1)]
SOME = [one for n, one in enumerate(EVERY) if n % 9 == 0]
MOST = 40_000


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_has_thirty_puzzles_that_differ(slug: str) -> None:
    every = PUZZLES[slug]
    assert len(every) >= 30
    assert len({(one.position, str(one.before)) for one in every}) == len(every)


@pytest.mark.parametrize("puzzle", EVERY)
def test_the_answer_wins_and_its_position_is_the_canonical_one(puzzle: Puzzle) -> None:
    state = puzzle.state()
    assert puzzle.seat in state.to_act() and not state.ended
    assert state.view(puzzle.seat).check(puzzle.seat, puzzle.answer) == puzzle.answer
    played = puzzle.play_out(state, puzzle.answer)
    assert played.solved
    for orders in played.turns:
        *_, state = play_turn(state, orders)
    assert has_won(state, puzzle.seat)


@pytest.mark.parametrize("puzzle", EVERY)
def test_a_hint_names_a_part_of_the_answer(puzzle: Puzzle) -> None:
    (fact,) = puzzle.hint().facts.values()
    if puzzle.game == "pigs":
        assert puzzle.answer.split()[fact - 1] in ("F", "H")
    else:
        assert fact in puzzle.answer


@pytest.mark.parametrize("puzzle", SOME)
def test_so_many_orders_win_as_the_puzzle_says(puzzle: Puzzle) -> None:
    _are_as_told(puzzle)


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", EVERY)
def test_of_every_puzzle_so_many_orders_win_as_it_says(puzzle: Puzzle) -> None:
    _are_as_told(puzzle)


def _are_as_told(puzzle: Puzzle) -> None:
    state = puzzle.state()
    legal = state.legal(puzzle.seat, MOST)
    assert legal is not None
    found = puzzle.proofs().solutions(state, puzzle.seat, legal, puzzle.moves)
    assert (len(found), len(legal)) == (puzzle.solutions, puzzle.orders)
    assert puzzle.answer in found and 0 < len(found) <= len(legal) / 2


@pytest.mark.parametrize("puzzle", [one for one in SOME if one.id.startswith(("pigs", "robosoccer"))])
def test_what_does_not_solve_it_fails_against_what_is_shown(puzzle: Puzzle) -> None:
    state, rng, failed = puzzle.state(), Random(1), 0
    for _ in range(40):
        order = state.sample(puzzle.seat, rng)
        played = puzzle.play_out(state, order)
        *_, after = play_turn(state, played.turns[0])
        assert has_won(after, puzzle.seat) == played.solved
        failed += not played.solved
        if played.solved:  # then against everything
            for others in replies(state, puzzle.seat):
                *_, after = play_turn(state, {**others, puzzle.seat: order})
                assert has_won(after, puzzle.seat)
    assert failed


@pytest.mark.parametrize("puzzle", [one for one in SOME if one.id.startswith("roboxing")])
def test_a_sure_hit_is_one_in_every_world_that_fits(puzzle: Puzzle) -> None:
    """However the enemy is built after all that was seen, and whatever it then does."""
    state, rng = puzzle.state(), Random(1)
    (enemy,) = state.to_act() - {puzzle.seat}
    for _ in range(300):
        world = state.view(puzzle.seat).determinize(rng)
        *_, after = play_turn(world, {puzzle.seat: puzzle.answer, enemy: world.sample(enemy, rng)})
        assert has_won(after, puzzle.seat)


@pytest.mark.parametrize("puzzle", [one for one in SOME if one.id.startswith("roboxing")])
def test_a_sure_hit_follows_from_what_its_player_has_seen(puzzle: Puzzle) -> None:
    """From the view alone, so in every world that fits it the same orders are sure."""
    state = puzzle.state()
    other = state.view(puzzle.seat).determinize(Random(2))
    here, there = (cast(Position, one) for one in (state, other))
    for exact in (False, True):
        sure, same = (SureHits(one, puzzle.seat, exact=exact) for one in (here, there))
        assert (sure.fatal, sure.squares) == (same.fatal, same.squares)


@pytest.mark.parametrize("puzzle", [one for one in EVERY if one.id.startswith("roboxing")])
def test_a_shot_that_is_not_sure_is_seen_to_fail(puzzle: Puzzle) -> None:
    """It fails in a fight that fits all that was seen, so nobody is told so of a shot that always hits."""
    state = puzzle.state()
    legal = state.legal(puzzle.seat, MOST)
    assert legal is not None
    sure = set(puzzle.proofs().solutions(state, puzzle.seat, legal, puzzle.moves))
    refused = [order for order in legal if order not in sure and order[-2:] == puzzle.answer[-2:]]
    for order in Random(1).sample(refused, min(20, len(refused))):
        played = puzzle.play_out(state, order)
        *_, after = play_turn(played.state, played.turns[0])
        assert not has_won(after, puzzle.seat), order


@pytest.mark.parametrize("puzzle", [one for one in EVERY if one.id.startswith("robble")])
def test_a_forced_win_needs_all_its_moves(puzzle: Puzzle) -> None:
    """Nothing wins sooner; and the line that is shown ends with the win."""
    state = puzzle.state()
    assert isinstance(state, RobblePosition)
    legal = state.legal(puzzle.seat, MOST) or []
    assert not any(
        forced_win(state, puzzle.seat, order, puzzle.moves - 1)[0] for order in legal if puzzle.moves > 1
    )
    won, line = forced_win(state, puzzle.seat, puzzle.answer, puzzle.moves)
    assert won and len(line) <= 2 * puzzle.moves - 1
