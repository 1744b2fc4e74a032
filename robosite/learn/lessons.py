"""Lessons: a few positions of a game, each with an exercise (`tasks.py`)."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games import newest
from games.core import Exercise, Game, Lesson, Order, State, play_turn
from robosite.learn.tasks import Played, Task, answer_task
from robosite.play.decorators import Request, private
from robosite.web.http import or_404


@require_http_methods(["GET", "HEAD", "POST"])
@private
def learn(request: Request, slug: str, key: str = "", at: int = 1) -> HttpResponse:
    """The page of exercise `at` (from 1) of a lesson; the query string holds the order planned so far."""
    game = newest(slug)
    lesson = or_404(next((one for one in game.lessons if one.key == key), None))
    if not 1 <= at <= len(lesson.exercises):
        raise Http404
    exercise = lesson.exercises[at - 1]
    state = game.state.read(exercise.position, game.read_options(lesson.options), lesson.seats)
    for orders in exercise.before:
        *_, state = play_turn(state, orders)
    return answer_task(
        request,
        Task(
            game=game,
            seat=lesson.seat,
            state=state,
            here=lesson_address(game, lesson, at),
            template="learn/lessons/lesson.html",
            plain=True,
            play=lambda order: play(state, lesson, exercise, order),
            more={
                "lesson": lesson,
                "exercise": exercise,
                "at": at,
                "count": len(lesson.exercises),
                "step_back": lesson_address(game, lesson, at - 1) if at > 1 else "",
                "step_on": lesson_address(game, lesson, at + 1) if at < len(lesson.exercises) else "",
                "next_lessons": game.lessons[game.lessons.index(lesson) + 1 :],
            },
        ),
    )


def lesson_address(game: Game, lesson: Lesson, at: int = 0) -> str:
    """The URL of exercise `at` (from 1) of a lesson; if `at` is 0, the URL of the lesson."""
    more = [at] if at else []
    if lesson.key:
        return reverse("learn-more" if at else "next-lesson", args=[game.slug, lesson.key, *more])
    return reverse("learn" if at else "first-lesson", args=[game.slug, *more])


def play(state: State, lesson: Lesson, exercise: Exercise, order: Order) -> Played:
    """Plays an order against each set of the others' orders, until the first in which the goal is missed."""
    for others in (exercise.others, *exercise.or_else):
        orders = {**others, lesson.seat: order}
        positions = [state, *play_turn(state, orders)]
        played = Played(orders, positions, is_done(lesson, exercise, positions))
        if not played.done:
            break
    return played


def is_done(lesson: Lesson, exercise: Exercise, positions: list[State]) -> bool:
    return any(
        exercise.goal.items() <= event.items()
        for position in positions[1:]
        for event in position.view(lesson.seat).events
    )
