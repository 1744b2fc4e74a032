"""The API's calls about games, tables, records and the API itself, in the order of the documentation."""

from dataclasses import asdict
from functools import partial
from typing import Any, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field

from games import GAMES, newest
from games.core import MARGIN, SPELLING_SLACK, IllegalOption
from games.core import Game as CoreGame
from games.players import PLAYERS
from games.record import Fault
from robosite.api import challenges, openapi, schemas
from robosite.api.calls import CALLS, MOST_BYTES, Call, call
from robosite.api.checks import MOST_HOURS, MOST_RESERVE_HOURS, check_new_match, find_seat, time_terms
from robosite.api.models import NamedProgram
from robosite.api.problems import TITLES, Problem, at_field
from robosite.api.programs import note_sitting, sitter
from robosite.api.schemas import Body, Letter, Shown
from robosite.api.serializers import moment, see_free_match
from robosite.api.stream import SECONDS
from robosite.matches import flow
from robosite.matches.flow import imports, listing
from robosite.matches.flow.imports import MOST_TURNS
from robosite.matches.models import Match, MatchFlag
from robosite.matches.records import Ready
from robosite.people import shares
from robosite.people.names import clean_name
from robosite.people.restrictions import Action
from robosite.people.shares import lane_of
from robosite.web.http import absolute
from robosite.web.link_secrets import opens
from robosite.web.sentences import render_sentence


class SeatRange(Shown):
    min: int
    max: int


class Preset(Shown):
    name: str
    options: dict[str, Any]
    seats: SeatRange


class Game(Shown):
    slug: str
    name: str
    designer: str
    seats: SeatRange
    options: dict[str, Any] = Field(description="A JSON schema.")
    presets: dict[str, Preset]
    bots: list[str] = Field(description="Weakest first.")
    rules: int


class Root(Shown):
    """The URLs at which a client of the API can begin."""

    docs: str = Field(description="The documentation, as a page.")
    openapi: str = Field(description="The same for machines.")
    games: str
    open_tables: str


class Notation(Shown):
    when: str
    grammar: str = Field(description="EBNF.")
    example: str


class GameDetails(Game):
    """A game with the notation of its orders and positions, and with the schemas of its events."""

    orders: list[Notation] = Field(description="The canonical forms of an order.")
    positions: list[Notation]
    masked: str = Field(description="What others see of what is secret in a position.")
    setup: dict[str, Any] = Field(description="A JSON schema.")
    events: dict[str, dict[str, Any]] = Field(description="Each kind of event, with its JSON schema.")
    data: dict[str, Any] | None = Field(description="Fixed data, such as a board; null where there is none.")


class Sealed(BaseModel):
    """The seal of an order, and the nonce with which anybody can check the seal.

    `by` is the origin of the order, such as a bot's key; null if the player has sealed the order.
    """

    seal: str = Field(pattern="^[0-9a-fA-F]{64}$")
    nonce: str = Field(pattern="^[0-9a-fA-F]{64}$")
    by: str | None = None


class Result(Body):
    scores: dict[str, int | float] = Field(description="Each seat's share of one point.")
    reason: str


class Record(Body):
    """A record, as returned by `GET /api/v1/matches/KEY/record`; unknown keys are ignored."""

    model_config = ConfigDict(strict=True, extra="allow")

    format: Literal["robosite/1"]
    game: str = Field(examples=["pigs"])
    rules: int = Field(1, description="The version of the game's rules.")
    options: dict[str, Any] = Field({}, description="What differs from the defaults.")
    seats: list[Letter] = Field(examples=[["A", "B"]], description="The letters from A on.")
    setup: dict[str, Any] = Field({}, description="What chance or the creator decided before the first turn.")
    turns: list[dict[str, str]] = Field(
        examples=[[{"A": "F ^ TR v H", "B": "\\ \\ F ^ /"}]],
        description=f"From seats to orders in canonical form; {MOST_TURNS} at most. Faults: `/turns/3/B`.",
        json_schema_extra={"maxItems": MOST_TURNS},
    )
    names: dict[Letter, str] = Field({}, description="24 letters at most each, none like another one.")
    match: str | None = Field(None, description="The key that the seals were made for.")
    seals: list[dict[Letter, Sealed]] | None = Field(
        None, description="One object a turn. Checked, and not kept."
    )
    result: Result | None = Field(None, description="Checked against what the turns lead to.")


