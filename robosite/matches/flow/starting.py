"""Starting a match with fewer players than seats: free seats are deleted, and the other seats move up."""

from random import SystemRandom

from games.core import IllegalOption, Setup
from robosite.matches import flow
from robosite.matches.models import Match, Seat

_chance = SystemRandom()


def can_start(match: Match, seats: list[Seat]) -> bool:
    """Returns True if the open match, with a free seat, can begin with the players who have sat down."""
    taken = sum(seat.taken for seat in seats)
    return (
        match.status == Match.Status.OPEN and taken < len(seats) and taken in match.game.seats(match.options)
    )


def start_with_fewer(host: Seat) -> None:
    """Begins the match with only the players who have sat down, for its creator's seat `host`."""
    with flow.locked_match(host.match) as match:
        flow.confirm_seat(host)
        if not host.host:
            raise flow.Refused("Only the creator of the match can start it with fewer players.")
        seats = list(match.seats.all())
        if not can_start(match, seats):
            raise flow.Refused(
                "The match can’t begin like this: too few players have joined, or all seats are taken."
            )
        taken = [seat for seat in seats if seat.taken]
        flow.begin_with_seats(match, taken, _setup(match, len(taken)))


def _setup(match: Match, seats: int) -> Setup:
    game, options = match.game, match.options
    try:
        game.check_setup(options, seats, match.setup)
    except IllegalOption:
        return game.draw(options, seats, _chance, {})
    setup: Setup = match.setup
    return setup
