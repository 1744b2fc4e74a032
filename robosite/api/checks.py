"""The checks before a call, in the order of their statuses: 405, 413, 429, 404, 401, 403, 415, 400, 422."""

import json
import re
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from games import GAMES, newest
from games.core import SEATS, Game, IllegalOption
from games.players import PLAYERS
from games.record import refuse_constant
from robosite.api import programs, schemas
from robosite.api.calls import MOST_BYTES, Call
from robosite.api.league_schemas import NewLeague
from robosite.api.models import NamedProgram
from robosite.api.problems import Problem, at_field, of_query
from robosite.api.schemas import Body
from robosite.leagues import flow as leagues
from robosite.leagues.models import League, Place
from robosite.matches import reading
from robosite.matches.models import Match, Seat
from robosite.matches.time import evenings
from robosite.people import shares
from robosite.people.current_guest import current_guest
from robosite.people.names import clean_name
from robosite.people.restrictions import Action, Restriction, restriction_on
from robosite.people.zones import is_zone
from robosite.web import limits
from robosite.web.http import absolute, length_of, nul_in_address
from robosite.web.link_secrets import hash_secret
from robosite.web.sentences import render_sentence


def asked_call(request: HttpRequest, here: dict[str, Call]) -> Call:
    """Returns the call for the request's HTTP method; raises Problem 405 if the path has none for it."""
    asked = here.get("GET" if request.method == "HEAD" else request.method or "")
    if asked is None:
        allowed = ", ".join("GET, HEAD" if method == "GET" else method for method in here)
        raise Problem(405, _("Allowed here: {allowed}.").format(allowed=allowed), headers={"Allow": allowed})
    return asked


def read_body(request: HttpRequest, most: int = MOST_BYTES) -> bytes:
    """Returns the body, b"" for a GET; raises Problem 413 if it has, or announces, more than `most` bytes."""
    if length_of(request) <= most:
        raw: bytes = request.read(most + 1) if request.method not in ("GET", "HEAD") else b""
        if len(raw) <= most:
            return raw
    raise Problem(413, _("The body may have at most {most} bytes.").format(most=most))


def program_of(request: HttpRequest) -> NamedProgram | None:
    """Returns the program with the request's token or None; makes its guest the request's current guest."""
    program = programs.find(_sent_token(request))
    if program:
        request._guest = program.guest  # type: ignore[attr-defined]  # as `current_guest` keeps it
    return program


def check_limit(request: HttpRequest, asked: Call, program: NamedProgram | None) -> None:
    """Counts the call, for a program or else for an address; raises limits.TooMany beyond the limit."""
    name, who = f"api {asked.limit}", f"program {program.pk}" if program else limits.address(request)
    if program:
        request.counted_as = name, who  # type: ignore[attr-defined]
    limits.take((name, who))


def check_allowed(request: HttpRequest, action: Action, seat: int | None = None) -> None:
    """Raises Problem 403, with duration, reason and where to object, if moderators have barred the caller."""
    if restriction := restriction_on(action, current_guest(request), limits.address(request), seat):
        until = restriction.until.isoformat() if restriction.until else ""
        barred = [
            _("This address or browser is banned from that until {until}.").format(until=until)
            if until
            else _("This address or browser is permanently banned from that."),
            _("Reason: {why}").format(why=restriction.why) if restriction.why else "",
            _where_in_whole(request, restriction),
        ]
        raise Problem(403, " ".join(filter(None, barred)))


def _where_in_whole(request: HttpRequest, restriction: Restriction) -> str:
    guest = current_guest(request)
    if guest and hasattr(guest, "program"):
        return _("Read all of it: {call}").format(call="GET /api/v1/me/export")
    return _("To object: {page}").format(page=absolute(request, restriction.page))


def find_match(key: str) -> Match:
    match = reading.match_by_key(key) if re.fullmatch("[a-z0-9]{1,16}", key) else None
    if match is None:
        raise no_match()
    return match


