"""The functions that change a league and its places, in layers.

Each module imports only from modules to the left of it: league_lock, cup_rounds ← joining, beginning, endings
← settling ← leaving ← place_links, closing. A function that locks matches locks the league's row first.
Callers write `flow.join(…)`.
"""

from robosite.leagues.flow.beginning import STEP, begun, holidays_of, start
from robosite.leagues.flow.closing import close, rename, rename_places
from robosite.leagues.flow.endings import FINISHED, written_order
from robosite.leagues.flow.joining import (
    Made,
    TakenPlace,
    add_bot,
    check_room,
    create,
    invite_opens,
    join,
    new_invite,
)
from robosite.leagues.flow.league_lock import locked_league
from robosite.leagues.flow.leaving import forget, leave
from robosite.leagues.flow.place_links import (
    MOST_HOLDERS,
    new_link,
    new_link_at,
    new_organiser_link,
    offer,
    offered,
    place_of,
    revoke,
    seat_of_place,
    take,
    take_offer,
)
from robosite.leagues.flow.settling import brought_up, listen, settle, settle_some

__all__ = [
    "FINISHED",
    "MOST_HOLDERS",
    "STEP",
    "Made",
    "TakenPlace",
    "add_bot",
    "begun",
    "brought_up",
    "check_room",
    "close",
    "create",
    "forget",
    "holidays_of",
    "invite_opens",
    "join",
    "leave",
    "listen",
    "locked_league",
    "new_invite",
    "new_link",
    "new_link_at",
    "new_organiser_link",
    "offer",
    "offered",
    "place_of",
    "rename",
    "rename_places",
    "revoke",
    "seat_of_place",
    "settle",
    "settle_some",
    "start",
    "take",
    "take_offer",
    "written_order",
]
