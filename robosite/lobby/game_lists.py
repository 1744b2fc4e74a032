"""Lists of a guest's matches, with cached entries, and of people whom the guest may ask for another match.

A cached entry is shown without reading the match; positions are replayed only for small boards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language
from markupsafe import Markup

from games import GAMES, newest
from robosite.engine.prepared import Prepared, moment_of
from robosite.lobby.thumbnails import Drawn, has_board, small_boards, symbols_of
from robosite.matches import flow
from robosite.matches.flow.series import is_under_way
from robosite.matches.models import Hold, Match, MatchFlag, Seat, held_by
from robosite.people.models import Guest
from robosite.play.drawings import Shown, show
from robosite.play.opponents import called
from robosite.play.waiting import with_waits
from robosite.web.caches import Made, made_once
from robosite.web.sentences import time_left

LISTED = 30
"""The maximum number of matches on a page of the list."""

NAMES = {slug: newest(slug).name for slug in GAMES}
"""The name of each game, by its slug."""

NO_MATCH = 0
"""A primary key that no match has; used as a filler in a query that always takes LISTED parameters."""
_RANKS = {str(Match.Status.PLAYING): 2, str(Match.Status.OPEN): 3}
"""The `rank` of matches without a question for the guest, by status; all other statuses have 4."""


@dataclass(slots=True)
class ListedMatch:
    """A match in which a guest has seats (`letters`), with what lists of their matches need to know."""

    pk: int
    key: str
    version: int
    status: str
    deadline: Any
    """The earliest deadline of the guest's seats that owe an order, or else of the match; None without one.

    It is as the database returns it, since a list only compares deadlines.
    """
    changed_at: Any
    """The time of the last change, as the database returns it."""
    letters: list[str]
    waits: list[str]
    """The letters of the guest's seats that owe an order."""
    seen: int
    """The number of turns that the guest has watched (the maximum over their seats)."""
    rematch: str
    """The question that waits for the guest's answer (`asked` in `with_questions`); "" for none."""
    addressed: bool = False
    """A flag: True if any message was ever written to the guest's seats."""
    unread: bool = False
    """A flag: True if the guest has unread messages in the match. Only `my_games.note_unread` sets it."""
    inviter: str = ""
    """The name of the player who asks for the rematch in question. Only `my_games.note_inviters` sets it."""
    decides: bool = False
    """A flag: True if the rematch in question decides who comes first in a league. Set with `inviter`."""

    @property
    def wants_answer(self) -> bool:
        """Returns True if the match waits for the guest: for an order, or for the answer to a question."""
        return bool(self.waits or self.rematch)

    @property
    def rank(self) -> int:
        """The sort key of a match in a list, if the match does not wait for an order of the guest."""
        return 1 if self.rematch else _RANKS.get(self.status, 4)

    @property
    def address(self) -> str:
        """The path of the page of the guest's seat, or of the public page if the guest has several seats."""
        return f"/m/{self.key}/{self.letters[0]}/" if len(self.letters) == 1 else f"/m/{self.key}/"


class Entry(NamedTuple):
    """A rendered entry in a list of a guest's matches."""

    html: Markup
    section: int
    """0 if the match waits for the guest, 1 if it is not over, else 2."""
    slug: str
    symbols: frozenset[str]
    """The IDs of the symbols that the entry's small board refers to."""
    lasts: bool
    """A flag: True if the entry may be cached: its board was not left out, and its match did not change."""


class GameList(NamedTuple):
    """Entries of a guest's matches, with the games, symbols and style sheets that a page needs for them."""

    entries: list[Entry]
    tables: list[Shown]
    """The games of the listed matches."""
    symbols: Markup
    """The definitions of the symbols that the small boards refer to."""
    styles: tuple[str, ...]


def game_list(
    games: Sequence[ListedMatch], *, present: str = "", besides: Sequence[tuple[str, frozenset[str]]] = ()
) -> GameList:
    """Renders the list of these matches, at most LISTED; `present` and `besides` are for `symbols_of`."""
    entries = entries_of(games)
    slugs = dict.fromkeys(entry.slug for entry in entries)
    boards = [*besides, *((entry.slug, entry.symbols) for entry in entries if entry.symbols)]
    return GameList(entries, [show(slug) for slug in slugs], *symbols_of(boards, present=present))


def entries_of(games: Sequence[ListedMatch]) -> list[Entry]:
    """The rendered entries of these matches; queries the database only for those that are not cached."""
    now = timezone.now()
    language = get_language()
    keys = [("entry", language, *_key(game, now)) for game in games]
    entries: list[Entry | None] = [made.value if (made := made_once.get(key)) else None for key in keys]
    missing = [at for at, entry in enumerate(entries) if entry is None]
    drawn = draw_entries([games[at] for at in missing], now)
    for at, entry in zip(missing, drawn, strict=True):
        entries[at] = entry
        if entry.lasts:
            made_once[keys[at]] = Made(entry, len(entry.html))
    return [entry for entry in entries if entry]


