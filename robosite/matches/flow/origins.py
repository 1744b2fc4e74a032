"""Limits on what strangers from one address hold: open tables, and seats in which they have sealed nothing.

An address is stored as a keyed hash, and only while it counts: until a listed match begins or is called off,
and until a stranger's seat has sealed its first order or its match has ended.
"""

from django.db.models import QuerySet

from robosite.matches.flow.errors import Refused
from robosite.matches.models import GOING_ON, Match, Seat, held_by
from robosite.people.shares import NOWHERE, Origin
from robosite.web.bounds import PLAYERS
from robosite.web.transactions import lock_name

MOST_LISTED = 5
"""The most open tables, and open leagues, of one guest or one address at once."""
MOST_UNSEALED = 3
"""The most strangers' tables at which a guest sits without having sealed there.

All guests of an address who have played may together sit at PLAYERS times as many.
"""


class TooManyTables(Refused):
    """Raised if an address or a guest has too many open tables, or too many seats at strangers' tables."""


def check_listed_here(listed: QuerySet[Match], origin: Origin) -> None:
    """Raises TooManyTables if `listed`, the other open tables, has MOST_LISTED or more of this address.

    Locks the address until the transaction ends. Call it inside the lock of the match to be listed.
    """
    if origin == NOWHERE:
        return
    lock_name(f"origin {origin.key}")
    if listed.filter(listed_from=origin.key).count() >= MOST_LISTED:
        text = "Your network already has {n} open tables. Wait until someone joins, or send a link."
        raise TooManyTables(text, n=MOST_LISTED)


def note_stranger(seat: Seat, origin: Origin) -> None:
    """Stores where a stranger who has just sat down comes from, until they seal there; raises TooManyTables.

    Locks the address until the transaction ends. Call it inside the match's lock.
    """
    if origin == NOWHERE:
        return
    lock_name(f"origin {origin.key}")
    waiting = Seat.objects.filter(stranger_from=origin.share, match__status__in=GOING_ON)
    own = waiting.filter(held_by(origin.guest)) if origin.guest else waiting
    if own.count() >= MOST_UNSEALED or waiting.count() >= MOST_UNSEALED * PLAYERS:
        text = (
            "You, or others on your network, have joined {n} matches without sealing a plan. Seal one "
            "there first."
        )
        raise TooManyTables(text, n=MOST_UNSEALED)
    seat.stranger_from = origin.share
    seat.save(update_fields=["stranger_from"])


def forget_origins(match: Match) -> None:
    """Erases the addresses that are stored with a match that has begun or has ended."""
    match.listed_from = "" if match.status != Match.Status.OPEN else match.listed_from
    if match.status not in GOING_ON:
        Seat.objects.filter(match=match).exclude(stranger_from="").update(stranger_from="")
