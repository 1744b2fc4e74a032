"""Boards outside a match: a position of any game, drawn by the same templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string

from games.core import Game, Order
from games.core import Seat as Letter
from robosite.matches.drawings import templates_of
from robosite.matches.history import state_of
from robosite.matches.models import Seat
from robosite.matches.page import Step

register = template.Library()


@register.filter
def side(seat: Seat) -> str:
    """What the seat plays now, for its colour."""
    return state_of(seat.match).side(seat.at)


@register.simple_tag
def board(
    game: Game,
    position: str,
    title: str = "",
    seat: str = "",
    order: Order = "",
    guess: Order = "",
    crop: str = "",
    seats: int = 2,
    **options: Any,
) -> str:
    """A drawing of the position of that text, told to who does not see it by `title`.

    With a `seat`, also what comes of its (unfinished) `order`, as its planner shows it; with a `guess` of
    what all others do, the position that this leads to, and what happened on the way. `crop` is
    the part of the board to show, as a viewBox in squares, in a game whose board can be cropped.
    """
    state = game.state.read(
        position, game.read_options({name: _plain(value) for name, value in options.items()}), seats
    )
    step = Step(0, True, {**state.drawing(), "effects": []}, [], state.words(), True)
    context: dict[str, Any] = {"frames": [step], "board_title": title, "picture": True, "crop": crop}
    if seat:
        others = [other for other in state.seats if other != seat]
        plan = state.plan(Letter(seat), order, dict.fromkeys(others, guess) if guess else None)
        if plan.film:
            last = plan.film[-1]
            context["frames"] = [Step(0, True, last.drawing(), [], last.words(), True)]
        context |= {"plan": plan, "ghosts": getattr(plan, "ghosts", ())}
    return render_to_string(templates_of(game.slug)["board"], context)


def _plain(value: Any) -> Any:
    """Text of a template as the plain text that options are."""
    return "".join(value) if isinstance(value, str) else value
