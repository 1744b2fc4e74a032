"""Boards outside a match: a position of any game, drawn by the same templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string

from games.core import Game, Order, Seat
from robosite.matches.drawings import templates_of
from robosite.matches.page import Step

register = template.Library()


@register.simple_tag
def board(
    game: Game,
    position: str,
    title: str = "",
    seat: str = "",
    order: Order = "",
    seats: int = 2,
    **options: Any,
) -> str:
    """A drawing of the position of that text, told to who does not see it by `title`.

    With a `seat`, also what comes of its (unfinished) `order`, as its planner shows it.
    """
    state = game.state.read(position, game.read_options(options), seats)
    step = Step(0, True, {**state.drawing(), "effects": []}, [], state.words(), True)
    context: dict[str, Any] = {"frames": [step], "board_title": title, "picture": True}
    if seat:
        plan = state.plan(Seat(seat), order)
        context |= {"plan": plan, "ghosts": getattr(plan, "ghosts", ())}
    return render_to_string(templates_of(game.slug)["board"], context)
