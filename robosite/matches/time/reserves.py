"""Time reserves: an amount of time that each seat has for the whole match, besides the time for each turn.

An offset is the amount of time that counts (`calendar.py`) since the time for the turn was over, negative
before that. Pauses, weekends off, holidays and downtime do not count, so they need no rule here.
- A seat spends its reserve while it owes an order and the offset is above zero. A seat that reopens its order
spends from the offset of that moment on; the time while the order was sealed costs nothing. When a seat owes
nothing any more, the time that it has spent is deducted. It is late when its whole reserve is spent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from games.core import Seat as Letter

NOTHING = timedelta()
UNIT = timedelta(microseconds=1)


@dataclass(slots=True)
class SeatReserve:
    """The time reserve of one seat, and how much of it the present turn has cost."""

    left: timedelta
    """The reserve that was left when the turn began."""
    spent: timedelta = NOTHING
    """The part of `left` that was deducted in this turn."""
    since: timedelta | None = None
    """The offset from which the seat spends its reserve; None while it owes no order."""
    is_late: bool = False
    """True once the seat has been late in this turn, even if it has sealed since."""
    deadline: datetime | None = None
    """The time when the seat is or became late; None if it owes no order or the clock stands still."""

    @property
    def rest(self) -> timedelta:
        return self.left - self.spent

    @property
    def ends(self) -> timedelta | None:
        """The offset at which the seat is late; None while it owes no order."""
        return None if self.since is None else self.since + self.rest

    def stop(self, offset: timedelta) -> None:
        """Deducts the time that the seat has spent until this offset, since it owes no order any more."""
        if self.since is not None:
            self.spent = min(self.left, self.spent + max(offset - self.since, NOTHING))
        self.since = None
        if not self.is_late:
            self.deadline = None


@dataclass(slots=True)
class Reserves:
    """The time reserves of all seats of a match, in one of its turns."""

    whole: timedelta
    turn: str = ""
    """The turn to which these reserves belong, as named by `mark`."""
    until: timedelta = NOTHING
    """The offset at which the match is due next."""
    begins: datetime | None = None
    """The moment from which reserves are spent in this turn; None while the clock is not set."""
    seats: dict[Letter, SeatReserve] = field(default_factory=dict)

    def of(self, letter: Letter) -> SeatReserve:
        """The time reserve of a seat; if none is stored yet, stores a whole one."""
        return self.seats.setdefault(letter, SeatReserve(self.whole))

    def begin_turn(self, turn: str, *, refund: bool = False) -> None:
        self.turn, self.until, self.begins = turn, NOTHING, None
        for letter, seat in self.seats.items():
            self.seats[letter] = SeatReserve(seat.left if refund else seat.rest)

    def note_owing(self, owing: Collection[Letter], offset: timedelta) -> None:
        """Makes the seats in `owing` spend from `offset` on, unless they do already, and all others stop."""
        for letter in owing:
            seat = self.of(letter)
            if seat.since is None:
                seat.since = max(offset, NOTHING)
        for letter, seat in self.seats.items():
            if letter not in owing:
                seat.stop(offset)

    def next_late(self) -> timedelta | None:
        """The offset at which the next seat is late; None if no seat will become late."""
        return min(
            (seat.ends for seat in self.seats.values() if seat.ends is not None and not seat.is_late),
            default=None,
        )

    def mark_late(self, at: datetime) -> set[Letter]:
        """Marks as late, and returns, the seats whose reserve is spent at `self.until`, the moment `at`."""
        late = {
            letter
            for letter, seat in self.seats.items()
            if seat.ends is not None and not seat.is_late and seat.ends <= self.until
        }
        for letter in late:
            self.seats[letter].is_late, self.seats[letter].deadline = True, at
        return late

    def as_json(self) -> dict[str, Any]:
        """The data for `Match.reserves`: all fields but `whole`, with times in microseconds."""
        return {
            "turn": self.turn,
            "until": self.until // UNIT,
            "begins": _text(self.begins),
            "seats": {
                str(letter): {
                    "left": seat.left // UNIT,
                    "spent": seat.spent // UNIT,
                    "since": None if seat.since is None else seat.since // UNIT,
                    "late": seat.is_late,
                    "deadline": _text(seat.deadline),
                }
                for letter, seat in sorted(self.seats.items())
            },
        }

    @classmethod
    def read(cls, whole: timedelta, data: Mapping[str, Any]) -> Reserves:
        seats = {
            Letter(letter): SeatReserve(
                seat["left"] * UNIT,
                spent=seat["spent"] * UNIT,
                since=None if seat["since"] is None else seat["since"] * UNIT,
                is_late=seat["late"],
                deadline=_moment(seat["deadline"]),
            )
            for letter, seat in data["seats"].items()
        }
        return cls(whole, data["turn"], data["until"] * UNIT, _moment(data["begins"]), seats)


def mark(turn: int, taken_back: int) -> str:
    """A unique name of a turn, such as `7.0`, for `Reserves.turn`."""
    return f"{turn}.{taken_back}"


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
