"""Prepared queries (`engine/prepared.py`) for the parts of a match that almost every request reads."""

from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS
from django.db.models import F

from robosite.engine.prepared import Prepared
from robosite.matches.models import HELD, Hold, Match, Program, Seat, seats_for
from robosite.people.models import Guest

ORDER = ("seat__match", "turn", "seat__letter", "order", "seal", "secret")

_match_by_key = Prepared(lambda key: Match.objects.filter(key=key), str)
for_update = Prepared(lambda pk: Match.objects.select_for_update().filter(pk=pk), int)
fresh_seat = Prepared(lambda pk: Seat.objects.filter(pk=pk), int)
seat_by_link = Prepared(lambda hash_: Seat.objects.filter(link_hash=hash_), str)
_seats = Prepared(lambda match: Seat.objects.filter(match=match), int)
_seats_for = Prepared(lambda guest, match: seats_for(guest).filter(match=match), int, int)
_program = Prepared(lambda seat, turn: Program.objects.filter(seat=seat, turn=turn), int, int)
programs = Prepared[Any](
    lambda match, turn: Program.objects.filter(seat__match=match, turn=turn).annotate(
        sitting=F("seat__sitting")
    ),
    int,
    int,
)
programs_played = Prepared(
    lambda match, turn: (
        Program.objects.filter(seat__match=match, turn=turn).select_related("seat").order_by("seat__letter")
    ),
    int,
    int,
)
played_orders = Prepared[Any](
    lambda match, first, last: (
        Program.objects.filter(seat__match=match, turn__gte=first, turn__lt=last)
        .order_by("turn", "seat__letter")
        .values_list(*ORDER)
    ),
    int,
    int,
    int,
)


class PlayedOrder(NamedTuple):
    """An order that was played, with what a replay needs; while the rules hide it, only `secret` has it."""

    match_id: int
    turn: int
    letter: str
    order: str
    seal: str
    secret: bytes | memoryview | None


def match_by_key(key: str) -> Match | None:
    return _match_by_key.first(key)


def seats_of(match: Match) -> list[Seat]:
    known = match.known_seats
    return list(known) if known is not None else _known_match(match, _seats.rows(match.pk))


def with_seats(matches: list[Match]) -> list[Match]:
    """Reads the seats of these matches in one query and caches them on the matches, which it returns."""
    seats: dict[int, list[Seat]] = {match.pk: [] for match in matches}
    for seat in Seat.objects.filter(match__in=matches).order_by("letter", "pk"):
        seats[seat.match_id].append(seat)
    for match in matches:
        match.know_seats(seats[match.pk])
    return matches


def held_seats(match: Match, guest: Guest) -> list[Seat]:
    """The seats of this match that the guest holds, each with its `hold` set; caches all its seats."""
    seats = _known_match(match, _seats_for.rows(guest.pk, match.pk))
    match.know_seats(seats)
    mine = [seat for seat in seats if getattr(seat, "held_id", None) is not None]
    for seat in mine:
        seat.hold = Hold.from_db(DEFAULT_DB_ALIAS, HELD, [getattr(seat, f"held_{name}") for name in HELD])
        seat.hold.seat, seat.hold.guest = seat, guest
    return mine


def program_of(seat: Seat, turn: int) -> Program | None:
    program = _program.first(seat.pk, turn)
    if program is not None:
        program.seat = seat
    return program


def _known_match(match: Match, seats: list[Seat]) -> list[Seat]:
    for seat in seats:
        seat.match = match
    return seats
