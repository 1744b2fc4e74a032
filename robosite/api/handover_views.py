"""The API's calls by which a seat, a place or a league is handed on, also to a next season."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from robosite.api import league_schemas, schemas
from robosite.api.calls import call
from robosite.api.checks import Caller, opens_no_place
from robosite.api.league_views import check_start, shown_league
from robosite.api.models import NamedProgram
from robosite.api.problems import at_field
from robosite.api.programs import note_sitting, sitter
from robosite.leagues import flow, next_season, seasons
from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.pairing import lot_of
from robosite.leagues.league_standings import standings_of
from robosite.leagues.models import League
from robosite.matches.flow import SeatLost, seat_offers
from robosite.matches.models import Seat
from robosite.people.models import Guest
from robosite.people.names import clean_name
from robosite.people.restrictions import Action
from robosite.web.http import absolute


@call("POST", "matches/<str:key>/handover", status=201)
def offer_seat(request: HttpRequest, seat: Seat) -> schemas.Offered:
    """Makes a link by which somebody else can take this seat over, once."""
    return _offered(request, "handed-over", seat_offers.offer(seat))


@call("DELETE", "matches/<str:key>/handover")
def keep_seat(seat: Seat) -> None:
    """Takes back the link by which somebody else could take this seat over; no effect if there is none."""
    seat_offers.withdraw(seat)


@call("POST", "matches/<str:key>/handover/bot")
def leave_to_bot(seat: Seat) -> None:
    """Has a bot of the site play on in this seat; this token then stops working."""
    seat_offers.give_to_bot(seat)


@call("POST", "leagues/<str:league>/handover", status=201)
def offer_own_place(request: HttpRequest, league: League, caller: Caller) -> schemas.Offered:
    """Makes a link by which somebody else can take the caller's place over with its matches, once."""
    _check_place(league, caller)
    return _offered(request, "place-offer", leagues.hand_over(league, caller.place))


@call("DELETE", "leagues/<str:league>/handover")
def keep_own_place(league: League, caller: Caller) -> None:
    """Takes back the link by which somebody else could take the caller's place; no effect without one."""
    _check_place(league, caller)
    leagues.keep(league, caller.place)


def _check_place(league: League, caller: Caller) -> None:
    if caller.place(league) is None:
        raise opens_no_place()


def _offered(request: HttpRequest, view: str, secret: str) -> schemas.Offered:
    return schemas.Offered(url=absolute(request, reverse(view, args=[secret])))


@call("POST", "handover", status=201, limit="make", action=Action.PLAY)
def take_over(
    request: HttpRequest, body: schemas.TakeOver, program: NamedProgram | None
) -> schemas.TakenOver:
    """Takes over the seat, or the place in a league, of a link for this; the link then stops working."""
    who = sitter(program, body.name)
    clean_name(body.name)
    secret = urlsplit(body.link).path.rstrip("/").rpartition("/")[2] or body.link
    try:
        taken = _take(request, secret, body.name, **who)
    except SeatLost:
        raise at_field("/link", _("This link is wrong or has expired.")) from None
    note_sitting(request, program)
    return taken


def _take(
    request: HttpRequest, secret: str, name: str, *, guest: Guest | None, kind: str
) -> schemas.TakenOver:
    if leagues.offered(secret) is not None:
        held = leagues.take_offer(secret, guest, name, kind=kind)
        url = absolute(request, reverse("place-link", args=[held.secret]))
        place = held.place
        return schemas.TakenOver(
            league=place.league.key, place=place.number, token=held.secret, place_url=url
        )
    taken, _guest = seat_offers.accept(secret, name, lambda: guest, kind=kind)
    url = absolute(request, reverse("seat-link", args=[taken.secret]))
    seat = taken.seat
    return schemas.TakenOver(match=seat.match.key, seat=seat.letter, token=taken.secret, seat_url=url)


@call("POST", "leagues/<str:league>/organiser")
def hand_on_organising(league: League, body: league_schemas.HandOn, caller: Caller) -> league_schemas.League:
    """Hands the organiser's role on to another place, whose token organises from then on."""
    caller.check_organises(league)
    if not league.places.filter(number=body.place, gone=False).exists():
        raise at_field("/place", _("There is no spot {n} in this league."), n=body.place)
    leagues.hand_on(league, body.place, caller.organises)
    return shown_league(standings_of(League.objects.get(pk=league.pk)))


@call("POST", "leagues/<str:league>/next", status=201, limit="make", action=Action.PLAY)
def next_league(
    request: HttpRequest, league: League, body: league_schemas.NextSeason, caller: Caller
) -> league_schemas.NextLeague:
    """Announces the next season of a league that is over, or returns it; needs the organiser's token.

    All players keep their number and token, except players who have left or play one season only. Those who
    play in a browser are asked there, and are out if they have not said yes by the start.
    """
    caller.check_organises(league)
    check_start(body)
    following = next_season.announce(league, caller.organises, starts_at=body.starts_at)
    note_sitting(request, caller.program)
    place = flow.organisers_place(following) or caller.place(following)
    invite = seasons.first_invite(following)
    return league_schemas.NextLeague(
        league=following.key,
        url=absolute(request, following.get_absolute_url()),
        join_url=absolute(request, reverse("league-invite", args=[invite])) if invite else None,
        invite=invite,
        lot=lot_of(following.nonce),
        organiser_token=caller.token,
        place=place.number if place and not place.gone else None,
        token=None,
        place_url=None,
    )
