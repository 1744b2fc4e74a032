"""The API's calls about leagues: making, joining, leaving and starting a league, and reading its state."""

from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from robosite.api import league_schemas
from robosite.api.calls import call
from robosite.api.checks import Caller, check_hours, known_game, opens_no_place, options_and_seats, time_terms
from robosite.api.models import NamedProgram
from robosite.api.problems import Problem, at_field
from robosite.api.programs import Sitter, note_sitting, sitter
from robosite.api.schemas import Offered
from robosite.api.serializers import moment
from robosite.leagues import flow, next_season, seasons
from robosite.leagues.arithmetic.pairing import lot_of
from robosite.leagues.formats import format_of
from robosite.leagues.league_standings import Standings, match_status, standings_of
from robosite.leagues.models import League, Place
from robosite.leagues.record.record import record_text
from robosite.leagues.terms import Terms, clean_league_name
from robosite.matches.flow import Refused
from robosite.matches.models import Seat
from robosite.matches.records import Ready
from robosite.people import shares
from robosite.people.names import RefusedName, clean_name
from robosite.people.restrictions import Action
from robosite.web import limits
from robosite.web.http import absolute

PAGE = 200


@call("POST", "leagues", status=201, limit="make", action=Action.PLAY)
def make_league(
    request: HttpRequest, body: league_schemas.NewLeague, program: NamedProgram | None
) -> league_schemas.MadeLeague:
    """Makes a league or, if `format` is `cup`, a cup."""
    new = _create(request, body, program)
    note_sitting(request, program)
    return league_schemas.MadeLeague(
        league=new.league.key,
        url=absolute(request, new.league.get_absolute_url()),
        join_url=absolute(request, reverse("league-invite", args=[new.invite])),
        invite=new.invite,
        lot=lot_of(new.league.nonce),
        organiser_token=new.organiser_token,
        place=new.place.number if new.place else None,
        token=new.token,
        place_url=_place_url(request, new.token) if new.token else None,
    )


def _create(request: HttpRequest, body: league_schemas.NewLeague, program: NamedProgram | None) -> flow.Made:
    name = clean_league_name(body.name)
    times = time_terms(body)
    check_start(body)
    game, options = _game_of(body, times["deadline_hours"])
    organiser, who = _organiser(body, program)
    same = ("plays", "legs", "every_days", "ends_days", "starts_at", "table_seats", "scoring", "format")
    try:
        return flow.create(
            name,
            game,
            options,
            organiser,
            names=_written_names(body, organiser),
            bots=body.bots,
            for_programs=body.robots,
            most_places=body.places,
            listed=body.open,
            handover=body.handover,
            origin=shares.origin_of(request),
            **{term: getattr(body, term) for term in same},
            **times,
            **who,
        )
    except RefusedName as fault:
        raise at_field("/organiser", str(fault)) from None


def check_start(body: league_schemas.NextSeason) -> None:
    try:
        next_season.check_start(body.starts_at)
    except Refused as refusal:
        raise at_field("/starts_at", str(refusal)) from None


def _game_of(body: league_schemas.NewLeague, hours: float | None) -> tuple[Any, Any]:
    game = known_game(body.game)
    options, _seats = options_and_seats(game, body.preset, body.options, body.table_seats, "/table_seats")
    if hours is None:
        problem = _("A league needs a deadline, so that it ends: say how many hours a turn takes.")
        raise at_field("/deadline_hours", problem)
    if body.reveal_at is None:
        check_hours(hours)
    same = ("places", "table_seats", "scoring", "legs", "every_days", "ends_days")
    terms = Terms(
        kind=format_of(body.format, body.table_seats),
        game=game,
        options=options,
        deadline_hours=hours,
        only_programs=body.robots,
        **{term: getattr(body, term) for term in same},
    )
    for term, says in terms.refused():
        raise at_field("/options" if term == "preset" and body.preset is None else f"/{term}", says)
    return game, options


def _organiser(body: league_schemas.NewLeague, program: NamedProgram | None) -> tuple[str, Sitter]:
    if body.robots and body.plays and program is None:
        problem = _("Only programs play here. Call with a program’s token, or send “plays”: false.")
        raise at_field("/plays", problem)
    if program and body.plays:
        return program.guest.name, sitter(program, body.organiser or program.guest.name)
    if not body.plays:
        return "", Sitter(guest=program.guest if program else None, kind=Seat.Kind.HUMAN)
    if not body.organiser:
        raise at_field("/organiser", _("Give your name, or send “plays”: false if you do not play."))
    try:
        clean_name(body.organiser)
    except RefusedName as fault:
        raise at_field("/organiser", str(fault)) from None
    return body.organiser, Sitter(guest=None, kind=Seat.Kind.HUMAN)


