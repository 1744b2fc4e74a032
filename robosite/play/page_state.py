"""The state of a match's page: a class for each stage, with the variables of its templates as fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from games.core import Order, Sentence
from games.core import Seat as Letter
from robosite.matches.models import Match, Seat
from robosite.play.drawings import Board, templates_of
from robosite.play.film import Film
from robosite.play.lateness import TimeNotes
from robosite.play.players import Player
from robosite.play.reply_page import Shown as Replies
from robosite.play.what_if import NONE, Guesses, WhatIf
from robosite.web.written_names import Name


@dataclass(frozen=True, kw_only=True)
class Tried:
    """The outcome of a posted form: an `error`; `refused` if its order is incomplete; what it contained."""

    error: str = ""
    refused: bool = False
    former: Order | None = None
    typed: str = ""
    guesses: Guesses = NONE
    step: int = -1


UNTRIED = Tried()


@dataclass(kw_only=True)
class Part(Board):
    """A part of a match's page that htmx may ask for: the board with its film, and the planner."""

    match: Match
    seat: Seat | None
    """The reader's seat; None for a watcher."""
    names: Mapping[Letter, str]
    owing: Sequence[Letter]
    you: Letter | None = field(init=False)
    named: str = ""
    others: str = ""
    shared_device: bool = False
    # the film
    since: int = 0
    """The number of turns that the reader has not seen, if the page begins with them; else 0."""
    goal: Sentence | None = None
    your_side: str = ""
    bubbles: Sequence[Sentence] = ()
    bubble_points: Sequence[str] = ()
    bubbles_stay: bool = False
    # the planner
    what_if: WhatIf | None = None
    seen: str = ""
    draft: Order = ""
    unread: str = ""
    typed: str = ""
    error: str = ""
    refused: bool = False
    stale: bool = False

    def __post_init__(self) -> None:
        self.game, self.drawn = self.match.game, templates_of(self.match.game_slug)
        self.you = self.seat.at if self.seat else None
        self.over = self.match.status == Match.Status.OVER

    def show(self, film: Film) -> None:
        self.film, self.frames = film, film.steps

    def context(self) -> dict[str, Any]:
        return {**vars(self)}


@dataclass(kw_only=True)
class Ahead(Part):
    """The board after each likely next tap: a choice's key, its plan, and the plan's ghosts."""

    ahead: list[tuple[str, Any, Sequence[Any]]]
    all_turn: bool


@dataclass(frozen=True)
class Offer:
    """An ending by agreement: whether the reader's own offer stands, and who declined it or offers it."""

    own: bool = False
    declined_by: str = ""
    asked_by: str = ""


@dataclass(kw_only=True)
class Endings:
    """The ways to end a match by agreement with the `rivals`, for a player who is still `in_it`."""

    in_it: bool = False
    rivals: Sequence[str] = ()
    draw: Offer = Offer()
    off: Offer = Offer()
    idle: int = 0
    """The number of turns without lasting change, if that suggests a draw; else 0."""


@dataclass(kw_only=True)
class Menu(Endings, Part):
    """The menu (⋯) of a match: actions that are used less than once a match."""

    players: Sequence[str] = ()
    may_put_out: Sequence[Letter] = ()
    own_link: str = ""
    may_hand_over: bool = False
    may_leave_to_bot: bool = False


@dataclass(kw_only=True)
class Page(Part):
    """A match's page in any stage; `stage` names its template in play/stages."""

    stage: str

    players: Sequence[Player] = ()
    players_key: tuple[object, ...] = ()
    awaited: str = ""
    sealed_one: str = ""
    """The name of the only rival still in the match; "" if there are several or none."""
    taken_over: int = 0
    series: dict[str, Any] | None = None
    result: Sentence | None = None
    # the frame
    address: str = ""
    style: str = ""
    shows: str = ""
    published: Sequence[str] = ()
    table: str = ""
    waiting: int = 0
    # of the reader
    mine: Sequence[Seat] = ()
    """On the public page: the seats of the match that the browser holds."""
    kept_seat: bool = False
    askings: Sequence[dict[str, Any]] = ()
    lost: bool = False
    next: int = 0
    has_time: bool = False


@dataclass(kw_only=True)
class Open(Page):
    """A match before all have sat down: its invite, and the first turn, which may be planned."""

    stage: str = "open"
    invite: str | None = None
    local: bool = False
    sitting: int = 0
    can_start: bool = False


@dataclass(kw_only=True)
class Playing(Endings, Page):
    terms: TimeNotes | None = None
    wish: str = ""
    asker: Letter | str = ""


@dataclass(kw_only=True)
class Watching(Playing):
    """A match in play, for a watcher."""

    stage: str = "watching"


@dataclass(kw_only=True)
class Planning(Playing):
    """A match in play, for a player who owes an order."""

    stage: str = "planning"
    needs_no_consent: bool = False
    may_reply: bool = False
    replies: Replies | None = None
    reply_waits: bool = False


@dataclass(kw_only=True)
class Waiting(Planning):
    """A match in play, for a player who owes no order."""

    stage: str = "waiting"
    last_seen: Sequence[tuple[Name, date, int]] = ()
    claimable: Sequence[Letter] = ()
    may_nudge: bool = False


@dataclass(kw_only=True)
class Over(Page):
    """A match that is over, or was called off."""

    stage: str = "over"
    stopped: bool = False
    verdict: str = ""
    """“won”, “shared”, “drawn”, “lost”; "" for watchers."""
    how: Sequence[Sentence] = ()
    in_short: Sequence[Sentence] = ()
    besides: Sequence[Sentence] = ()
    look_back: Any = None
    is_reviewed: bool = False
    rematch: Match | None = None
    rematch_by: str = ""
    rematch_decides: bool = False
    new_terms: str = ""
    sides_swap: bool = False
    next_begun: Seat | None = None
    may_follow: bool = False
    plays_on: bool = False
    another: str = ""
    preset_key: str = ""
    friends: Sequence[Letter] = ()