PAGE = 50


# The root


@call("GET", "")
def root(request: HttpRequest) -> Root:
    """Returns the URLs of the documentation, the games and the open tables."""
    at = absolute(request, reverse("api-root"))
    return Root(
        docs=f"{at}docs", openapi=f"{at}openapi.json", games=f"{at}games", open_tables=f"{at}matches?open=1"
    )


# Games


@call("GET", "games")
def games() -> list[Game]:
    """Returns all games, with their options, presets and bots."""
    return [_shown(newest(slug)) for slug in GAMES]


@call("GET", "games/<slug:slug>")
def game(game: CoreGame) -> GameDetails:
    """Returns one game, with its notations, the schemas of its events, and its fixed data."""
    about = game.described
    return GameDetails(
        **_shown(game).model_dump(),
        orders=[Notation(**asdict(one)) for one in about.orders],
        positions=[Notation(**asdict(one)) for one in about.positions],
        masked=about.masked,
        setup=dict(about.setup),
        events={kind: dict(schema) for kind, schema in about.events.items()},
        data=dict(about.data) if about.data else None,
    )


def _shown(game: CoreGame) -> Game:
    return Game.of(
        game,
        seats=SeatRange(min=game.players[0], max=game.players[-1]),
        options=game.schema(),
        presets={
            key: Preset(
                name=preset.name,
                options=dict(preset.options),
                seats=SeatRange(min=preset.seats[0], max=preset.seats[-1]),
            )
            for key, preset in game.presets.items()
        },
        bots=list(PLAYERS),
    )


# Making a match, and sitting down


@call("POST", "matches", status=201, limit="make", action=Action.PLAY)
def make(request: HttpRequest, body: schemas.NewMatch, program: NamedProgram | None) -> schemas.Made:
    """Makes a match and sits down in it."""
    who = sitter(program, body.name)
    game, options, seats = check_new_match(request, body)
    origin = shares.origin_of(request)
    try:
        match, taken, invite = flow.create(
            game,
            options,
            seats,
            body.name,
            wish=body.setup,
            at=body.seat,
            **time_terms(body),
            listed=body.open,
            listed_from=origin.key if body.open else "",
            bots=body.bots,
            lane=lane_of(request),
            flags=0 if body.handover else MatchFlag.KEPT_SEATS,
            **who,
        )
    except IllegalOption as fault:
        raise at_field("/setup", render_sentence(fault.sentence)) from None
    if match.listed:
        listing.check_room(match, origin)
    note_sitting(request, program)
    return schemas.Made(
        **schemas.Seated.at(request, taken).model_dump(),
        url=absolute(request, match.get_absolute_url()),
        join_url=absolute(request, reverse("invite", args=[invite])),
        invite=invite,
    )


def _replay_ahead(given: dict[str, Any], _data: Any) -> None:
    """Counts the import of a long record, and has it replayed before the transaction (raises Later)."""
    record = given["body"].model_dump(exclude_unset=True) if "body" in given else None
    if imports.should_replay_ahead(record):
        shares.count_import(given["request"])
        imports.replay_ahead(record)


@call(
    "POST",
    "records",
    status=201,
    limit="make",
    gate=_replay_ahead,
    action=Action.PLAY,
    most_bytes=imports.LONGEST,
    conflicts=False,
)
def import_record(request: HttpRequest, body: Record) -> schemas.Imported:
    """Imports a record: replays and checks it, and stores it as a match, in which nobody sits."""
    shares.count_import(request)
    try:
        match = imports.import_record(body.model_dump(exclude_unset=True))
    except Fault as fault:
        turn = "" if fault.turn is None else f"/turns/{fault.turn}"
        seat = f"/{fault.seat}" if fault.seat else ""
        where = turn + seat if turn else f"/names{seat}" if seat else ""
        raise at_field(where, render_sentence(fault.sentence)) from None
    return schemas.Imported(
        match=match.key,
        url=absolute(request, match.get_absolute_url()),
        status="over" if match.status == Match.Status.OVER else "aborted",
        outcome=schemas.Outcome(**match.outcome_json) if match.outcome_json else None,
        imported=match.imported,
    )


