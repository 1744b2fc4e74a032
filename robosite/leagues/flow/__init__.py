"""The functions that change a league and its places, in layers.

Each module imports only from modules to the left of it: league_lock ← joining, beginning, endings
← settling ← leaving ← place_links ← place_offers ← organising. A function that locks matches
locks the league's row first. Callers write `flow.join(…)`.
"""

from robosite.leagues.flow.beginning import STEP, begun, holidays_of, start
from robosite.leagues.flow.endings import FINISHED, written_order
from robosite.leagues.flow.joining import (
    Made,
    TakenPlace,
    add_bot,
    check_room,
    create,
    join,
    names_in,
    new_invite,
    replaced,
    stop_waiting,
    wait,
)
from robosite.leagues.flow.league_lock import May, give_time_back, locked_league, never_started
from robosite.leagues.flow.leaving import forget, leave, remove
from robosite.leagues.flow.organising import (
    choose,
    close,
    hand_on,
    is_organised_by,
    may_choose,
    organisers_place,
    rename,
    rename_places,
)
from robosite.leagues.flow.place_links import (
    MOST_HOLDERS,
    new_link,
    new_link_at,
    new_organiser_link,
    note_organiser,
    nudge,
    place_of,
    revoke,
    seat_of_place,
    take,
    vacate,
)
from robosite.leagues.flow.place_offers import (
    hand_over,
    keep,
    may_hand_over,
    offer,
    offered,
    take_offer,
    take_vacant,
)
from robosite.leagues.flow.settling import brought_up, listen, settle, settle_some
