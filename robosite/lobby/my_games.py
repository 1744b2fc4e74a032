"""The page “My games”, with a guest's matches in one list; also the next match.

The most urgent matches come first; a group, such as a league, has one entry for all its matches. No position
is replayed: a match stores which seats are to act (`Match.to_act`).
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from robosite.engine.prepared import prepared
from robosite.lobby.game_lists import LISTED, Entry, ListedMatch, game_list
from robosite.matches.models import Match, MatchFlag, Seat, held_by
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request, number, private
from robosite.play.waiting import Question, count_waiting, questions_to, with_questions, with_waits
from robosite.talk.messages import unread_among
from robosite.web.written_names import name_to_show


class GroupOfMatches(NamedTuple):
    """Matches of a guest that are listed as one entry, such as the matches of a league.

    `waits` counts matches, and `unread` the group's messages; with `asks`, the guest is asked to take part.
    `deadline` is the earliest of those matches in which the guest owes an order.
    """

    name: str
    address: str
    game: str
    waits: int = 0
    unread: int = 0
    not_begun: bool = False
    asks: bool = False
    over_at: datetime | None = None
    deadline: datetime | None = None


class Grouped(NamedTuple):
    """A guest's groups of matches, such as leagues, each of which is listed as one entry.

    `matches` are the primary keys of all matches in the groups; `finished` are those that ended last.
    """

    groups: list[GroupOfMatches]
    matches: set[int]
    finished: Sequence[GroupOfMatches] = ()
    all_finished: str = ""
    """The URL of a page with all finished groups; "" if `finished` has them all."""


Grouping = Callable[[Guest, list[ListedMatch]], Grouped]
Members = Callable[[str], set[int]]
groupings: dict[Grouping, Members] = {}
"""Functions that group a guest's matches, each with one that finds the matches of a match's group."""


def games_of(guest: Guest, among: QuerySet[Match] | None = None) -> list[ListedMatch]:
    """The matches in which a guest has seats, the most urgent first, from a single query.

    First those that wait for an order, by deadline, then those without a deadline, the least recently changed
    first. All others follow by `rank`, the most recently changed first.
    """
    games: list[ListedMatch] = []
    rows = _own_seats.rows(guest.pk) if among is None else _own_seats.build(guest.pk).filter(match__in=among)
    last = None
    for (
        pk,
        *of_match,
        reserves,
        letter,
        addressed,
        seen,
        waits,
        rematch,
    ) in rows:  # all seats of a match follow each other
        if pk != last:
            key, version, status, deadline, changed = of_match
            game = ListedMatch(pk, key, version, status, deadline, changed, [letter], [], seen, rematch or "")
            games.append(game)
            last = pk
        else:
            game.letters.append(letter)
            game.seen = max(game.seen, seen)
            game.rematch = game.rematch or rematch or ""
        game.addressed = game.addressed or bool(addressed)
        if waits:
            own = _own_deadline(reserves, letter, like=game.deadline)
            game.deadline = min(own, game.deadline) if own and game.waits else own
            game.waits.append(letter)
    waiting = [game for game in reversed(games) if game.waits]
    return [
        *sorted((game for game in waiting if game.deadline), key=attrgetter("deadline")),
        *(game for game in waiting if not game.deadline),
        *sorted((game for game in games if not game.waits), key=attrgetter("rank")),
    ]


def _own_deadline(reserves: Any, letter: str, *, like: Any) -> Any:
    """The deadline of a seat with a time reserve, or else `like`, the match's, in whose format it is."""
    if not reserves or not like:
        return like
    data = json.loads(reserves) if isinstance(reserves, str) else reserves
    own = data["seats"].get(letter, {}).get("deadline")
    if own is None:
        return like
    at = datetime.fromisoformat(own)
    return at.replace(tzinfo=None).isoformat(" ") if isinstance(like, str) else at


@prepared(int)
def _own_seats(guest: int) -> QuerySet[Any, Any]:
    """The seats of a guest, with the columns of their matches that `ListedMatch` needs."""
    seats = with_questions(with_waits(Seat.objects.filter(held_by(guest))), guest)
    rows: QuerySet[Any, Any] = seats.annotate(seen=F("holds__seen_turn")).values_list(
        "match_id",
        "match__key",
        "match__version",
        "match__status",
        raw_value("match__deadline"),
        raw_value("match__changed_at"),
        raw_value("match__reserves"),
        "letter",
        "addressed",
        "seen",
        "waits",
        "asked",
    )
    return rows.order_by("-match__changed_at", "-match", "letter")


def raw_value(column: str) -> Coalesce:
    """Returns an expression for a column's raw value: SQLite's driver does not parse it (times are texts)."""
    return Coalesce(column, column)