def _may_join(given: dict[str, Any], data: Any) -> None:
    """Raises Problem 403 unless there is a valid invite, or none is needed."""
    invite, match, program = data.get("invite"), given["match"], given["program"]
    if invite is None and (
        match.needs_no_invite or (program and challenges.has_open_invitation(program, match))
    ):
        return
    if invite is None:
        raise at_field("/invite", _("Joining needs an invite: send it as “invite”."), 403)
    if not opens(invite, match.invite_hash):
        detail = _("That isn’t the current invite to this match. Ask for a new link.")
        raise at_field("/invite", detail, 403)


@call("POST", "matches/<str:key>/seats", status=201, limit="make", gate=_may_join, action=Action.PLAY)
def join(
    request: HttpRequest, match: Match, body: schemas.Join, program: NamedProgram | None
) -> schemas.Seated:
    """Takes a free seat in a match."""
    clean_name(body.name)
    who = sitter(program, body.name)
    find_seat(match, body.seat) if body.seat is not None else None
    is_asked = partial(challenges.has_open_invitation, program) if program else None
    taken = flow.join(
        match,
        body.name,
        invite=body.invite,
        at=body.seat,
        is_asked=is_asked,
        origin=shares.origin_of(request),
        **who,
    )
    if program:
        challenges.forget(program, match)
    note_sitting(request, program)
    return schemas.Seated.at(request, taken)


@call("GET", "matches", gives=schemas.Tables)
def tables(query: schemas.TablesQuery) -> Ready:
    """Returns the open tables: matches with a free seat that anybody can take, newest first."""
    found = listing.open_tables()
    if query.game is not None:
        if query.game not in GAMES:
            raise Problem(422, _("“game” in the address: there is no game “{game}”.").format(game=query.game))
        found = found.filter(game_slug=query.game)
    if query.after is not None:
        last = Match.objects.filter(key=query.after).first() if query.after.isalnum() else None
        if last is None:
            raise Problem(422, _("“after” in the address is not a cursor from “next”."))
        found = found.filter(pk__lt=last.pk)
    page = list(found.prefetch_related("seats")[: PAGE + 1])
    shown = page[:PAGE]
    listed = schemas.Tables(
        matches=[
            schemas.Table(**see_free_match(match), created_at=moment(match.created_at)) for match in shown
        ],
        next=shown[-1].key if len(page) > PAGE else None,
    )
    return Ready(listed.model_dump_json(exclude_unset=True))


# About the API


@call("GET", "openapi.json")
def openapi_json() -> dict[str, Any]:
    """Returns the description of the API, as OpenAPI 3.1."""
    return openapi.described()


_ORDER = ("games", "matches", "records", "programs", "me")
"""The first segments of paths in the order of the documentation. All other paths come last."""


def _place(one: Call) -> tuple[int, bool, bool]:
    first = one.path.partition("/")[0]
    at = _ORDER.index(first) if first in _ORDER else len(_ORDER)
    return at, one.of_match, one.of_match and not one.path.endswith("/seats")


@call("GET", "docs")
def docs(request: HttpRequest) -> HttpResponse:
    """Returns the documentation as a page."""
    context = {
        "calls": sorted(CALLS, key=_place),
        "games": [newest(slug) for slug in GAMES],
        "root": absolute(request, reverse("api-root")).rstrip("/"),
        "limits": [bucket for name, bucket in settings.BUCKETS.items() if name.startswith("api ")],
        "cost": settings.BUCKETS["cost"],
        "most_streams": settings.MOST["streams"],
        "stream_seconds": round(SECONDS),
        "most_of_program": settings.MOST["streams of a program"],
        "most_nested": settings.MOST["nested"],
        "most_bytes": MOST_BYTES,
        "most_characters": flow.LONGEST_ORDER,
        "margin": MARGIN,
        "some": SPELLING_SLACK,
        "least_hours": settings.MIN_DEADLINE_HOURS,
        "most_hours": MOST_HOURS,
        "most_reserve": MOST_RESERVE_HOURS,
        "titles": TITLES.items(),
        "formless": True,  # no form here, and an ETag that stays
    }
    return render(request, "api/docs.html", context)
