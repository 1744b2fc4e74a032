"""Between strangers, who met at an open table: stock phrases alone until they have played a little."""

from __future__ import annotations

from django.db.models import Count, Q

from robosite.matches.models import Match, MatchExtra, Seat

SEALS = 2
"""So many orders everybody has sealed before anything can be typed."""


def only_phrases(match: Match) -> bool:
    """Tell whether those who sit at this table may say nothing but stock phrases.

    So it is where somebody sat down without an invite, until all who play have sealed twice with their own
    hands. Whoever resigned is not waited for, as long as two others are there.
    """
    if not match.may_have(MatchExtra.STRANGERS):
        return False
    own = Q(programs__by="", programs__sealed_at__isnull=False) & ~Q(programs__seal="")
    people = Seat.objects.filter(match=match, taken_at__isnull=False).exclude(kind=Seat.Kind.BOT)
    seats = list(people.annotate(sealed=Count("programs", filter=own)))
    staying = [seat for seat in seats if seat.resigned_turn is None]
    return any(seat.sealed < SEALS for seat in (staying if len(staying) > 1 else seats))
