"""Boards of matches as pictures. What is in them is what a spectator sees: `State.view(None)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from games.core import Seat
from robosite.matches import page
from robosite.matches.drawings import templates_of
from robosite.matches.models import Match
from robosite.pictures import moving
from robosite.pictures.styles import Theme, sheet_of
from robosite.pictures.svg import Drawing, bare, box_of, on_page, write

WIDTH = 800
"""Pixels of a board as PNG."""


def step(match: Match, turn: int, number: int, theme: Theme) -> str | None:
    """A step of a turn that was played (counted from 0) as SVG; None if it has no such step."""
    film = page.show_film(match, None, _nobody(match), turn, number)
    if film.shown.number != number:
        return None
    drawing = drawing_of(match.game_slug, [film.shown], theme)
    return write(_framed(bare(drawing.finish(drawing.take())), drawing))


def turn(match: Match, number: int, theme: Theme) -> str:
    """A whole turn as an SVG that moves."""
    film = page.show_film(match, None, _nobody(match), number, None)
    drawing = drawing_of(match.game_slug, film.steps, theme)
    return write(_framed(bare(moving.move(drawing.finish(drawing.take()))), drawing))


def present(match: Match) -> page.Step:
    """What the public page shows at first: the end of the last turn, or the opening."""
    return page.show_film(match, None, _nobody(match), match.turn - 1, None).shown


def drawing_of(slug: str, steps: list[page.Step], theme: Theme, *more: str) -> Drawing:
    """The game's own templates, with these steps as frames; `more` are drawings to lie beside the board."""
    drawn = templates_of(slug)
    context: dict[str, Any] = {"frames": steps, "names": {}, "picture": True}
    with translation.override(settings.LANGUAGE_CODE):
        symbols, board = render_to_string(drawn["symbols"]), render_to_string(drawn["board"], context)
    return Drawing(on_page(slug, symbols, board, *more), sheet_of(slug, theme))


def _framed(svg: Element, drawing: Drawing) -> Element:
    """On a sheet of paper, and with a size of its own."""
    left, top, width, height = box_of(svg)
    sheet = Element(
        "rect",
        x=f"{left:g}",
        y=f"{top:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        fill=drawing.env["--sheet"],
    )
    svg.insert(1, sheet)
    svg.set("width", str(WIDTH))
    svg.set("height", str(round(WIDTH * height / width)))
    return svg


def _nobody(match: Match) -> Mapping[Seat, str]:
    """No names: a board in a picture tells sides apart by letter."""
    return {seat.at: seat.letter for seat in match.seats.all()}
