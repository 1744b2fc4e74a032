"""The checks of the body of a new match: game, options, seats, bots and hours."""

from __future__ import annotations

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
    if body.game not in GAMES:
        raise at_field(
            422,
            "/game",
            _("There is no game “{game}”; there are {games}.").format(game=body.game, games=", ".join(GAMES)),
        )
    game = newest(body.game)
    clean_name(body.name)
    options, seats = options_and_seats(game, body)
    letters = SEATS[:seats]
    if body.seat != "random" and (len(body.seat) != 1 or body.seat not in letters):
        raise at_field(
            422,
            "/seat",
            _("The seats of this match are {seats}; or “random”.").format(seats=", ".join(letters)),
        )
    _check_bots(game, letters, body)
    if body.reveal_at is None:
        check_hours(body.deadline_hours)
        _check_reserve(body)
    shares.take(request, *["bots"] * len(body.bots))
    return game, options, seats


def bots_of(game: Game) -> list[str]:
    """Returns the keys of the bots that can play a game, weakest first; every bot can play every game."""
    return list(PLAYERS)


def options_and_seats(game: Game, body: schemas.NewMatch) -> tuple[Any, int]:
    """Returns the options, which override those of a preset, and the number of seats; raises Problem 422."""
    preset = game.presets.get(body.preset) if body.preset is not None else None
    if body.preset is not None and preset is None:
        known = ", ".join(game.presets)
        raise at_field(
            422,
            "/preset",
            _("{game} has no variant “{preset}”; it has {known}.").format(
                game=game.name, preset=body.preset, known=known
            ),
        )
    try:
        options = game.read_options({**(preset.options if preset else {}), **body.options})
    except IllegalOption as fault:
        pointer = f"/options/{fault.name}" if fault.name in body.options else "/options"
        raise at_field(422, pointer, render_sentence(fault.sentence)) from None
    allowed = game.seats(options)
    if preset:
        allowed = range(max(allowed[0], preset.seats[0]), min(allowed[-1], preset.seats[-1]) + 1)
    if not allowed:
        raise at_field(422, "/options", _("With these options, no number of players fits this variant."))
    seats = allowed[0] if body.seats is None else body.seats
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
        raise at_field(422, "/seats", render_sentence(wrong.sentence))
    return options, seats


def _check_bots(game: Game, letters: str, body: schemas.NewMatch) -> None:
    for letter, bot in body.bots.items():
        if letter not in tuple(letters):
            raise at_field(422, "/bots", _("There’s no seat “{key}” in this match.").format(key=letter))
        if letter == body.seat:
            raise at_field(422, f"/bots/{letter}", _("Seat {at} is your own.").format(at=letter))
        if bot not in bots_of(game):
            known = ", ".join(bots_of(game))
            detail = _("{game} has no bot “{bot}”; it has {known}. Leave “bots” out to play with people.")
            detail = detail.format(game=game.name, bot=bot, known=known)
            raise at_field(422, f"/bots/{letter}", detail)

    if len(body.bots) == len(letters):
        raise at_field(422, "/bots", _("At least one seat must be your own."))


def check_hours(hours: float | None) -> None:
    """Raises Problem 422 if `hours` is not allowed as the time for a turn; None (no deadline) is allowed."""
    least = settings.MIN_DEADLINE_HOURS
    if hours is not None and not least <= hours <= MOST_HOURS:
        detail = _("A turn takes {least} to {most} hours, or null for no deadline.")
        detail = detail.format(least=f"{least:g}", most=MOST_HOURS)
        raise at_field(422, "/deadline_hours", detail)


def _check_reserve(body: schemas.NewMatch) -> None:
    hours = body.reserve_hours
    if not 0 <= hours <= MOST_RESERVE_HOURS:
        detail = _("Extra time is 0 to {most} hours for the whole match.")
        raise at_field(422, "/reserve_hours", detail.format(most=MOST_RESERVE_HOURS))
    if hours and body.deadline_hours is None:
        detail = _("Extra time needs a deadline: send “deadline_hours” too, or leave “reserve_hours” out.")
        raise at_field(422, "/reserve_hours", detail)


def time_terms(body: schemas.NewMatch | NewLeague) -> dict[str, Any]:
    """The time limits in a body, by field of Match and League; raises Problem 422 if they contradict."""
    given = body.reveal_at
    if given is None:
        return {term: getattr(body, term) for term in ("deadline_hours", "reserve_hours", "late")}
    if not is_zone(given.zone):
        problem = _("There is no time zone “{zone}”. Send one such as “Europe/Madrid”.")
        raise at_field(422, "/reveal_at/zone", problem.format(zone=given.zone))
    for term in ("deadline_hours", "reserve_hours"):
        if term in body.model_fields_set and getattr(body, term):
            problem = _("The hour at which turns are played is the deadline: leave “{term}” out.")
            raise at_field(422, f"/{term}", problem.format(term=term))
    late = body.late if "late" in body.model_fields_set else Match.Late.FILL
    return {**evenings.terms_of(given.time, given.zone, given.days), "late": late}
