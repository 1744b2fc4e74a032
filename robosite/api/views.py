"""The calls of the API, in the order of its documentation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from games import GAMES, newest
from games.core import SEATS, Game, IllegalOption
from games.players import PLAYERS
from robosite.api import openapi, receipts, shapes
from robosite.api.calls import CALLS, MOST_BYTES, call
from robosite.api.problems import TITLES, Problem, at_field
from robosite.api.seen import moment, see, see_seats
from robosite.api.stream import stream, streams
from robosite.limits import address
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.matches.records import record_of
from robosite.people.bars import Deed
from robosite.people.names import clean_name

PAGE = 50
"""How many tables one answer lists."""
MOST_HOURS = 336


# Games


@call("GET", "games", gives=list[shapes.Game])
def games() -> list[shapes.Game]:
    """The games: their options, presets and bots."""
    return [_shown(newest(slug)) for slug in GAMES]


def _shown(game: Game) -> shapes.Game:
    ranges = [game.seats(game.read_options({})), *(preset.seats for preset in game.presets.values())]
    return shapes.Game(
        slug=game.slug,
        name=game.name,
        designer=game.designer,
        seats=shapes.SeatRange(min=min(r[0] for r in ranges), max=max(r[-1] for r in ranges)),
        options=game.schema(),
        presets={
            key: shapes.Preset(
                name=preset.name,
                options=dict(preset.options),
                seats=shapes.SeatRange(min=preset.seats[0], max=preset.seats[-1]),
            )
            for key, preset in game.presets.items()
        },
        bots=bots_of(game),
        rules=game.rules,
    )


def bots_of(game: Game) -> list[str]:
    """The programs that can take a seat, weakest first."""
    return list(PLAYERS)


# Making a match, and sitting down


@call("POST", "matches", takes=shapes.NewMatch, gives=shapes.Made, status=201, limit="make", deed=Deed.PLAY)
def make(request: HttpRequest, body: shapes.NewMatch) -> shapes.Made:
    """Makes a match and sits down.

    With `preset`, `options` come on top of it and its range of seats binds. The token is shown this once.
    """
    if body.game not in GAMES:
        raise at_field(422, "/game", f"There is no game “{body.game}”; there are {', '.join(GAMES)}.")
    game = newest(body.game)
    clean_name(body.name)
    options, seats = _options_and_seats(game, body)
    letters = SEATS[:seats]
    if body.seat != "random" and (len(body.seat) != 1 or body.seat not in letters):
        raise at_field(422, "/seat", f"The seats of this match are {', '.join(letters)}; or “random”.")
    _check_bots(game, letters, body)
    _check_hours(body.deadline_hours)
    try:
        match, taken, invite = flow.create(
            game,
            options,
            seats,
            body.name,
            wish=body.setup,
            at=body.seat,
            deadline_hours=body.deadline_hours,
            late=body.late,
            listed=body.open,
            bots=body.bots,
        )
    except IllegalOption as fault:
        raise at_field(422, "/setup", str(fault)) from None
    return shapes.Made(
        match=match.key,
        url=absolute(request, match.get_absolute_url()),
        join_url=absolute(request, reverse("invite", args=[invite])),
        invite=invite,
        seat=taken.seat.letter,
        token=taken.secret,
        seat_url=absolute(request, reverse("seat-link", args=[taken.secret])),
    )


def _options_and_seats(game: Game, body: shapes.NewMatch) -> tuple[Any, int]:
    preset = game.presets.get(body.preset) if body.preset is not None else None
    if body.preset is not None and preset is None:
        known = ", ".join(game.presets)
        raise at_field(422, "/preset", f"{game.name} has no preset “{body.preset}”; it has {known}.")
    try:
        options = game.read_options({**(preset.options if preset else {}), **body.options})
    except IllegalOption as fault:
        pointer = f"/options/{fault.name}" if fault.name in body.options else "/options"
        raise at_field(422, pointer, str(fault)) from None
    allowed = game.seats(options)
    if preset:
        allowed = range(max(allowed[0], preset.seats[0]), min(allowed[-1], preset.seats[-1]) + 1)
    if not allowed:
        raise at_field(422, "/options", "With these options this preset is for no number of players.")
    seats = allowed[0] if body.seats is None else body.seats
    if seats not in allowed:
        many = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 1 else str(allowed[0])
        raise at_field(422, "/seats", f"{game.name} is for {many} players like this, not {seats}.")
    return options, seats


def _check_bots(game: Game, letters: str, body: shapes.NewMatch) -> None:
    for letter, bot in body.bots.items():
        if letter not in tuple(letters):
            raise at_field(422, "/bots", f"There is no seat “{letter}” in this match.")
        if letter == body.seat:
            raise at_field(422, f"/bots/{letter}", f"Seat {letter} is your own.")
        if bot not in bots_of(game):
            known = ", ".join(bots_of(game))
            detail = f"{game.name} has no bot “{bot}”; it has {known}. Leave “bots” out to play with people."
            raise at_field(422, f"/bots/{letter}", detail)

    if len(body.bots) == len(letters):
        raise at_field(422, "/bots", "One seat at least is your own.")


def _check_hours(hours: float | None) -> None:
    least = settings.MIN_DEADLINE_HOURS
    if hours is not None and not least <= hours <= MOST_HOURS:
        detail = f"A turn has {least:g} to {MOST_HOURS} hours, or null for no deadline."
        raise at_field(422, "/deadline_hours", detail)


def _may_join(match: Match, data: Any) -> None:
    """A wrong invite is told first; an open table needs none."""
    invite = data.get("invite")
    if invite is None and match.listed:
        return
    if invite is None or not flow.invite_opens(match, invite):
        detail = "This invite is not, or no longer, the one to this table. Ask for a new one."
        raise at_field(403, "/invite", detail)


@call(
    "POST",
    "matches/<str:key>/seats",
    takes=shapes.Join,
    gives=shapes.Seated,
    status=201,
    limit="make",
    conflicts=True,
    gate=_may_join,
    deed=Deed.PLAY,
)
def join(request: HttpRequest, match: Match, body: shapes.Join) -> shapes.Seated:
    """Sits down on a free seat.

    403 for a wrong invite, 409 if the table is full. The token is shown this once.
    """
    clean_name(body.name)
    _seat_of(match, body.seat) if body.seat is not None else None
    taken = flow.join(match, body.name, invite=body.invite, at=body.seat)
    return shapes.Seated(
        match=match.key,
        seat=taken.seat.letter,
        token=taken.secret,
        seat_url=absolute(request, reverse("seat-link", args=[taken.secret])),
    )


def _seat_of(match: Match, letter: str) -> Seat:
    for seat in match.seats.all():
        if seat.letter == letter:
            return seat
    raise at_field(422, "/seat", f"There is no seat “{letter}” in this match.")


@call("GET", "matches", query=shapes.TablesQuery, gives=shapes.Tables)
def tables(query: shapes.TablesQuery) -> shapes.Tables:
    """Open tables with an empty seat, newest first."""
    found = Match.objects.filter(status=Match.Status.OPEN, listed=True)
    if query.game is not None:
        if query.game not in GAMES:
            raise Problem(422, f"“game” in the address: there is no game “{query.game}”.")
        found = found.filter(game_slug=query.game)
    if query.after is not None:
        last = Match.objects.filter(key=query.after).first() if query.after.isalnum() else None
        if last is None:
            raise Problem(422, "“after” in the address is no cursor that “next” gave.")
        found = found.filter(pk__lt=last.pk)
    page = list(found.order_by("-pk").prefetch_related("seats")[: PAGE + 1])
    shown = page[:PAGE]
    return shapes.Tables(
        matches=[
            shapes.Table(
                match=match.key,
                game=match.game_slug,
                options=match.given_options,
                seats=see_seats(match.seats.all()),
                deadline_hours=match.deadline_hours,
                created_at=moment(match.created_at),
            )
            for match in shown
        ],
        next=shown[-1].key if len(page) > PAGE else None,
    )


# A match


@call("GET", "matches/<str:key>", query=shapes.MatchQuery, gives=shapes.Match, by="viewer")
def match(match: Match, seat: Seat | None, query: shapes.MatchQuery) -> shapes.Match:
    """The match as this token, or nobody, may see it."""
    return see(match, seat, since=query.since, legal=query.legal)


@call(
    "PUT",
    "matches/<str:key>/draft",
    takes=shapes.Draft,
    status=204,
    by="seat",
    limit="write",
    conflicts=True,
)
def draft(seat: Seat, body: shapes.Draft) -> None:
    """Keeps an unfinished order of the present turn, for this seat's eyes only.

    409 while an order is sealed.
    """
    flow.draft(seat, body.turn, body.order)


@call(
    "PUT",
    "matches/<str:key>/order",
    takes=shapes.Order,
    gives=shapes.Receipt,
    by="seat",
    limit="write",
    conflicts=True,
)
def order(seat: Seat, body: shapes.Order) -> shapes.Receipt:
    """Seals an order for the present turn; the last seal reveals them all.

    Again before the reveal: replaces it. The same order again, also after the reveal: the same receipt,
    no second effect. 422 says which rule an order breaks.
    """
    try:
        return receipts.keep(seat, flow.seal(seat, body.turn, body.order))
    except flow.TooLong:
        raise
    except flow.Refused:
        before = receipts.told_before(seat, body.turn, body.order)
        if before is None:
            raise
        return before


@call(
    "DELETE",
    "matches/<str:key>/order",
    query=shapes.TurnQuery,
    status=204,
    by="seat",
    limit="write",
    conflicts=True,
)
def reopen(seat: Seat, query: shapes.TurnQuery) -> None:
    """Takes a sealed order back before the reveal; it is the draft again.

    409 once it is revealed.
    """
    flow.reopen(seat, query.turn)
    receipts.forget(seat, query.turn)


@call(
    "POST",
    "matches/<str:key>/resign",
    takes=shapes.Nothing,
    gives=shapes.Match,
    by="seat",
    limit="write",
    conflicts=True,
)
def resign(match: Match, seat: Seat) -> Match:
    """Resigns; in an open match the seat is given up, and its token with it."""
    flow.resign(seat)
    return match


@call(
    "POST",
    "matches/<str:key>/draw",
    takes=shapes.Offer,
    gives=shapes.Match,
    by="seat",
    limit="write",
    conflicts=True,
)
def draw(match: Match, seat: Seat, body: shapes.Offer) -> Match:
    """Offers a draw, or takes the offer back.

    The match is drawn when every seat still in offers. An offer stands until the next turn has been played.
    """
    flow.offer_draw(seat, body.offer)
    return match


@call(
    "POST",
    "matches/<str:key>/claim",
    takes=shapes.Claim,
    gives=shapes.Match,
    by="seat",
    limit="write",
    conflicts=True,
)
def claim(match: Match, seat: Seat, body: shapes.Claim) -> Match:
    """Stops waiting for a seat past its deadline, which then counts as resigned.

    Where `late` is `claim`, by a seat that owes nothing itself; 409 else.
    """
    flow.claim(seat, _seat_of(match, body.seat))
    return match


@call("GET", "matches/<str:key>/record", gives=dict[str, Any], by="viewer", conflicts=True)
def record(match: Match, seat: Seat | None) -> dict[str, Any]:
    """The record of all revealed turns, with their seals.

    409 while something that was played is secret still.
    """
    return record_of(match)


@call("GET", "matches/<str:key>/events", by="viewer", limit="stream")
def events(request: HttpRequest, match: Match) -> HttpResponseBase:
    """An event stream: `changed` with the version, at once and at every change.

    It ends after some seconds; come back, with jitter.
    """
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream; charset=utf-8")
    if not streams.may(address(request)):
        detail = f"At most {streams.most} event streams may be open at once."
        raise Problem(429, detail, headers={"Retry-After": "10"})
    return stream(match.key, address(request))


# About the API


@call("GET", "openapi.json", gives=dict[str, Any])
def openapi_json() -> dict[str, Any]:
    """This description, as OpenAPI 3.1."""
    return openapi.described()


@call("GET", "docs")
def docs(request: HttpRequest) -> HttpResponse:
    """The documentation, as a page."""
    context = {
        "calls": CALLS,
        "root": absolute(request, reverse("api-root")).rstrip("/"),
        "limits": [bucket for name, bucket in settings.BUCKETS.items() if name.startswith("api ")],
        "most_streams": streams.most,
        "most_nested": settings.MOST["nested"],
        "most_bytes": MOST_BYTES,
        "most_characters": flow.LONGEST_ORDER,
        "least_hours": settings.MIN_DEADLINE_HOURS,
        "most_hours": MOST_HOURS,
        "titles": TITLES.items(),
        "csrf_token": "",  # no form here, and an ETag that stays
    }
    return render(request, "api/docs.html", context)


def absolute(request: HttpRequest, path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
