"""Starting a match with fewer players than seats: free seats are deleted, and the other seats move up."""

from __future__ import annotations

from random import SystemRandom

from games.core import IllegalOption, Setup
from robosite.matches import flow
from robosite.matches.models import Match, Seat

_chance = SystemRandom()


def can_start(match: Match, seats: list[Seat]) -> bool:
    """Returns True if the match can begin with the players who have sat down, although seats are free.

    The match can begin if it is open, at least one seat is free, and its options allow this number of
    players.
    """
    taken = sum(seat.taken for seat in seats)
    return (
        match.status == Match.Status.OPEN and taken < len(seats) and taken in match.game.seats(match.options)
    )


def start_with_fewer(host: Seat) -> None:
    """Begins the match with the players who have sat down. `host` is the creator's seat.

    The players' seats move up, so that no letter is missing. With fewer players the opening differs, so
    sealed orders become drafts again. If the setup does not fit the number of players, a new setup is drawn
    at random. Raises Refused if the match cannot begin with these players (`can_start`), or if `host` is not
    the creator's seat.
    """
    with flow.locked_match(host.match) as match:
        flow.confirm_seat(host)
        if not host.host:
            raise flow.Refused("Only the creator of the match can start it with fewer players.")
        seats = list(match.seats.all())
        if not can_start(match, seats):
            raise flow.Refused(
                "The match cannot begin like this: there are too few players, or all seats are taken."
            )
        taken = [seat for seat in seats if seat.taken]
        flow.begin_with_seats(match, taken, _setup(match, len(taken)))


def _setup(match: Match, seats: int) -> Setup:
    """The match's setup if it fits `seats` players, otherwise a new one, drawn without the creator's wish."""
    game, options = match.game, match.options
    try:
        game.check_setup(options, seats, match.setup)
    except IllegalOption:
        return game.draw(options, seats, _chance, {})
    setup: Setup = match.setup
    return setup
