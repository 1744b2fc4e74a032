"""My games: all seats of a guest in one list, the most urgent first, and the way to the next one.

No position is replayed for it: a match keeps who is to act (`Match.to_act`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import GAMES
from robosite.matches import flow
from robosite.matches.models import Hold, Match, Program, Seat, held_by
from robosite.matches.pages.decorators import Request, number, private
from robosite.matches.pages.making import home_context, show
from robosite.matches.pages.opponents import offered
from robosite.matches.pages.plain_pages import plain_page
from robosite.matches.pages.series import place_text
from robosite.matches.pages.thumbnails import thumbnails
from robosite.matches.pages.variants import preset_of, variant_key, variant_words
from robosite.people.current_guest import KEY, current_guest
from robosite.people.models import Guest
from robosite.prepared import Prepared, PreparedTuples

LISTED = 30
"""How many matches a page lists."""

NO_MATCH = 0
"""Stands for the primary key of a match where fewer than LISTED are asked for."""
_RANKS = {str(Match.Status.PLAYING): 2, str(Match.Status.OPEN): 3}
"""Where matches stand that do not wait for the guest, after rematches and before all others."""


@dataclass(slots=True)
class ListedMatch:
    """A match in which a guest sits, and what it needs from the guest."""

    pk: int
    key: str
    status: str
    deadline: Any
    """In whatever form the database gives it: it is only compared. None for never."""
    letters: list[str]
    waits: list[str]
    """The guest's seats that it waits for."""
    seen: int
    """How many turns the guest has watched, at the seat with the most."""
    rematch: bool
    """Whether somebody asks for a rematch, in which a seat is kept for the guest."""

    @property
    def rank(self) -> int:
        """Of what does not wait for the guest: rematches, running, open, over."""
        return 1 if self.rematch else _RANKS.get(self.status, 4)

    @property
    def address(self) -> str:
        """Where it is played: one's own seat; where one device has several, the page for all."""
        return f"/m/{self.key}/{self.letters[0]}/" if len(self.letters) == 1 else f"/m/{self.key}/"


def games_of(guest: Guest, among: QuerySet[Match] | None = None) -> list[ListedMatch]:
    """All matches in which a guest sits, or those `among` others, by a single query.

    First those that wait for the guest, the nearest deadline and then the longest wait first; after them
    the others by their rank, the last that changed first.
    """
    games: list[ListedMatch] = []
    rows = _own_seats.rows(guest.pk) if among is None else _own_seats_of(guest.pk).filter(match__in=among)
    last = None
    for pk, key, status, deadline, letter, seen, waits, rematch in rows:  # those of a match follow each other
        if pk != last:
            game = ListedMatch(pk, key, status, deadline, [letter], [], seen, bool(rematch))
            games.append(game)
            last = pk
        else:
            game.letters.append(letter)
            game.seen = max(game.seen, seen)
        if waits:
            game.waits.append(letter)
    waiting = [game for game in reversed(games) if game.waits]
    return [
        *sorted((game for game in waiting if game.deadline), key=attrgetter("deadline")),
        *(game for game in waiting if not game.deadline),
        *sorted((game for game in games if not game.waits), key=attrgetter("rank")),
    ]


def _own_seats_of(guest: int) -> QuerySet[Any, Any]:
    """The seats of the guest with this primary key, each with what `ListedMatch` has of its match."""
    asked = Match.objects.filter(rematch_of=OuterRef("match"), status=Match.Status.OPEN)
    seats = with_waits(Seat.objects.filter(held_by(guest)))
    rows: QuerySet[Any, Any] = seats.annotate(
        seen=F("holds__seen_turn"),
        asked=~Q(match__status=Match.Status.PLAYING)
        & Exists(asked.exclude(pk__in=Hold.objects.filter(guest=guest).values("seat__match"))),
    ).values_list(
        "match_id",
        "match__key",
        "match__status",
        "match__deadline",
        "letter",
        "seen",
        "waits",
        "asked",
    )
    return rows.order_by("-match__changed_at", "-match", "letter")


def waiting(guest: Guest) -> int:
    """How many matches wait for a guest."""
    ((_one, count),) = _waiting.rows(guest.pk)
    return int(count)


def with_waits(seats: QuerySet[Seat]) -> Any:
    """The seats, each with `waits`: whether it is to act, and has neither sealed nor resigned."""
    given = Program.objects.filter(seat=OuterRef("pk"), turn=OuterRef("match__turn")).exclude(seal="")
    waits = (
        Q(match__status=Match.Status.PLAYING)
        & GreaterThan(StrIndex("match__to_act", "letter"), 0)
        & (Q(resigned_turn=None) | ~Q(resigned_turn=F("match__turn")))
        & ~Exists(given)
    )
    return seats.annotate(waits=waits)


def _waiting_of(guest: int) -> QuerySet[Any, Any]:
    """A single row: the number 1, and how many matches wait for the guest with this primary key."""
    seats = with_waits(Seat.objects.filter(held_by(guest), match__status=Match.Status.PLAYING))
    count = Count("match", distinct=True)
    rows: QuerySet[Any, Any] = seats.filter(waits=True).order_by().values(one=Value(1)).annotate(count=count)
    return rows.values_list("one", "count")


_waiting = PreparedTuples(_waiting_of, int)
_own_seats = PreparedTuples(_own_seats_of, int, raw=True)
_listed_seats = Prepared(
    lambda *matches: (
        with_waits(Seat.objects.filter(match__in=matches)).select_related("match").order_by("letter", "pk")
    ),
    *[int] * LISTED,
)


