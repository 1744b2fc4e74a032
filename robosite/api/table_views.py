"""The API's calls for dealing with the other players of a match: proposals, rematches, nudges, talk."""

from datetime import UTC, datetime, timedelta
from typing import Literal
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from pydantic import AwareDatetime, BaseModel, Field

from games.core import IllegalOption
from robosite.api import programs
from robosite.api.calls import call
from robosite.api.checks import check_allowed
from robosite.api.models import NamedProgram
from robosite.api.problems import Problem, at_field, too_many_calls
from robosite.api.programs import note_sitting, sitter
from robosite.api.proposals import ENDINGS, rematch_of
from robosite.api.schemas import Body, Deed, Letter, Offered, ProposalKind, Seated, Shown, Turn
from robosite.api.serializers import moment
from robosite.leagues import flow as leagues
from robosite.matches import flow
from robosite.matches.flow import SeatLost, handover, pauses, series, signs, takeback
from robosite.matches.models import Match, Seat
from robosite.people import shares
from robosite.people.models import Guest
from robosite.people.names import clean_name
from robosite.people.restrictions import Action, note_action
from robosite.people.shares import lane_of
from robosite.talk import messages, undo
from robosite.talk.messages import LONGEST as LONGEST_MESSAGE
from robosite.talk.messages import STOCK, phrase_text
from robosite.talk.models import Message as Written
from robosite.web.http import absolute
from robosite.web.limits import wait
from robosite.web.sentences import render_sentence

Sign = Literal["haha", "wow", "ouch", "love", "bravo", "boom"]


class Propose(Body):
    kind: ProposalKind
    do: Deed = Field(description="To decline or withdraw a `pause` ends it for all.")
    turn: int | None = Field(None, description="For `take-back`: the match's `turn`.")
    taken_back: int | None = Field(None, description="For `take-back`: the match's `taken_back`.")


class Say(Body):
    text: str = Field("", max_length=LONGEST_MESSAGE, description="May be left out where there is a phrase.")
    phrase: str | None = Field(None, description="The key of a stock phrase.", examples=list(STOCK))
    to: list[Letter] = Field([], description="Whom alone it is for; all if nobody is named.")


class TalkQuery(BaseModel):
    before: int | None = Field(None, ge=0, lt=10**16, description="`before` of a later page.")


class Said(BaseModel):
    at: AwareDatetime = Field(strict=False, description="`at` of the message.")


class React(Body):
    turn: Turn
    step: int = Field(ge=1, description="Counted from 1.", examples=[1])
    sign: Sign | None = Field(description="null takes the seat's sign back.")


class Reaction(Shown):
    turn: Turn
    step: int = Field(description="Counted from 1.")
    seat: Letter
    sign: Sign


class Reactions(Shown):
    reactions: list[Reaction]


class Rematch(Shown):
    """A rematch, and the caller's seat in it."""

    match: str
    seat: Letter
    token: str | None = Field(description="Of the new seat; null if the program sits there already.")
    seat_url: str | None


class Message(Shown):
    seat: str | None = Field(description="Who says it; null if that player's seat is gone.")
    name: str
    to: list[str] | None = Field(description="The seats for which alone it is; null if for all.")
    text: str
    phrase: str | None
    phrase_text: str | None = Field(description="The stock phrase.")
    hidden: bool = Field(description="Hidden by a moderator.")
    at: str


class Talk(Shown):
    messages: list[Message]
    before: int | None = Field(description="For the page before this one; null if there is none.")


@call("POST", "matches/<str:key>/proposals")
def propose(match: Match, seat: Seat, body: Propose) -> Match:
    """Makes a proposal, accepts or declines a proposal of other players, or withdraws the seat's own."""
    if body.kind in ENDINGS:
        _end(seat, ENDINGS[body.kind], body.do)
    elif body.kind == "take-back":
        _take_back(seat, body)
    elif body.do in ("offer", "accept"):
        pauses.ask_pause(seat, agrees=body.do == "accept")
    else:
        pauses.play_on(seat)
    return match


def _end(seat: Seat, ending: flow.Ending, do: Deed) -> None:
    if do == "decline":
        flow.decline_ending(seat, ending)
    else:
        flow.offer_ending(seat, ending, do != "withdraw", agrees=do == "accept")


