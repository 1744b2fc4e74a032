"""Boards of matches as pictures. They show a spectator's view: `State.view(None)`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from games.core import Seat
from robosite.lightness import parts_of
from robosite.matches.models import Match
from robosite.matches.pages.drawings import BOARD, style_of, templates_of
from robosite.matches.pages.film import Step, show_film
from robosite.pictures.sketch import Sketch, on_page
from robosite.pictures.styles import Theme


def step(match: Match, turn: int, number: int, theme: Theme) -> Sketch | None:
    """A step of a turn that was played (counted from 0); None if it has no such step."""
    film = show_film(match, viewer=None, names=_nobody(match), turn=turn, at=number)
    if film.shown.number != number:
        return None
    return sketch_of(match.game_slug, [film.shown], theme)


def turn(match: Match, number: int, theme: Theme) -> Sketch:
    """A whole turn, which moves."""
    film = show_film(match, viewer=None, names=_nobody(match), turn=number, at=None)
    return sketch_of(match.game_slug, film.steps, theme)._replace(how="turn")


def present(match: Match) -> Step:
    """The public page's first picture: the end of the last turn, or the opening."""
    return show_film(match, viewer=None, names=_nobody(match), turn=match.turn - 1, at=None).shown


def sketch_of(slug: str, steps: list[Step], theme: Theme) -> Sketch:
    """These steps as frames, drawn by the game's own templates."""
    drawn = templates_of(slug)
    context: dict[str, Any] = {**BOARD, "frames": steps, "picture": True}
    with translation.override(settings.LANGUAGE_CODE):
        symbols, board = render_to_string(drawn["symbols"]), render_to_string(drawn["board"], context)
    return Sketch(on_page(slug, symbols, board), styles_of(slug), theme)


def styles_of(slug: str) -> tuple[str, ...]:
    """The files with the rules for drawings of a game."""
    static = settings.BASE_DIR / "static"
    files = [*(static / part for part in parts_of("css/site.css")), Path(__file__).with_name("card.css")]
    if style_of(slug):
        files.append(static / style_of(slug))
    return tuple(map(str, files))


def _nobody(match: Match) -> Mapping[Seat, str]:
    """No names: a board in a picture tells sides apart by letter."""
    return {seat.at: seat.letter for seat in match.seats.all()}
