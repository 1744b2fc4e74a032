"""The API's calls about one match: reading it, as a seat or a spectator, and acting in it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from games.core import IllegalOrder
from robosite.api import game_schemas, receipts, schemas
from robosite.api.answers import as_json
from robosite.api.calls import call
from robosite.api.checks import find_seat
from robosite.api.problems import Problem, at_field
from robosite.api.serializers import see
from robosite.api.stream import stream, streams
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
    """Stores a draft, an unfinished order for the present turn, which only this seat can read.

    Returns 409 if `turn` is not the present turn, if the seat has sealed or has nothing to play in this turn,
    or if `taken_back` differs from the match's.
    """
    flow.draft(seat, body.turn, body.order, taken_back=body.taken_back)


@call("PUT", "matches/<str:key>/order")
def order(seat: Seat, body: schemas.Order) -> schemas.Receipt:
    """Seals an order for the present turn.

    The last seal of a turn reveals all orders of the turn; in a match with `reveal_at`, the orders are
    revealed at that hour. Before the reveal, another order can be sealed in place of the first one. Sealing
    the same order again, even after the reveal, returns the same receipt and has no other effect. Returns 422
    if the order breaks a rule, which `detail` names. Returns 409 if `taken_back` differs from the match's.
    For an order that was not sealed before, also returns 409 if `turn` is not the present turn, or if the
    seat has nothing to play in this turn.
    """
    try:
        return receipts.store(seat, flow.seal(seat, body.turn, body.order, taken_back=body.taken_back))
    except (flow.TooLong, flow.TurnTakenBack):
        raise
    except flow.Refused:
        before = receipts.earlier_receipt(seat, body.turn, body.order)
        if before is None:
            raise
        return before


@call("POST", "matches/<str:key>/check", acts=False)
def check(match: Match, seat: Seat, body: schemas.Checked) -> schemas.Verdict:
    """Checks an order by the rules without storing it; returns its canonical form if it is legal.

    An illegal order is not an error: the response has `legal` false and the reason (`detail`). A seat that
    has sealed can still check orders. Returns 409 if `turn` is not the present turn, or if the seat has
    nothing to play in this turn.
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


@call("POST", "matches/<str:key>/plan", acts=False)
def plan(match: Match, seat: Seat, body: schemas.Checked) -> schemas.Plan:
    """Returns the choices that can continue an unfinished order; the order may be empty. Stores nothing.

    With this call, a client can build an order choice by choice in a match with so many legal orders that
    `legal` is null. Returns 409 if `turn` is not the present turn, or if the seat has nothing to play in this
    turn.
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


@call("DELETE", "matches/<str:key>/order", conflicts=True)
def reopen(seat: Seat, query: schemas.ReopenQuery) -> None:
    """Withdraws the seal of the seat's order before the reveal; the order becomes the draft again.

    Has no effect if the order is not sealed. Returns 409 after the reveal, and if `taken_back` differs from
    the match's.
    """
    flow.reopen(seat, query.turn, taken_back=query.taken_back)
    receipts.forget(seat, query.turn)


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
    """Stores the seat's conditional replies to the other seat's next orders: “if c4, then d5”.

    Replies are private to this seat, and possible only in games in which one seat acts at a time. Each line
    is a list of orders that begins with an order of the other seat. When the other seat plays that order, the
    next order of the line is played at once for this seat, and marked `"by": "reply"` in the record. If the
    other seat plays an order that no line provides for, all replies are dropped. On this seat's own turn, the
    lines follow the order in the seat's draft, which must be complete (otherwise 409). New lines replace all
    earlier ones, and an empty list deletes them. Returns 422 for an illegal order, and if two lines answer
    the same orders differently. Returns 409 if `turn` is not the present turn, or if `taken_back` differs
    from the match's.
    """
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
    """Offers a draw, or withdraws the offer.

    The match is drawn when every seat that is still in the match has offered a draw, so a seat accepts
    another seat's offer by offering a draw itself. An offer made in turn 3 is valid until turn 4 has been
    played. The agreement counts as a turn.
    """
    flow.offer_draw(seat, body.offer)
    return match


@call("POST", "matches/<str:key>/claim")
def claim(match: Match, seat: Seat, body: schemas.Claim) -> Match:
    """Stops waiting for a seat that has missed its deadline; that seat then counts as resigned.

    Returns 409 if the match's `late` is not `claim`, if the seat to be claimed is not late, or if the calling
    seat owes an order itself.
    """
    flow.claim(seat, find_seat(match, body.seat))
    return match


@call("POST", "matches/<str:key>/put-out")
def put_out(match: Match, seat: Seat, body: schemas.Claim) -> Match:
    """Puts out a player who has sealed nothing; only the match's creator may do so.

    The seat is free again, and its token is void. A match that has begun is open again. Returns 409 if the
    player has sealed an order, or if nobody can be put out of the match.
    """
    listing.put_out(seat, find_seat(match, body.seat).letter)
    return match


@call("POST", "matches/<str:key>/keep", conflicts=False)
def keep(match: Match, seat: Seat) -> Match:
    """Refuses the request of somebody else for this seat, which the match shows as `seat_request`.

    Any other write with the seat's token also refuses the request, except `check` and `plan`. The call has no
    effect if there is no request.
    """
    seat_requests.end_requests(seat)
    return match


@call("GET", "matches/<str:key>/record", gives=game_schemas.Record, conflicts=True)
def record(match: Match, seat: Seat | None) -> Ready:
    """Returns the record of all revealed turns, with their seals.

    Returns 409 while an order that was played is still secret.
    """
    return record_text(match, as_json)


@call("GET", "matches/<str:key>/events", by="viewer", limit="stream")
def events(request: HttpRequest, match: Match) -> HttpResponseBase:
    """Opens an event stream that sends `changed`, with the match's version, at once and after each change.

    If changes follow each other quickly, only the newest version is sent. The stream ends within half a
    minute; reconnect after a random delay.
    """
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream; charset=utf-8")
    owner = owner_of(request)
    if not streams.may(owner):
        detail = _("At most {most} event streams may be open at once.").format(most=settings.MOST["streams"])
        raise Problem(429, detail, headers={"Retry-After": "10"})
    return stream(match.key, owner)
