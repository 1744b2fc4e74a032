"""A task in a position, planned and drawn as in a match: an exercise of a lesson, or a puzzle.

Nothing is stored: the URL holds the planned order, and `?played` plays the order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django_htmx.http import reselect, reswap, retarget

from games.core import Game, IllegalOrder, Order, Seat, State
from robosite.matches.flow import LONGEST_ORDER, orders
from robosite.people.current_guest import current_guest
from robosite.play.decorators import Request, go, number
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.play.film import film_of
from robosite.play.opponents import offered
from robosite.play.plain_pages import plain_page
from robosite.play.planning import TAPS_HEADER, choose_all, keys_of, readable
from robosite.play.waiting import last_match
from robosite.web.sentences import render_sentence


class Played(NamedTuple):
    """An attempt: the first turn's orders, all positions from the start on, and True if the task is done."""

    orders: Mapping[Seat, Order]
    positions: list[State]
    done: bool


@dataclass(frozen=True, slots=True)
class Task:
    """A task: to find an order for `seat` in the position `state`, of which the reader sees the seat's view.

    `here` is the page's URL, `play` plays a canonical order. If `plain`, the page without an order is cached.
    """

    game: Game
    seat: Seat
    state: State
    here: str
    template: str
    play: Callable[[Order], Played]
    more: dict[str, Any] = field(default_factory=dict)
    plain: bool = False
    planned: Order = ""
    """The order if the URL holds none."""


def answer_task(request: Request, task: Task) -> HttpResponse:
    """The page of the task with the order from the URL, or the response to a POST from the page's planner."""
    order = request.GET.get("order", task.planned)[:LONGEST_ORDER]
    if request.method == "POST":
        response = _planned(request, task, order)
        _tab, first = orders.parse_mark(request.POST.get("once", ""))
        response.headers.setdefault(TAPS_HEADER, str(first + len(keys_of(request.POST)[1:])))
        return response
    if task.plain and not request.GET:
        to_match = last_match(request, task.game.slug)
        return plain_page(
            request, task.template, lambda _name: {**_context(task, ""), "to_match": to_match}, to_match
        )
    return _page(request, task, order, played="played" in request.GET)


def _planned(request: Request, task: Task, order: Order) -> HttpResponse:
    """Redirects to the URL with the new order, or renders the planner for htmx, or what is wrong."""
    post, seat, view = request.POST, task.seat, task.state.view(task.seat)
    typed = post.get("typed", "").strip()[:LONGEST_ORDER]
    try:
        view.check_order_length(seat, typed)
        if post.get("use", "1") != "1":  # the undo button brings a former order back
            order = readable(view, seat, post["use"][:LONGEST_ORDER])
        elif typed and ("use" in post or "seal" in post):
            order = typed if "seal" in post else readable(view, seat, typed)
        tapped = choose_all(partial(view.plan, seat), order, keys_of(post))
        if tapped.refusal:
            raise tapped.refusal
        order = tapped.text
        plan = view.plan(seat, order)
        refused = "seal" in post and not typed and plan.missing is not None
        if "seal" in post and not refused:
            order = view.check(seat, order if plan.missing else plan.order)
    except IllegalOrder as refusal:
        response = _page(request, task, order, error=render_sentence(refusal.sentence))
        response[TAPS_HEADER] = "? refused"
        return response
    if "seal" in post and not refused:
        return go(request, f"{task.here}?{urlencode({'order': order, 'played': ''})}#verdict")
    if request.htmx:
        context = _context(task, order) | {"tapped": True, "refused": refused, "former": tapped.former}
        return render(request, "learn/lessons/_planner.html", context)
    if refused:
        return _page(request, task, order, refused=True)
    return redirect(f"{task.here}?{urlencode({'order': order})}#lesson")


def _page(
    request: Request,
    task: Task,
    order: Order,
    *,
    played: bool = False,
    refused: bool = False,
    error: str = "",
) -> HttpResponse:
    context = _context(task, order)
    if played:
        try:
            turn = task.play(task.state.view(task.seat).check(task.seat, order))
        except IllegalOrder as refusal:
            error = render_sentence(refusal.sentence)
        else:
            step = number(request.GET.get("step"))
            film = film_of(turn.positions, task.seat, at=step if step >= 0 else None, orders=turn.orders)
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
    context["to_match"] = last_match(request, task.game.slug)
    if context.get("done") and not context.get("step_on") and not context["to_match"]:
        context["player"] = offered(current_guest(request), [task.game.slug])[task.game.slug]
    if request.htmx:  # refused in the planner: the page again, with what is wrong
        response = render(request, task.template, context)
        return reselect(reswap(retarget(response, "#lesson"), "outerHTML"), "#lesson")
    return render(request, task.template, context, status=422 if error or refused else 200)


def _context(task: Task, order: Order) -> dict[str, Any]:
    plan = task.state.view(task.seat).plan(task.seat, order)
    film = film_of([task.state], task.seat, at=0)
    return {
        **BOARD,
        "what_if": None,
        "is_task": True,
        "played": False,
        "error": "",
        "refused": False,
        "game": task.game,
        "step_here": task.here,
        "names": {seat: str(seat) for seat in task.state.seats},
        "you": task.seat,
        "drawn": templates_of(task.game.slug),
        "style": style_of(task.game.slug),
        "film": film,
        "frames": film.steps,
        "may_plan": True,
        "plan": plan,
        "ghosts": getattr(plan, "ghosts", ()),
        "draft": order,
        "again": False,
        **task.more,
    }
