"""Template functions for boards, for the sentences of films, and for parts of pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

from django.template.loader import render_to_string
from django.utils.translation import get_language
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from games.core import Game, Order, State
from games.core import Seat as Letter
from robosite.jinja.functions import names_of
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match
from robosite.play.drawings import BOARD, is_drawn, templates_of
from robosite.play.film import Step
from robosite.play.second_person import to_reader
from robosite.web.caches import BoundedCache
from robosite.web.sentences import render_sentence

MOST_DRAWN = 8_000_000
"""The maximum size of the cache of boards for rules and lessons, in characters per process."""


@pass_context
def reader(context: Context) -> str | None:
    """The letter of the seat whose player the page addresses as “you”.

    Returns None for watchers, and on devices that several players share.
    """
    own: str | None = context.get("you")
    return None if context.get("shared_device") else own


@pass_context
def tell(context: Context, sentence: Any) -> str:
    """The translated text of a sentence about a turn, with “you” for the player who reads the page.

    Other players are named.
    """
    return render_sentence(to_reader(context["game"], sentence, reader(context)), names_of(context))


def is_pictured(game: Game) -> bool:
    """Returns True if this game has pictures of its board."""
    return is_drawn(game.slug)


drawn_boards: BoundedCache[tuple[Any, ...], Markup] = BoundedCache(MOST_DRAWN, len)


def board(game: Game, position: str, *, title: str = "", **more: Any) -> Markup:
    """Draws the position that `position` describes in text; `title` describes it for screen readers.

    The keywords in `more` are options of the game, except for these:

    - `seat` and `order`: the plan for this (unfinished) order of the seat is drawn, as in the planner.
    - `guess`: the end of the turn is drawn, as if all other seats gave this order.
    - `crop`: the part of the board to draw, as a viewBox in squares, in a game whose board can be cropped.
    - `seats`: the number of players, 2 by default.
    """
    more = {name: _plain(value) for name, value in more.items()}
    key = (game.slug, game.rules, get_language(), str(position), str(title), *sorted(more.items()))
    drawn = drawn_boards.get(key)
    if drawn is None:
        drawn_boards[key] = drawn = _draw(game, position, title, **more)
    return drawn


def _draw(
    game: Game,
    position: str,
    title: str,
    *,
    seat: str = "",
    order: Order = "",
    guess: Order = "",
    crop: str = "",
    seats: int = 2,
    **options: Any,
) -> Markup:
    state = game.state.read(position, game.read_options(options), seats)
    others = [other for other in state.seats if other != seat]
    guesses = dict.fromkeys(others, guess) if guess else None
    return _drawn(game, state, title, seat=seat, order=order, guesses=guesses, crop=crop)


def turn_board(match: Match, turn: int, seat: Letter, order: Order, title: str) -> Markup:
    """Draws what a played turn would have led to if `seat` had given `order`; nothing is hidden.

    `turn` counts from 0. The other seats give the orders that they played; if none of them gave an order,
    only the plan of `order` is drawn, on the position before the turn. An empty `order` stands for the order
    that the seat played. Call this function only for finished matches.
    """
    key = (match.key, match.taken_back, turn, seat, order, title, get_language())
    drawn = drawn_boards.get(key)
    if drawn is None:
        played, state = turns_of(match)[turn], states_of(match)[turn]
        others = {other: did for other, did in played.items() if other != seat} or None
        drawn = _drawn(match.game, state, title, seat=seat, order=order or played[seat], guesses=others)
        drawn_boards[key] = drawn
    return drawn


def _drawn(
    game: Game,
    state: State,
    title: str,
    *,
    seat: str,
    order: Order,
    guesses: dict[Letter, Order] | None,
    crop: str = "",
) -> Markup:
    step = Step(0, True, {**state.drawing(), "effects": []}, [], state.words(), True)
    context: dict[str, Any] = {**BOARD, "frames": [step], "board_title": title, "picture": True, "crop": crop}
    if seat:
        plan = state.plan(Letter(seat), order, guesses)
        if plan.film:
            last = plan.film[-1]
            context["frames"] = [Step(0, True, last.drawing(), [], last.words(), True)]
        context |= {"plan": plan, "ghosts": getattr(plan, "ghosts", ())}
    return Markup(render_to_string(templates_of(game.slug)["board"], context))  # noqa: S704


def _plain(value: Any) -> Any:
    """Converts Markup (a template's safe text) to a plain string; returns any other value unchanged."""
    return "".join(value) if isinstance(value, str) else value


PARTS = "Robosite-Parts"
"""The request header in which an open page lists the hashes (`part_mark`) of the parts that it has."""


def part_mark(html: Markup) -> str:
    """A hash of the HTML of a part of a page, by which an open page and the server compare the part."""
    return f"{crc32(html.encode()):x}"


@pass_context
def page_has(context: Context, html: Markup) -> bool:
    """Returns True if the page that sent an htmx request already has this HTML.

    The response may then omit the HTML.
    """
    request = context["request"]
    return bool(request and request.htmx) and part_mark(html) in request.headers.get(PARTS, "").split()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        is_pictured,
        reader,
        tell,
        board,
        turn_board,
        part_mark,
        page_has,
    )
}
