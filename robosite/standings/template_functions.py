"""Template functions about results, puzzles of the day and games."""

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
    """Today's date in the reader's time zone, as a day number (`date.toordinal`)."""
    return readers_day(context["request"])


def shelf() -> list[Shown]:
    """All games, each with the templates and styles that draw it."""
    return [show(slug) for slug in GAMES]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "own_record": own_record,
    "today": today,
    "games_shown": shelf,
}
