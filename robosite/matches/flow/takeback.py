"""Take-backs by consent: the player who has just moved asks, and the other player accepts or declines.

They are possible where seats act one after another, while two players are still in, but not in a competition.
The turn's order moves to `TakenBack`, where its seal can still be checked. A bot agrees at once; then its
answer to the turn is undone too.
"""

from collections.abc import Iterable

from django.utils import timezone

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import Refused, replying
from robosite.matches.flow.orders import TAKEN_OVER
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Hold, Match, MatchFlag, Program, Replies, Seat, TakenBack
from robosite.matches.site_models import Reaction
from robosite.matches.time import timekeeping


def mover(match: Match) -> Letter | None:
    """The seat, not a bot's, that moved last; None if that move cannot be taken back."""
    last = _last(match)
    return last[0] if last else None


def _last(match: Match) -> tuple[Letter, int] | None:
    """The seat, not a bot's, that moved last, and the number of turns to undo, with bots' turns after it."""
    if match.status != Match.Status.PLAYING or not match.turn or match.may_have(MatchFlag.BINDING):
        return None
    states, turns = states_of(match), turns_of(match)
    state = states[match.turn]
    if len(state.to_act()) != 1 or len(state.still_in()) != 2:
        return None
    bots = {seat.at for seat in match.seats.all() if seat.is_bot}
    for turn in range(match.turn - 1, taken_over(match) - 1, -1):
        if not len(states[turn].to_act()) == len(turns[turn]) == 1:
            return None
        (seat,) = turns[turn]
        if state.conceals(turn, seat):
            return None
        if seat not in bots:
            return seat, match.turn - turn
    return None


def taken_over(match: Match) -> int:
    """The number of first turns that were copied from another match, and that cannot be undone."""
    if not match.may_have(MatchFlag.TAKEN_OVER):
        return 0
    last = Program.objects.filter(seat__match=match, by=TAKEN_OVER).order_by("turn").last()
    return last.turn + 1 if last else 0


def needs_no_consent(match: Match, seats: Iterable[Seat]) -> bool:
    """Returns True if a player may undo a turn without asking, since all others still in are bots."""
    still_in = states_of(match)[match.turn].still_in()
    return sum(not seat.is_bot for seat in seats if seat.at in still_in) == 1


def may_ask(match: Match, seat: Seat) -> bool:
    """Returns True if this seat may ask to undo its last turn: it moved last, and has not asked yet."""
    return seat.wish_turn != match.turn and mover(match) == seat.at


def asking(match: Match, seats: Iterable[Seat]) -> Seat | None:
    return next((seat for seat in seats if _stands(match, seat)), None)


def declined(match: Match, seat: Seat) -> bool:
    return seat.wish_turn == match.turn and seat.wish_declined


def ask(seat: Seat, turn: int, taken_back: int) -> None:
    """Asks to undo the seat's last turn; if no other person is still in, undoes it at once."""
    with flow.locked_seat(seat) as match:
        if _went_back(match, turn, taken_back):
            return
        _check_playing_at(match, turn, taken_back)
        if match.may_have(MatchFlag.BINDING):
            raise Refused("This match counts in a competition, so no turn can be taken back.")
        if mover(match) != seat.at:
            raise Refused("Only the player who has just moved can ask for a takeback.")
        if needs_no_consent(match, match.seats.all()):
            _undo(match)
            flow.mark_changed(match)
            return
        if seat.wish_turn == match.turn:
            if seat.wish_declined:
                raise Refused("Your takeback request was declined. The turn stands.")
            return
        seat.wish_turn, seat.wish_declined = match.turn, False
        seat.save(update_fields=["wish_turn", "wish_declined"])
        flow.mark_changed(match)


def withdraw(seat: Seat, turn: int, taken_back: int) -> None:
    with flow.locked_seat(seat) as match:
        _check_playing_at(match, turn, taken_back)
        if _stands(match, seat):
            seat.wish_turn = None
            seat.save(update_fields=["wish_turn"])
            flow.mark_changed(match)


def answer_takeback(seat: Seat, turn: int, taken_back: int, *, accept: bool) -> None:
    """Accepts or declines the other seat's request to undo its last turn."""
    with flow.locked_seat(seat) as match:
        if accept and _went_back(match, turn, taken_back):
            return  # accepted already, and this is the same answer again
        _check_playing_at(match, turn, taken_back)
        asker = asking(match, match.seats.all())
        if asker is None or asker.pk == seat.pk:
            raise Refused("No one is asking you for a takeback now.")
        if accept:
            _undo(match)
        else:
            asker.wish_declined = True
            asker.save(update_fields=["wish_declined"])
        flow.mark_changed(match)


def _stands(match: Match, seat: Seat) -> bool:
    return seat.wish_turn == match.turn and not seat.wish_declined and match.status == Match.Status.PLAYING


def _check_playing_at(match: Match, turn: int, taken_back: int) -> None:
    if match.status != Match.Status.PLAYING:
        raise Refused("This match has stopped.")
    flow.check_current(match, turn, taken_back)


def _went_back(match: Match, turn: int, taken_back: int) -> bool:
    """Returns True if the request that was made at the turn `turn` has been accepted since."""
    return match.taken_back - taken_back == turn - match.turn > 0


def _undo(match: Match) -> None:
    """Undoes the last turn that a person has played (`mover`), and the bots' turns after it."""
    last = _last(match)
    assert last
    others = [seat.at for seat in match.seats.all() if seat.at != last[0]]
    timekeeping.end_turn(match, timezone.now(), refunded=others)
    rewind(match, match.turn - last[1])
    timekeeping.begin_turn(match)


def rewind(match: Match, turn: int) -> None:
    """Makes `turn`, which was played, the present turn again; call it inside the match's lock.

    The played orders move to `TakenBack`. Seals and drafts of the present turn, reactions, planned replies,
    requests to undo a turn, and offers of an ending are dropped.
    """
    played = Program.objects.filter(seat__match=match, turn__gte=turn, turn__lt=match.turn).exclude(order="")
    for number, program in enumerate(played.order_by("-turn"), match.taken_back + 1):
        TakenBack.objects.create(
            seat_id=program.seat_id,
            number=number,
            turn=program.turn,
            order=program.order,
            nonce=program.nonce,
            seal=program.seal,
            sealed_at=program.sealed_at,
        )
    Program.objects.filter(seat__match=match, turn__gte=turn).delete()
    Reaction.objects.filter(seat__match=match, turn__gte=turn).delete()
    nothing = dict.fromkeys(("wish_turn", "draw_turn", "draw_no", "off_turn", "off_no"))
    match.seats.update(wish_declined=False, **nothing)
    Hold.every.filter(seat__match=match, seen_turn__gt=turn).update(seen_turn=turn)
    match.taken_back += match.turn - turn
    match.turn = turn
    replying.drop_all(match, Replies.Dropped.TAKEN_BACK)
