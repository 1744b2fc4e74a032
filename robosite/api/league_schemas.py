"""The bodies, queries and responses of the calls about leagues, as pydantic models."""

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from games.players import PLAYERS
from robosite.api.schemas import REVEAL_AT, Body, Late, RevealAt, Shown
from robosite.leagues.arithmetic.pairing import LEAST, MOST, MOST_LEGS_OF_PROGRAMS

PlaceNumber = int
Format = Literal["league", "cup"]
Bot = Literal["random", "hasty", "quick", "thorough"]
Scoring = Literal["shares", "places"]
MOST_DAYS = 366


class NextSeason(Body):
    starts_at: AwareDatetime | None = Field(
        None,
        strict=False,
        examples=["2026-12-07T19:00:00Z"],
        description="When it starts by itself, within 60 days; else its organiser starts it.",
    )


class NewLeague(NextSeason):
    name: str = Field(examples=["Our spring league"], description="The league's: 60 letters at most.")
    game: str = Field(examples=["pigs"])
    preset: str | None = Field(None, description="A key of the game's presets.")
    options: dict[str, Any] = Field({}, description="What differs from the defaults, or from the preset.")
    organiser: str | None = Field(None, examples=["Ada"], description="Your name, for a place of your own.")
    plays: bool = Field(True, description="Whether the organiser has a place.")
    format: Format = Field(
        "league",
        description=(
            "`league`: everybody plays everybody. `cup`: whoever loses a tie is out, for 3 to 32 places and"
            " two at a table, without `legs` and `every_days`; not for variants in which most matches are"
            " draws."
        ),
    )
    places: int = Field(8, ge=LEAST, le=MOST, description="How many at most.")
    table_seats: int = Field(2, description="How many sit at one table, as the preset allows.")
    scoring: Scoring = Field(
        "shares",
        description=(
            "At tables of more than two, where players are put out one by one: `places` gives points for the"
            " order of being put out; `shares` is each one’s share of the win, times the seats."
        ),
    )
    legs: int = Field(
        1,
        ge=1,
        le=MOST_LEGS_OF_PROGRAMS,
        description=(
            "How often the whole schedule is played, each time with seats changed: once or twice,"
            f" among programs up to {MOST_LEGS_OF_PROGRAMS} times."
        ),
    )
    every_days: int | None = Field(
        None, ge=1, le=60, description="Days from round to round; null: all at once."
    )
    deadline_hours: float | None = Field(24.0, description="Hours for a turn. A league needs a deadline.")
    reserve_hours: float = Field(0, ge=0, le=720, description="Each seat's reserve of time in a match.")
    late: Late = Field("fill", description="As in a match.")
    ends_days: float = Field(
        60.0,
        gt=0,
        le=MOST_DAYS,
        description="Days from the start to the last day, which counts to its end; a fraction, by the hour.",
    )
    open: bool = Field(False, description="Whether strangers may join without an invite.")
    reveal_at: RevealAt | None = Field(None, description=REVEAL_AT)
    handover: bool = Field(True, description="Whether players may hand their places over to somebody else.")
    robots: bool = Field(
        False, description="Whether only programs with a name may play, each with its own token."
    )
    bots: list[Bot] = Field(
        [], max_length=len(PLAYERS), description="Bots of the site that play, too; each at most once."
    )
    names: list[str] = Field([], max_length=MOST, description="Names that are expected, for others to claim.")


class MadeLeague(Shown):
    league: str = Field(description="The league's public key.")
    url: str
    join_url: str
    invite: str
    lot: str = Field(description="SHA-256 of the nonce that draws the lots at the start.")
    organiser_token: str = Field(description="Shown this once.")
    place: PlaceNumber | None
    token: str | None = Field(description="Of the organiser's place; it acts for every seat of its matches.")
    place_url: str | None


class NextLeague(Shown):
    league: str = Field(description="The new season's public key.")
    url: str
    join_url: str | None
    invite: str | None = Field(description="For newcomers; null once the organiser has made another one.")
    lot: str = Field(description="SHA-256 of the nonce that draws the lots at the start.")
    organiser_token: str = Field(description="The token of this call, which organises this season too.")
    place: PlaceNumber | None = Field(description="The organiser's, as far as it is known whose it is.")
    token: None = Field(description="Null: the token of a place goes on working in this season.")
    place_url: None = Field(description="Null: so does its link.")


class JoinLeague(Body):
    name: str = Field(examples=["Ben"], description="24 letters at most.")
    invite: str | None = Field(None, description="Not needed in an open league.")
    place: PlaceNumber | None = Field(None, description="Claims a place whose name was written before.")
    once: bool = Field(False, description="Whether to play this season only, and not to go on in the next.")


class HandOn(Body):
    place: PlaceNumber = Field(examples=[2], description="The place that shall organise.")


class TakenPlace(Shown):
    league: str
    place: PlaceNumber
    token: str = Field(description="Shown this once; it acts for every seat of the place's matches.")
    place_url: str


class Came(Shown):
    division: int
    row: int


