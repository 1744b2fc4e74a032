"""What teaches a game: examples, lessons, puzzles, and how films rate their steps."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

import games
from games import GAMES, newest
from games.core import Event, Example, Exercise, Game, Lesson, Seat, State, check_turn, highlight, play_turn
from games.proofs import has_won, replies
from games.puzzles import Puzzle, read
from games.record import replay, write
from games.robble.rules import Position as RobblePosition
from games.robble.teaching.puzzle_prover import forced_win
from games.roboxing.bot.sure_hits import SureHits
from games.roboxing.rules import Position
from tests.games.cases import size

# The examples of the rules: records that replay, and remarks that are true.


RECORDS = Path(__file__).parent / "records"
EXAMPLES = [
    pytest.param(game, example, id=f"{game.slug}-{example.key}")
    for game in map(newest, GAMES)
    for example in game.examples
]
every_example = pytest.mark.parametrize(("game", "example"), EXAMPLES)
WANTED = {
    "pigs": {"three-rounds", "continuous"},
    "roboxing": {"fred-and-sally"},
    "robosoccer": {"goal"},
    "robble": {"swap", "count", "repetition"},
}


def example_of(slug: str, key: str) -> tuple[Game, Example]:
    game = newest(slug)
    return game, next(example for example in game.examples if example.key == key)


def played(game: Game, example: Example) -> list[list[State]]:
    turns = [[game.state.start(game.read_options(example.options), example.seats, example.setup)]]
    for orders in example.turns:
        state = turns[-1][-1]
        check_turn(state, orders)
        turns.append(list(play_turn(state, orders)))
    return turns


def as_record(game: Game, example: Example) -> dict[str, Any]:
    options = game.read_options(example.options)
    return write(game, options, example.seats, example.setup, [dict(turn) for turn in example.turns])


def test_every_game_has_the_examples_that_its_rules_promise() -> None:
    assert {slug: {example.key for example in newest(slug).examples} for slug in WANTED} == WANTED


@every_example
def test_an_example_is_a_short_record_that_replays_and_its_end_is_told(game: Game, example: Example) -> None:
    told = replay(json.loads(json.dumps(as_record(game, example))))
    assert told.fault is None and 1 <= example.first <= len(example.turns)
    turns = played(game, example)
    assert sum(map(len, turns[example.first :])) <= 16
    assert (len(example.turns), len(turns[-1])) in example.remarks


@every_example
def test_every_remark_is_borne_out_by_its_step(game: Game, example: Example) -> None:
    turns = played(game, example)
    for (turn, step), remark in example.remarks.items():
        assert turn >= example.first and remark.claims and "{" not in str(remark.says)
        events = turns[turn][step - 1].events
        for claim in remark.claims:
            assert any(holds(claim, event) for event in events), (turn, step, claim, events)


def holds(claim: Event, event: Event) -> bool:
    return claim.items() <= event.items()


@pytest.mark.parametrize(
    ("slug", "key", "record"),
    [
        ("pigs", "three-rounds", "pigs-example"),
        ("roboxing", "fred-and-sally", "roboxing-example"),
        ("robosoccer", "goal", "robosoccer-standard"),
        ("robble", "count", "robble-small"),
        ("robble", "repetition", "robble-repetition"),
    ],
)
def test_examples_are_the_golden_records_of_that_name(slug: str, key: str, record: str) -> None:
    kept = json.loads((RECORDS / f"{record}.json").read_text())
    told = as_record(*example_of(slug, key))
    assert {name: told[name] for name in ("game", "options", "seats", "setup", "turns")} == {
        name: kept[name] for name in ("game", "options", "seats", "setup", "turns")
    }


def test_the_sample_of_continuous_feedback_is_the_published_one() -> None:
    """Its lists after each step, as the text gives them, before the next commands are added."""
    positions = [states[-1].position() for states in played(*example_of("pigs", "continuous"))[1:]]
    assert positions == [
        "A=e7S0[F,\\] B=e2N0[^,^]",
        "A=e7S0[\\,^] B=e3N1[^,H,H]",
        "A=f6S0[^,TL] B=e4N1[H,H,TL]",
        "A=f5S1[TL,F,F] B=e4N1[H,TL,TR]",
    ]


# Lessons: each position is one, each answer is legal and does what was asked, and little else does.


LESSONS = [(game, lesson) for game in map(newest, GAMES) for lesson in game.lessons]
EXERCISES = [
    pytest.param(game, lesson, exercise, id=f"{game.slug}-{lesson.key}-{n}".replace("--", "-"))
    for game, lesson in LESSONS
    for n, exercise in enumerate(lesson.exercises, 1)
]
every_exercise = pytest.mark.parametrize(("game", "lesson", "exercise"), EXERCISES)


def start(game: Game, lesson: Lesson, exercise: Exercise) -> State:
    state = game.state.read(exercise.position, game.read_options(lesson.options), lesson.seats)
    assert state.position() == exercise.position
    for orders in exercise.before:
        check_turn(state, orders)
        *_, state = play_turn(state, orders)
    return state


def holds_lessons(state: State, lesson: Lesson, exercise: Exercise, order: str) -> bool:
    """Tell whether the turn with this order does what was asked, whatever the others do."""
    return all(done(state, lesson, exercise, {**o, lesson.seat: order}) for o in possible(exercise))


def possible(exercise: Exercise) -> tuple[Mapping[Seat, str], ...]:
    return exercise.others, *exercise.or_else


def done(state: State, lesson: Lesson, exercise: Exercise, orders: Mapping[Seat, str]) -> bool:
    check_turn(state, {seat: orders[seat] for seat in state.seats if seat in orders})
    events = [event for after in play_turn(state, orders) for event in after.view(lesson.seat).events]
    return any(exercise.goal.items() <= event.items() for event in events)


@pytest.mark.parametrize("slug", GAMES)
def test_there_are_later_lessons_with_keys_of_their_own_and_five_to_eight_exercises(slug: str) -> None:
    lessons = newest(slug).lessons
    first, *more = [lesson.key for lesson in lessons]
    assert first == "" and more and len(set(more)) == len(more)
    assert all(map(re.compile("[a-z-]+$").match, more))
    assert all(5 <= len(lesson.exercises) <= 8 for lesson in lessons)


@every_exercise
def test_the_answer_is_legal_and_does_what_was_asked(game: Game, lesson: Lesson, exercise: Exercise) -> None:
    """It takes thought: most of thirty random orders do something else, but where one builds or swaps."""
    state = start(game, lesson, exercise)
    assert all(state.to_act() == {lesson.seat, *others} for others in possible(exercise))
    view = state.view(lesson.seat)
    assert not any(exercise.goal.items() <= event.items() for event in view.events), "not done before"
    assert state.check(lesson.seat, exercise.answer) == exercise.answer
    assert holds_lessons(state, lesson, exercise, exercise.answer)
    rng = Random(1)
    found = sum(holds_lessons(state, lesson, exercise, view.sample(lesson.seat, rng)) for _ in range(30))
    assert found < 20 or exercise.goal["kind"] in ("built", "swapped")
    assert reached(view, lesson, exercise), "taps alone lead there"
    assert not any("{" in str(sentence) for sentence in (exercise.says, exercise.done, exercise.hint))


@every_exercise
def test_one_guess_of_what_the_others_may_do_is_not_enough(
    game: Game, lesson: Lesson, exercise: Exercise
) -> None:
    """Whichever of several things one thinks of alone, some order that is good against it fails."""
    if not exercise.or_else:
        return
    state, rng = start(game, lesson, exercise), Random(1)
    orders = [state.view(lesson.seat).sample(lesson.seat, rng) for _ in range(3_000)]
    for others in possible(exercise):
        good = (o for o in orders if done(state, lesson, exercise, {**others, lesson.seat: o}))
        assert any(not holds_lessons(state, lesson, exercise, order) for order in good)


def reached(view: Any, lesson: Lesson, exercise: Exercise) -> bool:
    """Searches from the empty order on, nearest to the answer first."""
    seen, left = {""}, [(0, "")]
    for _ in range(3_000):
        if not left:
            return False
        plan = view.plan(lesson.seat, heappop(left)[1])
        if plan.missing is None and view.check(lesson.seat, plan.order) == exercise.answer:
            return True
        for choice in plan.choices:
            if choice.allowed and choice.leads_to not in seen:
                seen.add(choice.leads_to)
                heappush(left, (-likeness(choice.leads_to, exercise.answer), choice.leads_to))
    return False


def likeness(text: str, answer: str) -> int:
    """The number of characters of the answer that a text begins with, less its other characters."""
    same = next(
        (n for n, (a, b) in enumerate(zip(text, answer, strict=False)) if a != b), min(len(text), len(answer))
    )
    return 2 * same - len(text)


# Each game rates its steps: hits are worth more than steps, and what decides a match is worth most.


BEST = {
    "pigs": ("destroyed", "walked"),
    "roboxing": ("knocked out", "moved"),
    "robosoccer": ("scored", "moved"),
    "robble": ("turned", "placed"),
}
"""By game: an event that is worth a lot, and one that is nothing special."""


def seen(slug: str) -> dict[str, set[int]]:
    game = newest(slug)
    options = game.read_options({})
    seats = game.seats(options)[0]
    worth = defaultdict(set)
    for seed in range(3):
        rng = Random(seed)
        state: State = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        for _turn in range(90):
            orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
            for after in play_turn(state, orders):
                for event in after.events:
                    worth[event["kind"]].add(highlight(after, event))
            state = after
            if state.outcome():
                break
    return worth


@pytest.mark.parametrize("slug", GAMES)
def test_what_matters_is_worth_more_than_a_step_and_an_agreed_end_nothing(slug: str) -> None:
    worth = seen(slug)
    great, plain = BEST[slug]
    assert worth[plain] == {0}
    assert all(score >= 0 for scores in worth.values() for score in scores)
    if great in worth:  # chance does not finish every game
        assert min(worth[great]) > 2
    assert max(max(scores) for scores in worth.values()) > 2
    game = newest(slug)
    options = game.read_options({})
    state = game.state.start(options, 2, game.draw(options, 2, Random(1), {}))
    events: list[Event] = [{"kind": "agreed"}, {"kind": "resigned", "by": "A"}]
    assert [highlight(state, event) for event in events] == [0, 0]


# Puzzles: few orders win in each position, and these win whatever anybody does.


PUZZLES = read(Path(games.__file__).with_name("puzzles.json").read_text(encoding="utf-8"))
ALL = [
    pytest.param(one, id=f"{slug}-{n}", marks=[] if n % 10 == 1 else pytest.mark.more)
    for slug in GAMES
    for n, one in enumerate(PUZZLES[slug], 1)
]
SOME = ALL[::100]
EVERY = size([one for one in ALL if not one.marks], ALL)  # thousands that a short run would only collect
COUNTED = [
    one if one in SOME else pytest.param(*one.values, id=one.id, marks=pytest.mark.slow) for one in EVERY
]
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
    (fact,) = puzzle.hint().facts.values()
    if puzzle.game == "pigs":
        assert puzzle.answer.split()[fact - 1] in ("F", "H")
    else:
        assert fact in puzzle.answer


@pytest.mark.parametrize("puzzle", COUNTED)
def test_so_many_orders_win_as_the_puzzle_says(puzzle: Puzzle) -> None:
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
    for order in Random(1).sample(refused, min(size(5, 20), len(refused))):
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
