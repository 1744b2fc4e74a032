"""Template functions for the page of a match that belongs to a league: the league's state and its talk."""

from __future__ import annotations

from typing import NamedTuple

from jinja2 import pass_context
from jinja2.runtime import Context

from robosite.leagues import flow, league_talk
from robosite.leagues.formats import format_of
from robosite.leagues.last_day import last_day_of
from robosite.leagues.models import League, Place
from robosite.leagues.pages.cup_shown import ShownCup
from robosite.leagues.pages.shown import ShownLeague
from robosite.matches.models import Match
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.variants import pace_briefly


class LeagueTalk(NamedTuple):
    """The data of a link to the messages of a league or cup, for the page of one of its matches."""

    key: str
    """The key of the league."""
    words: str
    """The link's label."""
    unread: int
    """The number of messages that the reader has not read."""


def league_of(match: Match) -> League | None:
    """The league of a match, with only the columns for its title and address; None outside of leagues."""
    return (
        League.objects.filter(fixtures__match=match)
        .only("key", "name", "season", "format", "table_seats")
        .first()
    )


def league_invitation(league: League, who: str) -> str:
    """“Ada invites you to the league “Thursday”: Robble, up to a day per turn.”, to stand before the link."""
    names = {"who": who, "name": league.title}
    begins = (league.kind.invites if who else league.kind.invited) % names
    return f"{begins}: {', '.join(filter(None, (league.game.name, pace_briefly(league))))}."


@pass_context
def league_after(context: Context) -> AfterMatch | None:
    return after_match(context["match"], current_guest(context["request"]))


@pass_context
def league_talk_of(context: Context) -> LeagueTalk | None:
    """The link to the talk of the match's league; None for readers without a place there."""
    guest, match = current_guest(context["request"]), context["match"]
    if guest is None or not match.is_binding:
        return None
    places = Place.objects.filter(
        holders__guest=guest, gone=False, removed=False, league__fixtures__match=match
    )
    unread = league_talk.unread_at_places(guest.pk)
    row = places.annotate(unread=unread).values_list("league__key", "league__format", "unread").first()
    return row and LeagueTalk(row[0], str(format_of(row[1]).talk), row[2] or 0)


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
    """Returns the state of a match's league, for the match's page; None for guests without a place in it."""
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


FUNCTIONS = {"last_day_of": last_day_of}
