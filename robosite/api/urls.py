"""The URLs of the JSON API, version 1: one for each path in the list of calls. Any other path is a 404."""

from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from robosite.api import (  # noqa: F401  (their calls fill the list)
    league_views,
    match_views,
    program_views,
    table_views,
    views,
)
from robosite.api.answers import view_of
from robosite.api.calls import CALLS
from robosite.api.problems import Problem


@csrf_exempt
def nothing_here(request: HttpRequest) -> HttpResponse:
    return Problem(404, _("There is no such call. The documentation is at /api/v1/docs.")).answer()


def name_of(at: str) -> str:
    """Returns the name of the URL pattern for a path of the API, such as `api-match-order`."""
    at = at.replace("challenges/<str:key>", "challenge")
    at = at.replace("leagues/<str:league>", "league").replace("<int:place>", "place")
    plain = (at or "root").replace("matches/<str:key>", "match").replace("games/<slug:slug>", "game")
    return "api-" + plain.replace("/", "-")


urlpatterns = [
    *(path(at, view_of(at), name=name_of(at)) for at in dict.fromkeys(one.path for one in CALLS)),
    re_path(r"^.*$", nothing_here, name="api-nothing"),
]
