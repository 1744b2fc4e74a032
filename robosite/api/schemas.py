"""The bodies, queries and responses of the API's calls as pydantic models; OpenAPI is generated from them."""

from typing import Annotated, Any, Literal, Self

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from robosite.matches.flow import LONGEST_ORDER, Taken
from robosite.matches.flow.replying import LONGEST_LINE, MOST_LINES
from robosite.matches.time.reveal_hours import A_TIME, WEEK
from robosite.web.http import absolute

Letter = Annotated[str, Field(examples=["A"], description="A seat's letter, from A on.")]


# Bodies


class Body(BaseModel):
    """The base class of request bodies: types are not coerced, and unknown fields are refused by default."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Nothing(Body):
    """The body of a call that takes no fields; it may be left out."""


def _time_of_day(text: str) -> str:
    if not A_TIME.fullmatch(text):
        raise ValueError(_("Send a time with hours and minutes, such as “20:00”."))
    return text


def _days_of_the_week(days: list[int]) -> list[int]:
    if not days or len(set(days)) < len(days):
        raise ValueError(_("Name at least one day of the week, and each once: 0 is Monday, 6 is Sunday."))
    return days


class RevealAt(Body):
    """The hour of the day at which turns are played, with its time zone and the days of the week."""

    time: Annotated[str, AfterValidator(_time_of_day)] = Field(
        examples=["20:00"],
        description="Hours and minutes.",
        json_schema_extra={"pattern": f"^{A_TIME.pattern}$"},
    )
    zone: str = Field(examples=["Europe/Madrid"], description="A time zone of the IANA database.")
    days: Annotated[list[Annotated[int, Field(ge=0, le=6)]], AfterValidator(_days_of_the_week)] = Field(
        list(WEEK),
        description="Days of the week; Monday is 0.",
        json_schema_extra={"minItems": 1, "maxItems": 7, "uniqueItems": True},
    )


REVEAL_AT = (
    "Turns are played at this hour and at no other, even when all have sealed before. It is the deadline too:"
    " give neither `deadline_hours` nor `reserve_hours` then, and `late` is `fill` unless you choose it."
)


Late = Literal["wait", "bot", "draft", "out", "claim", "fill", "forfeit"]
LATE = (
    "What happens to a late player: the others may stop waiting (`wait`), a simple bot plays (`bot`),"
    " the draft is played if it is complete, else a bot plays (`draft`), or the seat resigns (`out`)."
    " `claim`, `fill` and `forfeit` are former words for `wait`, `draft` and `out`; the match says the word"
    " with which it was made."
)


class NewMatch(Body):
    game: str = Field(examples=["pigs"])
    name: str = Field(
        examples=["Ada"],
        description="Yours: 24 letters at most. A program leaves it out, or sends its own.",
    )
    options: dict[str, Any] = Field({}, description="What differs from the defaults, or from the preset.")
    preset: str | None = Field(None, description="A key of the game's presets.")
    setup: dict[str, Any] = Field({}, description="A wish, where the game has one.")
    seats: int | None = Field(None, description="How many; else the least that the game allows.")
    seat: str = Field("A", description="Your own seat's letter, or `random`.")
    bots: dict[str, str] = Field({}, description="Seats that programs of the site play: letter to bot.")
    deadline_hours: float | None = Field(None, description="Hours for a turn; no deadline if null.")
    reserve_hours: float = Field(
        0,
        description="Hours that each seat may take besides, in the whole match, once `deadline_hours` are"
        " over; 720 at most, and none without a deadline.",
    )
    late: Late = Field("claim", description=LATE)
    open: bool = Field(False, description="Listed as an open table, joined without an invite.")
    reveal_at: RevealAt | None = Field(None, description=REVEAL_AT)
    handover: bool = Field(True, description="Whether players may hand their seats over to somebody else.")


class Join(Body):
    name: str = Field(
        examples=["Ben"], description="24 letters at most. A program leaves it out, or sends its own."
    )
    invite: str | None = Field(
        None, description="Not needed at an open table, or by a program that was invited by its name."
    )
    seat: str | None = Field(None, description="The seat's letter; else the first that is free.")


def _no_call(text: str) -> str:
    if text.strip().lower() in ("resign", "draw"):
        call = text.strip().lower()
        instead = f"POST /api/v1/matches/KEY/{call}"
        raise ValueError(
            _("“{order}” is not an order here: call {call} for it.").format(order=call, call=instead)
        )
    return text


Text = Annotated[str, Field(max_length=LONGEST_ORDER)]


Turn = Annotated[int, Field(description="Counted from 0.")]
PresentTurn = Annotated[
    int,
    Field(description="Counted from 0; 409 unless it is the present one, in which the seat has to play."),
]
TakenBack = Annotated[
    int | None,
    Field(
        description="The match's `taken_back` when it was looked at: 409 if a turn was taken back since, so"
        " that nothing is written for a position that was not seen."
    ),
]


class Draft(Body):
    turn: PresentTurn
    order: Text = Field(examples=["F ^"], description="Any text.")
    taken_back: TakenBack = None


class Order(Body):
    turn: PresentTurn
    order: Annotated[Text, AfterValidator(_no_call)] = Field(
        examples=["F ^ TR v H"],
        description="The same again gives the same receipt, after the reveal too, and does nothing else.",
    )
    taken_back: TakenBack = None


class Checked(Body):
    turn: PresentTurn
    order: Text = Field(examples=["f ^ tr v h"], description="In any spelling.")


Lines = Annotated[
    list[list[Annotated[Text, AfterValidator(_no_call)]]],
    Field(
        examples=[[["c4", "d5"], ["c4", "d5", "e6", "f3"]]],
        description=f"{MOST_LINES} lines at most, of {LONGEST_LINE} orders at most: the other's, your own,"
        " and so on. No two lines may answer the same orders differently.",
    ),
]


class Replies(Body):
    turn: PresentTurn
    lines: Lines
    taken_back: TakenBack = None


class Offer(Body):
    offer: bool = Field(description="An offer made in turn 3 stands until turn 4 has been played.")


class Claim(Body):
    seat: Letter


# Queries


class TablesQuery(BaseModel):
    open: Literal["1"] = Field(
        description="Only open tables are listed, for a week after they were made or renewed."
    )
    game: str | None = None
    after: str | None = Field(None, description="`next` of the page before.")


class MatchQuery(BaseModel):
    legal: bool = Field(False, description="1: with the asking seat's legal orders.")
    since: int = Field(0, ge=0, description="Leaves out `turns` and `events` before this turn.")


class ReopenQuery(BaseModel):
    turn: Turn
    taken_back: TakenBack = None


# Answers


class Shown(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, row: object, **others: Any) -> Self:
        """Creates the model from `others`, and for all other fields from attributes of `row`."""
        same = {name: getattr(row, name) for name in cls.model_fields if name not in others}
        return cls(**same, **others)


ShownOnce = Annotated[str, Field(description="For `Authorization: Bearer TOKEN`. It is shown this once.")]


class Made(Shown):
    match: str
    url: str = Field(description="The public page.")
    join_url: str = Field(description="The link to send to the others.")
    invite: str
    seat: Letter
    token: ShownOnce
    seat_url: str = Field(description="Your own link: it opens your seat in a browser.")


class Seated(Shown):
    match: str
    seat: Letter
    token: ShownOnce
    seat_url: str

    @classmethod
    def at(cls, request: HttpRequest, taken: Taken) -> Self:
        """Creates the response about a seat that was just taken."""
        url = absolute(request, reverse("seat-link", args=[taken.secret]))
        return cls(match=taken.seat.match.key, seat=taken.seat.letter, token=taken.secret, seat_url=url)


class Offered(Shown):
    url: str = Field(description="The link for one use, for whoever shall play on. Another call replaces it.")


class Outcome(Shown):
    scores: dict[str, int | float]
    reason: str


class Imported(Shown):
    match: str
    url: str = Field(description="The public page.")
    status: Literal["over", "aborted"] = Field(description="`aborted`: the record stops before the end.")
    outcome: Outcome | None
    imported: bool = Field(description="Always true: it is marked as not played here wherever it is shown.")


class Player(Shown):
    name: str
    kind: Literal["human", "bot"]


class FreeMatch(Shown):
    match: str
    game: str
    options: dict[str, Any]
    seats: dict[str, Player | None]
    deadline_hours: float | None
    reveal_at: RevealAt | None = Field(
        None, description="The hour of the day at which turns are played. Left out if there is none."
    )


class Table(FreeMatch):
    created_at: str


class Tables(Shown):
    matches: list[Table]
    next: str | None = Field(description="The cursor of the next page, or null.")


class Receipt(Shown):
    """The receipt for a sealed order. Keep it: with the record it proves that the order was not changed."""

    turn: int
    seat: Letter
    order: str
    seal: str
    sealed_at: str
    revealed: bool = Field(description="Whether this was the last seal of its turn.")
    version: int


class KeptReplies(Shown):
    """The conditional replies of a seat, which only that seat can read."""

    turn: int = Field(description="The present turn, from which they count.")
    lines: list[list[str]] = Field(description="In canonical form; empty if there are none.")
    after: str | None = Field(
        None, description="Your own planned order of this turn, which they follow. Left out if you owe none."
    )
    dropped: str | None = Field(
        None, description="Why earlier ones were dropped, until you have played again. Left out otherwise."
    )


class Verdict(Shown):
    """The result of checking an order by the rules. The order is not stored."""

    turn: int
    seat: Letter
    legal: bool
    order: str | None = Field(description="The canonical form; null if it is not legal.")
    detail: str | None = Field(description="Which rule it breaks; null if it is legal.")
    position: str | None = Field(
        description="The position after it, as this seat would see it; null where others act in the same turn"
        " or something of the position is secret from this seat."
    )


class Choice(Shown):
    """A choice that can continue an unfinished order."""

    key: str
    name: str
    order: str = Field(description="The unfinished order after it; where chance decides, an example.")
    why_not: str | None = Field(description="Why the rules forbid it now; else null.")


class Plan(Shown):
    """An unfinished order and the choices that can continue it, as in the site's own planner."""

    turn: int
    seat: Letter
    order: str
    missing: str | None = Field(description="What is still missing; null if the order can be sealed.")
    choices: list[Choice]


