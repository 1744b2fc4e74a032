"""A pause by consent: the clock of a match stands still while each person still in it wants a pause."""

from robosite.matches import flow
from robosite.matches.models import Match, MatchFlag, Seat


def ask(seat: Seat, *, agrees: bool = False) -> None:
    """Asks for a pause, or agrees to one; who `agrees` answers a request that must still be there."""
    with flow.locked_match(seat.match) as match:
        _check(match, seat)
        if match.may_have(MatchFlag.BINDING):
            raise flow.Refused(
                "This match counts in a competition, so it can’t be paused. Holidays still stop the clock."
            )
        if match.deadline_hours is None:
            raise flow.Refused("This match has no time limit: take all the time you need.")
        if agrees and not match.seats.filter(wants_pause=True).exclude(pk=seat.pk).exists():
            raise flow.Refused("No one is offering that now. Look at the match again.")
        if not seat.wants_pause:
            seat.wants_pause = True
            seat.save(update_fields=["wants_pause"])
            flow.mark_changed(match)


def play_on(seat: Seat) -> None:
    """Ends a pause, or withdraws all requests for one; raises Refused if not running, or for who is out."""
    with flow.locked_match(seat.match) as match:
        _check(match, seat)
        if match.seats.filter(wants_pause=True).update(wants_pause=False):
            flow.mark_changed(match)


def _check(match: Match, seat: Seat) -> None:
    flow.confirm_seat(seat)
    if match.status != Match.Status.PLAYING:
        raise flow.Refused("This match has stopped.")
    if seat not in flow.standing_of(match).seats_of_people:
        raise flow.Refused("You’re out of this match.")
