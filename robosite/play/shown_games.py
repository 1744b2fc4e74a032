"""Games with the templates and style sheets with which pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from games import newest
from games.core import Game
from robosite.play.drawings import is_drawn, style_of, templates_of


@dataclass(frozen=True, slots=True)
class Shown:
    """A game in its newest rules, with its templates (`drawn`) and the path of its style sheet, or ""."""

    game: Game
    drawn: dict[str, list[str]]
    style: str
    is_drawn: bool


def show(slug: str) -> Shown:
    return Shown(newest(slug), templates_of(slug), style_of(slug), is_drawn(slug))