ProposalKind = Literal["draw", "call-off", "take-back", "pause"]
AnyProposal = Literal["draw", "call-off", "take-back", "pause", "rematch"]
Deed = Literal["offer", "accept", "decline", "withdraw"]


class Proposal(Shown):
    """A proposal of some players of a match to the others, or a pause that all have agreed to.

    A proposal takes effect as soon as all who are asked have agreed.
    """

    kind: AnyProposal
    by: list[str] = Field(description="Who proposes it, or has agreed to it.")
    asked: list[str] = Field(description="Whose agreement is missing.")
    declined: list[str] = Field(description="Who of them has declined. Told to players only.")
    may: list[Deed] = Field(description="What this token may do about it.")
    match: str | None = Field(description="The key of the rematch.")


class SeatRequest(Shown):
    """The request of somebody who says that this seat is theirs and that they have lost access to it."""

    asked_at: str
    due: str | None = Field(description="When the seat passes; null until another player has said yes.")


Event = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "title": "Event",
            "description": "`GET games/SLUG` has the schema of each kind.",
            "properties": {"kind": {"type": "string"}},
            "required": ["kind"],
            "additionalProperties": True,
        }
    ),
]
"""An event of a turn, in the form that its game defines."""


class Match(Shown):
    match: str
    game: str
    rules: int
    options: dict[str, Any]
    setup: dict[str, Any]
    status: Literal["open", "playing", "over", "aborted"]
    version: int
    seats: dict[str, Player | None]
    you: str | None
    turn: int = Field(description="How many turns have been played.")
    to_act: list[str]
    sealed: list[str]
    seals: list[dict[str, str]]
    draws: list[str]
    resigned: list[str]
    draft: str | None
    order: str | None
    deadline: str | None = Field(description="When the first of those who owe an order is late.")
    late: Late
    claimable: list[str]
    position: str
    turns: list[dict[str, str | None]]
    events: list[list[Event]]
    outcome: Outcome | None
    legal: list[str] | None
    seat_request: SeatRequest | None = Field(
        description="For this token alone: its seat passes to somebody else unless a write refuses that."
    )
    legal_reason: Literal["not asked for", "no token", "more than 1,000"] | None = Field(
        description="Why `legal` is null; else null."
    )
    proposals: list[Proposal] = Field(description="What players propose to each other now.")
    may_propose: list[AnyProposal] = Field(description="What this token may propose now.")
    taken_back: int = Field(description="How many turns were taken back: a turn's number may come again.")
    nudged_by: list[str] = Field(description="Who has reminded this token's seat of the order that it owes.")
    imported: bool = Field(
        description="Whether it was made from a record: its rules are checked, who played it is not."
    )
    deadlines: dict[str, str] = Field(description="When each seat that owes an order is late.")
    reserve_hours: float = Field(description="The time reserve of each seat, for the whole match.")
    reserve: dict[str, int] = Field(
        description="Seconds that each seat has left in its reserve. What a turn costs is taken off when the"
        " seat seals, or the turn ends."
    )
    reveal_at: RevealAt | None = Field(description="The hour of the day at which turns are played, if so.")
    reveals: str | None = Field(
        description="The next hour at which this turn may be played; null without `reveal_at`, before the"
        " start, in a pause, and once the match is over."
    )


class FieldFault(Shown):
    pointer: str
    detail: str


class ProblemDetails(Shown):
    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldFault] = []
