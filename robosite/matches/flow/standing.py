"""The standing of a match: seats, state, programs of the present turn, and all that follows from these."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from games.core import Seat as Letter
from games.core import State
from robosite.matches import reading
from robosite.matches.flow.orders import Receipt, kept_secret, receipt, text_of
from robosite.matches.history import state_of
from robosite.matches.models import GOING_ON, Match, Program, Seat
from robosite.matches.seals import KeyMissing, Secret
from robosite.matches.time import timekeeping


def draft_of(match: Match, seat: Seat, standing: Standing | None = None) -> str:
    """The text of the seat's draft for the present turn, or of its last draft if the match has ended."""
    return kept_draft(match, seat, standing).text


def kept_draft(match: Match, seat: Seat, standing: Standing | None = None) -> Secret:
    """The seat's draft as a Secret (`nonce`: its marks); an empty one if there is none to be read."""
    standing = standing or standing_of(match)
    program = standing.programs.get(seat.at) if standing.is_seated(seat) else None
    if program is None and match.status not in GOING_ON:
        program = Program.objects.filter(seat=seat, turn=match.turn - 1, order="").first()
    if program is None or program.sealed or not program.secret:
        return Secret("")
    return kept_secret(match, seat, program)


def order_of(match: Match, seat: Seat, standing: Standing | None = None) -> Receipt | None:
    """The receipt of the order that this seat has sealed now, or None; with "" if no key decrypts it."""
    standing = standing or standing_of(match)
    program = standing.programs.get(seat.at) if standing.is_seated(seat) else None
    if program is None or not program.sealed:
        return None
    return receipt(match, seat, program, text_of(match, seat, program), revealed=False)


class Ending(StrEnum):
    DRAW = "draw"
    OFF = "off"
    """The match is called off: nobody wins, and it does not count. Bots always agree."""


def offer_stands(seat: Seat, match: Match, ending: Ending) -> bool:
    """Returns True if the seat offered this ending in the present turn or the turn before."""
    offered_turn = getattr(seat, f"{ending}_turn")
    return offered_turn is not None and offered_turn + 1 >= match.turn


def standing_draw(seat: Seat, match: Match) -> bool:
    return offer_stands(seat, match, Ending.DRAW)


def has_declined(seat: Seat, match: Match, offers: Collection[Seat], ending: Ending) -> bool:
    """Returns True if the seat has declined this ending, and it was not offered again in a later turn."""
    last = max((getattr(other, f"{ending}_turn") for other in offers), default=0)
    declined_turn = getattr(seat, f"{ending}_no")
    return declined_turn is not None and declined_turn >= last and not offer_stands(seat, match, ending)


@dataclass(frozen=True, slots=True)
class Standing:
    """A match with its seats, its state and its programs for the present turn, read at one time."""

    match: Match
    seats: list[Seat]
    state: State
    programs: Mapping[Letter, Program]

    def is_seated(self, seat: Seat) -> bool:
        """Returns True if `seat` still has the same player and link (`sitting`) as in this standing."""
        return any(one.pk == seat.pk and one.sitting == seat.sitting for one in self.seats)

    def with_program(self, seat: Letter, program: Program) -> Standing:
        return replace(self, programs={**self.programs, seat: program})

    @property
    def sealed(self) -> dict[Letter, Program]:
        return {seat: program for seat, program in self.programs.items() if program.sealed}

    @property
    def resigning(self) -> set[Letter]:
        return {seat.at for seat in self.seats if seat.resigned_turn == self.match.turn}

    @property
    def draw_offers(self) -> set[Letter]:
        return {seat.at for seat in self.seats if standing_draw(seat, self.match)}

    @property
    def people(self) -> frozenset[Letter]:
        """The seats of people who are still in the match and do not resign in this turn."""
        return self.state.still_in() - self.resigning - {seat.at for seat in self.seats if seat.is_bot}

    @property
    def seats_of_people(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.at in self.people]

    @property
    def left_by_resigning(self) -> bool:
        """Returns True if this turn's resignations leave at most one seat in the match, and so end it."""
        still_in = self.state.still_in()
        return len(still_in - self.resigning) <= 1 and bool(still_in & self.resigning)

    @property
    def calling_off(self) -> bool:
        """Returns True if the match is to be called off now, since all people still in it offer that."""
        if not self.people or self.left_by_resigning:
            return False
        return self.people <= {seat.at for seat in self.seats if offer_stands(seat, self.match, Ending.OFF)}

    @property
    def owing(self) -> list[Letter]:
        """The seats that still owe an order for the present turn, in seat order."""
        if self.match.status not in GOING_ON:
            return []
        owing = self.state.to_act() - self.sealed.keys() - self.resigning
        return [seat.at for seat in self.seats if seat.at in owing]

    @property
    def late(self) -> list[Letter]:
        """The seats that still owe an order although their time is over, in seat order."""
        return timekeeping.late_seats(self.match, self.owing)

    def claimable(self, by: Letter) -> list[Letter]:
        """The late seats that the seat `by` may force to resign (`ending.claim`)."""
        match = self.match
        claims = match.overdue and match.status == Match.Status.PLAYING and match.if_late == Match.Late.WAIT
        return self.late if claims and by not in self.owing else []


def standing_of(match: Match) -> Standing:
    """Reads a match's standing; seats that are cached on `match` are not read again.

    If a seat has got a new player or link since the seats were read, its order is left out.
    """
    seats = reading.seats_of(match)
    letters = {(seat.pk, seat.sitting): seat.at for seat in seats}
    given = {
        letters[program.seat_id, program.sitting]: program
        for program in reading.programs.rows(match.pk, match.turn)
        if (program.seat_id, program.sitting) in letters
    }
    return Standing(match, seats, state_of(match), given)


def letters_to_act(match: Match) -> str:
    """The value of `Match.to_act`: the letters of all that act in the present turn, sealed or not, sorted."""
    try:
        return "".join(sorted(state_of(match).to_act())) if match.status in GOING_ON else ""
    except KeyMissing:
        return ""


def owing(match: Match) -> list[Letter]:
    return standing_of(match).owing


def wants_pause(match: Match) -> bool:
    """Returns True if the match is running, and each person who is still in it wants a pause."""
    if match.status != Match.Status.PLAYING or not match.seats.filter(wants_pause=True).exists():
        return False
    return all(seat.wants_pause for seat in standing_of(match).seats_of_people)
