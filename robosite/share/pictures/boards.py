"""Pictures of a match's board, which show only what watchers see: `State.view(None)`."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from games.core import Seat
from robosite.matches.models import Match
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.play.film import Step, show_film
from robosite.share.pictures.captions import NOTE, People, shortened
from robosite.share.pictures.sketch import WIDTH, Area, Sketch, on_page
from robosite.share.pictures.styles import Theme
from robosite.web.minifying import parts_of

RESULT = 38
"""The most characters of the line with the result below a board."""
FOOT = 64
"""The height in pixels of each line below a board: a row of players, or the result and the address."""


def step(match: Match, turn: int, number: int, theme: Theme, people: People) -> Sketch | None:
    """The board after a step of a turn (from 0), with players and final result; None: no such step."""
    film = show_film(match, viewer=None, names=by_letter(match), turn=turn, at=number)
    if film.shown.number != number:
        return None
    board = sketch_of(match.game_slug, [film.shown], theme)
    _left, _top, wide, high = board.box
    height = round(WIDTH * high / wide)
    people = people._replace(sides={row.seat: row.side for row in film.rows})
    context = {
        "width": WIDTH,
        "height": height + FOOT * people.rows() + FOOT + (NOTE if people.note else 0),
        "plates": people.plates(x=24, y=height + 44, width=WIDTH - 48, apart=FOOT),
        "result": shortened(people.result, RESULT) if film.now else "",
        "address": people.address,
        "note": people.note,
    }
    card = render_to_string("share/step.svg", context)
    return board._replace(how="card", card=card, area=Area(0, 0, WIDTH, height))


def turn(match: Match, number: int, theme: Theme) -> Sketch:
    """All steps of a turn (from 0), as the frames of an animated SVG."""
    film = show_film(match, viewer=None, names=by_letter(match), turn=number, at=None)
    return sketch_of(match.game_slug, film.steps, theme)._replace(how="turn")


def present(match: Match) -> Step:
    """The step that the public page shows first: the end of the last turn, or the opening position."""
    return show_film(match, viewer=None, names=by_letter(match), turn=match.turn - 1, at=None).shown


def sketch_of(slug: str, steps: list[Step], theme: Theme, *, apart: bool = False) -> Sketch:
    """Renders steps with a game's templates, as frames of one drawing or, with `apart`, as a drawing each."""
    drawn = templates_of(slug)
    drawings = [[replace(step, shown=True)] for step in steps] if apart else [steps]
    with translation.override(settings.LANGUAGE_CODE):
        symbols = render_to_string(drawn["symbols"])
        contexts = [{**BOARD, "frames": frames, "picture": True} for frames in drawings]
        boards = [render_to_string(drawn["board"], context) for context in contexts]
    return Sketch(on_page(slug, symbols, *boards), styles_of(slug), theme)


def styles_of(slug: str) -> tuple[str, ...]:
    """The absolute paths of the style sheets for drawings of a game."""
    static = settings.BASE_DIR / "static"
    files = [*(static / part for part in parts_of("css/site.css")), Path(__file__).with_name("card.css")]
    if style_of(slug):
        files.append(static / style_of(slug))
    return tuple(map(str, files))


def by_letter(match: Match) -> Mapping[Seat, str]:
    return {seat.at: seat.letter for seat in match.seats.all()}
