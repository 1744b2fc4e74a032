"""Template functions about results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context

from games import GAMES
from robosite.learn.puzzles import readers_day
from robosite.play.shown_games import Shown, show
from robosite.standings.player import Record, record_of


@pass_context
def own_record(context: Context) -> Record:
    """The record of the guest in the context (`you`)."""
    return record_of(context["you"])


@pass_context
def today(context: Context) -> int:
    """The reader's day, as a day number."""
    return readers_day(context["request"])


def shelf() -> list[Shown]:
    """All games, with what draws them."""
    return [show(slug) for slug in GAMES]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "own_record": own_record,
    "today": today,
    "games_shown": shelf,
}
