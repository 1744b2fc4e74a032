"""The number of turns that a reader has seen: stored in a player's hold, or in a watcher's cookie."""

from django.http import HttpResponse

from robosite.matches import flow
from robosite.matches.history import turns_of
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.play.decorators import Request, is_early, number
from robosite.play.film import Film

AGE = 366 * 24 * 3600


def seen(request: Request, match: Match, seat: Seat | None) -> int:
    """The number of turns seen: all at a watcher's first visit and in the response to a form without htmx."""
    if request.method not in ("GET", "HEAD") and not request.htmx:
        return match.turn
    if seat:
        return min(request.hold.seen_turn, match.turn)
    turns = number(request.COOKIES.get(_name(request)))
    return min(turns, match.turn) if turns >= 0 else match.turn


def opens_at_own_turn(request: Request, standing: flow.Standing, seat: Seat | None) -> bool:
    """True at the first visit of a player who has to give their first order in the match."""
    if not seat or request.htmx or seat.at not in standing.owing or request.hold.seen_turn:
        return False
    return not any(seat.at in turn for turn in turns_of(standing.match))


def remember_seen(request: Request, turns: int) -> None:
    """Notes in the player's hold that `turns` turns were shown; not for prefetches or forms without htmx."""
    if is_early(request):
        return
    if turns > getattr(request, "noted", 0) and (request.method == "GET" or request.htmx):
        flow.note_seen(request.hold, turns)


def note_own_turn(request: Request, seat: Seat, turn: int) -> None:
    """Notes a turn as seen in which the player, and nobody else, gave an order."""
    played = Program.objects.filter(seat__match=seat.match_id, turn=turn).exclude(order="")
    if turn >= 0 and [program.seat_id for program in played] == [seat.pk]:
        Hold.every.filter(pk=request.hold.pk, seen_turn=turn).update(seen_turn=turn + 1)


def remember(request: Request, response: HttpResponse, match: Match, film: Film) -> None:
    """Stores in a cookie how many turns a watcher has been shown, if it is more than before."""
    turns = film.number if "at" in request.GET else match.turn
    if is_early(request):
        return
    if request.method == "GET" and turns > number(request.COOKIES.get(_name(request))):
        response.set_cookie(
            _name(request),
            str(turns),
            max_age=AGE,
            path=match.get_absolute_url(),
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )


def _name(request: Request) -> str:
    return "__Secure-seen" if request.is_secure() else "seen"
