"""The templates and style sheets that draw a game; generic templates where the game has none of its own."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from django.conf import settings

PLAIN = {
    "board": "games/board.html",
    "symbols": "games/nothing.html",
    "ghosts": "games/nothing.html",
    "badges": "games/nothing.html",
    "taps": "games/nothing.html",
    "table": "games/table.html",
    "planner": "games/plan.html",
    "keyboard": "games/nothing.html",
    "guess": "games/guess.html",
    "order": "games/order.html",
    "acts": "games/acts.html",
    "rules": "games/rules.html",
    "paper": "games/paper.html",
    "picture": "games/picture.svg",
    "options": "games/nothing.html",
    "by_hand": "games/by_hand.html",
    "own_board": "games/nothing.html",
    "ending": "games/nothing.html",
    "things": "games/nothing.html",
}
OWN = {
    "board": "board.svg",
    "symbols": "symbols.svg",
    "ghosts": "ghosts.svg",
    "badges": "badges.svg",
    "taps": "taps.html",
    "table": "table.html",
    "planner": "plan.html",
    "keyboard": "keyboard.html",
    "guess": "guess.html",
    "order": "order.html",
    "acts": "acts.html",
    "rules": "rules.html",
    "paper": "paper.html",
    "picture": "picture.svg",
    "options": "options.svg",
    "by_hand": "by_hand.html",
    "own_board": "own_board.html",
    "ending": "ending.html",
    "things": "things.html",
}
BOARD: dict[str, Any] = {
    "frames": (),
    "board_title": "",
    "crop": "",
    "picture": False,
    "tapped": False,
    "own_side": None,
    "plan": None,
    "former": None,
    "ready": "",
    "may_plan": False,
    "ghosts": (),
    "arrows_asked": (),
    "sketch": None,
    "names": {},
    "film": None,
    "receipt": None,
    "is_task": False,
}
"""Defaults for the variables of every template that draws a board: a plain board with nothing planned."""


@cache
def templates_of(slug: str) -> dict[str, list[str]]:
    """Maps each kind of drawing, such as "board", to the game's own template and a generic one."""
    return {what: [f"games/{slug}/{OWN[what]}", plain] for what, plain in PLAIN.items()}


@cache
def style_of(slug: str) -> str:
    """The path of a game's own style sheet among the static files; "" if the game has none."""
    path = f"css/games/{slug}.css"
    return path if (settings.BASE_DIR / "static" / path).exists() else ""


@cache
def is_drawn(slug: str) -> bool:
    """True if the game has its own drawing of a board; a game without one is played in words."""
    return (settings.BASE_DIR / "templates" / "games" / slug / "board.svg").exists()


@cache
def pictures_of(slug: str) -> frozenset[str]:
    """The IDs of the SVG symbols that picture the game's presets and options."""
    path = settings.BASE_DIR / "templates" / "games" / slug / "options.svg"
    return frozenset(re.findall(r'<symbol id="([\w-]+)"', path.read_text())) if path.exists() else frozenset()
