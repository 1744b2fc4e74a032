"""A league's moment of the week: the best step of the matches that ended in its last seven days."""

from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.core import Seat as Letter
from robosite.leagues.arithmetic.table import Decided
from robosite.leagues.models import League
from robosite.leagues.pages.league_page import league_with
from robosite.leagues.pages.shown import week_before
from robosite.matches.history import read_ahead
from robosite.matches.models import Match
from robosite.matches.reading import with_seats
from robosite.play.decorators import Request, private
from robosite.play.drawings import is_drawn
from robosite.play.highlights import best
from robosite.share.comic import Panel, names_in, panel
from robosite.web.http import or_404

SEEN, MOST_TURNS = 5, 300
"""The number of newest matches that are compared, and the maximum number of turns replayed for that."""


class Moment(NamedTuple):
    """The best step of a finished match: the match, a picture of the step, and the players' names by seat."""

    match: Match
    panel: Panel
    names: dict[Letter, str]

    @property
    def turn(self) -> int:
        return int(self.panel.at.partition(".")[0])

    @property
    def step(self) -> int:
        return int(self.panel.at.partition(".")[2])


def moment_of(league: League) -> Moment | None:
    """Returns the best step of the week's matches by the game's own measure (`State.highlight`), or None."""
    if not is_drawn(league.game_slug):
        return None
    rows = league.fixtures.filter(
        decided=Decided.PLAY, match__changed_at__gte=week_before(league), match__turn__gt=0
    )
    found = [one.match for one in rows.select_related("match").order_by("-match__changed_at", "-pk")[:SEEN]]
    ready = read_ahead(with_seats([match for match in found if match and match.watched]), MOST_TURNS)
    if not ready:
        return None
    match = max(ready, key=lambda one: best(one).score)  # of equal ones the last that was played
    names = names_in(match.known_seats or ())
    return Moment(match, panel(match, best(match), names), names)


@require_safe
@private
def moment(request: Request, key: str) -> HttpResponse:
    """The page of the best step of this week's matches in a league (its “moment”); 404 if there is none."""
    league = league_with(key)
    found = or_404(moment_of(league))
    context = {"league": league, "moment": found, "names": found.names, "game": found.match.game}
    part = "_moment" if request.htmx else "moment"
    return render(request, f"leagues/{part}.html", context)
