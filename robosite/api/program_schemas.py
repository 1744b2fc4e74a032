"""What goes in and out of the calls of programs with a name, as pydantic models (see `schemas.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, Field

from robosite.api.schemas import Body, Deed, Letter, ProposalKind, Shown
from robosite.talk.messages import LONGEST as LONGEST_MESSAGE
from robosite.talk.stock import STOCK

# Bodies


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError(_("Please write one line, without invisible characters."))
    return text.strip()


def _web(text: str) -> str:
    try:
        URLValidator(schemes=["https", "http"])(text) if text else None
    except DjangoValidationError:
        raise ValueError(_("This must be an address that begins with https://.")) from None
    return text


def _at_most(most: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        if len(text) > most:
            raise ValueError(_("This is too long: {most} characters at most.").format(most=most))
        return text

    return check


class NewProgram(Body):
    name: str = Field(examples=["Clockwork"], description="24 letters at most, unlike any other program's.")
    about: Annotated[
        str, AfterValidator(_at_most(300)), AfterValidator(_line), Field(json_schema_extra={"maxLength": 300})
    ] = Field("", description="What it is, in a line.")
    url: Annotated[
        str, AfterValidator(_at_most(200)), AfterValidator(_web), Field(json_schema_extra={"maxLength": 200})
    ] = Field("", description="Where there is more about it.")


class Propose(Body):
    kind: ProposalKind
    do: Deed
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


# What may follow the address


class TalkQuery(BaseModel):
    before: int | None = Field(None, ge=0, lt=10**16, description="`before` of a later page.")


class MineQuery(BaseModel):
    status: Literal["waiting", "playing", "open", "over"] | None = None
    after: str | None = Field(None, description="`next` of the page before.")


# Answers


class NamedAs(Shown):
    name: str
    token: str = Field(description="For `Authorization: Bearer TOKEN`. It is shown this once.")


class Me(Shown):
    name: str
    about: str
    url: str
    made_at: str
    matches: dict[str, int] = Field(description="How many are `waiting`, `playing`, `open` and `over`.")


class Rematch(Shown):
    """The new seat."""

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
    """A match in which the program sits."""

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
