"""A lesson: a few positions, each with something to do, planned and drawn as in a match.

Nothing is stored. The address says it all: `?order=…` is what is planned, and with `played` what was played.
"""

from __future__ import annotations

from random import SystemRandom
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import reselect, reswap, retarget

from games import GAMES, newest
from games.core import Exercise, Game, IllegalOrder, Lesson, Order, Seat, State, play_turn
from robosite.matches.flow import LONGEST_ORDER
from robosite.matches.pages.decorators import Request, go, number, private
from robosite.matches.pages.drawings import BOARD, style_of, templates_of
from robosite.matches.pages.film import Film, Row, _render, _show
from robosite.matches.pages.match_behind import last_match
from robosite.matches.pages.planning import readable
from robosite.words import render_sentence


@require_http_methods(["GET", "HEAD", "POST"])
@private
def learn(request: Request, slug: str, key: str = "", at: int = 1) -> HttpResponse:
    """Exercise `at` of a lesson, from 1; the address holds the order that is planned."""
    game, lesson = _lesson(slug, key)
    if not 1 <= at <= len(lesson.exercises):
        raise Http404
    exercise = lesson.exercises[at - 1]
    state = position_of(game, lesson, exercise)
    order = request.GET.get("order", "")[:LONGEST_ORDER]
    if request.method == "POST":
        return _planned(request, game, lesson, state=state, order=order, at=at)
    return _page(request, game, lesson, state=state, order=order, at=at, played="played" in request.GET)


def _lesson(slug: str, key: str) -> tuple[Game, Lesson]:
    game = newest(slug) if slug in GAMES else None
    lesson = next((lesson for lesson in game.lessons if lesson.key == key), None) if game else None
    if game is None or lesson is None:
        raise Http404
    return game, lesson


def lesson_address(game: Game, lesson: Lesson, at: int = 0) -> str:
    """Where an exercise is, from 1; without a number where the lesson begins."""
    more = [at] if at else []
    if lesson.key:
        return reverse("learn-more" if at else "next-lesson", args=[game.slug, lesson.key, *more])
    return reverse("learn" if at else "first-lesson", args=[game.slug, *more])


def position_of(game: Game, lesson: Lesson, exercise: Exercise) -> State:
    state = game.state.read(exercise.position, game.read_options(lesson.options), lesson.seats)
    for orders in exercise.before:
        *_, state = play_turn(state, orders)
    return state


class Played(NamedTuple):
    """What came of an order: all orders, the positions (the first one included), whether it is done."""

    orders: dict[Seat, Order]
    positions: list[State]
    done: bool


def play(state: State, lesson: Lesson, exercise: Exercise, order: Order) -> Played:
    """The turn, with the first thing that the others may do against which it is not done; IllegalOrder."""
    mine = state.view(lesson.seat).check(lesson.seat, order)
    for others in (exercise.others, *exercise.or_else):
        orders = {**others, lesson.seat: mine}
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


def _planned(
    request: Request, game: Game, lesson: Lesson, *, state: State, order: Order, at: int
) -> HttpResponse:
    """A tap of the planner, a typed order, or the big button: redirects to the address that holds it."""
    post, view = request.POST, state.view(lesson.seat)
    typed = post.get("typed", "").strip()[:LONGEST_ORDER]
    try:
        view.check_room(lesson.seat, typed)
        if typed and ("use" in post or "seal" in post):
            order = typed if "seal" in post else readable(view, lesson.seat, typed)
        if "choose" in post:
            order = view.plan(lesson.seat, order).choose(post["choose"], SystemRandom())
        plan = view.plan(lesson.seat, order)
        refused = "seal" in post and not typed and plan.missing is not None
        if "seal" in post and not refused:
            order = view.check(lesson.seat, order or plan.order)
    except IllegalOrder as refusal:
        return _page(
            request, game, lesson, state=state, order=order, at=at, error=render_sentence(refusal.sentence)
        )
    here = lesson_address(game, lesson, at)
    if "seal" in post and not refused:
        return go(request, f"{here}?{urlencode({'order': order, 'played': ''})}#film")
    if request.htmx:
        context = _context(game, lesson, state, order=order, at=at) | {"tapped": True, "refused": refused}
        return render(request, "lessons/_planner.html", context)
    if refused:
        return _page(request, game, lesson, state=state, order=order, at=at, refused=True)
    return redirect(f"{here}?{urlencode({'order': order})}#lesson")


def _page(
    request: Request,
    game: Game,
    lesson: Lesson,
    *,
    state: State,
    order: Order,
    at: int,
    played: bool = False,
    refused: bool = False,
    error: str = "",
) -> HttpResponse:
    context = _context(game, lesson, state, order=order, at=at)
    exercise = lesson.exercises[at - 1]
    if played:
        try:
            turn = play(state, lesson, exercise, order)
        except IllegalOrder as refusal:
            error = render_sentence(refusal.sentence)
        else:
            shown = number(request.GET.get("step"))
            film = _film(turn.positions, lesson, turn.orders, shown)
            context |= {
                "film": film,
                "frames": film.steps,
                "may_plan": False,
                "plan": None,
                "ghosts": (),
                "played": True,
                "done": turn.done,
            }
    context |= {"error": error, "refused": refused, "again": "again" in request.GET}
    context["to_match"] = last_match(request, game.slug)
    if request.htmx:  # refused in the planner: the page again, with what is wrong
        response = render(request, "lessons/lesson.html", context)
        return reselect(reswap(retarget(response, "#lesson"), "outerHTML"), "#lesson")
    return render(request, "lessons/lesson.html", context, status=422 if error or refused else 200)


def _context(game: Game, lesson: Lesson, state: State, *, order: Order, at: int) -> dict[str, Any]:
    plan = state.view(lesson.seat).plan(lesson.seat, order)
    film = _film([state], lesson, {}, 0)
    return {
        **BOARD,
        "what_if": None,
        "played": False,
        "error": "",
        "refused": False,
        "game": game,
        "lesson": lesson,
        "exercise": lesson.exercises[at - 1],
        "at": at,
        "count": len(lesson.exercises),
        "step_here": lesson_address(game, lesson, at),
        "step_back": lesson_address(game, lesson, at - 1) if at > 1 else "",
        "step_on": lesson_address(game, lesson, at + 1) if at < len(lesson.exercises) else "",
        "next_lessons": game.lessons[game.lessons.index(lesson) + 1 :],
        "names": {seat: str(seat) for seat in state.seats},
        "you": lesson.seat,
        "drawn": templates_of(game.slug),
        "style": style_of(game.slug),
        "film": film,
        "frames": film.steps,
        "may_plan": True,
        "plan": plan,
        "ghosts": getattr(plan, "ghosts", ()),
        "draft": order,
        "again": False,
    }


def _film(positions: list[State], lesson: Lesson, orders: dict[Seat, Order], shown: int) -> Film:
    told = _render(positions, lesson.seat)
    steps = _show(told.steps, shown if shown >= 0 else None)
    rows = [
        Row(seat, side=side, name=str(seat), order=orders[seat], cells=told.cells[seat])
        for seat, side in told.sides.items()
        if seat in orders
    ]
    return Film(0, 0, steps, rows, present=told.steps[-1].words)
