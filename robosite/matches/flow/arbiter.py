"""Changes of a match that a competition decides, without the consent of its players.

The functions begin a match with all seats taken, give, take and pass on the right to act for a seat, resign
for a player who has left, award a win or a draw, and call a match off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from django.db import transaction
from django.utils import timezone

from games.core import RESIGN, Game, seat_letters
from robosite.matches import locks
from robosite.matches.flow import lock
from robosite.matches.flow.errors import GuestGone
from robosite.matches.flow.handover import pass_seat
from robosite.matches.flow.lock import locked_match, save
from robosite.matches.flow.overdue import RESIGNS_AFTER
from robosite.matches.flow.seating import Terms
from robosite.matches.flow.sittings import chance, give_hold, name_kept, reseat
from robosite.matches.flow.standing import standing_of
from robosite.matches.flow.turn import abort, advance, begin_if_full, mark_changed, mark_resigned
from robosite.matches.history import state_of
from robosite.matches.live import push
from robosite.matches.models import Match, MatchFlag, Program, Seat
from robosite.people.models import Guest


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a match that is to begin, with the guests (visitors) who may play for this player.

    `kind` is the kind of the seat (`Seat.Kind`). `player` is the key of a bot, or "" for other players.
    """

    name: str
    kind: str
    guests: Collection[Guest]
    player: str = ""


def begin_together(
    game: Game, options: Any, entrants: Sequence[Entrant], *, strangers: bool = False, **terms: Unpack[Terms]
) -> Match:
    """Creates a match that begins at once; the entrants get the seats from A on.

    The seats have no secret links. The match counts in a competition (`MatchFlag.BINDING`). `strangers` is
    True if some entrants joined the competition without an invite. `terms` are fields of the match
    (`seating.Terms`). Must be called inside a transaction.
    """
    seats = len(entrants)
    game.check_seats(options, seats)
    match = Match.objects.create(
        game_slug=game.slug,
        rules=game.rules,
        given_options=game.write_options(options),
        setup=game.draw(options, seats, chance, {}),
        flags=MatchFlag.BINDING | (MatchFlag.STRANGERS if strangers else 0),
        **terms,
    )
    with locks.inside(match.pk):  # nobody else can see it yet
        rows = [Seat(match=match, letter=letter) for letter in seat_letters(seats)]
        for at, (seat, entrant) in enumerate(zip(rows, entrants, strict=True)):
            seat.name = name_kept(match, seat, entrant.name, None, [other.name for other in rows[:at]])
            seat.kind, seat.player, seat.taken_at = entrant.kind, entrant.player, match.created_at
        Seat.objects.bulk_create(rows)
        for seat, entrant in zip(rows, entrants, strict=True):
            for guest in entrant.guests:
                let_act(match, seat, guest)
        begin_if_full(match)
        save(match)
    return match


def set_clock(match: Match) -> None:
    """Recomputes the deadline of a match after a change of the limit on holidays in it (Allowance)."""
    with locked_match(match) as fresh:
        mark_changed(fresh)


def let_act(match: Match, seat: Seat, guest: Guest) -> None:
    """Gives a guest the right to play for the seat (a hold), unless the guest's data were erased meanwhile.

    Must be called inside the match's lock.
    """
    try:
        with transaction.atomic():
            give_hold(match, seat, guest, seen_turn=max(match.turn - 1, 0))
    except GuestGone:
        return


def admit(match: Match, letter: str, guest: Guest) -> None:
    """Lets one more guest play for the seat with this letter."""
    with locked_match(match) as fresh:
        let_act(fresh, fresh.seats.get(letter=letter), guest)


def pass_to(match: Match, letter: str, guest: Guest) -> None:
    """Gives the seat with this letter to one guest alone (`handover.pass_seat`).

    The match's page reports the change like the hand-over of a lost seat.
    """
    with locked_match(match) as fresh:
        pass_seat(fresh, fresh.seats.get(letter=letter), guest, timezone.now())
        mark_changed(fresh)


