"""The API's models of games and of records, which begin and end with a game's notation."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from robosite.api.schemas import Body, Letter, Shown
from robosite.matches.flow.imports import MOST_TURNS


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
