"""The API's calls about one match: reading it, as a seat or a spectator, and acting in it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from games.core import IllegalOrder
from robosite.api import idempotency, schemas
from robosite.api.answers import as_json
from robosite.api.calls import call
from robosite.api.checks import find_seat
from robosite.api.problems import Problem, at_field
from robosite.api.serializers import see
from robosite.api.stream import stream, streams
from robosite.api.views import Record
from robosite.matches import flow
from robosite.matches.flow import listing, replies, replying, seat_requests
from robosite.matches.flow.replies import WHY_DROPPED
from robosite.matches.models import Match, Seat
from robosite.matches.records import Ready, record_text
from robosite.people.current_guest import owner_of
from robosite.web.sentences import render_sentence


@call("GET", "matches/<str:key>", gives=schemas.Match)
def match(match: Match, seat: Seat | None, query: schemas.MatchQuery) -> Ready:
    """Returns the match as the token's seat may see it or, without a token, as a spectator may."""
    return see(match, seat, since=query.since, legal=query.legal)


@call("PUT", "matches/<str:key>/draft")
def draft(seat: Seat, body: schemas.Draft) -> None:
    """Stores a draft, an unfinished order for the present turn, which only this seat can read."""
    flow.draft(seat, body.turn, body.order, taken_back=body.taken_back)


@call("PUT", "matches/<str:key>/order")
def order(seat: Seat, body: schemas.Order) -> schemas.Receipt:
    """Seals an order for the present turn, or replaces the one before it; the last seal reveals them all."""
    try:
        return idempotency.store_receipt(
            seat, flow.seal(seat, body.turn, body.order, taken_back=body.taken_back)
        )
    except (flow.TooLong, flow.TurnTakenBack):
        raise
    except flow.Refused:
        before = idempotency.earlier_receipt(seat, body.turn, body.order)
        if before is None:
            raise
        return before


@call("POST", "matches/<str:key>/check", acts=False)
def check(match: Match, seat: Seat, body: schemas.Checked) -> schemas.Verdict:
    """Checks an order by the rules without storing it; for an illegal one, `legal` is false."""
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


@call("POST", "matches/<str:key>/plan", acts=False)
def plan(match: Match, seat: Seat, body: schemas.Checked) -> schemas.Plan:
    """Returns the choices that can continue an unfinished order, at first the empty one. Stores nothing."""
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


@call("DELETE", "matches/<str:key>/order", conflicts=True)
def reopen(seat: Seat, query: schemas.ReopenQuery) -> None:
    """Withdraws the seal of the seat's order before the reveal; the order becomes the draft again."""
    flow.reopen(seat, query.turn, taken_back=query.taken_back)
    idempotency.forget_receipt(seat, query.turn)


@call("GET", "matches/<str:key>/replies", gives=schemas.KeptReplies)
def kept_replies(match: Match, seat: Seat) -> Ready:
    """Returns the seat's conditional replies or, if they were dropped, the reason (`dropped`)."""
    planned, dropped = replying.planned_by(match, seat), replying.why_dropped(match, seat)
    shown = schemas.KeptReplies(
        turn=match.turn,
        lines=[list(line) for line in planned.lines] if planned else [],
        after=planned.after if planned else None,
        dropped=render_sentence(WHY_DROPPED[dropped]) if dropped else None,
    )
    return Ready(shown.model_dump_json(exclude_none=True))


@call("PUT", "matches/<str:key>/replies")
def put_replies(seat: Seat, body: schemas.Replies) -> None:
    """Stores the seat's conditional replies to the other seat's next orders, in place of all earlier ones."""
    try:
        replies.put(seat, body.turn, body.lines, taken_back=body.taken_back)
    except replies.IllegalReply as fault:
        where = [str(part) for part in (fault.line, fault.number) if part is not None]
        raise at_field("/".join(["/lines", *where]), render_sentence(fault.sentence)) from None


@call("DELETE", "matches/<str:key>/replies")
def drop_replies(seat: Seat) -> None:
    """Deletes the seat's conditional replies; has no effect if there are none."""
    replies.drop(seat)


@call("POST", "matches/<str:key>/resign")
def resign(match: Match, seat: Seat) -> Match:
    """Resigns; in a match that has not begun, gives up the seat instead, and its token stops working."""
    flow.resign(seat)
    return match


@call("POST", "matches/<str:key>/draw")
def draw(match: Match, seat: Seat, body: schemas.Offer) -> Match:
    """Offers a draw, or withdraws the offer; it is agreed once every seat still in the match offers one."""
    flow.offer_draw(seat, body.offer)
    return match


@call("POST", "matches/<str:key>/claim")
def claim(match: Match, seat: Seat, body: schemas.Claim) -> Match:
    """Counts a late seat as resigned, if `late` is `wait` or `claim` and the claiming seat owes no order."""
    flow.claim(seat, find_seat(match, body.seat))
    return match


@call("POST", "matches/<str:key>/put-out")
def put_out(match: Match, seat: Seat, body: schemas.Claim) -> Match:
    """Frees the seat of a player who has sealed nothing, and voids its token; only the creator may do so."""
    listing.put_out(seat, find_seat(match, body.seat).letter)
    return match


@call("POST", "matches/<str:key>/keep", conflicts=False)
def keep(match: Match, seat: Seat) -> Match:
    """Refuses somebody else's request for this seat (`seat_request`), as any other write of the seat does."""
    seat_requests.end_requests(seat)
    return match


@call("GET", "matches/<str:key>/record", gives=Record, conflicts=True)
def record(match: Match, seat: Seat | None) -> Ready:
    """Returns the record of all revealed turns; 409 while an order that was played is still secret."""
    return record_text(match, as_json)


@call("GET", "matches/<str:key>/events", by="viewer", limit="stream")
def events(request: HttpRequest, match: Match) -> HttpResponseBase:
    """Opens an event stream that sends `changed`, with the match's version, at once and after each change."""
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream; charset=utf-8")
    owner = owner_of(request)
    if not streams.may(owner):
        detail = _("At most {most} event streams may be open at once.").format(most=settings.MOST["streams"])
        raise Problem(429, detail, headers={"Retry-After": "10"})
    return stream(match.key, owner)