def dismiss(match: Match, letter: str, keep: Collection[int] = ()) -> None:
    """Disables the link of the seat with this letter; only the guests in `keep` may still play for the seat.

    `keep` are primary keys of guests.
    """
    with locked_match(match) as fresh:
        seat = fresh.seats.get(letter=letter)
        reseat(seat, link_hash="", keep=keep)
        push.seat_changed(seat)


def resign_for(match: Match, letter: str) -> bool:
    """Resigns for the seat with this letter, whose player has left.

    Returns False if the match is not running, or if the seat is out of the match or resigns already.
    """
    with locked_match(match) as fresh:
        if fresh.status != Match.Status.PLAYING:
            return False
        seat = fresh.seats.get(letter=letter)
        if seat.at not in state_of(fresh).still_in() or seat.resigned_turn == fresh.turn:
            return False
        mark_resigned(fresh, seat)
        mark_changed(fresh)
        advance(fresh)
        return True


def still_in(match: Match) -> tuple[list[str], list[str]]:
    """Returns two lists of seat letters: seats that play on, and seats that resign in the present turn."""
    standing = standing_of(match)
    there = [seat for seat in standing.seats if seat.at in standing.state.still_in()]
    leaving = [seat.letter for seat in there if seat.at in standing.resigning]
    return [seat.letter for seat in there if seat.letter not in leaving], leaving


def award(match: Match, letter: str) -> bool:
    """Makes all other seats resign, so that the seat with this letter wins.

    Returns False, and changes nothing, if the match is not running.
    """
    with locked_match(match) as fresh:
        if fresh.status != Match.Status.PLAYING:
            return False
        for seat in fresh.seats.exclude(letter=letter):
            if seat.at in state_of(fresh).still_in():
                mark_resigned(fresh, seat)
        fresh.forget_seats()
        mark_changed(fresh)
        advance(fresh)
        return True


def draw(match: Match) -> bool:
    """Ends a match as a draw, whether or not its players agree; returns False if the match is not running."""
    with locked_match(match) as fresh:
        if fresh.status != Match.Status.PLAYING:
            return False
        fresh.seats.update(draw_turn=fresh.turn, resigned_turn=None)
        fresh.forget_seats()
        mark_changed(fresh)
        advance(fresh)
        return True


def call_off(match: Match) -> bool:
    """Calls a match off, so that it ends without a result; returns False if the match is not running."""
    with locked_match(match) as fresh:
        if fresh.status != Match.Status.PLAYING:
            return False
        abort(fresh)
        return True


def missed_in(match: Match) -> Counter[str]:
    """Returns the number of deadlines that each seat is known to have missed, by seat letter.

    In a match with `Match.Late.FILL`, all deadlines that a seat has missed are counted. In other matches,
    only those deadlines are counted that a seat has missed since it last sealed an order.
    """
    filled = Program.objects.filter(seat__match=match, by="deadline").values_list("seat__letter", flat=True)
    missed = Counter(filled)
    for seat in match.seats.all():
        missed[seat.letter] = max(missed[seat.letter], seat.missed)
    return missed


def absent_from(match: Match) -> set[str]:
    """Returns the letters of the seats that have missed RESIGNS_AFTER deadlines in a row.

    In a match without `Match.Late.FILL`, a seat that has resigned is also included if it has missed at least
    one deadline since it last sealed an order.
    """
    seats = list(match.seats.all())
    absent = {seat.letter for seat in seats if seat.missed >= RESIGNS_AFTER}
    if match.late != Match.Late.FILL:
        resigned = Program.objects.filter(seat__match=match, order=RESIGN)
        gave_up = set(resigned.values_list("seat__letter", flat=True))
        absent |= {seat.letter for seat in seats if seat.letter in gave_up and seat.missed}
    return absent


def give_time_back() -> None:
    """Extends deadlines by the length of a downtime of the site (`lock.give_time_back`), if there was one.

    Call this function before taking other locks.
    """
    lock.give_time_back(timezone.now())
