"""Several players at one device: the player who has it now, and the curtain that hides the others' secrets.

A browser that holds more than one seat of a match is shared; its session notes who has the device. If the
seats have secrets from each other, the pages of all others show a curtain until the match is over.
"""

from django.http import HttpRequest
from django.urls import reverse

from games.core import State
from robosite.matches import flow, reading
from robosite.matches.history import state_of
from robosite.matches.models import Hold, Match, Seat
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest

KEY = "here"
MOST_MATCHES = 20


def sit_down(match: Match, invite: str, names: list[str], guest: Guest) -> list[flow.Taken]:
    """Takes a free seat for each of `names`, the other people who share the guest's browser."""
    return [flow.join(match, name, invite=invite, guest=guest) for name in names]


def rejoin(after: Match, seat: Seat, guest: Guest) -> list[flow.Taken]:
    """Takes a seat in the rematch `after` for each seat of the guest in the old match, except `seat`."""
    others = [other for other in held(guest, seat.match) if other.pk != seat.pk]
    return [flow.rejoin(after, other, guest) for other in others] if others else []


def held(guest: Guest | None, match: Match) -> list[Seat]:
    return [] if guest is None else reading.held_seats(match, guest)


def has_secrets(state: State) -> bool:
    """Returns True if, in this position, some players must not see the pages of the others."""
    public = state.view(None)
    return len(state.to_act()) > 1 or any(state.view(seat) != public for seat in state.seats)


def is_covered(request: HttpRequest, seat: Seat, mine: list[Seat]) -> bool:
    """Returns True if the curtain hides the page of `seat`, one of `mine`, in this browser."""
    if len(mine) < 2 or seat.match.status not in flow.GOING_ON:
        return False
    has_device = request.session.get(KEY, {}).get(seat.match.key, "")
    return has_device != seat.letter and has_secrets(state_of(seat.match))


def covered(request: HttpRequest, guest: Guest) -> list[Seat]:
    """All of the guest's seats, in any match, whose pages the curtain hides in this browser."""
    holds = Hold.objects.filter(guest=guest, seat__match__status__in=flow.GOING_ON)
    mine: dict[int, list[Seat]] = {}
    for hold in holds.select_related("seat__match").order_by("seat__letter"):
        mine.setdefault(hold.seat.match_id, []).append(hold.seat)
    return [seat for seats in mine.values() for seat in seats if is_covered(request, seat, seats)]


def take(request: HttpRequest, seat: Seat) -> None:
    others = {key: at for key, at in request.session.get(KEY, {}).items() if key != seat.match.key}
    request.session[KEY] = {**dict(list(others.items())[1 - MOST_MATCHES :]), seat.match.key: seat.letter}


def put_down(request: HttpRequest, match: Match) -> None:
    request.session[KEY] = {key: at for key, at in request.session.get(KEY, {}).items() if key != match.key}


def hand_on(request: HttpRequest, seat: Seat, mine: list[Seat], turn: int) -> str:
    """The URL to show on a shared device after `seat` acted in `turn`, or "" to stay on the page.

    Once the turn was played, the public page if the seats have secrets or the match is over; before that, the
    page of another player at the device whose order is missing. With secrets, nobody has the device then.
    """
    match = seat.match  # the flow has brought it up to date
    if len(mine) < 2:
        return ""
    mine = held(current_guest(request), match)
    standing = flow.standing_of(match)
    secret = match.status in flow.GOING_ON and has_secrets(standing.state)
    if 0 <= turn < match.turn and (secret or match.status not in flow.GOING_ON):
        put_down(request, match)
        return f"{match.get_absolute_url()}?at={turn + 1}.0&play"
    if seat.at in standing.owing:
        return ""
    next_ = next((other for other in mine if other.at in standing.owing), None)
    if next_ is None:
        return ""
    if secret:
        put_down(request, match)
    return next_.get_absolute_url()


def curtain(match: Match, letter: str) -> str:
    """The URL to which a player who takes over the shared device sends a POST."""
    return reverse("here", args=[match.key, letter])
