"""The players of a match, as its page lists them."""

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from games.core import Progress
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.models import Match, Seat


@dataclass(frozen=True, slots=True)
class Player:
    """A seat as the match's page lists it.

    `state` is "free", "planning", "sealed", "waiting", "resigns", "timed out", "out", or "" after the end;
    `share` is the seat's part of the match's one point.
    """

    seat: Seat
    side: str
    you: bool
    state: str
    asks: list[str]
    share: float | None
    tally: Progress | None

    @property
    def key(self) -> tuple[object, ...]:
        """The facts on which the player's row depends, besides the position and the name."""
        return self.seat.letter, self.seat.player, self.seat.passed_at, self.state, *self.asks


def table_mark(seats: Iterable[Seat]) -> str:
    """A hash that changes when a player sits down, leaves or gets another name."""
    sitting = sorted((one.letter, one.name, str(one.taken_at)) for one in seats if one.taken)
    return f"{crc32(repr(sitting).encode()):08x}"[:4]


def show_players(standing: flow.Standing, you: Seat | None) -> list[Player]:
    match, state, seats = standing.match, standing.state, standing.seats
    owing = set(standing.owing)
    outcome = match.outcome
    still_in = state.still_in()

    def stands(seat: Seat) -> str:
        if not seat.taken:
            return "free"
        if outcome or match.status == Match.Status.ABORTED:
            return ""
        if seat.at not in still_in:
            return "out"
        if seat.resigned_turn == match.turn:
            return "timed out" if seat.timed_out else "resigns"
        if seat.at in owing:
            return "planning"
        return "sealed" if seat.at in standing.sealed else "waiting"

    return [
        Player(
            seat,
            side=state.side(seat.at),
            you=you is not None and seat.pk == you.pk,
            state=stands(seat),
            asks=_asks(match, seat) if match.status == Match.Status.PLAYING else [],
            share=outcome.scores.get(seat.at) if outcome else None,
            tally=state.progress(seat.at),
        )
        for seat in seats
    ]


def _asks(match: Match, seat: Seat) -> list[str]:
    asks = [str(ending) for ending in flow.Ending if flow.offer_stands(seat, match, ending)]
    asks += ["pause"] * (seat.wants_pause and not match.paused)
    return asks + ["back"] * (takeback.asking(match, [seat]) is not None)
