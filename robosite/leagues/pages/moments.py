"""A league's moment of the week: the best step of the matches that ended in its last seven days."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from robosite.leagues.arithmetic.table import Decided
from robosite.leagues.models import League
from robosite.leagues.pages.league_page import league_with
from robosite.leagues.pages.shown import week_before
from robosite.play.decorators import Request, private
from robosite.share.comic import Moment, best_moment
from robosite.web.http import or_404

SEEN = 5
"""The number of newest matches that are compared."""


def moment_of(league: League) -> Moment | None:
    """Returns the best step of the week's matches by the game's own measure (`State.highlight`), or None."""
    rows = league.fixtures.filter(
        decided=Decided.PLAY, match__changed_at__gte=week_before(league), match__turn__gt=0
    )
    found = [one.match for one in rows.select_related("match").order_by("-match__changed_at", "-pk")[:SEEN]]
    return best_moment([match for match in found if match and match.watched])


@require_safe
@private
def moment(request: Request, key: str) -> HttpResponse:
    """The page of the best step of this week's matches in a league (its “moment”); 404 if there is none."""
    league = league_with(key)
    found = or_404(moment_of(league))
    context = {"league": league, "moment": found, "names": found.names, "game": found.match.game}
    part = "_moment" if request.htmx else "moment"
    return render(request, f"leagues/{part}.html", context)
