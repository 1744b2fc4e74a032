"""Lessons: each position is one, each answer is legal and does what was asked, and little else does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from heapq import heappop, heappush
from random import Random
from typing import Any

import pytest

from games import GAMES, newest
from games.core import Exercise, Game, Lesson, Seat, State, check_turn, play_turn

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


def holds(state: State, lesson: Lesson, exercise: Exercise, order: str) -> bool:
    """Tell whether the turn with this order does what was asked, whatever the others do."""
    return all(done(state, lesson, exercise, {**o, lesson.seat: order}) for o in possible(exercise))


def possible(exercise: Exercise) -> tuple[Mapping[Seat, str], ...]:
    """The orders that the others may give."""
    return exercise.others, *exercise.or_else


def done(state: State, lesson: Lesson, exercise: Exercise, orders: Mapping[Seat, str]) -> bool:
    check_turn(state, {seat: orders[seat] for seat in state.seats if seat in orders})
    events = [event for after in play_turn(state, orders) for event in after.view(lesson.seat).events]
    return any(exercise.goal.items() <= event.items() for event in events)


@pytest.mark.parametrize("slug", ["pigs", "roboxing", "robosoccer", "robble"])
def test_there_are_later_lessons_with_keys_of_their_own(slug: str) -> None:
    first, *more = [lesson.key for lesson in newest(slug).lessons]
    assert (
        first == "" and more and len(set(more)) == len(more) and all(map(re.compile("[a-z-]+$").match, more))
    )


@pytest.mark.parametrize(("game", "lesson"), LESSONS, ids=lambda one: getattr(one, "slug", one.__class__))
def test_a_lesson_has_five_to_eight_exercises(game: Game, lesson: Lesson) -> None:
    assert 5 <= len(lesson.exercises) <= 8


@every_exercise
def test_the_answer_is_legal_and_does_what_was_asked(game: Game, lesson: Lesson, exercise: Exercise) -> None:
    state = start(game, lesson, exercise)
    assert all(state.to_act() == {lesson.seat, *others} for others in possible(exercise))
    assert state.check(lesson.seat, exercise.answer) == exercise.answer
    assert holds(state, lesson, exercise, exercise.answer)


@every_exercise
def test_it_is_not_done_before_it_begins(game: Game, lesson: Lesson, exercise: Exercise) -> None:
    """The moves played before an exercise are not yet its answer."""
    events = start(game, lesson, exercise).view(lesson.seat).events
    assert not any(exercise.goal.items() <= event.items() for event in events)


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
        assert any(not holds(state, lesson, exercise, order) for order in good)


@every_exercise
def test_it_takes_thought(game: Game, lesson: Lesson, exercise: Exercise) -> None:
    """Most of thirty random orders do something else, but where one builds as one likes, or swaps."""
    state, rng = start(game, lesson, exercise), Random(1)
    view = state.view(lesson.seat)
    found = sum(holds(state, lesson, exercise, view.sample(lesson.seat, rng)) for _ in range(30))
    assert found < 20 or exercise.goal["kind"] in ("built", "swapped")


@every_exercise
def test_the_planner_can_do_it_by_its_choices_alone(game: Game, lesson: Lesson, exercise: Exercise) -> None:
    """Taps alone lead there."""
    view = start(game, lesson, exercise).view(lesson.seat)
    assert reached(view, lesson, exercise), exercise.answer


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


@every_exercise
def test_all_its_sentences_have_their_facts(game: Game, lesson: Lesson, exercise: Exercise) -> None:
    for sentence in (exercise.says, exercise.done, exercise.hint):
        assert "{" not in str(sentence)
