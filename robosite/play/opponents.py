"""Chooses the bot that a guest is offered as an opponent, from their last results against bots."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef

from games.players import PLAYERS, USUAL
from robosite.matches.models import Match, MatchFlag, Seat, held_by
from robosite.people.models import Guest
from robosite.web.sentences import render_sentence

program_checks: list[Callable[[str], bool]] = []
"""Functions that tell whether any program of the API accepts invitations to a game."""


def are_programs(slug: str) -> bool:
    return any(check(slug) for check in program_checks)


LOOKED = 40
"""The most rows (`Row`) that are read, in all games together."""
IN_A_ROW = 2
"""Wins in a row against a bot after which the next stronger is offered; after as many defeats, the weaker."""

Result = tuple[str, float | None]
"""The key of a bot, and the guest's share of the point against it; None while the match is running."""


Row = tuple[int, str, Any, str, str]
"""A guest's seat with a bot of its match: match, game's slug, outcome, the guest's letter, the bot's key."""


def next_opponent(results: Sequence[Result]) -> str:
    """The key of the bot to offer, by the guest's results in a game, latest first (IN_A_ROW); else USUAL."""
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
    """The name of a seat's player; a bot's strength is added, as in “Whirr (Hard)”."""
    player = PLAYERS.get(seat.player) if seat.is_bot else None
    return f"{seat.shown_name} ({render_sentence(player.name)})" if player else seat.shown_name


def another_level(player: str, *, better: bool) -> str:
    """The key of the next stronger bot or, unless `better`, of the next weaker one; "" if none."""
    levels = list(PLAYERS)
    if player not in levels:
        return ""
    at = levels.index(player) + (1 if better else -1)
    return levels[at] if 0 <= at < len(levels) else ""


def offered(guest: Guest | None, slugs: Sequence[str]) -> dict[str, str]:
    """Maps each slug to the key of the bot to offer; makes one query if there is a guest."""
    results: dict[str, list[Result]] = {slug: [] for slug in slugs}
    seen = set()
    for match, slug, outcome, letter, player in _last_seats(guest, slugs) if guest else ():
        if match not in seen:
            seen.add(match)
            results[slug].append((player, outcome["scores"][letter] if outcome else None))
    return {slug: next_opponent(found) for slug, found in results.items()}


def _last_seats(guest: Guest, slugs: Sequence[str]) -> list[Row]:
    """The guest's matches against bots alone, latest first; none of a competition or with copied turns."""
    people = Seat.objects.filter(match=OuterRef("match")).exclude(kind=Seat.Kind.BOT)
    left_out = F("match__flags").bitand(MatchFlag.TAKEN_OVER | MatchFlag.BINDING)
    seats = (
        Seat.objects.alias(left_out=left_out)
        .filter(
            held_by(guest),
            ~Exists(people.exclude(pk=OuterRef("pk"))),
            left_out=0,
            match__status__in=(Match.Status.PLAYING, Match.Status.OVER),
            match__game_slug__in=slugs,
            match__seats__kind=Seat.Kind.BOT,
        )
        .order_by("-match__changed_at", "-pk", "match__seats__letter")
    )
    columns = ("match_id", "match__game_slug", "match__outcome_json", "letter", "match__seats__player")
    return list(seats.values_list(*columns)[:LOOKED])
