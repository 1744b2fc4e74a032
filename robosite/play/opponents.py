"""The program that is offered to a guest as an opponent: it follows from their last results against
programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef

from games.players import PLAYERS, USUAL
from robosite.matches.models import Match, MatchFlag, Seat, held_by
from robosite.people.models import Guest
from robosite.web.sentences import render_sentence

_checks: list[Callable[[str], bool]] = []


def register(check: Callable[[str], bool]) -> None:
    """Called from an app's `ready`: `check` tells whether programs by people take a game, by its slug."""
    if check not in _checks:
        _checks.append(check)


def are_programs(slug: str) -> bool:
    """Tell whether anybody has written a program that can be invited to this game."""
    return any(check(slug) for check in _checks)


LOOKED = 40
"""The number of a guest's last matches against programs that are looked at, of all games together."""
IN_A_ROW = 2
"""The wins in a row against a program after which the next stronger one is offered, and the defeats in a row
after which the next weaker one is."""

Result = tuple[str, float | None]
"""The program that played, and the guest's share of the point; None while the match goes on."""


Row = tuple[int, str, Any, str, str]
"""A match, its game and outcome, the letter of the guest, a program in it."""


def next_opponent(results: Sequence[Result]) -> str:
    """The program to offer after these results in a game, the last one first; USUAL without any.

    It is the last one again, unless the last results speak for another.
    """
    levels = list(PLAYERS)
    results = [result for result in results if result[0] in PLAYERS]
    if not results:
        return USUAL
    last = results[0][0]
    shares = [share for player, share in results[:IN_A_ROW] if player == last]
    step = 0
    if len(shares) == IN_A_ROW:
        step = 1 if set(shares) == {1} else -1 if set(shares) == {0} else 0
    return levels[min(max(levels.index(last) + step, 0), len(levels) - 1)]


def called(seat: Seat) -> str:
    """The name of whoever sits there, a bot's with the program that it is: “Whirr (Thorough)”."""
    player = PLAYERS.get(seat.player) if seat.is_bot else None
    return f"{seat.shown_name} ({render_sentence(player.name)})" if player else seat.shown_name


def another_level(player: str, *, better: bool) -> str:
    """The next stronger program, or the next weaker one; "" where there is none."""
    levels = list(PLAYERS)
    if player not in levels:
        return ""
    at = levels.index(player) + (1 if better else -1)
    return levels[at] if 0 <= at < len(levels) else ""


def offered(guest: Guest | None, slugs: Sequence[str]) -> dict[str, str]:
    """The program to offer in each of these games, by its key. Asks the database once for a guest."""
    results: dict[str, list[Result]] = {slug: [] for slug in slugs}
    seen = set()
    for match, slug, outcome, letter, player in _last_seats(guest, slugs) if guest else ():
        if match not in seen:
            seen.add(match)
            results[slug].append((player, outcome["scores"][letter] if outcome else None))
    return {slug: next_opponent(found) for slug, found in results.items()}


def _last_seats(guest: Guest, slugs: Sequence[str]) -> list[Row]:
    """The guest's seats in matches against programs alone, running or over, with the program, latest first.

    A program that sits beside a friend was chosen for the friend's sake, or to fill a seat.
    """
    people = Seat.objects.filter(match=OuterRef("match")).exclude(kind=Seat.Kind.BOT)
    begun = F("match__flags").bitand(MatchFlag.TAKEN_OVER)
    seats = (
        Seat.objects.alias(begun=begun)
        .filter(
            held_by(guest),
            ~Exists(people.exclude(pk=OuterRef("pk"))),
            begun=0,
            match__status__in=(Match.Status.PLAYING, Match.Status.OVER),
            match__game_slug__in=slugs,
            match__seats__kind=Seat.Kind.BOT,
        )
        .order_by("-match__changed_at", "-pk", "match__seats__letter")
    )
    columns = ("match_id", "match__game_slug", "match__outcome_json", "letter", "match__seats__player")
    return list(seats.values_list(*columns)[:LOOKED])
