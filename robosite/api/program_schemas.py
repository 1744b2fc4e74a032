"""The bodies, queries and responses of the calls for named programs, as pydantic models."""

from collections.abc import Callable
from typing import Annotated, Literal, Self

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext as _
from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, model_validator

from robosite.api.checks import MOST_HOURS
from robosite.api.schemas import Body, Deed, FreeMatch, Letter, ProposalKind, Shown, ShownOnce, Turn
from robosite.talk.messages import LONGEST as LONGEST_MESSAGE
from robosite.talk.messages import STOCK
from robosite.web.http import split_url

# Bodies


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError(_("Please write one line, without invisible characters."))
    return text.strip()


def _web(text: str) -> str:
    """Checks a web address to which pages may link: http or https, visible ASCII, no user; "" is allowed."""
    try:
        URLValidator(schemes=["https", "http"])(text) if text else None
    except DjangoValidationError:
        raise ValueError(_("This must be an address that begins with https://.")) from None
    if not (text.isascii() and text.isprintable() and "\\" not in text):
        problem = _(
            "Write the address in ASCII, as browsers copy it: other characters as %C3%BC, names as xn--…."
        )
        raise ValueError(problem)
    if "@" in split_url(text).netloc:
        raise ValueError(_("The address must not contain a user name or password."))
    return text


def _at_most(most: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        if len(text) > most:
            raise ValueError(_("This is too long: {most} characters at most.").format(most=most))
        return text

    return check


About = Annotated[
    str, AfterValidator(_at_most(300)), AfterValidator(_line), Field(json_schema_extra={"maxLength": 300})
]
Url = Annotated[
    str, AfterValidator(_at_most(200)), AfterValidator(_web), Field(json_schema_extra={"maxLength": 200})
]


Sign = Literal["haha", "wow", "ouch", "love", "bravo", "boom"]


class NewProgram(Body):
    name: str = Field(examples=["Clockwork"], description="24 letters at most, unlike any other program's.")
    about: About = Field("", description="What it is, in a line.")
    url: Url = Field("", description="Where there is more about it.")


Hours = Annotated[float, Field(ge=0, le=MOST_HOURS)]
TAKES = "The games to which people may invite it, by `slug`; `pigs/standard` is a game's preset alone."


class Pace(Body):
    """The minimum and the maximum hours for a turn in matches to which people may invite the program."""

    least_hours: Hours | None = Field(None, description="At least so many hours; any if null.")
    most_hours: Hours | None = Field(
        None, description="At most so many, and not without a deadline; any if null."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least_hours and self.most_hours and self.least_hours > self.most_hours:
            raise ValueError(_("`least_hours` may not be more than `most_hours`."))
        return self


class AboutMe(Body):
    about: About | None = Field(None, description="What it is, in a line.")
    url: Url | None = Field(None, description="Where there is more about it.")
    takes: list[str] | None = Field(None, description=TAKES)
    pace: Pace | None = Field(None, description="Which replaces both of its numbers.")


class NewWebhook(Body):
    url: Url = Field(description="It begins with https:// and is on the open internet.")


class Propose(Body):
    kind: ProposalKind
    do: Deed = Field(description="To decline or withdraw a `pause` ends it for all.")
    turn: int | None = Field(None, description="For `take-back`: the match's `turn`.")
    taken_back: int | None = Field(None, description="For `take-back`: the match's `taken_back`.")


class Say(Body):
    text: Annotated[
        str,
        AfterValidator(_at_most(LONGEST_MESSAGE)),
        Field(json_schema_extra={"maxLength": LONGEST_MESSAGE}),
    ] = Field("", description="May be left out where there is a phrase.")
    phrase: str | None = Field(None, description="The key of a stock phrase.", examples=list(STOCK))
    to: list[Letter] = Field([], description="Whom alone it is for; all if nobody is named.")


# Queries


class ProgramsQuery(BaseModel):
    game: str | None = Field(None, description="Only those that accept this game or a preset of it.")
    after: int | None = Field(None, ge=0, lt=2**63, description="`next` of the page before.")


class TalkQuery(BaseModel):
    before: int | None = Field(None, ge=0, lt=10**16, description="`before` of a later page.")


class Said(BaseModel):
    at: AwareDatetime = Field(strict=False, description="`at` of the message.")


class React(Body):
    turn: Turn
    step: int = Field(ge=1, description="Counted from 1.", examples=[1])
    sign: Sign | None = Field(description="null takes the seat's sign back.")


class MineQuery(BaseModel):
    status: Literal["waiting", "playing", "open", "over"] | None = None
    after: str | None = Field(None, description="`next` of the page before.")


# Answers


class Reaction(Shown):
    turn: Turn
    step: int = Field(description="Counted from 1.")
    seat: Letter
    sign: Sign


class Reactions(Shown):
    reactions: list[Reaction]


class NamedAs(Shown):
    name: str
    token: ShownOnce


class Me(Shown):
    name: str
    about: str
    url: str
    takes: list[str] = Field(description=TAKES)
    pace: Pace
    made_at: str
    matches: dict[str, int] = Field(description="How many are `waiting`, `playing`, `open` and `over`.")


class Webhook(Shown):
    """The URL to which a program's events are sent, and its state."""

    url: str
    on: bool = Field(description="False once it has failed too often; set it again.")
    failures: int = Field(description="How often in a row it has failed.")
    fault: str = Field(description="What failed last, in a word; empty if nothing has since it last worked.")
    succeeded_at: str | None
    failed_at: str | None


class WebhookKey(Webhook):
    key: str = Field(description="Signs for what is sent. It is shown this once.")


class Invitable(Shown):
    """A program that people may invite by its name."""

    name: str
    about: str
    url: str
    takes: list[str] = Field(description=TAKES)
    pace: Pace


class ProgramList(Shown):
    programs: list[Invitable]
    next: int | None = Field(description="The cursor of the next page, or null.")


class Challenge(FreeMatch):
    """A match to which the program is invited."""

    made_at: str


class ChallengeList(Shown):
    challenges: list[Challenge]


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


class MyMatch(Shown):
    """A match in which the program has a seat."""

    match: str
    game: str
    status: Literal["open", "playing", "over", "aborted"]
    seat: Letter
    version: int
    turn: int
    waits: bool = Field(description="Whether it waits for this program's order.")
    deadline: str | None
    proposals: list[ProposalKind] = Field(
        description="What others propose and the program has not answered; the match says more."
    )
    rematch: str | None = Field(description="The key of a rematch in which a seat is kept for the program.")


class Mine(Shown):
    matches: list[MyMatch]
    next: str | None = Field(description="The cursor of the next page, or null.")
