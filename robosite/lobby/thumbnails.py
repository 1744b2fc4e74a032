"""Small boards of present positions, for lists of matches: a spectator's view, without secrets."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from markupsafe import Markup

from games.core import State
from robosite.matches.history import read_ahead, states_of
from robosite.matches.models import Match
from robosite.play.drawings import BOARD, is_drawn, style_of, templates_of
from robosite.play.film import Step
from robosite.web.caches import made_once, once_made

KEPT_SYMBOLS = 32
"""The maximum number of selections of a game's symbols that a process caches."""
MOST_TURNS = 600
"""The maximum number of turns that are replayed for one page; matches that need more get no small board."""
SYMBOL = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)

NAMED = re.compile(r'\srole="img"|\saria-label="[^"]*"|<title>[^<]*</title>')
"""Matches names of the board and its pieces in a drawing: lists describe the match in words."""


class Drawn(NamedTuple):
    """A small board as SVG, and the IDs of the SVG symbols that it refers to."""

    board: Markup
    used: frozenset[str]


def has_board(match: Match) -> bool:
    """Returns True if lists show this match's board: the match has begun, and its game has drawings."""
    return match.status != Match.Status.OPEN and is_drawn(match.game_slug)


def small_boards(
    matches: Sequence[Match], *, seen: Mapping[str, int] | None = None, most: int = MOST_TURNS
) -> dict[str, Drawn]:
    """The small boards of matches, by the match's key; at most `most` turns are replayed in total.

    `seen` has the number of turns that the reader has watched, by match key; other boards show the present.
    Leaves out matches without a board, with a missing key, or with too many turns. Seats must have been read.
    """
    begun = [match for match in matches if has_board(match)]
    turns = {match.key: min((seen or {}).get(match.key, match.turn), match.turn) for match in begun}
    names = {match.key: ("thumbnail", match.key, match.taken_back, turns[match.key]) for match in begun}
    missing = [match for match in begun if names[match.key] not in made_once]
    read = {match.key for match in read_ahead(missing, most)}

    def draw_match(match: Match) -> Drawn:
        return draw(match.game_slug, states_of(match)[turns[match.key]].view(None))

    return {
        match.key: once_made(names[match.key], partial(draw_match, match), lambda one: len(one.board))
        for match in begun
        if match not in missing or match.key in read
    }


def symbols_of(
    boards: Sequence[tuple[str, frozenset[str]]], *, present: str = ""
) -> tuple[Markup, tuple[str, ...]]:
    """The SVG symbols of boards (slug, IDs), except those of `present`, and the paths of style sheets."""
    slugs = dict.fromkeys(slug for slug, _used in boards)
    used = frozenset().union(*(used for _slug, used in boards))
    symbols = Markup("").join(_symbols(slug, used) for slug in slugs if slug != present)
    return symbols, tuple(style_of(slug) for slug in slugs if style_of(slug))


def draw(slug: str, view: State) -> Drawn:
    """The small board of a position of a game, as `view` shows it."""
    step = Step(0, shown=True, drawing={**view.drawing(), "effects": []}, sentences=[], words=[])
    context: dict[str, Any] = {**BOARD, "frames": [step], "picture": True}
    with translation.override(settings.LANGUAGE_CODE):
        board = render_to_string(templates_of(slug)["board"], context)
    plain = NAMED.sub("", board)
    return Drawn(Markup(plain), frozenset(_named(plain)))  # noqa: S704  # the game's own template


@lru_cache(KEPT_SYMBOLS)
def _symbols(slug: str, drawn: frozenset[str]) -> Markup:
    """The SVG definitions of the symbols `drawn` of a game, and of all symbols to which these refer."""
    rest, symbols = _all_symbols(slug)
    used, there = drawn.union(_named(rest)), ""
    while new := [name for name in symbols if name in used and f'<symbol id="{name}"' not in there]:
        there += "".join(symbols[name] for name in new)
        used = used.union(_named(there))
    return Markup(rest.replace("</svg>", f"{there}</svg>"))  # noqa: S704


@cache
def _all_symbols(slug: str) -> tuple[str, dict[str, str]]:
    text = render_to_string(templates_of(slug)["symbols"])
    return SYMBOL.sub("", text), {found[1]: found[0] for found in SYMBOL.finditer(text)}


def _named(text: str) -> list[str]:
    return re.findall(r"#([\w-]+)", text)