def _written_names(body: league_schemas.NewLeague, organiser: str) -> list[str]:
    known = [organiser] if organiser else []
    if len(set(body.bots)) < len(body.bots):
        raise at_field("/bots", _("Each bot plays once at most."))
    if len(body.names) + len(body.bots) + len(known) > body.places:
        problem = _("There are more names and bots than spots: {n} spots at most.")
        raise at_field("/names" if body.names else "/bots", problem, n=body.places)
    for at, name in enumerate(body.names):
        try:
            known.append(clean_name(name, known))
        except RefusedName as fault:
            raise at_field(f"/names/{at}", str(fault)) from None
    return body.names


def _place_url(request: HttpRequest, secret: str) -> str:
    return absolute(request, reverse("place-link", args=[secret]))


@call("POST", "leagues/<str:league>/places", status=201, limit="make", action=Action.PLAY)
def join_league(
    request: HttpRequest,
    league: League,
    body: league_schemas.JoinLeague,
    program: NamedProgram | None,
) -> league_schemas.TakenPlace:
    """Takes a place in a league that has not started."""
    who = sitter(program, body.name)
    if league.for_programs and program is None:
        raise Problem(
            403,
            _("Only programs play in this league: “POST programs” gives a name and a token to use here."),
        )
    clean_name(body.name)
    if body.place is not None and not league.places.filter(number=body.place, gone=False).exists():
        raise at_field("/place", _("There is no spot {n} in this league."), n=body.place)
    try:
        taken = flow.join(
            league,
            body.name,
            invite=body.invite,
            claims=body.place,
            once=body.once,
            origin=shares.origin_of(request),
            **who,
        )
    except RefusedName as fault:
        raise at_field("/name", str(fault), 409) from None
    note_sitting(request, program)
    return league_schemas.TakenPlace(
        league=league.key,
        place=taken.place.number,
        token=taken.secret,
        place_url=_place_url(request, taken.secret),
    )


@call("DELETE", "leagues/<str:league>/places/<int:place>", conflicts=True)
def leave_league(league: League, place: int, caller: Caller) -> None:
    """Gives up a place; needs the token of the place or of the organiser.

    After the start, the place loses its unfinished matches. In a league, if fewer than half of its matches
    were played to their end, none of its results count, nor does a match with a single opponent. In a cup,
    all results count, and the place loses its tie. An organiser who plays gains nothing by removing another
    place: an unfinished match of the two counts for nobody, at a table of three or more both resign, and a
    cup answers 409 while the two could meet next.
    """
    found = league.places.filter(number=place).first()
    if not caller.organises(league) and caller.known_place(league) != found:
        raise Problem(403, _("This is the token of another spot."))
    if found is None:
        raise Problem(404, _("There is no spot {n} in this league.").format(n=place))
    if caller.place(league) == found:
        flow.leave(found, lambda fresh: caller.place(fresh) == found)
    else:
        flow.remove(found, caller.organises, by=caller.program.guest if caller.program else None)


@call("POST", "leagues/<str:league>/start", limit="make", action=Action.PLAY)
def start_league(request: HttpRequest, league: League, caller: Caller) -> league_schemas.League:
    """Draws the lots and begins all matches, or those of the first round; needs the organiser's token."""
    caller.check_organises(league)
    if league.status == League.Status.OPEN:
        places = league.places.filter(gone=False).exclude(taken_at=None).count()
        limits.take(*[("places", limits.address(request))] * places)
    flow.start(league, caller.organises)
    return shown_league(standings_of(league))


@call("GET", "leagues/<str:league>")
def league(league: League) -> league_schemas.League:
    """Returns a league with its terms, places and divisions."""
    return shown_league(standings_of(league))


def shown_league(standings: Standings) -> league_schemas.League:
    league = standings.league
    return league_schemas.League.of(
        league,
        league=league.key,
        game=league.game_slug,
        options=league.given_options,
        previous=league.previous.key if league.previous else None,
        next=league.next_season.key if league.next_season else None,
        meetings=_meetings(standings),
        deadline_hours=league.turn_hours,
        robots=league.for_programs,
        lot=lot_of(league.nonce),
        nonce=league.nonce if standings.started else None,
        starts_at=moment(league.starts_at) if league.starts_at else None,
        ends=moment(league.ends) if league.ends else None,
        places=[_place(standings, place) for place in standings.places],
        divisions=standings.divisions,
        matches=len(standings.fixtures),
        played=sum(one.over for one in standings.results),
    )


def _meetings(standings: Standings) -> league_schemas.Meetings | None:
    found = standings.meetings
    if found is None:
        return None
    here = len(standings.taken)
    return league_schemas.Meetings(places=here, **found._asdict())


