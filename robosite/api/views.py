"""The calls of the API, in the order of its documentation."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from games import GAMES, newest
from games.core import MARGIN, SOME, Game, IllegalOption, IllegalOrder
from games.record import Fault
from robosite import limits
from robosite.api import challenges, openapi, receipts, schemas
from robosite.api.answers import as_json
from robosite.api.calls import CALLS, MOST_BYTES, call
from robosite.api.models import NamedProgram
from robosite.api.new_match import MOST_HOURS, bots_of, check_new_match
from robosite.api.problems import TITLES, Problem, at_field
from robosite.api.programs import note_sitting, sitter
from robosite.api.serializers import moment, see, see_seats
from robosite.api.stream import stream, streams
from robosite.http import absolute
from robosite.limits import address
from robosite.matches import flow
from robosite.matches.flow import imports, seat_requests
from robosite.matches.models import Match, Seat
from robosite.matches.records import Ready, record_text
from robosite.people.lanes import lane_of
from robosite.people.names import clean_name
from robosite.people.restrictions import Action
from robosite.words import render_sentence

PAGE = 50
"""How many tables one answer lists."""


# Where to go


@call("GET", "", gives=schemas.Root)
def root(request: HttpRequest) -> schemas.Root:
    """Where the documentation, the games and the open tables are."""
    at = absolute(request, reverse("api-root"))
    return schemas.Root(
        docs=f"{at}docs", openapi=f"{at}openapi.json", games=f"{at}games", open_tables=f"{at}matches?open=1"
    )


# Games


@call("GET", "games", gives=list[schemas.Game])
def games() -> list[schemas.Game]:
    """The games: their options, presets and bots."""
    return [_shown(newest(slug)) for slug in GAMES]


@call("GET", "games/<slug:slug>", gives=schemas.GameDetails)
def game(game: Game) -> schemas.GameDetails:
    """One game: also its notations, its events with their schemas, and its fixed data."""
    about = game.described
    return schemas.GameDetails(
        **_shown(game).model_dump(),
        orders=[schemas.Notation(**asdict(one)) for one in about.orders],
        positions=[schemas.Notation(**asdict(one)) for one in about.positions],
        masked=about.masked,
        setup=dict(about.setup),
        events={kind: dict(schema) for kind, schema in about.events.items()},
        data=dict(about.data) if about.data else None,
    )


def _shown(game: Game) -> schemas.Game:
    return schemas.Game(
        slug=game.slug,
        name=game.name,
        designer=game.designer,
        seats=schemas.SeatRange(min=game.players[0], max=game.players[-1]),
        options=game.schema(),
        presets={
            key: schemas.Preset(
                name=preset.name,
                options=dict(preset.options),
                seats=schemas.SeatRange(min=preset.seats[0], max=preset.seats[-1]),
            )
            for key, preset in game.presets.items()
        },
        bots=bots_of(game),
        rules=game.rules,
    )


# Making a match, and sitting down


@call(
    "POST",
    "matches",
    takes=schemas.NewMatch,
    gives=schemas.Made,
    status=201,
    limit="make",
    action=Action.PLAY,
)
def make(request: HttpRequest, body: schemas.NewMatch, program: NamedProgram | None) -> schemas.Made:
    """Makes a match and sits down.

    With `preset`, `options` come on top of it and its range of seats binds. The token is shown this once.
    """
    who = sitter(program, body.name)
    game, options, seats = check_new_match(request, body)
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
            lane=lane_of(request),
            **who,
        )
    except IllegalOption as fault:
        raise at_field(422, "/setup", render_sentence(fault.sentence)) from None
    note_sitting(request, program)
    return schemas.Made(
        match=match.key,
        url=absolute(request, match.get_absolute_url()),
        join_url=absolute(request, reverse("invite", args=[invite])),
        invite=invite,
        seat=taken.seat.letter,
        token=taken.secret,
        seat_url=absolute(request, reverse("seat-link", args=[taken.secret])),
    )


@call(
    "POST",
    "records",
    takes=schemas.Record,
    gives=schemas.Imported,
    status=201,
    limit="make",
    action=Action.PLAY,
    most_bytes=imports.LONGEST,
)
def import_record(request: HttpRequest, body: schemas.Record) -> schemas.Imported:
    """Imports a record: replays and checks it, and shows it like a match.

    A fault is told by its turn and seat (`/turns/3/B`). The match has a key of its own, is marked as imported
    and counts in no result; nobody sits in it.
    """
    _count_import(request)
    try:
        match = imports.import_record(body.model_dump(exclude_unset=True))
    except Fault as fault:
        turn = "" if fault.turn is None else f"/turns/{fault.turn}"
        seat = f"/{fault.seat}" if fault.seat else ""
        where = turn + seat if turn else f"/names{seat}" if seat else ""
        raise at_field(422, where, render_sentence(fault.sentence)) from None
    return schemas.Imported(
        match=match.key,
        url=absolute(request, match.get_absolute_url()),
        status="over" if match.status == Match.Status.OVER else "aborted",
        outcome=schemas.Outcome(**match.outcome_json) if match.outcome_json else None,
    )


def _count_import(request: HttpRequest) -> None:
    if seconds := limits.wait("import", address(request)) or limits.wait("import/all"):
        detail = _("Too many calls: please wait {n} s. The limits are in the documentation.")
        raise Problem(429, detail.format(n=seconds), headers={"Retry-After": str(seconds)})


def _may_join(given: dict[str, Any], data: Any) -> None:
    """A wrong invite is told first; an open table needs none, nor does a program that was invited by name."""
    invite, match, program = data.get("invite"), given["match"], given["program"]
    if invite is None and (match.listed or (program and challenges.stands(program, match))):
        return
    if invite is None or not flow.invite_opens(match, invite):
        detail = _("This is not the current invite to this table. Ask for a new link.")
        raise at_field(403, "/invite", detail)


@call(
    "POST",
    "matches/<str:key>/seats",
    takes=schemas.Join,
    gives=schemas.Seated,
    status=201,
    limit="make",
    conflicts=True,
    gate=_may_join,
    action=Action.PLAY,
)
def join(
    request: HttpRequest, match: Match, body: schemas.Join, program: NamedProgram | None
) -> schemas.Seated:
    """Sits down on a free seat.

    403 for a wrong invite, 409 if the table is full. The token is shown this once. A program that was invited
    by its name (`GET me/challenges`) needs no invite.
    """
    clean_name(body.name)
    who = sitter(program, body.name)
    _seat_of(match, body.seat) if body.seat is not None else None
    is_asked = partial(challenges.stands, program) if program else None
    taken = flow.join(match, body.name, invite=body.invite, at=body.seat, is_asked=is_asked, **who)
    if program:
        challenges.forget(program, match)
    note_sitting(request, program)
    return schemas.Seated(
        match=match.key,
        seat=taken.seat.letter,
        token=taken.secret,
        seat_url=absolute(request, reverse("seat-link", args=[taken.secret])),
    )


def _seat_of(match: Match, letter: str) -> Seat:
    for seat in match.seats.all():
        if seat.letter == letter:
            return seat
    raise at_field(422, "/seat", _("There is no seat “{key}” in this match.").format(key=letter))


@call("GET", "matches", query=schemas.TablesQuery, gives=schemas.Tables)
def tables(query: schemas.TablesQuery) -> schemas.Tables:
    """Open tables with an empty seat, newest first."""
    found = Match.objects.filter(status=Match.Status.OPEN, listed=True)
    if query.game is not None:
        if query.game not in GAMES:
            raise Problem(422, _("“game” in the address: there is no game “{game}”.").format(game=query.game))
        found = found.filter(game_slug=query.game)
    if query.after is not None:
        last = Match.objects.filter(key=query.after).first() if query.after.isalnum() else None
        if last is None:
            raise Problem(422, _("“after” in the address is not a cursor that “next” gave."))
        found = found.filter(pk__lt=last.pk)
    page = list(found.order_by("-pk").prefetch_related("seats")[: PAGE + 1])
    shown = page[:PAGE]
    return schemas.Tables(
        matches=[
            schemas.Table(
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


@call("GET", "matches/<str:key>", query=schemas.MatchQuery, gives=schemas.Match, by="viewer")
def match(match: Match, seat: Seat | None, query: schemas.MatchQuery) -> Ready:
    """The match as this token, or nobody, may see it."""
    return see(match, seat, since=query.since, legal=query.legal)


@call(
    "PUT",
    "matches/<str:key>/draft",
    takes=schemas.Draft,
    status=204,
    by="seat",
    limit="write",
    conflicts=True,
)
def draft(seat: Seat, body: schemas.Draft) -> None:
    """Keeps an unfinished order of the present turn, for this seat's eyes only.

    409 while an order is sealed.
    """
    flow.draft(seat, body.turn, body.order)


@call(
    "PUT",
    "matches/<str:key>/order",
    takes=schemas.Order,
    gives=schemas.Receipt,
    by="seat",
    limit="write",
    conflicts=True,
)
def order(seat: Seat, body: schemas.Order) -> schemas.Receipt:
    """Seals an order for the present turn; the last seal reveals them all.

    Again before the reveal: replaces it. The same order again, also after the reveal: the same receipt,
    no second effect. 422 says which rule an order breaks.
    """
    try:
        return receipts.store(seat, flow.seal(seat, body.turn, body.order))
    except flow.TooLong:
        raise
    except flow.Refused:
        before = receipts.told_before(seat, body.turn, body.order)
        if before is None:
            raise
        return before


@call(
    "POST",
    "matches/<str:key>/check",
    takes=schemas.Checked,
    gives=schemas.Verdict,
    by="seat",
    limit="write",
    conflicts=True,
    acts=False,
)
def check(match: Match, seat: Seat, body: schemas.Checked) -> schemas.Verdict:
    """Says whether an order is legal now, and its canonical form; nothing is kept, and nobody is told.

    409 for another turn than the present one, or where nothing is owed.
    """
    try:
        order, after = flow.check_order(match, seat, body.turn, body.order)
    except IllegalOrder as fault:
        return schemas.Verdict(
            turn=body.turn,
            seat=seat.letter,
            legal=False,
            order=None,
            detail=render_sentence(fault.sentence),
            position=None,
        )
    return schemas.Verdict(
        turn=body.turn, seat=seat.letter, legal=True, order=order, detail=None, position=after
    )


@call(
    "POST",
    "matches/<str:key>/plan",
    takes=schemas.Checked,
    gives=schemas.Plan,
    by="seat",
    limit="write",
    conflicts=True,
    acts=False,
)
def plan(match: Match, seat: Seat, body: schemas.Checked) -> schemas.Plan:
    """What may be done next to an unfinished order, which may be empty; nothing is kept.

    Where `legal` lists nothing because there are too many, an order is made of these choices one by one.
    """
    planned = flow.plan_of(match, seat, body.turn, body.order)
    return schemas.Plan(
        turn=body.turn,
        seat=seat.letter,
        order=planned.order,
        missing=render_sentence(planned.missing) if planned.missing else None,
        choices=[
            schemas.Choice(
                key=choice.key,
                name=render_sentence(choice.name),
                order=choice.leads_to,
                why_not=render_sentence(choice.why) if choice.why else None,
            )
            for choice in planned.choices
        ],
    )


@call(
    "DELETE",
    "matches/<str:key>/order",
    query=schemas.TurnQuery,
    status=204,
    by="seat",
    limit="write",
    conflicts=True,
)
def reopen(seat: Seat, query: schemas.TurnQuery) -> None:
    """Takes a sealed order back before the reveal; it is the draft again.

    409 once it is revealed.
    """
    flow.reopen(seat, query.turn)
    receipts.forget(seat, query.turn)


@call(
    "POST",
    "matches/<str:key>/resign",
    takes=schemas.Nothing,
    gives=schemas.Match,
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
    takes=schemas.Offer,
    gives=schemas.Match,
    by="seat",
    limit="write",
    conflicts=True,
)
def draw(match: Match, seat: Seat, body: schemas.Offer) -> Match:
    """Offers a draw, or takes the offer back.

    The match is drawn when every seat still in offers. An offer stands until the next turn has been played.
    """
    flow.offer_draw(seat, body.offer)
    return match


@call(
    "POST",
    "matches/<str:key>/claim",
    takes=schemas.Claim,
    gives=schemas.Match,
    by="seat",
    limit="write",
    conflicts=True,
)
def claim(match: Match, seat: Seat, body: schemas.Claim) -> Match:
    """Stops waiting for a seat past its deadline, which then counts as resigned.

    Where `late` is `claim`, by a seat that owes nothing itself; 409 else.
    """
    flow.claim(seat, _seat_of(match, body.seat))
    return match


@call(
    "POST",
    "matches/<str:key>/keep",
    takes=schemas.Nothing,
    gives=schemas.Match,
    by="seat",
    limit="write",
)
def keep(match: Match, seat: Seat) -> Match:
    """Refuses somebody who asks for this seat, as `seat_request` in the match tells.

    Any other write by the seat's token refuses it too. Where nobody asks, nothing changes.
    """
    seat_requests.end_requests(seat)
    return match


@call("GET", "matches/<str:key>/record", gives=dict[str, Any], by="viewer", conflicts=True)
def record(match: Match, seat: Seat | None) -> Ready:
    """The record of all revealed turns, with their seals.

    409 while something that was played is secret still.
    """
    return record_text(match, as_json)


@call("GET", "matches/<str:key>/events", by="viewer", limit="stream")
def events(request: HttpRequest, match: Match) -> HttpResponseBase:
    """An event stream: `changed` with the version, at once and at every change.

    It ends after some seconds; come back, with jitter.
    """
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream; charset=utf-8")
    if not streams.may(address(request)):
        detail = _("At most {most} event streams may be open at once.").format(most=streams.most)
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
        "cost": settings.BUCKETS["cost"],
        "most_streams": streams.most,
        "most_of_program": settings.MOST["streams of a program"],
        "most_nested": settings.MOST["nested"],
        "most_bytes": MOST_BYTES,
        "most_characters": flow.LONGEST_ORDER,
        "margin": MARGIN,
        "some": SOME,
        "least_hours": settings.MIN_DEADLINE_HOURS,
        "most_hours": MOST_HOURS,
        "titles": TITLES.items(),
        "formless": True,  # no form here, and an ETag that stays
    }
    return render(request, "api/docs.html", context)
