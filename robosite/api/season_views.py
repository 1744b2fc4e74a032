"""The API's call that announces the next season of a league."""

from functools import partial

from django.http import HttpRequest
from django.urls import reverse

from robosite.api import league_schemas
from robosite.api.calls import call
from robosite.api.league_views import check_organiser, check_start, is_organiser, own_place
from robosite.api.models import NamedProgram
from robosite.api.programs import note_sitting
from robosite.leagues import flow, next_season, seasons
from robosite.leagues.arithmetic.pairing import lot_of
from robosite.leagues.models import League, Place
from robosite.people.restrictions import Action
from robosite.web.http import absolute


@call("POST", "leagues/<str:league>/next", status=201, limit="make", action=Action.PLAY)
def next_league(
    request: HttpRequest,
    league: League,
    body: league_schemas.NextSeason,
    token: str,
    program: NamedProgram | None,
) -> league_schemas.NextLeague:
    """Announces the next season of a league that is over, or the next cup; needs the organiser's token.

    All players keep their number and token, except players who have left or play one season only. Those who
    play in a browser are asked there, and are out if they have not said yes by the start. If the next season
    was announced before, the call returns that season. The organiser's token is also valid for the next
    season.
    """
    check_organiser(league, token, program)
    check_start(body)
    organises = partial(is_organiser, token=token, program=program)
    following = next_season.announce(league, organises, starts_at=body.starts_at)
    note_sitting(request, program)
    place = _place(following, token, program)
    invite = seasons.first_invite(following)
    return league_schemas.NextLeague(
        league=following.key,
        url=absolute(request, following.get_absolute_url()),
        join_url=absolute(request, reverse("league-invite", args=[invite])) if invite else None,
        invite=invite,
        lot=lot_of(following.nonce),
        organiser_token=token,
        place=place.number if place else None,
        token=None,
        place_url=None,
    )


def _place(league: League, token: str, program: NamedProgram | None) -> Place | None:
    """The organiser's own place, unless it was given up."""
    place = flow.organisers_place(league)
    if place:
        return place
    place = own_place(league, token, program)
    return place if place and not place.gone else None