def _key(game: ListedMatch, now: datetime) -> tuple[Any, ...]:
    return (
        game.key,
        game.version,
        *game.letters,
        bool(game.waits),
        game.seen,
        game.rematch,
        game.unread,
        game.inviter,
        _left(game, now),
    )


def _left(game: ListedMatch, now: datetime) -> str:
    """The time until the match's deadline, in words; "" if no clock is running."""
    runs = game.deadline is not None and game.status == Match.Status.PLAYING
    return time_left(moment_of(game.deadline) - now, brief=True) if runs else ""


def draw_entries(games: Sequence[ListedMatch], now: datetime) -> list[Entry]:
    """Renders the entries of these matches, without the cache."""
    facts = facts_of(games, now)
    seen = {game.key: game.seen for game in games}  # nobody should learn of a turn before watching its film
    boards = small_boards([one["match"] for one in facts], seen=seen)
    return [_entry(one, boards.get(game.key), game.version) for game, one in zip(games, facts, strict=True)]


def _entry(facts: dict[str, Any], board: Drawn | None, version: int) -> Entry:
    match: Match = facts["match"]
    html = render_to_string(
        "lobby/_listed_game.html", {"game": facts, "match": match, "board": board, "all_games": NAMES}
    )
    going_on = match.status in flow.GOING_ON
    return Entry(
        Markup(html),  # noqa: S704  # a template of the site
        0 if facts["waits"] or facts["asked"] else 1 if going_on else 2,
        match.game_slug,
        board.used if board else frozenset(),
        match.version == version and (board is not None or not has_board(match)),
    )


def facts_of(games: Sequence[ListedMatch], now: datetime) -> list[dict[str, Any]]:
    """The template's context for each of these matches, at most LISTED, from a single query."""
    seats: dict[int, list[Any]] = {game.pk: [] for game in games}
    for seat in _listed_seats.rows(*seats, *[NO_MATCH] * (LISTED - len(seats))) if seats else ():
        seats[seat.match_id].append(seat)
    for here in seats.values():
        here[0].match.know_seats(here)
    return [_facts(game, seats[game.pk], now) for game in games]


def _facts(game: ListedMatch, seats: list[Any], now: datetime) -> dict[str, Any]:
    match: Match = seats[0].match
    mine = [seat for seat in seats if seat.letter in game.letters]
    return {
        "match": match,
        "to": game.address,
        "letters": game.letters,
        "unread": game.unread,
        "mine": [seat.shown_name for seat in mine] if len(mine) > 1 else [],
        "waits": bool(game.waits),
        "asked": game.rematch,
        "inviter": game.inviter,
        "decides": game.decides or match.may_have(MatchFlag.DECIDER),
        "unseen": match.turn > game.seen,
        "result": _result(match, mine) if len(mine) == 1 else "",
        "deadline": moment_of(game.deadline) if _left(game, now) else None,
        "others": [called(other) for other in seats if other.taken and other not in mine],
    }


def _result(match: Match, mine: list[Any]) -> str:
    """The result for the guest's only seat, `mine[0]`: "won", "lost", "drawn", or "" without an outcome."""
    if match.outcome is None:
        return ""
    best, own = max(match.outcome.scores.values()), match.outcome.scores[mine[0].at]
    if own < best:
        return "lost"
    return "won" if own == 1 else "drawn"


_listed_seats = Prepared(
    lambda *matches: (
        with_waits(Seat.objects.filter(match__in=matches)).select_related("match").order_by("letter", "pk")
    ),
    *[int] * LISTED,
)


SEARCHED = 200
"""The maximum number of a guest's seats that are searched, the latest finished matches first."""


class Invitable(NamedTuple):
    """A person whom a guest may invite, and the guest's own `seat` in a match that the two have finished."""

    name: str
    seat: Seat

    @property
    def value(self) -> str:
        return f"{self.seat.match.key}/{self.seat.letter}"


def invitable(guest: Guest, slug: str) -> list[Invitable]:
    """The people with whom the guest has finished a match of two without a rematch; those in `slug` first."""
    after = Match.objects.filter(rematch_of=OuterRef("match"))
    crowd = Seat.objects.filter(match=OuterRef("match"), letter="C")
    seats = Seat.objects.filter(
        held_by(guest), ~Exists(after), ~Exists(crowd), match__status=Match.Status.OVER
    )
    seats = seats.filter(match__imported=False).select_related("match")
    last = seats.order_by("-match__changed_at", "-pk")[:SEARCHED]
    own = {seat.match_id: seat for seat in sorted(last, key=lambda seat: seat.match.game_slug != slug)}
    known = Hold.objects.filter(seat__match__in=own, guest__leaving_at=None).exclude(guest=guest)
    known = known.filter(seat__kind=Seat.Kind.HUMAN).select_related("seat").order_by("pk")
    known = known.exclude(seat__in=own.values())  # the same seat in another browser
    others = {hold.seat.match_id: hold for hold in reversed(known)}
    found: dict[int, Invitable] = {}
    for match, seat in own.items():
        other = others.get(match)
        if other and other.guest_id not in found and not is_under_way(seat.match):
            found[other.guest_id] = Invitable(other.seat.shown_name, seat)
    return list(found.values())
