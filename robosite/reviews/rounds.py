"""The rounds of a review as its page shows them: in words and slots, with the players' present names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from games.core import Order, State, play_turn
from games.core import Seat as Letter
from games.review import HITS, SHARE, unit_of
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match
from robosite.play.film import Row
from robosite.reviews.review_process import Round

SUMMED_UP = 5
"""The number of orders in the summary: those with the largest regret."""
LIKELIEST = 5
"""The number of programs of a near-equilibrium that are listed for a player."""
HIGH, WIDE = 24, 8
"""The height of the picture of regrets, and the width of a round in it, in the picture's units."""
LEAST = {HITS: 0.005, SHARE: 2.0}
"""The minimum regret, by unit; less counts as none, since it would be shown as 0 or estimates are not as
precise."""
SCALE = {HITS: 1, SHARE: 100}
"""The factor by which values are multiplied to be shown: shares of the point become hundredths."""


class Line(NamedTuple):
    """The review of a player's order in a round: the `best` order possible, and the difference in value,
    `regret`.

    Values are in hits or, in games without hits, in hundredths of a win.
    """

    seat: Letter
    side: str
    name: str
    landed: int
    taken: int
    value: float
    best_value: float
    regret: float
    order: Order
    best: Order
    sure: bool = False
    then: Line | None = None
    """The same order, judged only by what the player could know at the time; None if that was not
    computed."""

    @property
    def costs(self) -> bool:
        """Tell whether another order would have been better."""
        return bool(self.regret) or self.sure


class Part(NamedTuple):
    """A player's part of the near-equilibrium: its likeliest programs with their shares in per cent.

    `others` is the number of programs that are left out.
    """

    seat: Letter
    side: str
    name: str
    value: float
    gap: float
    programs: list[tuple[Order, float]]
    others: int


class Reviewed(NamedTuple):
    """A round, numbered from 1; it has no lines if it was not judged or could not be."""

    number: int
    lines: list[Line]
    failed: bool = False

    def line_of(self, seat: Letter) -> Line | None:
        """The review of a player's order; None if the player was not in the round."""
        return next((line for line in self.lines if line.seat == seat), None)


class Bar(NamedTuple):
    """A bar of the picture: its left edge and its height."""

    x: int
    height: float


def reviewed(match: Match, found: Mapping[int, Round], names: Mapping[Letter, str]) -> list[Reviewed]:
    """Converts the rounds that are done (by turn from 0) for the page, in order."""
    states = states_of(match)
    unit = unit_of(states[0])
    scale, digits = SCALE[unit], 0 if unit == SHARE else 4

    def line(turn: int, seat: Letter, entry: Mapping[str, Any]) -> Line:
        value, best_value = (round(entry[key] * scale, digits) for key in ("value", "best_value"))
        sure = entry.get("sure", False)
        regret = best_value - value
        if regret < LEAST[unit] and not sure:
            regret = 0.0
        return Line(
            seat=seat,
            side=states[turn].side(seat),
            name=names[seat],
            landed=entry.get("landed", 0),
            taken=entry.get("taken", 0),
            value=value,
            best_value=best_value,
            regret=regret,
            order=entry.get("order", ""),
            best=entry["best"],
            sure=sure,
            then=line(turn, seat, entry["then"]) if "then" in entry else None,
        )

    return [
        Reviewed(
            turn + 1,
            [line(turn, Letter(seat), told) for seat, told in one.get("seats", {}).items()],
            "failed" in one,
        )
        for turn, one in sorted(found.items())
    ]


def dearest(rounds: Iterable[Reviewed], viewer: Letter | None = None) -> list[tuple[int, Line]]:
    """The orders with the largest regret: pairs of a round's number and a line, largest first.

    Only the viewer's, if there is a viewer and any of their orders has a regret; else those of all players.
    """
    costly = [(one.number, line) for one in rounds for line in one.lines if line.regret]
    own = [found for found in costly if found[1].seat == viewer]
    return sorted(own or costly, key=lambda found: (-found[1].regret, found[0], found[1].seat))[:SUMMED_UP]


def worst(rounds: Iterable[Reviewed], seat: Letter | None) -> tuple[int, Line] | None:
    """The order of this player with the largest regret, as a round's number and a line; if none has any,
    anybody's; else None."""
    costly = [(one.number, line) for one in rounds for line in one.lines if line.costs]
    own = [found for found in costly if found[1].seat == seat]
    return max(own or costly, key=lambda found: (found[1].sure, found[1].regret, -found[0]), default=None)


