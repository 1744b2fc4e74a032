"""Starting with fewer players than seats: the free seats go, and the others close up."""

from __future__ import annotations

from random import SystemRandom

from games.core import IllegalOption, Setup
from robosite.matches import flow
from robosite.matches.models import Match, Seat

_chance = SystemRandom()


def can_start(match: Match, seats: list[Seat]) -> bool:
    """Whether enough players sit there to begin without the others."""
    taken = sum(seat.taken for seat in seats)
    return (
        match.status == Match.Status.OPEN and taken < len(seats) and taken in match.game.seats(match.options)
    )


def start_with_fewer(host: Seat) -> None:
    """The creator begins with the players present. Seats after a free one move up, so letters have no gaps.

    The opening is another one with fewer, so sealed orders are drafts again; and where the setup is not one
    for that many, chance draws it anew, before anybody has sealed.
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
        flow.lay_anew(match, taken, _setup(match, len(taken)))


def _setup(match: Match, seats: int) -> Setup:
    """The setup if it fits so many players, else a new one; a wish that was for more players is then gone."""
    game, options = match.game, match.options
    try:
        game.check_setup(options, seats, match.setup)
    except IllegalOption:
        return game.draw(options, seats, _chance, {})
    setup: Setup = match.setup
    return setup
