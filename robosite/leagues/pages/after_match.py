"""The state of a league or cup, as shown on the page of one of its matches that has ended."""

from __future__ import annotations

from typing import NamedTuple

from robosite.leagues import flow
from robosite.leagues.models import League
from robosite.leagues.pages.cup_shown import ShownCup
from robosite.leagues.pages.shown import ShownLeague
from robosite.matches.models import Match
from robosite.people.models import Guest


class AfterMatch(NamedTuple):
    """The data about a league on the page of one of its matches, for a guest who takes part in the league.

    `own` is the number of the guest's matches, and `own_left` that of those not over; `others_left` counts
    other unfinished matches in their division, whose index is `division`.
    """

    league: League
    shown: ShownLeague
    division: int
    own: int
    own_left: int
    others_left: int
    cup: ShownCup | None


def after_match(match: Match, guest: Guest | None) -> AfterMatch | None:
    """Returns the state of the league to which a match belongs, for the page of that match.

    None for a match outside of leagues, and for guests who do not take part.
    """
    league = League.objects.filter(fixtures__match=match).first()
    if league is None:
        return None
    shown = ShownLeague.read(league, guest)
    if shown.is_due():
        shown = ShownLeague.read(flow.brought_up(league), guest)
    place = shown.mine
    if place is None:
        return None
    at = next((at for at, places in enumerate(shown.divisions) if place.number in places), 0)
    here = set(shown.divisions[at])
    results = [one for one in shown.results if here.issuperset(one.seats)]
    own = [one for one in results if place.number in one.seats]
    left = sum(not one.over for one in own)
    return AfterMatch(
        league=league,
        shown=shown,
        division=at,
        own=len(own),
        own_left=left,
        others_left=sum(not one.over for one in results) - left,
        cup=ShownCup(shown) if league.kind.knocks_out else None,
    )
