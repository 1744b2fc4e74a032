"""The picture of a league's table or a cup's bracket, for sharing and for link previews: 1200 x 630 px."""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponseBase
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from robosite.leagues import flow
from robosite.leagues.cup_picture import drawn_cup
from robosite.leagues.league_page import league_with
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.shown import written_points
from robosite.play.decorators import Request
from robosite.share.pictures.boards import styles_of
from robosite.share.pictures.captions import shortened, written
from robosite.share.pictures.sketch import Sketch, on_page
from robosite.share.pictures.views import Picture, answer

TITLE, NAME = 36, 40
"""The maximum number of characters of the league's name, and of a player's name."""
TOP, ROOM, APART = 196, 390, 62
"""The top of the rows, the maximum total height of the rows, and the maximum height of a row, in pixels."""
SECONDS = 5 * 60


@require_safe
def table_picture(request: Request, key: str, division: int, kind: str) -> HttpResponseBase:
    """Serves the picture of a division's table, or of a cup's bracket.

    `division` is a number from 1, and `kind` the file name extension. The status is 404 before the start, for
    a division that does not exist, and for the kind `gif`.
    """
    league = flow.brought_up(league_with(key))
    standings = standings_of(league)
    if kind == "gif" or not 1 <= division <= len(standings.divisions):
        raise Http404
    shown = _shown_cup(standings) if league.is_cup else _shown(standings, division)
    mark = hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    name = f"{league.key}/table/{division}/{mark}"
    return answer(
        request, Picture(name, lambda: _sketch(league.game_slug, shown), kind=kind, seconds=SECONDS)
    )


def _shown(standings: Standings, division: int) -> dict[str, Any]:
    """The template context of the picture of a division's table, in the site's default language."""
    league = standings.league
    names = {place.number: place.name for place in standings.places}
    with translation.override(settings.LANGUAGE_CODE):
        over = sum(one.over for one in standings.results)
        progress = _("after {n} of {all} matches").format(n=over, all=len(standings.fixtures))
        final = _("the final table")
        ranked = standings.table["divisions"][division - 1]["rows"]
        apart = min(ROOM // len(ranked), APART)
        rows = [
            {
                "rank": row["rank"] or "–",
                "name": _named(names[row["place"]], row["place"]),
                "points": written_points(row["points"]),
                "y": TOP + apart * at,
            }
            for at, row in enumerate(ranked, 1)
        ]
        return {
            "title": shortened(_named(league.name, 0) or _("A league"), TITLE),
            "words": f"{league.game.name}: {final if league.status == league.Status.OVER else progress}",
            "rows": rows,
        }


def _shown_cup(standings: Standings) -> dict[str, Any]:
    """The template context of the picture of a cup, in the site's default language."""
    with translation.override(settings.LANGUAGE_CODE):
        title = shortened(_named(standings.league.name, 0) or _("A cup"), TITLE)
        return {"title": title, **drawn_cup(standings)}


def _named(name: str, number: int) -> str:
    """The name as it is drawn in the picture, shortened if it is longer than the picture allows (NAME).

    If the typefaces lack a character of the name, returns “Player” with `number`, or "" if `number` is 0.
    """
    if written(name):
        return shortened(name, NAME)
    return _("Player {n}").format(n=number) if number else ""


def _sketch(slug: str, shown: dict[str, Any]) -> Sketch:
    card = render_to_string("leagues/cup.svg" if "columns" in shown else "leagues/table.svg", shown)
    return Sketch(on_page(slug, "", card), styles_of(slug), "paper", "table")
