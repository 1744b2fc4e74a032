"""The checks of the body of a new match: game, options, seats, bots and hours."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from games import GAMES, newest
from games.core import SEATS, Game, IllegalOption
from games.players import PLAYERS
from robosite.api import schemas
from robosite.api.league_schemas import NewLeague
from robosite.api.problems import at_field
from robosite.matches.models import Match
from robosite.matches.time import evenings
from robosite.people import shares
from robosite.people.names import clean_name
from robosite.people.zones import is_zone
from robosite.web.sentences import render_sentence

MOST_HOURS = 336
MOST_RESERVE_HOURS = 720


def check_new_match(request: HttpRequest, body: schemas.NewMatch) -> tuple[Game, Any, int]:
    """Checks the body of a new match, and counts its bots; raises Problem, RefusedName or limits.TooMany."""
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
    """The time limits in a body, by field of Match and League; raises Problem 422 if they contradict."""
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
