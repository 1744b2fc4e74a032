"""The templates and style sheets that draw a game; generic templates where the game has none of its own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.conf import settings

from games import newest
from games.core import Game, Seat

DRAWN = {
    "board": ("board.svg", "board.html"),
    "symbols": ("symbols.svg", "nothing.html"),
    "ghosts": ("ghosts.svg", "nothing.html"),
    "badges": ("badges.svg", "nothing.html"),
    "taps": ("taps.html", "nothing.html"),
    "table": ("table.html", "table.html"),
    "planner": ("plan.html", "plan.html"),
    "keyboard": ("keyboard.html", "nothing.html"),
    "guess": ("guess.html", "guess.html"),
    "order": ("order.html", "order.html"),
    "acts": ("acts.html", "acts.html"),
    "rules": ("rules.html", "rules.html"),
    "paper": ("paper.html", "paper.html"),
    "picture": ("picture.svg", "picture.svg"),
    "options": ("options.svg", "nothing.html"),
    "by_hand": ("by_hand.html", "by_hand.html"),
    "own_board": ("own_board.html", "nothing.html"),
    "ending": ("ending.html", "nothing.html"),
    "things": ("things.html", "nothing.html"),
}
"""Each kind of drawing: the template that a game may have, and the one for games that have none."""


@dataclass(kw_only=True)
class Board:
    """The variables of every template that draws a board; by default a plain board with nothing planned."""

    frames: Sequence[Any] = ()
    board_title: str = ""
    crop: str = ""
    picture: bool = False
    tapped: bool = False
    own_side: Any = None
    plan: Any = None
    former: str | None = None
    ready: str = ""
    may_plan: bool = False
    ghosts: Sequence[Any] = ()
    arrows_asked: Sequence[Any] = ()
    sketch: Any = None
    names: Mapping[Seat, str] = field(default_factory=dict)
    film: Any = None
    receipt: Any = None
    is_task: bool = False


BOARD: Mapping[str, Any] = vars(Board())


@cache
def templates_of(slug: str) -> dict[str, list[str]]:
    """Maps each kind of drawing, such as "board", to the game's own template and a generic one."""
    return {what: [f"games/{slug}/{own}", f"games/{plain}"] for what, (own, plain) in DRAWN.items()}


@cache
def style_of(slug: str) -> str:
    """The path of a game's own style sheet among the static files; "" if the game has none."""
    path = f"css/games/{slug}.css"
    return path if (settings.BASE_DIR / "static" / path).exists() else ""


@cache
def is_drawn(slug: str) -> bool:
    """Returns True if the game has its own drawing of a board; a game without one is played in words."""
    return (settings.BASE_DIR / "templates" / "games" / slug / "board.svg").exists()


@cache
def pictures_of(slug: str) -> frozenset[str]:
    """The IDs of the SVG symbols that picture the game's presets and options."""
    path = settings.BASE_DIR / "templates" / "games" / slug / "options.svg"
    return frozenset(re.findall(r'<symbol id="([\w-]+)"', path.read_text())) if path.exists() else frozenset()


@dataclass(frozen=True, slots=True)
class Shown:
    """A game in its newest rules, with its templates (`drawn`) and the path of its style sheet, or ""."""

    game: Game
    drawn: dict[str, list[str]]
    style: str
    is_drawn: bool


def show(slug: str) -> Shown:
    return Shown(newest(slug), templates_of(slug), style_of(slug), is_drawn(slug))
