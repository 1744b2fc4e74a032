"""Reactions: signs without text that players give to steps of turns that were played."""

from django.utils.translation import gettext_noop as _

from robosite.matches import locks
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.turn import mark_changed
from robosite.matches.history import film
from robosite.matches.live import push
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.matches.site_models import Reaction

SIGNS = {
    "haha": _("Ha ha!"),
    "wow": _("Wow!"),
    "ouch": _("Ouch!"),
    "love": _("Lovely!"),
    "bravo": _("Bravo!"),
    "boom": _("Boom!"),
}


def react(seat: Seat, turn: int, step: int, sign: str) -> None:
    """Gives the seat's sign to a step, in place of an earlier one; with "", takes it back."""
    with locks.locked(seat.match_id) as match:
        confirm_seat(seat)
        if not (0 <= turn < match.turn and 1 <= step < len(film(match, turn))):
            raise Refused("This step isn’t there any more.")
        if sign:
            Reaction.objects.update_or_create(seat=seat, turn=turn, step=step, defaults={"sign": sign})
        else:
            Reaction.objects.filter(seat=seat, turn=turn, step=step).delete()
        match.set_flag(MatchFlag.REACTIONS)
        mark_changed(match)
        match.save(update_fields=["version"])
        push.changed(match)
    seat.match = match


def reactions_of(match: Match, turn: int | None = None) -> list[tuple[int, int, str, str]]:
    """The turn, step, seat and sign of all reactions in a match, or in one of its turns, in this order."""
    if not match.may_have(MatchFlag.REACTIONS):
        return []
    found = Reaction.objects.filter(seat__match=match).order_by("turn", "step", "seat__letter")
    found = found if turn is None else found.filter(turn=turn)
    return list(found.values_list("turn", "step", "seat__letter", "sign"))