class LeaguePlace(Shown):
    place: PlaceNumber
    number: int | None = Field(description="The number that was drawn at the start.")
    name: str
    kind: Literal["human", "bot"]
    left: Literal["withdrawn", "defaulted"] | None
    removed: bool = Field(description="Whether it was left by the organiser's deed, after the start.")
    taken: bool = Field(
        description="Whether somebody has taken it; one that is only a name goes at the start."
    )
    bot: Bot | None = Field(description="The bot of the site that plays, if one does.")
    once: bool = Field(description="Whether it plays this season only.")
    came: Came | None = Field(
        description="Its division and row in the final table of the season before; null for newcomers."
    )


class Meetings(Shown):
    places: int
    matches: int = Field(description="How many matches each plays.")
    least: int = Field(description="How often two in a division meet, at least.")
    most: int


class League(Shown):
    league: str
    name: str
    format: Format
    game: str
    options: dict[str, Any]
    status: Literal["open", "playing", "over"]
    season: int
    previous: str | None = Field(description="The key of the season before.")
    next: str | None = Field(description="The key of the season after it, once that was announced.")
    table_seats: int
    scoring: Scoring
    legs: int
    meetings: Meetings | None = Field(
        description="For the places that are taken now; null as long as they are too few, and in a cup."
    )
    every_days: int | None
    deadline_hours: float | None = Field(description="Null with `reveal_at`.")
    reserve_hours: float
    reveal_at: RevealAt | None = Field(description="The hour of the day at which turns are played, if so.")
    late: Late
    organiser_place: PlaceNumber | None = Field(
        description="The place whose holder, and token, organises; null for an organiser who does not play."
    )
    robots: bool
    lot: str
    nonce: str | None = Field(description="Once it has started.")
    ends_days: float
    starts_at: str | None = Field(description="When it starts by itself.")
    ends: str | None = Field(description="The end of the last day, once it has started: ISO 8601 in UTC.")
    places: list[LeaguePlace]
    divisions: list[list[PlaceNumber]] = Field(
        description="The places by the numbers that were drawn; in a cup, all of them by their seeds."
    )
    matches: int = Field(description="How many matches there are; in a cup, by now.")
    played: int = Field(description="How many matches are over.")


class Strength(Shown):
    elo: float
    error: float


class LeagueRow(Shown):
    rank: int | None = Field(
        description="Null for a place that was withdrawn. In a cup, those who go out in one round share it."
    )
    place: PlaceNumber
    name: str
    played: int
    won: int
    drawn: int
    lost: int
    points: float = Field(
        description="Of two players the shares of the point; at larger tables 1 a match on average."
    )
    direct: float = Field(
        description="Points from matches among those with equal points; at larger tables, shares"
        " of matches with others who have equal points and wins."
    )
    sonneborn_berger: float = Field(description="0 at tables of more than two.")
    wins: int = Field(description="Wins that were played, not by default.")
    counts: bool
    reach: list[int] | None = Field(description="The best and the worst rank that can still be reached.")
    strength: Strength | None = Field(description="Once five results were played.")


class LeagueDivision(Shown):
    rows: list[LeagueRow]


class LeagueTable(Shown):
    divisions: list[LeagueDivision]


class LeagueMatch(Shown):
    match: str | None = Field(description="Null until its round begins.")
    division: int
    round: int
    tie: int | None = Field(None, description="In a cup, the number of the tie in its round.")
    stage: Literal["pair", "decider", "replay"] | None = Field(
        None,
        description="In a cup: one of two matches with sides changed, the one more if these leave the tie"
        " level, or its replay if that is a draw.",
    )
    seats: dict[str, PlaceNumber]
    status: Literal["waiting", "open", "playing", "over", "aborted"]
    outcome: dict[str, Any] | None
    counts: bool
    decided: Literal["play", "default", "last day", "nobody came"] | None


class LeagueMatches(Shown):
    matches: list[LeagueMatch]
    next: str | None = Field(description="The cursor of the next page, or null.")


class MatchesQuery(BaseModel):
    after: int = Field(0, ge=0, le=10_000, description="`next` of the page before.")


class OwnLeague(Shown):
    league: str
    name: str
    game: str
    status: Literal["open", "playing", "over"]
    place: PlaceNumber


class OwnLeagues(Shown):
    leagues: list[OwnLeague]


class LeaguesQuery(BaseModel):
    game: str | None = Field(None, description="Only leagues of this game.")
    after: int | None = Field(None, description="`next` of the page before.")


class OpenLeague(Shown):
    league: str
    name: str
    game: str
    options: dict[str, Any]
    table_seats: int
    legs: int
    deadline_hours: float | None = Field(description="Null with `reveal_at`.")
    reveal_at: RevealAt | None = Field(description="The hour of the day at which turns are played, if so.")
    places: int = Field(description="How many at most.")
    taken: int


class OpenLeagues(Shown):
    leagues: list[OpenLeague]
    next: int | None = Field(description="The cursor of the next page, or null.")