def _take_back(seat: Seat, body: Propose) -> None:
    if body.turn is None or body.taken_back is None:
        name = "turn" if body.turn is None else "taken_back"
        raise at_field(f"/{name}", _("This field is required."))
    if body.do == "offer":
        takeback.ask(seat, body.turn, body.taken_back)
    elif body.do == "withdraw":
        takeback.withdraw(seat, body.turn, body.taken_back)
    else:
        takeback.answer_takeback(seat, body.turn, body.taken_back, accept=body.do == "accept")


@call("POST", "matches/<str:key>/rematch", limit="make", action=Action.PLAY)
def rematch(request: HttpRequest, match: Match, seat: Seat, program: NamedProgram | None) -> Rematch:
    """Makes a rematch of a match that is over, with all one seat on, or sits down in the one that exists."""
    bots = match.seats.filter(kind=Seat.Kind.BOT).count()
    guest = program.guest if program else None
    kind = Seat.Kind.PROGRAM if program else Seat.Kind.HUMAN
    try:
        shares.take(request, *["bots"] * bots * series.matches_created_by_rematch(match))
        following = flow.rematch(match, seat, guest, lane_of(request), kind=kind)
        taken = following[1] if following else _sit_again(match, seat, program)
    except IllegalOption as refusal:
        raise Problem(409, render_sentence(refusal.sentence)) from None
    note_sitting(request, program)
    if isinstance(taken, Seat):
        return Rematch(match=taken.match.key, seat=taken.letter, token=None, seat_url=None)
    return Rematch(**Seated.at(request, taken).model_dump())


def _sit_again(match: Match, seat: Seat, program: NamedProgram | None) -> Seat | flow.Taken:
    """Takes the caller's seat in an existing rematch, unless the program sits there already."""
    after = rematch_of(match)
    if after is None:
        raise flow.Refused("This rematch was cancelled. You can ask for another one.")
    own = programs.seat_at(program, after) if program else None
    if own:
        return own
    guest, kind = (program.guest, Seat.Kind.PROGRAM) if program else (None, Seat.Kind.HUMAN)
    return flow.rejoin(after, seat, guest, kind=kind)


@call("POST", "matches/<str:key>/nudge")
def nudge(match: Match, seat: Seat) -> Match:
    """Reminds the other players who owe an order, except bots and players on holiday; once in 24 hours."""
    signs.nudge(seat)
    return match


@call("GET", "matches/<str:key>/reactions")
def reactions_given(match: Match, seat: Seat | None) -> Reactions:
    """Returns players' reactions to steps of played turns, in the order of turn, step and seat."""
    names = ("turn", "step", "seat", "sign")
    given = [dict(zip(names, row, strict=True)) for row in signs.reactions_of(match)]
    return Reactions(reactions=[Reaction.model_validate(one) for one in given])


@call("PUT", "matches/<str:key>/reactions")
def react(request: HttpRequest, seat: Seat, body: React) -> None:
    """Reacts to a step of a played turn, in place of the seat's earlier reaction; null takes that back."""
    check_allowed(request, Action.SAY, seat.pk)
    if seconds := wait("talk", f"seat {seat.pk}"):
        raise too_many_calls(seconds)
    signs.react(seat, body.turn, body.step, body.sign or "")


@call("GET", "matches/<str:key>/talk")
def heard(match: Match, seat: Seat, query: TalkQuery) -> Talk:
    """Returns messages of the match's players that this seat may read, the latest ones, oldest first."""
    before = datetime.fromtimestamp(query.before / 1_000_000, UTC) if query.before is not None else None
    talk = messages.at_table(seat, before)
    if not undo.mark_read(talk.messages, lambda message: message.seat_id == seat.pk):
        talk = messages.at_table(seat, before)
    oldest = talk.messages[0].sent_at if talk.older else None
    return Talk(
        messages=[as_data(message) for message in talk.messages],
        before=round(oldest.timestamp() * 1_000_000) if oldest else None,
    )


