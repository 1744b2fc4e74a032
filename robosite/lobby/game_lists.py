"""Lists of a guest's matches: an entry is rendered once for each version of its match and reader's state.

A cached entry is shown without reading the match. No positions are replayed but those of the small boards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language
from markupsafe import Markup

from games import GAMES, newest
from robosite.engine.prepared import Prepared, moment_of
from robosite.lobby.thumbnails import Drawn, has_board, small_boards, symbols_of
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.matches.template_functions import turns_played
from robosite.play.opponents import called
from robosite.play.series_score import place_text
from robosite.play.shown_games import Shown, show
from robosite.play.variants import preset_of, variant_words
from robosite.play.waiting import with_waits
from robosite.web.caches import BoundedCache
from robosite.web.sentences import coarse_age, time_left

LISTED = 30
"""The number of matches that a page lists."""

MOST_KEPT = 16_000_000
"""Characters of entries that a process keeps."""

NAMES = {slug: newest(slug).name for slug in GAMES}
"""The names of all games."""

NO_MATCH = 0
"""Stands for the primary key of a match where fewer than LISTED are asked for."""
_RANKS = {str(Match.Status.PLAYING): 2, str(Match.Status.OPEN): 3}
"""The ranks of matches that do not wait for the guest, after rematches and before all others."""


@dataclass(slots=True)
class ListedMatch:
    """A match in which a guest sits, and what it needs from the guest."""

    pk: int
    key: str
    version: int
    status: str
    deadline: Any
    """The deadline in whatever form the database gives it, since it is only compared; None for never."""
    changed_at: Any
    """The time of the last change, in whatever form the database gives it."""
    letters: list[str]
    waits: list[str]
    """The guest's seats that it waits for."""
    seen: int
    """The number of turns that the guest has watched, at the seat with the most."""
    rematch: str
    """The question that waits for the guest's answer, as `with_questions` gives it; "" for none."""
    addressed: bool = False
    """Tell whether anything was ever written to the guest's seats."""
    unread: bool = False
    """Tell whether there are messages that the guest has not read, where a list shows this."""

    @property
    def wants_answer(self) -> bool:
        """Tell whether it waits for the guest: for a turn, or for the answer to a question."""
        return bool(self.waits or self.rematch)

    @property
    def rank(self) -> int:
        """The rank among matches that do not wait for the guest: rematches, running, open, over."""
        return 1 if self.rematch else _RANKS.get(self.status, 4)

    @property
    def address(self) -> str:
        """The address where the guest plays: the seat's page, or with several seats the public one."""
        return f"/m/{self.key}/{self.letters[0]}/" if len(self.letters) == 1 else f"/m/{self.key}/"


class Entry(NamedTuple):
    """An entry in a list of matches."""

    html: Markup
    section: int
    """0: it waits for an order, 1: for an answer, 2: it goes on, 3: it is over."""
    slug: str
    symbols: frozenset[str]
    """The symbols that its small board refers to."""
    lasts: bool
    """Tell whether it may be shown again: not without the small board that a page with long matches left out,
    nor if the match changed between the two looks at it."""


class GameList(NamedTuple):
    """Some matches of a guest, and what a page needs to show them."""

    entries: list[Entry]
    tables: list[Shown]
    """Their games."""
    symbols: Markup
    """The symbols that the small boards refer to."""
    styles: tuple[str, ...]


_kept: BoundedCache[tuple[Any, ...], Entry] = BoundedCache(MOST_KEPT, lambda entry: len(entry.html))


def game_list(games: Sequence[ListedMatch], *, present: str = "") -> GameList:
    """The list of at most LISTED matches. `present` is a game whose symbols the page has anyway."""
    entries = entries_of(games)
    slugs = dict.fromkeys(entry.slug for entry in entries)
    boards = [(entry.slug, entry.symbols) for entry in entries if entry.symbols]
    return GameList(entries, [show(slug) for slug in slugs], *symbols_of(boards, present=present))


def entries_of(games: Sequence[ListedMatch]) -> list[Entry]:
    """An entry for each match. Asks the database only for those that are not kept."""
    now = timezone.now()
    language = get_language()
    keys = [(language, *_key(game, now)) for game in games]
    entries: list[Entry | None] = [_kept.get(key) for key in keys]
    missing = [at for at, entry in enumerate(entries) if entry is None]
    drawn = draw_entries([games[at] for at in missing], now)
    for at, entry in zip(missing, drawn, strict=True):
        entries[at] = entry
        if entry.lasts:
            _kept[keys[at]] = entry
    return [entry for entry in entries if entry]


def _key(game: ListedMatch, now: datetime) -> tuple[Any, ...]:
    """The cache key of an entry, but for the language. Names, options and orders raise the version."""
    return (
        game.key,
        game.version,
        *game.letters,
        bool(game.waits),
        game.seen,
        game.rematch,
        game.unread,
        coarse_age(now - moment_of(game.changed_at)),
        _left(game, now),
    )


def _left(game: ListedMatch, now: datetime) -> str:
    """The time that is left until the match's deadline, in words; "" if no clock runs."""
    runs = game.deadline is not None and game.status == Match.Status.PLAYING
    return time_left(moment_of(game.deadline) - now) if runs else ""


def draw_entries(games: Sequence[ListedMatch], now: datetime) -> list[Entry]:
    """Renders entries. Needs one query for all of them, and one more for the turns of small boards."""
    facts = facts_of(games, now)
    seen = {game.key: game.seen for game in games}  # nobody learns of a round before its film
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
        0 if facts["waits"] else 1 if facts["rematch"] else 2 if going_on else 3,
        match.game_slug,
        board.used if board else frozenset(),
        match.version == version and (board is not None or not has_board(match)),
    )


def facts_of(games: Sequence[ListedMatch], now: datetime) -> list[dict[str, Any]]:
    """The facts that lists show about the matches, from one query however many matches there are."""
    seats: dict[int, list[Any]] = {game.pk: [] for game in games}
    for seat in _listed_seats.rows(*seats, *[NO_MATCH] * (LISTED - len(seats))) if seats else ():
        seats[seat.match_id].append(seat)
    for here in seats.values():
        here[0].match.know_seats(here)
    return [_facts(game, seats[game.pk], now) for game in games]


def _facts(game: ListedMatch, seats: list[Any], now: datetime) -> dict[str, Any]:
    """The facts that a list shows about a match; each of its seats has `waits`."""
    match: Match = seats[0].match
    mine = [seat for seat in seats if seat.letter in game.letters]
    preset = preset_of(match, len(seats))
    unwatched = match.turn - min(game.seen, match.turn)
    return {
        "match": match,
        "to": game.address,
        "unread": game.unread,
        "played": turns_played(match, before=unwatched),
        "unwatched": unwatched,
        "mine": [seat.shown_name for seat in mine] if len(mine) > 1 else [],
        "waits": bool(game.waits),
        "rematch": game.rematch,
        "unseen": unwatched > 0,
        "result": _result(match, mine) if len(mine) == 1 else "",
        "deadline": moment_of(game.deadline) if _left(game, now) else None,
        "just_now": now - match.changed_at < timedelta(minutes=1),
        "waits_for": [seat.shown_name for seat in seats if seat.taken and seat.waits],
        "others": [called(other) for other in seats if other.taken and other not in mine],
        "place": place_text(match),
        "preset": preset,
        "words": [] if preset else variant_words(match),
    }


def _result(match: Match, mine: list[Any]) -> str:
    """The result of the match for this seat: "won", "lost", "drawn", or "" where there is no outcome."""
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