@require_safe
@private
def my_games(request: Request) -> HttpResponse:
    """A page of the guest's matches; those that wait for an order come first."""
    guest = current_guest(request)
    games = games_of(guest) if guest else []
    request.waiting = sum(bool(game.waits) for game in games)
    page = max(number(request.GET.get("page")), 1)
    part = games[(page - 1) * LISTED : page * LISTED]
    shown = listed(part)
    small = thumbnails([game["match"] for game in shown], seen=seen_turns_of(part))
    slugs = dict.fromkeys(game["match"].game_slug for game in shown)
    context = {
        "games": shown,
        "sections": _sections(shown),
        "small": small,
        "tables": [show(slug) for slug in slugs],
        "before": page - 1 if part and page > 1 else None,
        "after": page + 1 if len(games) > page * LISTED else None,
        "known": guest is not None,
    }
    return render(request, "matches/my_games.html", context)


def listed(games: list[ListedMatch]) -> list[dict[str, Any]]:
    """The matches as the list shows them; asks the database once, however many they are."""
    seats: dict[int, list[Any]] = {game.pk: [] for game in games}
    for seat in _listed_seats.rows(*seats, *[NO_MATCH] * (LISTED - len(seats))) if seats else ():
        seats[seat.match_id].append(seat)
    for here in seats.values():
        here[0].match.know_seats(here)
    now = timezone.now()
    return [_listed(game, seats[game.pk], now) for game in games]


def _sections(games: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The matches by what they want of the reader, none of the sections empty."""
    titles = (_("Waiting for you"), _("Going on"), _("Over"))
    parts = [[game for game in games if game["section"] == n] for n in range(len(titles))]
    return [(title, part) for title, part in zip(titles, parts, strict=True) if part]


def _listed(game: ListedMatch, seats: list[Any], now: datetime) -> dict[str, Any]:
    """What the list shows of a match; each of its seats has `waits`."""
    match: Match = seats[0].match
    mine = [seat for seat in seats if seat.letter in game.letters]
    preset = preset_of(match, len(seats))
    shown = {
        "to": game.address,
        "mine": [seat.shown_name for seat in mine] if len(mine) > 1 else [],
        "waits": bool(game.waits),
        "rematch": game.rematch,
        "unseen": game.seen < match.turn,
        "result": _result(match, mine) if len(mine) == 1 else "",
        "just_now": now - match.changed_at < timedelta(minutes=1),
        "waits_for": [seat.shown_name for seat in seats if seat.taken and seat.waits],
        "others": [other.shown_name for other in seats if other.taken and other not in mine],
        "place": place_text(match),
    }
    return {
        **shown,
        "match": match,
        "section": 0 if game.waits or game.rematch else 1 if match.status in flow.GOING_ON else 2,
        "preset": preset,
        "words": [] if preset else variant_words(match),
        "facts": repr(
            (variant_key(match), len(seats), match.status, match.turn, _age(now - match.changed_at), shown)
        ),
    }


def _age(age: timedelta) -> tuple[str, int]:
    """How long ago something was, no finer than lists say it."""
    seconds = int(age.total_seconds())
    for unit, length in (("days", 86_400), ("hours", 3_600)):
        if seconds >= length:
            return unit, seconds // length
    return "minutes", seconds // 60


def seen_turns_of(games: list[ListedMatch]) -> dict[str, int]:
    """How many turns of each match, by its key, may be shown: nobody learns of a round before its film."""
    return {game.key: game.seen for game in games}


def _result(match: Match, mine: list[Any]) -> str:
    """How the match ended for this seat: "won", "lost", "drawn", or "" where nobody has won."""
    if match.outcome is None:
        return ""
    best, own = max(match.outcome.scores.values()), match.outcome.scores[mine[0].at]
    if own < best:
        return "lost"
    return "won" if own == 1 else "drawn"


def greeting(request: Request) -> dict[str, Any] | None:
    """The match that waits most urgently for whoever opens the home page, as lists show it; None for none.

    Asks the database once in place of the header's count, and once more if a match waits.
    """
    guest = current_guest(request)
    if guest is None:
        return None
    waits = [game for game in games_of(guest) if game.waits]
    request.waiting = len(waits)
    if not waits:
        return None
    return {**listed(waits[:1])[0], "called": guest.name, "more": len(waits) - 1}


@require_safe
@private
def home(request: Request) -> HttpResponse:
    """What there is to play; above it, for a guest who comes back, the match that waits."""
    greets, offers = greeting(request), offered(current_guest(request), list(GAMES))
    if greets:
        return render(request, "home.html", {**home_context(offers), "greeting": greets})
    return plain_page(
        request,
        "home.html",
        lambda _name: {**home_context(offers), "greeting": None},
        tuple(offers.items()),
    )


@require_safe
@private
def next_game(request: Request) -> HttpResponse:
    """On to the match that waits most urgently; from one of them (`?from=`) to the one after it."""
    guest = current_guest(request)
    games = [game for game in games_of(guest) if game.waits] if guest else []
    here = next((at for at, game in enumerate(games) if game.key == request.GET.get("from")), -1)
    if not games or (here == 0 and len(games) == 1):
        return redirect("my-games")
    return redirect(games[(here + 1) % len(games)].address)


def waiting_games(request: Request) -> dict[str, Any]:
    """For the header of every whole page: who is at this browser, and how many matches wait.

    A match's page that stays open is told by its updates, and when somebody comes back to it (`live.js`).
    """
    if not hasattr(request, "session") or not request.session.get(KEY) or request.htmx:
        return {}
    guest = current_guest(request)
    if guest is None:
        return {}
    known = getattr(request, "waiting", None)
    return {"waiting": waiting(guest) if known is None else known, "called": guest.name}


def waits_here(request: Request) -> dict[str, int]:
    """The header's count for a page that is already open; nothing for a browser without a guest."""
    guest = current_guest(request) if request.session.get(KEY) else None
    return {"waiting": waiting(guest)} if guest else {}