@call("POST", "matches/<str:key>/talk", status=201)
def say(request: HttpRequest, match: Match, seat: Seat, program: NamedProgram | None, body: Say) -> Message:
    """Sends a message to all players of the match, or only to some seats; needs the token of a program."""
    if program is None:
        raise Problem(
            403, _("Only a program with a name can write messages: get a name with POST /api/v1/programs.")
        )
    if body.phrase is not None and body.phrase not in STOCK:
        problem = _("This must be one of these: {allowed}.")
        raise at_field("/phrase", problem, allowed=", ".join(STOCK))
    if not (body.text.strip() or body.phrase):
        raise at_field("/text", _("Please type something first."))
    check_allowed(request, Action.SAY, seat.pk)
    try:
        message = messages.say(seat, program.guest, body.text, body.phrase or "", to=body.to)
    except messages.TooMuch as much:
        raise too_many_calls(much.wait) from None
    note_action(request)
    return as_data(message)


@call("DELETE", "matches/<str:key>/talk")
def take_back_said(seat: Seat, query: Said) -> None:
    """Takes back a message of this seat: for a minute, and after that as long as nobody else has read it."""
    within = (query.at, query.at + timedelta(milliseconds=1))
    own = Written.objects.filter(seat=seat, sent_at__gte=within[0], sent_at__lt=within[1])
    sent_at = own.values_list("sent_at", flat=True).first()
    if sent_at:
        undo.at_table(seat, sent_at)


def as_data(message: Written) -> Message:
    """Converts a message into its response model."""
    own = message.seat.letter if message.seat else None
    to = None if message.to_all else sorted({one.seat.letter for one in message.recipients.all()} - {own})
    phrase = message.phrase if phrase_text(message.phrase) else None
    return Message.of(
        message,
        seat=own,
        to=to,
        text="" if message.hidden else message.text,
        phrase=None if message.hidden else phrase,
        phrase_text=None if message.hidden or not phrase else phrase_text(phrase),
        at=moment(message.sent_at),
    )


# Handing a seat over


@call("POST", "matches/<str:key>/handover", status=201)
def offer_seat(request: HttpRequest, seat: Seat) -> Offered:
    """Makes a link by which somebody else can take this seat over, once."""
    link = reverse("handed-over", args=[handover.offer(seat)])
    return Offered(url=absolute(request, link))


@call("DELETE", "matches/<str:key>/handover")
def keep_seat(seat: Seat) -> None:
    """Takes back the link by which somebody else could take this seat over; no effect if there is none."""
    handover.withdraw(seat)


@call("POST", "matches/<str:key>/handover/bot")
def leave_to_bot(seat: Seat) -> None:
    """Has a bot of the site play on in this seat; this token then stops working."""
    handover.give_to_bot(seat)


class TakeOver(Body):
    link: str = Field(description="The link that the former player made, or its last part.", max_length=500)
    name: str = Field(examples=["Cleo"], description="24 letters at most.")


class TakenOver(Shown):
    """A seat (`match`, `seat`, `seat_url`) or a place (`league`, `place`, `place_url`) that has passed on."""

    match: str | None = None
    seat: Letter | None = None
    seat_url: str | None = None
    league: str | None = None
    place: int | None = None
    place_url: str | None = None
    token: str


@call("POST", "handover", status=201, limit="make", action=Action.PLAY)
def take_over(request: HttpRequest, body: TakeOver, program: NamedProgram | None) -> TakenOver:
    """Takes over the seat, or the place in a league, that a link offers; the link then stops working."""
    who = sitter(program, body.name)
    clean_name(body.name)
    secret = urlsplit(body.link).path.rstrip("/").rpartition("/")[2] or body.link
    try:
        taken = _take(request, secret, body.name, **who)
    except SeatLost:
        raise at_field("/link", _("This link is wrong or has expired.")) from None
    note_sitting(request, program)
    return taken


def _take(request: HttpRequest, secret: str, name: str, *, guest: Guest | None, kind: str) -> TakenOver:
    if leagues.offered(secret) is not None:
        held = leagues.take_offer(secret, guest, name, kind=kind)
        url = absolute(request, reverse("place-link", args=[held.secret]))
        place = held.place
        return TakenOver(league=place.league.key, place=place.number, token=held.secret, place_url=url)
    taken, _guest = handover.accept(secret, name, lambda: guest, kind=kind)
    return TakenOver(**Seated.at(request, taken).model_dump())
