"""Pictures of the highlights of a finished match: side by side, or as a GIF with one step after the other."""

import textwrap
from typing import NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from robosite.matches.models import Match
from robosite.matches.wording import wording_of
from robosite.play.film import Step, show_film
from robosite.play.highlights import Highlight, highlights
from robosite.share.pictures.boards import by_letter, sketch_of
from robosite.share.pictures.captions import NOTE, People, shortened, write_out
from robosite.share.pictures.cards import WIDTH, CardLine
from robosite.share.pictures.sketch import Area, Sketch

EDGE, GAP, LARGEST = 40, 24, 330
"""The margin of the strip, the space between two panels, and the greatest width of one, in pixels."""
TOP, BOARD, LOWEST = 186, 306, 585
"""The y of the panels' top, the greatest height of a board, and the y of the lowest text, in pixels."""
TEXT, LINE, RESULT = 21, 26, 34
"""The font size and line height of texts in pixels, and the most characters of the result."""
WORD_LETTER = 0.47
"""The average width of a character of a text, as a fraction of the font size."""
REEL, REEL_BOARD = 600, 552
"""The width of the GIF, and the width and height of the area for its board, in pixels."""
REEL_LINES = 3


class StripPanel(NamedTuple):
    """The layout of a panel of a comic strip, in pixels: position, board's area, and lines of text."""

    x: int
    top: int
    turn: str
    sheet: Area
    lines: list[CardLine]


def strip(match: Match, people: People) -> Sketch:
    """One picture with the most dramatic steps of a match side by side."""
    chosen = highlights(match)
    steps = [_steps(match, one)[1] for one in chosen]
    board = sketch_of(match.game_slug, steps, "paper", apart=True)
    each = min((WIDTH - 2 * EDGE - (len(chosen) - 1) * GAP) // len(chosen), LARGEST)
    start = (WIDTH - len(chosen) * each - (len(chosen) - 1) * GAP) // 2
    panels = []
    for n, (one, step) in enumerate(zip(chosen, steps, strict=True)):
        x = start + n * (each + GAP)
        sheet = _fitting(board, x, TOP, each, BOARD)
        words = _words(step, one, people, each)
        below = int(sheet.y + sheet.height) + LINE + 4
        lines = _lines(words, below, (LOWEST - below) // LINE + 1)
        panels.append(StripPanel(int(sheet.x), TOP, _turn(match, one), sheet, lines))
    context = {
        "game": match.game.name,
        "result": shortened(people.result, RESULT),
        "address": people.address,
        "note": people.note,
        "plates": people.plates(x=EDGE, y=118, width=WIDTH - 2 * EDGE),
        "panels": panels,
    }
    card = render_to_string("share/strip.svg", context)
    return board._replace(how="strip", card=card, areas=tuple(panel.sheet for panel in panels))


def reel(match: Match, people: People) -> Sketch:
    """The frames of a GIF of a match's most dramatic steps: the board before and after each step."""
    chosen = highlights(match)
    pairs = [_steps(match, one) for one in chosen]
    board = sketch_of(match.game_slug, [step for pair in pairs for step in pair], "paper", apart=True)
    area = _fitting(board, (REEL - REEL_BOARD) // 2, 60, REEL_BOARD, REEL_BOARD)
    below = int(area.y + area.height) + 34
    low = below + REEL_LINES * LINE + 24
    height = low + people.rows() * 56 + 36 + (NOTE if people.note else 0)
    cards = []
    for one, (_before, after) in zip(chosen, pairs, strict=True):
        lines = _lines(_words(after, one, people, REEL - 48), below, REEL_LINES)
        for words in ([], lines):
            context = {
                "width": REEL,
                "height": height,
                "turn": f"{match.game.name} · {_turn(match, one)}",
                "address": people.address,
                "note": people.note,
                "lines": words,
                "plates": people.plates(x=24, y=low + 16, width=REEL - 48),
                "result": shortened(people.result, RESULT) if words and one is chosen[-1] else "",
            }
            cards.append(render_to_string("share/reel.svg", context))
    return board._replace(how="reel", cards=tuple(cards), area=area)


def _steps(match: Match, one: Highlight) -> tuple[Step, Step]:
    film = show_film(match, viewer=None, names=by_letter(match), turn=one.turn, at=one.step)
    return film.steps[one.step - 1], film.steps[one.step]


def _turn(match: Match, one: Highlight) -> str:
    with translation.override(settings.LANGUAGE_CODE):
        return wording_of(match.game).say("turn", n=one.turn + 1)


def _words(step: Step, one: Highlight, people: People, width: int) -> list[str]:
    words = write_out([step.sentences[n] for n in one.events], people.names)
    return textwrap.wrap(words, int(width / (TEXT * WORD_LETTER)))


def _lines(words: list[str], first: int, most: int) -> list[CardLine]:
    shown = words[:most]
    if len(words) > most:
        shown[-1] = f"{shown[-1]} …"
    return [CardLine(text, first + LINE * n) for n, text in enumerate(shown)]


def _fitting(board: Sketch, x: int, y: int, width: int, height: int) -> Area:
    _left, _top, wide, high = board.box
    scale = min(width / wide, height / high)
    return Area(round(x + (width - wide * scale) / 2, 1), y, round(wide * scale, 1), round(high * scale, 1))
