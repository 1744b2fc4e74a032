"""The picture of a league's table or a cup's bracket, for sharing and for link previews: 1200 x 630 px."""

import hashlib
from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpResponseBase
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from robosite.leagues import flow
from robosite.leagues.arithmetic.bracket import Bracket, Tie
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.pages.league_page import league_with
from robosite.leagues.pages.shown import written_points
from robosite.leagues.pages.wording import round_name
from robosite.play.decorators import Request
from robosite.share.pictures.boards import styles_of
from robosite.share.pictures.captions import LETTER, shortened, written
from robosite.share.pictures.sketch import Sketch, on_page
from robosite.share.pictures.views import Picture, answer

TITLE, NAME = 36, 40
"""The maximum number of characters of the league's name, and of a player's name."""
FIRST_ROW, ROOM, APART = 196, 390, 62
"""The top of a table's rows, their maximum total height, and the maximum height of a row, in pixels."""
SECONDS = 5 * 60


@require_safe
def table_picture(request: Request, key: str, division: int, kind: str) -> HttpResponseBase:
    """Serves the picture of a division's table, or of a cup's bracket."""
    league = flow.brought_up(league_with(key))
    standings = standings_of(league)
    if kind == "gif" or not 1 <= division <= len(standings.divisions):
        raise Http404
    shown = _shown(standings, division)
    mark = hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    name = f"{league.key}/table/{division}/{mark}"
    return answer(
        request, Picture(name, lambda: _sketch(league.game_slug, shown), kind=kind, seconds=SECONDS)
    )


def _shown(standings: Standings, division: int) -> dict[str, Any]:
    league = standings.league
    names = {place.number: place.name for place in standings.places}
    with translation.override(settings.LANGUAGE_CODE):
        if league.kind.knocks_out:
            title = shortened(_named(league.name, 0) or _("A cup"), TITLE)
            return {"title": title, "won": bool(standings.bracket.winner), **drawn_cup(standings)}
        over = sum(one.over for one in standings.results)
        progress = _("after {n} of {all} matches").format(n=over, all=len(standings.fixtures))
        final = _("the final standings")
        ranked = standings.table["divisions"][division - 1]["rows"]
        apart = min(ROOM // len(ranked), APART)
        rows = [
            {
                "rank": row["rank"] or "–",
                "name": _named(names[row["place"]], row["place"]),
                "points": written_points(row["points"]),
                "y": FIRST_ROW + apart * at,
            }
            for at, row in enumerate(ranked, 1)
        ]
        return {
            "title": shortened(_named(league.name, 0) or _("A league"), TITLE),
            "words": f"{league.game.name}: {final if league.status == league.Status.OVER else progress}",
            "rows": rows,
            "won": league.status == league.Status.OVER and not league.closed,
        }


def _named(name: str, number: int) -> str:
    """The name as the picture draws it, shortened to NAME characters; “Player 3” if no font has it."""
    if written(name):
        return shortened(name, NAME)
    return _("Player {n}").format(n=number) if number else ""


def _sketch(slug: str, shown: dict[str, Any]) -> Sketch:
    card = render_to_string("leagues/cup.svg" if "columns" in shown else "leagues/table.svg", shown)
    return Sketch(on_page(slug, "", card), styles_of(slug), "paper", "table")


ROUNDS = 4
"""The maximum number of rounds in the picture. Of a larger cup, only the last rounds are drawn."""
LEFT, RIGHT, TOP, BOTTOM = 64, 1136, 262, 606
"""The edges of the area of the ties, in pixels; the names of the rounds are above this area."""
GAP = 34
"""The space between the columns of two rounds, in pixels. The lines from tie to tie cross this space."""
LARGEST = 26
"""The largest font size of a name, in pixels."""


class Line(NamedTuple):
    """An entrant of a tie as a line of the picture: name, points, state ("won", "out" or ""), y in pixels."""

    name: str
    points: str
    state: str
    y: float


class Box(NamedTuple):
    """A tie of a cup as drawn, with a line of text for each of its two entrants; sizes are in pixels."""

    x: float
    y: float
    height: float
    lines: list[Line]
    path: str


def drawn_cup(standings: Standings) -> dict[str, Any]:
    """Returns the template context for the picture of a cup's bracket (`cup.svg`), in the active language."""
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
            if tie.is_bye and tie.round == 1:
                continue  # nobody plays there; who goes through stands in the next round
            y = TOP + apart * (at + 0.5)
            lines = [_line(standings, tie, which, y, size, letters) for which in (0, 1)]
            path = _path(x, y, across, apart, at) if len(ties) > 1 else ""
            boxes.append(Box(x, y - 1.15 * size, 2.3 * size, lines, path))
        columns.append({"name": round_name(ties[0].round, len(bracket.rounds)), "x": x, "boxes": boxes})
    return {"columns": columns, "size": size, "width": across - GAP, "words": _caption(standings, bracket)}


def _path(x: float, y: float, across: float, apart: float, at: int) -> str:
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
    game = standings.league.game.name
    if bracket.winner:
        return f"{game}: " + _("{name} has won it").format(name=_name(standings, bracket.winner, 30))
    over = sum(one.over for one in standings.results)
    return f"{game}: " + _("after {n} matches").format(n=over)
