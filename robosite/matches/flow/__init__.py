"""Every change of a match, in layers: each module imports only from those that stand to its left.

errors ← sittings ← orders ← standing ← turn ← overdue, handover ← lock ← series ← seating, sealing ← ending ←
takeback, pauses, starting, seat_requests, holidays, recounts, nudges, moderation

Callers write `flow.seal(…)`, and name the modules right of `ending`: `takeback.ask(…)`. The flow is the
same for every game: a sequential game is a turn with one seat in it.
"""

from robosite.matches.flow.ending import (
    claim,
    close,
    decline_ending,
    forget,
    give_up_unreadable,
    offer_draw,
    offer_ending,
    resign,
)
from robosite.matches.flow.errors import GuestGone, Refused, SeatLost, TooLong, WrongInvite
from robosite.matches.flow.handover import note_handover, passed
from robosite.matches.flow.lock import apply_due, give_time_back, happened, locked_match
from robosite.matches.flow.orders import (
    GOING_ON,
    LONGEST_ORDER,
    Receipt,
    check_current,
    is_unreadable,
    why_not_this_turn,
)
from robosite.matches.flow.sealing import check_order, draft, plan_of, reopen, seal, seal_for_bot
from robosite.matches.flow.seating import (
    add_bot,
    cancel_before_start,
    create,
    invite_opens,
    join,
    kept_for,
    lay_anew,
    leave,
    new_invite,
    new_link,
    note_opened,
    rejoin,
    rematch,
    remove_bot,
    take,
)
from robosite.matches.flow.sittings import Taken, confirm_seat, move_holds, note_addressed, reseat
from robosite.matches.flow.standing import (
    Ending,
    Standing,
    acting,
    draft_of,
    has_declined,
    note_acting,
    order_of,
    owing,
    standing_draw,
    standing_of,
    stands,
)
from robosite.matches.flow.turn import advance, mark_changed

__all__ = [
    "GOING_ON",
    "LONGEST_ORDER",
    "Ending",
    "GuestGone",
    "Receipt",
    "Refused",
    "SeatLost",
    "Standing",
    "Taken",
    "TooLong",
    "WrongInvite",
    "acting",
    "add_bot",
    "advance",
    "apply_due",
    "cancel_before_start",
    "check_current",
    "check_order",
    "claim",
    "close",
    "confirm_seat",
    "create",
    "decline_ending",
    "draft",
    "draft_of",
    "forget",
    "give_time_back",
    "give_up_unreadable",
    "happened",
    "has_declined",
    "invite_opens",
    "is_unreadable",
    "join",
    "kept_for",
    "lay_anew",
    "leave",
    "locked_match",
    "mark_changed",
    "move_holds",
    "new_invite",
    "new_link",
    "note_acting",
    "note_addressed",
    "note_handover",
    "note_opened",
    "offer_draw",
    "offer_ending",
    "order_of",
    "owing",
    "passed",
    "plan_of",
    "rejoin",
    "rematch",
    "remove_bot",
    "reopen",
    "reseat",
    "resign",
    "seal",
    "seal_for_bot",
    "standing_draw",
    "standing_of",
    "stands",
    "take",
    "why_not_this_turn",
]