def note_unread(guest: Guest, games: list[ListedMatch]) -> None:
    """Sets `unread` of each match: True if the guest has unread messages in it. Makes at most one query."""
    addressed = [game.pk for game in games if game.addressed]
    unread = unread_among(guest, addressed) if addressed else set()
    for game in games:
        game.unread = game.pk in unread


def note_inviters(games: list[ListedMatch]) -> None:
    """Sets `inviter` to the name of the player who invites the guest to a rematch, if any, and `decides`."""
    invited = [game for game in games if game.rematch and game.status != Match.Status.PLAYING]
    if not invited:
        return
    hosts = Seat.objects.filter(match__status=Match.Status.OPEN, host=True)
    hosts = hosts.filter(match__rematch_of__in=[game.pk for game in invited])
    columns = hosts.values_list("match__rematch_of", "name", "match__flags")
    found = {pk: (name, flags) for pk, name, flags in columns}
    for game in invited:
        name, flags = found.get(game.pk, ("", 0))
        game.inviter, game.decides = name_to_show(name), bool(flags & MatchFlag.DECIDER)


def _listed(guest: Guest) -> tuple[list[ListedMatch], list[Question]]:
    games = games_of(guest)
    note_unread(guest, games)
    note_inviters(games)
    return games, questions_to(guest)


@require_safe
@private
def my_games(request: Request) -> HttpResponse:
    """The page with the guest's matches and groups, invitations first. An htmx request gets the list."""
    guest = current_guest(request)
    games, asked = _listed(guest) if guest else ([], [])
    request.waiting = sum(game.wants_answer for game in games) + len(asked)
    grouped = [grouping(guest, games) for grouping in groupings] if guest else []
    apart = {pk for one in grouped for pk in one.matches}
    mark = mark_of(games, asked)
    games = [game for game in games if game.pk not in apart]
    games.sort(key=lambda game: not game.inviter)
    page = max(number(request.GET.get("page")), 1)
    part = games[(page - 1) * LISTED : page * LISTED]
    shown = game_list(part)
    context = {
        "waiting": request.waiting,
        "mark": mark,
        "shown": shown,
        "sections": _sections(grouped if page == 1 else [], shown.entries),
        "before": page - 1 if part and page > 1 else None,
        "after": page + 1 if len(games) > page * LISTED else None,
        "known": guest is not None,
        "all_finished": next((one.all_finished for one in grouped if one.all_finished), ""),
    }
    return render(request, f"lobby/{'_mine' if request.htmx else 'my_games'}.html", context)


@require_safe
@private
def waiting(request: Request) -> JsonResponse:
    """The number of what waits for the guest, as JSON; with `?list`, also a hash of the list."""
    guest = current_guest(request)
    if guest is None or "list" not in request.GET:
        return JsonResponse({"waiting": count_waiting(guest) if guest else 0})
    games, asked = _listed(guest)
    number = sum(game.wants_answer for game in games) + len(asked)
    return JsonResponse({"waiting": number, "mark": mark_of(games, asked)})


def mark_of(games: list[ListedMatch], asked: list[Question]) -> str:
    """A hash of everything that a list of these matches and questions shows, except times relative to now."""
    facts: list[tuple[Any, ...]] = [
        (game.pk, game.version, game.letters, game.waits, game.seen, game.rematch, game.unread, game.inviter)
        for game in games
    ]
    facts += asked
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


def _sections(
    grouped: list[Grouped], entries: list[Entry]
) -> list[tuple[str, list[GroupOfMatches], list[Entry]]]:
    going_on = [group for one in grouped for group in one.groups]
    groups = (
        [group for group in going_on if group.waits or group.asks],
        [group for group in going_on if not (group.waits or group.asks)],
        [group for one in grouped for group in one.finished],
    )
    titles = (_("Your turn"), _("Waiting"), _("Finished"))
    parts = [[entry for entry in entries if entry.section == n] for n in range(len(titles))]
    return [row for row in zip(titles, groups, parts, strict=True) if row[1] or row[2]]


@require_safe
@private
def next_game(request: Request) -> HttpResponse:
    """Redirects to the most urgent match that waits for the guest, or to “My games” if nothing waits.

    After the match in `from`, those of the same group come first; if it waits too, the one after it is next.
    Questions besides those of matches come last.
    """
    guest, key = current_guest(request), request.GET.get("from", "")
    games = [game for game in games_of(guest) if game.wants_answer] if guest else []
    if key and games[1:]:
        near = {pk for members in groupings.values() for pk in members(key)}
        games.sort(key=lambda game: game.pk not in near)
    here = next((at for at, game in enumerate(games) if game.key == key), -1)
    ways = [game.address for game in games]
    ways += [question.address for question in (questions_to(guest) if guest else ())]
    if not ways or (here == 0 and len(ways) == 1):
        return redirect("my-games")
    return redirect(ways[(here + 1) % len(ways)])