def bars(rounds: list[Reviewed], seat: Letter, most: float) -> list[Bar]:
    """A bar for each round in which the player's order has a regret; `most` is the regret of the highest
    bar."""
    return [
        Bar(n * WIDE, round(HIGH * line.regret / most, 2))
        for n, one in enumerate(rounds)
        for line in one.lines
        if line.seat == seat and line.regret
    ]


def course(rounds: Iterable[Reviewed], seats: Sequence[Letter], seat: Letter, *, by_share: bool) -> str:
    """The points of an SVG polyline: the course of a match of two for one seat, turn by turn; "" if more
    play.

    By share, the line shows the result that the seat could expect, in hundredths; else its lead in hits over
    all rounds so far.
    """
    if len(seats) != 2:
        return ""
    values: dict[int, float] = {}
    ahead = 0.0
    for n, one in enumerate(rounds):
        line = one.line_of(seat)
        if by_share and one.lines:
            values[n] = line.value if line else 100 - one.lines[0].value
        elif line:
            ahead += line.value
            values[n] = ahead
    low, high = (0.0, 100.0) if by_share else _around_nothing(values.values())
    return " ".join(
        f"{n * WIDE + WIDE / 2:g},{HIGH * (high - value) / (high - low):.2f}" for n, value in values.items()
    )


def scale_of(rounds: Iterable[Reviewed], seat: Letter) -> float:
    """The largest lead or deficit of a seat in hits, added up over all rounds so far; 1.0 if there was
    none."""
    ahead, most = 0.0, 0.0
    for one in rounds:
        line = one.line_of(seat)
        ahead += line.value if line else 0
        most = max(most, abs(ahead))
    return most or 1.0


def _around_nothing(values: Iterable[float]) -> tuple[float, float]:
    """The lower and the upper bound of a picture of these values, with 0 in its middle."""
    most = max((abs(value) for value in values), default=0.0) or 1.0
    return -most, most


def table(match: Match, one: Reviewed, best: str, viewer: Letter | None) -> dict[str, Any]:
    """The programs of a round; below each that was not the best, the best answer to the others' programs.

    For a player who reads the page (`viewer`), a best answer is added only below their own program.
    """
    return _table(
        row
        for line in one.lines
        for row in _rows(match, one.number, line, best, line.costs and viewer in (None, line.seat))
    )


def acts_of(match: Match, number: int, seat: Letter, order: Order) -> list[Any]:
    """The cells of a seat in a turn, counted from 1, if it had played this order: its actions, step by
    step."""
    before, orders = states_of(match)[number - 1], turns_of(match)[number - 1]
    cells = (state.cell(seat) for state in play_turn(before, {**orders, seat: order}))
    return [cell for cell in cells if cell]


def compare_with(match: Match, number: int, line: Line, best: str) -> dict[str, Any]:
    """A player's actions in a turn, counted from 1, and the better ones below, under the heading `best`."""
    return _table(_rows(match, number, line, best, both=True))


def _table(rows: Iterable[Row]) -> dict[str, Any]:
    rows = list(rows)
    steps = max((len(row.cells) for row in rows), default=0)
    for row in rows:  # the match may have ended in it
        row.cells.extend([None] * (steps - len(row.cells)))
    return {"rows": rows, "steps": [], "current": 0, "shown": {"number": 0, "lasting": False}}


def _rows(match: Match, number: int, line: Line, best: str, both: bool) -> Iterator[Row]:
    before, orders = states_of(match)[number - 1], turns_of(match)[number - 1]
    yield _row(before, orders, line, line.name, line.order)
    if both:
        yield _row(before, {**orders, line.seat: line.best}, line, best, line.best)


def _row(before: State, orders: Mapping[Letter, Order], line: Line, name: str, order: Order) -> Row:
    """A program as a row of slots, with its results if the turn is played with these orders."""
    cells = [state.cell(line.seat) for state in play_turn(before, orders)]
    return Row(line.seat, side=line.side, name=name, order=order, cells=cells)


def parts(match: Match, found: Round, names: Mapping[Letter, str]) -> Iterator[Part]:
    """Yields each player's part of a round's near-equilibrium, if there is one: programs and their shares."""
    state = states_of(match)[0]
    for letter, mixed in found.get("equilibrium", {}).items():
        seat = Letter(letter)
        shares = sorted(mixed["mix"].items(), key=lambda item: (-item[1], item[0]))
        yield Part(
            seat,
            side=state.side(seat),
            name=names[seat],
            value=mixed["value"],
            gap=mixed["gap"],
            programs=[(order, 100 * share) for order, share in shares[:LIKELIEST]],
            others=len(shares[LIKELIEST:]),
        )
