"""The home page: the site in a few words or, for a known guest, the boards that wait; a puzzle, the games."""

from functools import lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import GAMES
from games.core import Game
from robosite.learn.puzzles import puzzles, readers_day, todays_puzzles
from robosite.lobby.game_lists import game_list
from robosite.lobby.my_games import GroupOfMatches, games_of, note_inviters, note_unread
from robosite.lobby.open_tables import newest_tables
from robosite.lobby.thumbnails import Drawn, draw, symbols_of
from robosite.people.current_guest import current_guest
from robosite.play.decorators import Request, private
from robosite.play.drawings import show
from robosite.play.opponents import offered
from robosite.play.plain_pages import plain_page
from robosite.play.waiting import questions_to

WAITING = 3
"""The maximum number of waiting matches, and of questions besides, that the home page shows."""
DAYS = 4
"""The number of days whose puzzle a process caches: there are up to three at once, by time zone."""


class TodaysPuzzle(NamedTuple):
    """A puzzle of a day: its game, its number in the game, and its position as a small board."""

    game: Game
    at: int
    drawn: Drawn


@require_safe
@private
def home(request: Request) -> HttpResponse:
    """The home page; matches that wait for the guest come first, the most urgent one on top."""
    offers, day = offered(current_guest(request), list(GAMES)), readers_day(request)
    opened = newest_tables()
    more = {"opened": opened}
    if waits := _waiting(request, day):
        return render(request, "lobby/home.html", _context(offers, day, more | waits))
    parts = (day, tuple(offers.items()), settings.OPEN_TABLES, opened)
    return plain_page(request, "lobby/home.html", lambda _name: _context(offers, day, more), *parts)


def _waiting(request: Request, day: int) -> dict[str, Any]:
    """The context of what waits most urgently for the guest; {} if nothing does.

    Also sets `request.waiting`, the number of all that waits for the guest.
    """
    guest = current_guest(request)
    if guest is None:
        return {}
    games = [game for game in games_of(guest) if game.wants_answer]
    asked = questions_to(guest)
    request.waiting = len(games) + len(asked)
    if not request.waiting:
        return {}
    note_unread(guest, games[:WAITING])
    note_inviters(games[:WAITING])
    shown = game_list(games[:WAITING], besides=_boards(day))
    groups = [GroupOfMatches(*one, asks=True) for one in asked[:WAITING]]
    return {"waits": shown.entries, "groups": groups, "symbols": shown.symbols, "styles": shown.styles}


def home_context(offers: dict[str, str]) -> dict[str, Any]:
    """The context of the home page with all games, but without waiting matches and without a puzzle."""
    return {
        "tables": [show(slug) for slug in GAMES],
        "offers": offers,
        "waits": (),
        "groups": (),
        "opened": (),
        "todays": None,
        "symbols": "",
        "styles": (),
    }


def _context(offers: dict[str, str], day: int, more: dict[str, Any]) -> dict[str, Any]:
    symbols, styles = symbols_of(_boards(day))
    puzzle = {"day": day, "todays": todays_puzzle(day), "symbols": symbols, "styles": styles}
    return {**home_context(offers), **puzzle, **more}


def _boards(day: int) -> list[tuple[str, frozenset[str]]]:
    todays = todays_puzzle(day)
    return [(todays.game.slug, todays.drawn.used)] if todays else []


@lru_cache(DAYS)
def todays_puzzle(day: int) -> TodaysPuzzle | None:
    """The puzzle that the home page shows on a day (`date.toordinal`), or None; the games take turns."""
    todays = todays_puzzles(day)
    if not todays:
        return None
    game, at = todays[day % len(todays)]
    one = puzzles(game.slug)[at - 1]
    return TodaysPuzzle(game, at, draw(game.slug, one.state().view(one.seat)))
