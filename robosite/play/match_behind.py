"""The match from which a reader came to the rules or to a lesson, and the link back to it."""

from typing import NamedTuple

from games.core import Preset, Sentence
from robosite.matches import flow, reading
from robosite.matches.models import Hold, Match, Seat
from robosite.people.current_guest import current_guest
from robosite.play import hot_seat
from robosite.play.decorators import Request
from robosite.play.variants import preset_of, variant_words


class MatchOfReader(NamedTuple):
    """The match from which a reader came; `address` leads back, and `words` tell a variant without preset."""

    match: Match
    address: str
    seats: list[Seat]
    goal: Sentence
    preset: Preset | None
    words: list[Sentence]


def match_behind(request: Request, slug: str) -> MatchOfReader | None:
    """The match that the query parameter `from` names, if it is of this game and the reader may see it."""
    key = request.GET.get("from", "")
    match = reading.match_by_key(key[:64]) if key.isalnum() else None
    guest = current_guest(request)
    if match is None or match.game_slug != slug or not match.may_be_watched_by(guest):
        return None
    mine = hot_seat.held(guest, match)
    seats = reading.seats_of(match)
    preset = preset_of(match, len(seats))
    return MatchOfReader(
        match,
        mine[0].get_absolute_url() if len(mine) == 1 else match.get_absolute_url(),
        seats=seats,
        goal=match.game.goal(match.options, len(seats)),
        preset=preset,
        words=[] if preset else variant_words(match),
    )


def last_match(request: Request, slug: str) -> str:
    """The URL of the guest's seat in the unfinished match of this game that changed last, or ""."""
    guest = current_guest(request)
    if guest is None:
        return ""
    holds = Hold.objects.filter(guest=guest, seat__match__game_slug=slug)
    going = holds.filter(seat__match__status__in=flow.GOING_ON).select_related("seat__match")
    last = going.order_by("-seat__match__changed_at", "-seat__match", "seat__letter").first()
    return last.seat.get_absolute_url() if last else ""
