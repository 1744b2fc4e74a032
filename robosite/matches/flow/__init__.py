"""The flow: all functions that change a match, in layers; the same for every game.

Each raises SeatLost if the caller may no longer act for the seat, and Refused, with a sentence for the
player, if its action is not possible now; it has then changed nothing. Parameters `turn` and `taken_back` are
as the player's page shows them: a page of another turn is refused.
Each module imports from modules to its left, and signs imports pauses:
errors ← sittings ← orders ← standing, replying ← turn ← overdue, lost_seats ← lock ← series ←
seating, sealing ← ending ← takeback, seat_requests, pauses, signs, listing,
replies, handover, arbiter, continuation, imports. Functions of the modules up to
`ending` are called as `flow.seal(…)`, the others as `takeback.ask(…)`.
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
from robosite.matches.flow.errors import (
    GuestGone,
    Refused,
    SeatLost,
    TooLong,
    TurnTakenBack,
    WrongInvite,
    or_lost,
)
from robosite.matches.flow.lock import apply_due, give_time_back, happened, locked_match, locked_seat
from robosite.matches.flow.lost_seats import note_handover, passed
from robosite.matches.flow.orders import (
    LONGEST_ORDER,
    Receipt,
    check_current,
    is_unreadable,
    played_order,
    why_not_this_turn,
)
from robosite.matches.flow.sealing import (
    Change,
    check_order,
    draft,
    note_seen,
    plan_of,
    redraft,
    reopen,
    seal,
    seal_for_bot,
)
from robosite.matches.flow.seating import (
    add_bot,
    begin_with_seats,
    cancel_before_start,
    create,
    invited_from,
    join,
    kept_for,
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
    draft_of,
    has_declined,
    kept_draft,
    letters_to_act,
    offer_stands,
    order_of,
    owing,
    standing_draw,
    standing_of,
)
from robosite.matches.flow.turn import advance, mark_changed
from robosite.matches.models import GOING_ON