def find_league(key: str) -> League:
    """Returns the league with this key, after `brought_up`; raises Problem 404 if there is none."""
    leagues_here = League.objects.select_related("previous", "following")
    league = leagues_here.filter(key=key).first() if re.fullmatch("[a-z0-9]{1,16}", key) else None
    if league is None:
        raise Problem(404, _("There is no league with this key."))
    return leagues.brought_up(league)


def no_match() -> Problem:
    """Returns Problem 404 for a match that does not exist or is hidden from the program."""
    return Problem(404, _("There is no match with this key."))


def _sent_token(request: HttpRequest) -> str:
    scheme, _space, token = request.headers.get("Authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def check_program(request: HttpRequest, asked: Call, program: NamedProgram | None) -> None:
    """Raises Problem 401 if a program's token is invalid, or missing although the call needs one."""
    if program is None and _sent_token(request).startswith(programs.PREFIX):
        raise unknown_token(_("This token belongs to no program, or no longer does."))
    if program is None and asked.by == "program":
        raise unknown_token(_("This call needs the token of a program: “Authorization: Bearer TOKEN”."))


def token_of(request: HttpRequest) -> str:
    """The token of the Authorization header, "" without one; raises Problem 401 if it is malformed."""
    token = _sent_token(request)
    if not token and "Authorization" in request.headers:
        raise unknown_token(_("The header is “Authorization: Bearer TOKEN”."))
    return token


class NoSeat(Problem):
    """The Problem of a token without a seat; a repeat of the call that gave it up gets its old answer."""


def unknown_token(detail: str) -> Problem:
    """Returns Problem 401 with the sentence `detail` and the header WWW-Authenticate."""
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def seat_of(asked: Call, token: str, match: Match) -> Seat | None:
    """Returns the token's seat or None; raises Problem 401 without a needed token, 403 for another match."""
    if not token:
        if asked.by == "seat":
            raise unknown_token(_("This call needs the token of a seat: “Authorization: Bearer TOKEN”."))
        return None
    seat = reading.seat_by_link.first(hash_secret(token)) or leagues.seat_of_place(hash_secret(token), match)
    if seat is None:
        return None
    if seat.match_id != match.pk:
        raise Problem(403, _("This is the token of another match."))
    seat.match = match
    return seat


def seat_of_program(asked: Call, program: NamedProgram, match: Match) -> Seat | None:
    """Returns the program's seat or None; raises Problem 403 if one is needed, 404 if it may not watch."""
    seat = programs.seat_at(program, match)
    if seat is None and not match.watched:
        raise no_match()
    if seat is None and asked.by == "seat":
        raise NoSeat(403, _("This program has no seat in this match."))
    return seat


class Caller(NamedTuple):
    """The caller of a call about a league: a program, or the bearer of a place's or an organiser's token."""

    token: str
    program: NamedProgram | None

    def places(self, places: QuerySet[Place]) -> QuerySet[Place]:
        """Returns those of these places that are the caller's; raises Problem 401 without a token."""
        if self.program:
            return places.filter(holders__guest=self.program.guest)
        if not self.token:
            needed = _("This call needs the token of a spot or an organiser: “Authorization: Bearer TOKEN”.")
            raise unknown_token(needed)
        return places.filter(link_hash=hash_secret(self.token))

    def place(self, league: League) -> Place | None:
        return self.places(league.places.all()).first()

    def known_place(self, league: League) -> Place:
        """Returns the caller's place in this league; raises Problem 401, or 403 for one in another league."""
        if place := self.place(league):
            return place
        code = hash_secret(self.token)
        if (
            Place.objects.filter(link_hash=code).exists()
            or League.objects.filter(organiser_hash=code).exists()
        ):
            raise Problem(403, _("This is the token of another league."))
        raise opens_no_place()

    def organises(self, league: League) -> bool:
        if self.program:
            return leagues.is_organised_by(league, self.program.guest)
        own = leagues.organisers_place(league)
        return hash_secret(self.token) in {league.organiser_hash, own.link_hash if own else ""} - {""}

    def check_organises(self, league: League) -> None:
        """Raises Problem 401, or 403 for another participant, unless the caller organises the league."""
        if not self.organises(league) and self.known_place(league):
            raise Problem(403, _("Only the organiser of the league can do this."))


def opens_no_place() -> Problem:
    return unknown_token(_("This token opens no spot in a league, or no longer does."))


def json_of(request: HttpRequest, raw: bytes, takes: type[Body] | None) -> Any:
    """Returns the body as a dict; raises Problem 400, 415 or, for fields where none are taken, 422."""
    if not raw:
        if takes is None or not any(field.is_required() for field in takes.model_fields.values()):
            return {}
        raise Problem(400, _("This call needs a JSON body."))
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if request.content_type != "application/json" or charset not in ("utf-8", "utf8"):
        raise Problem(415, _("Send “Content-Type: application/json”, in UTF-8."))
    try:
        data = json.loads(raw.decode("utf-8-sig"), parse_constant=refuse_constant)
        if _nested(data) > settings.MOST["nested"]:
            deep = _("The body is nested more than {most} levels deep.")
            raise Problem(400, deep.format(most=settings.MOST["nested"]))
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        raise Problem(400, _("The body is not valid JSON in UTF-8.")) from None
    if not isinstance(data, dict):
        raise Problem(400, _("The body must be a JSON object."))
    if takes is None and data:
        raise Problem(422, _("This call takes no body."))
    return data


def _nested(data: Any) -> int:
    """Nesting depth, counted no further than one beyond what is allowed."""
    depth, level = 0, [data]
    while level and depth <= settings.MOST["nested"]:
        inner = [
            one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
        ]
        depth += bool(inner)
        level = [each for one in inner for each in one]
    return depth


def query_of(query: type[BaseModel], request: HttpRequest) -> BaseModel:
    if nul_in_address(request):
        raise Problem(422, _("The address contains a NUL character."))
    try:
        return query.model_validate(request.GET.dict())
    except ValidationError as fault:
        raise of_query(fault) from None


def find_seat(match: Match, letter: str) -> Seat:
    """Returns the match's seat with this letter; raises Problem 422 at the field `seat` if there is none."""
    for seat in match.seats.all():
        if seat.letter == letter:
            return seat
    raise at_field("/seat", _("There’s no seat “{key}” in this match.").format(key=letter))


# The checks of the body of a new match


MOST_HOURS = 336
MOST_RESERVE_HOURS = 720


def check_new_match(request: HttpRequest, body: schemas.NewMatch) -> tuple[Game, Any, int]:
    """Returns game, options and seats; counts bots for a limit. Raises Problem, RefusedName or TooMany."""
    game = known_game(body.game)
    clean_name(body.name)
    options, seats = options_and_seats(game, body.preset, body.options, body.seats)
    letters = SEATS[:seats]
    if body.seat != "random" and (len(body.seat) != 1 or body.seat not in letters):
        problem = _("The seats of this match are {seats}; or “random”.")
        raise at_field("/seat", problem, seats=", ".join(letters))
    _check_bots(game, letters, body)
    if body.reveal_at is None:
        check_hours(body.deadline_hours)
        _check_reserve(body)
    shares.take(request, *["bots"] * len(body.bots))
    return game, options, seats


def known_game(slug: str) -> Game:
    if slug not in GAMES:
        problem = _("There is no game “{game}”; there are {games}.")
        raise at_field("/game", problem, game=slug, games=", ".join(GAMES))
    return newest(slug)


def options_and_seats(
    game: Game, variant: str | None, given: dict[str, Any], wanted: int | None, field: str = "/seats"
) -> tuple[Any, int]:
    """Returns the options, which override those of a preset, and the number of seats; raises Problem 422.

    `variant` is the key of a preset, and `field` the body's field with the number of seats.
    """
    preset = game.presets.get(variant) if variant is not None else None
    if variant is not None and preset is None:
        problem = _("{game} has no variant “{preset}”; it has {known}.")
        raise at_field("/preset", problem, game=game.name, preset=variant, known=", ".join(game.presets))
    try:
        options = game.read_options({**(preset.options if preset else {}), **given})
    except IllegalOption as fault:
        pointer = f"/options/{fault.name}" if fault.name in given else "/options"
        raise at_field(pointer, render_sentence(fault.sentence)) from None
    allowed = game.seats(options)
    if preset:
        allowed = range(max(allowed[0], preset.seats[0]), min(allowed[-1], preset.seats[-1]) + 1)
    if not allowed:
        raise at_field("/options", _("With these options, no number of players fits this variant."))
    seats = allowed[0] if wanted is None else wanted
    if seats not in allowed:
        wrong = IllegalOption(
            "With these options {game} is for {least} to {most} players, not {seats}."
            if len(allowed) > 1
            else "With these options {game} is for {least} players, not {seats}.",
            game=game.name,
            least=allowed[0],
            most=allowed[-1],
            seats=seats,
        )
        raise at_field(field, render_sentence(wrong.sentence))
    return options, seats


def _check_bots(game: Game, letters: str, body: schemas.NewMatch) -> None:
    for letter, bot in body.bots.items():
        if letter not in tuple(letters):
            raise at_field("/bots", _("There’s no seat “{key}” in this match."), key=letter)
        if letter == body.seat:
            raise at_field(f"/bots/{letter}", _("Seat {at} is your own."), at=letter)
        if bot not in PLAYERS:
            problem = _("{game} has no bot “{bot}”; it has {known}. Leave “bots” out to play with people.")
            raise at_field(f"/bots/{letter}", problem, game=game.name, bot=bot, known=", ".join(PLAYERS))
    if len(body.bots) == len(letters):
        raise at_field("/bots", _("At least one seat must be your own."))


def check_hours(hours: float | None) -> None:
    """Raises Problem 422 if `hours` is not allowed as the time for a turn; None (no deadline) is allowed."""
    least = settings.MIN_DEADLINE_HOURS
    if hours is not None and not least <= hours <= MOST_HOURS:
        problem = _("A turn takes {least} to {most} hours, or null for no deadline.")
        raise at_field("/deadline_hours", problem, least=f"{least:g}", most=MOST_HOURS)


def _check_reserve(body: schemas.NewMatch) -> None:
    hours = body.reserve_hours
    if not 0 <= hours <= MOST_RESERVE_HOURS:
        problem = _("Extra time is 0 to {most} hours for the whole match.")
        raise at_field("/reserve_hours", problem, most=MOST_RESERVE_HOURS)
    if hours and body.deadline_hours is None:
        detail = _("Extra time needs a deadline: send “deadline_hours” too, or leave “reserve_hours” out.")
        raise at_field("/reserve_hours", detail)


def time_terms(body: schemas.NewMatch | NewLeague) -> dict[str, Any]:
    """Time limits in a body, by field of Match and League; Problem 422 for a contradiction or a bad zone."""
    given = body.reveal_at
    if given is None:
        return {term: getattr(body, term) for term in ("deadline_hours", "reserve_hours", "late")}
    if not is_zone(given.zone):
        problem = _("There is no time zone “{zone}”. Send one such as “Europe/Madrid”.")
        raise at_field("/reveal_at/zone", problem, zone=given.zone)
    for term in ("deadline_hours", "reserve_hours"):
        if term in body.model_fields_set and getattr(body, term):
            problem = _("The hour at which turns are played is the deadline: leave “{term}” out.")
            raise at_field(f"/{term}", problem, term=term)
    late = body.late if "late" in body.model_fields_set else Match.Late.FILL
    return {**evenings.terms_of(given.time, given.zone, given.days), "late": late}
