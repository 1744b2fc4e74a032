"""The cards that links show in a chat: a game, or how a match stands. 1200 x 630, never a secret."""

from __future__ import annotations

import textwrap
from random import Random
from typing import NamedTuple
from xml.etree.ElementTree import Element

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from games.core import Game, play_turn
from robosite.matches import flow, page
from robosite.matches.models import Match
from robosite.matches.phrases import phrases_of
from robosite.pictures.boards import drawing_of, present
from robosite.pictures.styles import sheet_of
from robosite.pictures.svg import Drawing, bare, box_of, on_page, write

WIDTH, HEIGHT = 1200, 630
TITLE, WORDS = 16, 33
"""About how many letters of each size fit beside the board."""
SHEET_X, SHEET_WIDTH, SHEET_HEIGHT = 618.0, 524.0, 546.0
"""The room of the board."""
MOST_PLAYERS = 4
TURNS, SOME = 12, 2
"""How far the match of a game's card has gone, and the seed of its dice."""


class Line(NamedTuple):
    text: str
    y: int


class Plate(NamedTuple):
    """A seat with its name."""

    seat: str
    side: str
    name: str
    y: int


class Sheet(NamedTuple):
    """The sheet under the board, as the card's template draws it."""

    x: float
    y: float
    width: float
    height: float


def of_match(match: Match) -> str:
    """How the match stands, as the public page tells it."""
    with translation.override(settings.LANGUAGE_CODE):
        now = flow.standing(match)
        names = {seat.at: seat.name or _("a free seat") for seat in now.seats}
        ended = page.result(match, names)
        phrases = phrases_of(match.game)
        words = str(ended) if ended else phrases.say("turn", n=match.turn + 1)
        seats = [(seat.letter, now.state.side(seat.at), names[seat.at]) for seat in now.seats]
        return _card(match.game, present(match), [words], seats)


def of_game(game: Game) -> str:
    """The game in the middle of some match, for its rules and for invites."""
    with translation.override(settings.LANGUAGE_CODE):
        return _card(game, _some_position(game), _wrapped(game.says, WORDS), [])


def _some_position(game: Game) -> page.Step:
    """A position that tells more than an empty board; always the same one."""
    rng = Random(SOME)
    options = game.read_options({})
    seats = game.seats(options)[0]
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    for _turn in range(TURNS):
        orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
        *_, after = play_turn(state, orders)
        if after.outcome():
            break
        state = after
    view = state.view(None)
    return page.Step(0, True, {**view.drawing(), "effects": []}, [], view.words(), True)


def of_site() -> str:
    with translation.override(settings.LANGUAGE_CODE):
        title = _lines(_wrapped(_("Battle your friends’ robots, each in your own time"), TITLE), 210, 74)
        words = _lines(_wrapped(_("No account needed."), WORDS), 560, 44)
        card = render_to_string("pictures/card.svg", {"title": title, "words": words})
        picture = render_to_string("home_picture.svg")
    drawing = Drawing(
        on_page("pigs", "", card, f'<div class="picture">{picture}</div>'), sheet_of("pigs", "paper")
    )
    svg = drawing.take("card")
    svg.append(_put(drawing.take("picture"), Sheet(588, 130, 592, 370)))
    return write(bare(drawing.finish(svg)))


def _card(game: Game, step: page.Step, words: list[str], seats: list[tuple[str, str, str]]) -> str:
    """One card: the game's name, some words, who plays, and the board as it stands."""
    title = _lines(_wrapped(game.name, TITLE), 210, 74)
    told = _lines(words, title[-1].y + 60, 44)
    players = [
        Plate(letter, side, name if _written(name) else "", told[-1].y + 84 + 60 * n)
        for n, (letter, side, name) in enumerate(seats[:MOST_PLAYERS])
    ]
    drawing = drawing_of(game.slug, [step], "paper")
    board = drawing.take()
    sheet = _fitting(board)
    context = {"title": title, "words": told, "players": players, "sheet": sheet}
    card = drawing.read(render_to_string("pictures/card.svg", context))
    place = next(one for one in card.iter() if one.get("class") == "card-place")
    place.append(_put(board, sheet))
    return write(bare(drawing.finish(card)))


def _written(name: str) -> bool:
    """Whether the typefaces have the letters of this name: they are Latin ones."""
    return all(ord(letter) < 0x100 for letter in name)


def _fitting(board: Element) -> Sheet:
    """The largest sheet of the board's form that there is room for."""
    _left, _top, width, height = box_of(board)
    scale = min(SHEET_WIDTH / width, SHEET_HEIGHT / height)
    width, height = round(width * scale, 1), round(height * scale, 1)
    return Sheet(
        round(SHEET_X + (SHEET_WIDTH - width) / 2, 1), round((HEIGHT - height) / 2, 1), width, height
    )


def _put(drawing: Element, sheet: Sheet) -> Element:
    for name, value in sheet._asdict().items():
        drawing.set(name, f"{value:g}")
    return drawing


def _wrapped(text: str, letters: int) -> list[str]:
    return textwrap.wrap(text, letters)


def _lines(texts: list[str], first: int, apart: int) -> list[Line]:
    return [Line(text, first + apart * n) for n, text in enumerate(texts)]
