"""Changes of a match that a competition or a moderator decides, without the consent of its players."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack

from django.db import transaction
from django.utils import timezone

from games.core import RESIGN, Game, seat_letters
from games.core import Seat as Letter
from robosite.matches import locks
from robosite.matches.flow import lock
from robosite.matches.flow.errors import GuestGone
from robosite.matches.flow.lock import locked_match
from robosite.matches.flow.lost_seats import erase_plans, pass_seat
from robosite.matches.flow.overdue import FILLS, RESIGNS_AFTER
from robosite.matches.flow.seating import Terms
from robosite.matches.flow.sittings import chance, give_hold, present_guests, reseat
from robosite.matches.flow.standing import standing_of
from robosite.matches.flow.turn import abort, advance, mark_changed, mark_resigned
from robosite.matches.history import state_of
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, MatchFlag, Program, Seat
from robosite.matches.site_models import Holiday
from robosite.matches.time import timekeeping
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name, kept_name, player_name


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a match that is to begin, with the guests who may play for them, or a bot's key."""

    name: str
    kind: str
    guests: Collection[Guest]
    player: str = ""


class Batch:
    """Matches that begin together: `begin_together` adds each, and `store` writes all with a few queries."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self._seats: list[list[Seat]] = []
        self._guests: list[tuple[Match, Seat, int]] = []

    def add(self, match: Match, seats: list[Seat], entrants: Sequence[Entrant]) -> None:
        self.matches.append(match)
        self._seats.append(seats)
        for seat, entrant in zip(seats, entrants, strict=True):
            self._guests += [(match, seat, guest.pk) for guest in entrant.guests]

    def store(self) -> None:
        """Stores the matches as running, with seats and holds (none for erased guests), in a transaction.

        The signal `happened` is not sent: the caller reports all matches together.
        """
        now = timezone.now()
        holders = present_guests({guest for _match, _seat, guest in self._guests})
        away = set(Holiday.objects.filter(guest__in=set(holders.values()), ends__gt=now).values_list("guest"))
        for match, seats in zip(self.matches, self._seats, strict=True):
            _begin(match, len(seats), now)
        holds: dict[tuple[int, int], Hold] = {}
        for match, seat, named in self._guests:
            if guest := holders.get(named):
                holds[id(seat), guest] = Hold(seat=seat, guest_id=guest, sitting=seat.sitting)
                if (guest,) in away:
                    match.flags |= MatchFlag.HOLIDAYS
        Match.objects.bulk_create(self.matches)
        with locks.inside(*(match.pk for match in self.matches)):  # nobody else can see them yet
            Seat.objects.bulk_create([seat for seats in self._seats for seat in seats])
            Hold.every.bulk_create(holds.values())
            for hold in holds.values():
                push.seated(hold.guest_id, hold.seat_id)
            for match, seats in zip(self.matches, self._seats, strict=True):
                if any(seat.is_bot for seat in seats):  # a new match has no page open, but bots listen
                    push.changed(match)


def begin_together(
    game: Game,
    options: Any,
    entrants: Sequence[Entrant],
    *,
    strangers: bool = False,
    batch: Batch | None = None,
    **terms: Unpack[Terms],
) -> Match:
    """Creates a match without links that begins now, or once `batch` is stored; needs a transaction."""
    seats = len(entrants)
    game.check_seats(options, seats)
    match = Match(
        game_slug=game.slug,
        rules=game.rules,
        given_options=game.write_options(options),
        setup=game.draw(options, seats, chance, {}),
        flags=MatchFlag.BINDING | (MatchFlag.STRANGERS if strangers else 0),
        **terms,
    )
    names: list[str] = []
    rows = []
    for letter, entrant in zip(seat_letters(seats), entrants, strict=True):
        names.append(kept_name(entrant.name, letter, names))
        row = Seat(match=match, letter=letter, name=names[-1], kind=entrant.kind, player=entrant.player)
        row.taken_at = timezone.now()
        rows.append(row)
    own = batch or Batch()
    own.add(match, rows, entrants)
    if batch is None:
        own.store()
    return match


def _begin(match: Match, seats: int, now: datetime) -> None:
    match.status = Match.Status.PLAYING
    timekeeping.begin_turn(match)
    match.to_act = "".join(sorted(match.game.state.start(match.options, seats, match.setup).to_act()))
    _settle(match, now)


def set_clocks(matches: Collection[Match]) -> None:
    """Sets the deadlines of matches that have just begun, by the holidays that their competition allows."""
    for match in matches:
        _settle(match, timezone.now())
    Match.objects.bulk_update(matches, ["due", "deadline", "left", "breaks", "reserves"])


def _settle(match: Match, now: datetime) -> None:
    timekeeping.settle(match, now, lambda: [Letter(one) for one in match.to_act or ""], pausing=False)


def let_act(match: Match, seat: Seat, guest: Guest) -> None:
    """Gives a guest a hold on the seat, unless their data were erased; call it inside the match's lock."""
    try:
        with transaction.atomic():
            give_hold(match, seat, guest, seen_turn=max(match.turn - 1, 0))
    except GuestGone:
        return


