"""Cards for previews of links, 1200 x 630 pixels; that of a match shows only what its public page shows."""

import textwrap
from random import Random
from typing import NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from games.core import Game, play_turn
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.matches.wording import imported_note, wording_of
from robosite.play import film
from robosite.share.pictures.boards import present, sketch_of, styles_of
from robosite.share.pictures.captions import written
from robosite.share.pictures.sketch import Area, Sketch, on_page

WIDTH, HEIGHT = 1200, 630
TITLE, WORDS = 16, 33
"""The most characters of a line of the title, and of a line of the other text."""
SHEET_X, SHEET_WIDTH, SHEET_HEIGHT = 618.0, 524.0, 546.0
"""The left edge, the width and the height of the area for the board, in pixels."""
MOST_PLAYERS = 4
TURNS, SOME = 12, 2
"""The most turns, and the random seed, of the match whose position a game's card shows."""


class CardLine(NamedTuple):
    text: str
    y: int


class CardPlayer(NamedTuple):
    """A player's plate (a coloured sign) and name on a card, at the height `y` in pixels."""

    seat: str
    side: str
    name: str
    y: int


def of_match(match: Match) -> Sketch:
    """The card of a match: players, turn or result, and the board on its public page."""
    with translation.override(settings.LANGUAGE_CODE):
        standing = flow.standing_of(match)
        names = {seat.at: seat.name or _("a free seat") for seat in standing.seats}
        ended = film.result(match, names)
        wording = wording_of(match.game)
        words = str(ended) if ended else wording.say("turn", n=match.turn + 1)
        note = imported_note(imported=match.imported)
        seats = [(seat.letter, standing.state.side(seat.at), names[seat.at]) for seat in standing.seats]
        return _card(match.game, present(match), [words, *([note] if note else [])], seats)


def of_game(game: Game) -> Sketch:
    """The card of a game, with a position from a match as an example."""
    with translation.override(settings.LANGUAGE_CODE):
        return _card(game, _some_position(game), textwrap.wrap(game.says, WORDS), [])


def _some_position(game: Game) -> film.Step:
    """The position after TURNS turns of random orders, or before the last one, as watchers see it."""
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
    return film.Step.still(state.view(None))


def of_site() -> Sketch:
    """The card for pages of no match and no game, with the picture of the home page."""
    with translation.override(settings.LANGUAGE_CODE):
        title = _lines(
            textwrap.wrap(_("Battle your friends’ robots – whenever you have a minute"), TITLE), 210, 74
        )
        words = _lines(textwrap.wrap(_("No account needed."), WORDS), 560, 44)
        card = render_to_string(
            "share/card.svg", {"title": title, "words": words, "players": [], "sheet": None}
        )
        picture = render_to_string("lobby/home_picture.svg")
    drawn = on_page("pigs", "", card, f'<div class="picture">{picture}</div>')
    return Sketch(drawn, styles_of("pigs"), "paper", "site", area=Area(588, 130, 592, 370))


def _card(game: Game, step: film.Step, words: list[str], seats: list[tuple[str, str, str]]) -> Sketch:
    title = _lines(textwrap.wrap(game.name, TITLE), 210, 74)
    lines = _lines(words, title[-1].y + 60, 44)
    players = [
        CardPlayer(letter, side, name if written(name) else "", lines[-1].y + 84 + 60 * n)
        for n, (letter, side, name) in enumerate(seats[:MOST_PLAYERS])
    ]
    board = sketch_of(game.slug, [step], "paper")
    sheet = _fitting(board)
    context = {"title": title, "words": lines, "players": players, "sheet": sheet}
    card = render_to_string("share/card.svg", context)
    return board._replace(how="card", card=card, area=sheet)


def _fitting(board: Sketch) -> Area:
    _left, _top, width, height = board.box
    scale = min(SHEET_WIDTH / width, SHEET_HEIGHT / height)
    width, height = round(width * scale, 1), round(height * scale, 1)
    return Area(round(SHEET_X + (SHEET_WIDTH - width) / 2, 1), round((HEIGHT - height) / 2, 1), width, height)


def _lines(texts: list[str], first: int, apart: int) -> list[CardLine]:
    return [CardLine(text, first + apart * n) for n, text in enumerate(texts)]
