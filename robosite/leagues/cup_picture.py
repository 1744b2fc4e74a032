"""The layout of the picture of a cup's bracket: the positions of names, points and lines."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from robosite.leagues.bracket import Bracket, Tie
from robosite.leagues.cup_words import round_name
from robosite.leagues.league_standings import Standings
from robosite.leagues.shown import written_points
from robosite.share.pictures.captions import LETTER, shortened, written

ROUNDS = 4
"""The maximum number of rounds in the picture. Of a larger cup, only the last rounds are drawn."""
LEFT, RIGHT, TOP, BOTTOM = 64, 1136, 262, 606
"""The edges of the area of the ties, in pixels; the names of the rounds are above this area."""
GAP = 34
"""The space between the columns of two rounds, in pixels. The lines from tie to tie cross this space."""
LARGEST = 26
"""The largest font size of a name, in pixels."""


class Line(NamedTuple):
    """An entrant of a tie as a line of the picture: name, points, state ("won", "out" or ""), y in pixels.

    `points` is "" if there are none to show.
    """

    name: str
    points: str
    state: str
    y: float


class Box(NamedTuple):
    """A tie of a cup as drawn, with a line of text for each of its two entrants; sizes are in pixels.

    `path` is the SVG path (a drawn line) to the tie that the winner plays next, or "" for the final.
    """

    x: float
    y: float
    height: float
    lines: list[Line]
    path: str


def drawn_cup(standings: Standings) -> dict[str, Any]:
    """Returns the template context for the picture of a cup's bracket (`cup.svg`), in the active language.

    The picture has a column of ties for each of the last ROUNDS rounds.
    """
    bracket = standings.bracket
    shown = bracket.rounds[-ROUNDS:]
    across = (RIGHT - LEFT + GAP) / len(shown)
    slot = (BOTTOM - TOP) / len(shown[0])
    size = min(LARGEST, round(slot * 0.42))
    letters = int((across - GAP - 20 - 2.5 * size) / (size * LETTER))
    columns = []
    for number, ties in enumerate(shown):
        x, apart = LEFT + across * number, (BOTTOM - TOP) / len(ties)
        boxes = []
        for at, tie in enumerate(ties):
            y = TOP + apart * (at + 0.5)
            lines = [_line(standings, tie, which, y, size, letters) for which in (0, 1)]
            path = _path(x, y, across, apart, at) if len(ties) > 1 else ""
            boxes.append(Box(x, y - 1.15 * size, 2.3 * size, lines, path))
        columns.append({"name": round_name(ties[0].round, len(bracket.rounds)), "x": x, "boxes": boxes})
    return {"columns": columns, "size": size, "width": across - GAP, "words": _caption(standings, bracket)}


def _path(x: float, y: float, across: float, apart: float, at: int) -> str:
    """Returns the SVG path (a drawn line) from a tie of a cup to the tie that its winner plays next.

    `x` is the left edge of the tie, and `y` its middle. `across` is the distance to the next column, and
    `apart` the distance between two ties of the column, all in pixels. `at` is the tie's index in its column.
    """
    end, middle = x + across - GAP, x + across - GAP / 2
    towards = y + apart / 2 if at % 2 == 0 else y - apart / 2
    return f"M{end:.1f} {y:.1f}H{middle:.1f}V{towards:.1f}H{x + across:.1f}"


def _line(standings: Standings, tie: Tie, which: int, y: float, size: int, letters: int) -> Line:
    at = round(y + (-0.22 if which == 0 else 0.92) * size, 1)
    number = tie.entrants[which]
    if not number:
        return Line("–" if number is not None else "", "", "", at)
    results = dict(zip(standings.cup_matches, standings.results, strict=True))
    points = [
        own
        for match in tie.matches
        if match in results
        for place, own in results[match].points_by_place()
        if place == number
    ]
    state = "" if tie.winner is None or tie.is_bye else "won" if tie.winner == number else "out"
    return Line(_name(standings, number, letters), written_points(sum(points)) if points else "", state, at)


def _name(standings: Standings, number: int, letters: int) -> str:
    name = next(place.name for place in standings.places if place.number == number)
    return shortened(name, letters) if written(name) else _("Player {n}").format(n=number)


def _caption(standings: Standings, bracket: Bracket) -> str:
    """The text below the cup's name: the game, and the winner or the number of matches that are over."""
    game = standings.league.game.name
    if bracket.winner:
        return f"{game}: " + _("{name} has won it").format(name=_name(standings, bracket.winner, 30))
    over = sum(one.over for one in standings.results)
    return f"{game}: " + _("after {n} matches").format(n=over)