def _place(standings: Standings, place: Place) -> league_schemas.LeaguePlace:
    return league_schemas.LeaguePlace.of(
        place,
        place=place.number,
        number=standings.lot_numbers.get(place.number),
        kind="human" if place.kind == Seat.Kind.HUMAN else "bot",
        left=standings.left(place),
        bot=place.player or None,
        came=league_schemas.Came(**place.came._asdict()) if place.came else None,
    )


@call("GET", "leagues/<str:league>/table")
def league_table(league: League) -> league_schemas.LeagueTable:
    """Returns the table of each division by rank."""
    return league_schemas.LeagueTable.model_validate(standings_of(league).table)


@call("GET", "leagues/<str:league>/matches")
def league_matches(league: League, query: league_schemas.MatchesQuery) -> league_schemas.LeagueMatches:
    """Returns the matches of a league in the order of its schedule, or of a cup in that of its bracket."""
    standings = standings_of(league)
    end = query.after + PAGE
    return league_schemas.LeagueMatches(
        matches=[_match(standings, at) for at in range(query.after, min(end, len(standings.fixtures)))],
        next=str(end) if end < len(standings.fixtures) else None,
    )


def _match(standings: Standings, at: int) -> league_schemas.LeagueMatch:
    fixture, result = standings.fixtures[at], standings.results[at]
    match = fixture.match
    position = {"division": 1, "tie": None, "stage": None} | standings.league.kind.position(standings, at)
    return league_schemas.LeagueMatch(
        match=match.key if match else None,
        **position,
        seats=standings.seats_of(fixture),
        status=match_status(fixture),  # type: ignore[arg-type]
        outcome=match.outcome_json if match else None,
        counts=standings.counts(result),
        decided=result.decided,  # type: ignore[arg-type]
    )


@call("GET", "leagues/<str:league>/record", conflicts=True)
def league_record_call(league: League) -> Ready:
    """Returns the record of a league that is over, with the records of its matches."""
    return Ready(record_text(league))


@call("GET", "me/leagues")
def own_leagues(caller: Caller) -> league_schemas.OwnLeagues:
    """Returns the leagues in which the caller has a place; for a place's token, all seasons that it opens."""
    places = caller.places(Place.objects.filter(gone=False).select_related("league").order_by("pk"))
    if not (places or caller.program):
        raise opens_no_place()
    return league_schemas.OwnLeagues(
        leagues=[
            league_schemas.OwnLeague.of(
                place.league, league=place.league.key, game=place.league.game_slug, place=place.number
            )
            for place in places
        ]
    )


@call("GET", "leagues")
def open_leagues(query: league_schemas.LeaguesQuery) -> league_schemas.OpenLeagues:
    """Returns the leagues for programs alone that need no invite and have not started, newest first."""
    rows = League.objects.filter(status=League.Status.OPEN, listed=True, for_programs=True).order_by("-pk")
    if query.game is not None:
        rows = rows.filter(game_slug=query.game)
    if query.after is not None:
        rows = rows.filter(pk__lt=query.after)
    there = Count("places", filter=Q(places__gone=False, places__taken_at__isnull=False))
    page = list(rows.annotate(there=there)[: PAGE + 1])
    return league_schemas.OpenLeagues(
        leagues=[
            league_schemas.OpenLeague.of(
                one,
                league=one.key,
                game=one.game_slug,
                options=one.given_options,
                deadline_hours=one.turn_hours,
                places=one.most_places,
                taken=one.there,
            )
            for one in page[:PAGE]
        ],
        next=page[PAGE - 1].pk if len(page) > PAGE else None,
    )


# Handing on a place, or the organiser’s role, also to a next season


@call("POST", "leagues/<str:league>/handover", status=201)
def offer_own_place(request: HttpRequest, league: League, caller: Caller) -> Offered:
    """Makes a link by which somebody else can take the caller's place over with its matches, once."""
    _check_place(league, caller)
    link = reverse("place-offer", args=[flow.hand_over(league, caller.place)])
    return Offered(url=absolute(request, link))


@call("DELETE", "leagues/<str:league>/handover")
def keep_own_place(league: League, caller: Caller) -> None:
    """Takes back the link by which somebody else could take the caller's place; no effect without one."""
    _check_place(league, caller)
    flow.keep(league, caller.place)


def _check_place(league: League, caller: Caller) -> None:
    if caller.place(league) is None:
        raise opens_no_place()


@call("POST", "leagues/<str:league>/organiser")
def hand_on_organising(league: League, body: league_schemas.HandOn, caller: Caller) -> league_schemas.League:
    """Hands the organiser's role on to another place, whose token organises from then on."""
    caller.check_organises(league)
    if not league.places.filter(number=body.place, gone=False).exists():
        raise at_field("/place", _("There is no spot {n} in this league."), n=body.place)
    flow.hand_on(league, body.place, caller.organises)
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