def pass_to(match: Match, letter: str, guest: Guest | None, **given: Any) -> None:
    """Gives the seat with this letter to one guest alone (`pass_seat`, which also takes `given`)."""
    with locked_match(match) as fresh:
        seat = fresh.seats.get(letter=letter)
        seat.match = fresh
        pass_seat(fresh, seat, guest, timezone.now(), **given)
        fresh.forget_seats()
        mark_changed(fresh)


def dismiss(match: Match, letter: str, keep: Collection[int] = ()) -> None:
    """Disables the seat's link; only the guests in `keep`, by primary key, may still play for the seat.

    If `keep` is empty, the seat's draft and planned replies are erased too.
    """
    with locked_match(match) as fresh:
        seat = fresh.seats.get(letter=letter)
        reseat(seat, link_hash="", keep=keep)
        if not keep:
            erase_plans(seat)
        push.seat_changed(seat)


def resign_for(match: Match, letter: str) -> bool:
    """Resigns for a player who has left; returns True if the match was running and the seat in it."""
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
    """The letters of the seats still in the match that do not resign this turn, and of those that do."""
    standing = standing_of(match)
    there = [seat for seat in standing.seats if seat.at in standing.state.still_in()]
    leaving = [seat.letter for seat in there if seat.at in standing.resigning]
    return [seat.letter for seat in there if seat.letter not in leaving], leaving


def award(match: Match, letter: str) -> bool:
    """Makes all other seats resign, so that this one wins; returns True if the match was running."""
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
    """Ends a match as a draw, even if its players disagree; returns True if the match was running."""
    with locked_match(match) as fresh:
        if fresh.status != Match.Status.PLAYING:
            return False
        fresh.seats.update(draw_turn=fresh.turn, resigned_turn=None)
        fresh.forget_seats()
        mark_changed(fresh)
        advance(fresh)
        return True


def call_off(match: Match) -> bool:
    with locked_match(match) as fresh:
        if fresh.status != Match.Status.PLAYING:
            return False
        abort(fresh)
        return True


def missed_in(match: Match) -> Counter[str]:
    """The deadlines missed, counted by seat: in all turns with `overdue.FILLS`, else since its last seal."""
    filled = Program.objects.filter(seat__match=match, by="deadline").values_list("seat__letter", flat=True)
    missed = Counter(filled)
    for seat in match.seats.all():
        missed[seat.letter] = max(missed[seat.letter], seat.missed)
    return missed


def absent_from(match: Match) -> set[str]:
    """The seats that missed RESIGNS_AFTER deadlines in a row or, without FILLS, missed one and resigned."""
    seats = list(match.seats.all())
    absent = {seat.letter for seat in seats if seat.missed >= RESIGNS_AFTER}
    if match.if_late not in FILLS:
        resigned = Program.objects.filter(seat__match=match, order=RESIGN)
        gave_up = set(resigned.values_list("seat__letter", flat=True))
        absent |= {seat.letter for seat in seats if seat.letter in gave_up and seat.missed}
    return absent


def give_time_back() -> None:
    lock.give_time_back(timezone.now())


def rename(seat: Seat, name: str = "") -> str:
    """Renames a seat's player (“Player A” if `name` is refused); returns the name, "" for a free seat."""
    with locked_match(seat.match) as match:
        seat.refresh_from_db()
        if not seat.taken:
            return ""
        others = [other.name for other in match.seats.all() if other.taken and other.pk != seat.pk]
        try:
            seat.name = clean_name(name, others)
        except RefusedName:
            seat.name = player_name(seat.letter, others)
        seat.save(update_fields=["name"])
        if match.opened_by and match.opened_by not in (other.name for other in match.seats.all()):
            match.opened_by = ""
        mark_changed(match)
    return seat.name


def revoke(seat: Seat) -> None:
    """Disables the seat's link and ends all holds on it; sealed orders stay, guests may ask for the seat."""
    with locked_match(seat.match) as match:
        seat.refresh_from_db()
        reseat(seat, link_hash="")
        mark_changed(match)
    push.seat_changed(seat)


def unlist(match: Match) -> None:
    with locked_match(match) as locked:
        locked.listed = False
        mark_changed(locked)


def list_again(match: Match) -> None:
    with locked_match(match) as locked:
        if locked.status == Match.Status.OPEN:
            locked.listed, locked.listed_at = True, timezone.now()
            mark_changed(locked)
