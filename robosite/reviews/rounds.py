"""The rounds of a review as its page shows them: in words and slots, with the names of now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from games.core import Order, State, play_turn
from games.core import Seat as Letter
from games.review import HITS, SHARE, unit_of
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match
from robosite.matches.pages.film import Row
from robosite.reviews.beside import Round

SUMMED_UP = 3
"""How many of the rounds that cost most are told first."""
LIKELIEST = 5
"""How many programs of a near-equilibrium are listed for a player."""
HIGH, WIDE = 24, 8
"""The height of the picture of regrets, and the width of a round in it."""
LEAST = {HITS: 0.005, SHARE: 2.0}
"""A regret of less is none: it would be told as 0, or an estimate is no better than that."""
SCALE = {HITS: 1, SHARE: 100}
"""Shares of the point are told in hundredths of it."""


class Line(NamedTuple):
    """What a round was for a player; `best` is the answer that would have brought most.

    In hits, or in hundredths of the point.
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
    """The same as far as the player could know."""

    @property
    def costs(self) -> bool:
        """Whether another order would have been better."""
        return bool(self.regret) or self.sure


class Part(NamedTuple):
    """A player's part of the near-equilibrium: its likeliest programs with their shares in per cent.

    `others` is how many more there are.
    """

    seat: Letter
    side: str
    name: str
    value: float
    gap: float
    programs: list[tuple[Order, float]]
    others: int


class Reviewed(NamedTuple):
    """A round, its number counted from 1; without lines where it was not judged, or could not be."""

    number: int
    lines: list[Line]
    failed: bool = False

    def line_of(self, seat: Letter) -> Line | None:
        """What the round was for a player; None for one who was not in it."""
        return next((line for line in self.lines if line.seat == seat), None)


class Bar(NamedTuple):
    """A bar of the picture: where it stands, and how high."""

    x: int
    height: float


def reviewed(match: Match, found: Mapping[int, Round], names: Mapping[Letter, str]) -> list[Reviewed]:
    """The rounds that are done, in their order."""
    state = states_of(match)[0]
    unit = unit_of(state)
    scale, digits = SCALE[unit], 0 if unit == SHARE else 4

    def line(seat: Letter, told: Mapping[str, Any]) -> Line:
        value, best_value = (round(told[key] * scale, digits) for key in ("value", "best_value"))
        sure = told.get("sure", False)
        regret = best_value - value
        if regret < LEAST[unit] and not sure:
            regret = 0.0
        return Line(
            seat=seat,
            side=state.side(seat),
            name=names[seat],
            landed=told.get("landed", 0),
            taken=told.get("taken", 0),
            value=value,
            best_value=best_value,
            regret=regret,
            order=told.get("order", ""),
            best=told["best"],
            sure=sure,
            then=line(seat, told["then"]) if "then" in told else None,
        )

    return [
        Reviewed(
            turn + 1,
            [line(Letter(seat), told) for seat, told in one.get("seats", {}).items()],
            "failed" in one,
        )
        for turn, one in sorted(found.items())
    ]


def dearest(rounds: Iterable[Reviewed]) -> list[tuple[int, Line]]:
    """The rounds that cost somebody most, with their numbers, biggest first."""
    costly = [(one.number, line) for one in rounds for line in one.lines if line.regret]
    return sorted(costly, key=lambda found: (-found[1].regret, found[0], found[1].seat))[:SUMMED_UP]


def bars(rounds: list[Reviewed], seat: Letter, most: float) -> list[Bar]:
    """A bar for each round that cost the player something; `most` is the regret of the highest."""
    return [
        Bar(n * WIDE, round(HIGH * line.regret / most, 2))
        for n, one in enumerate(rounds)
        for line in one.lines
        if line.seat == seat and line.regret
    ]


def course(rounds: Iterable[Reviewed], seats: list[Letter]) -> str:
    """The points of a line: what the first of two seats may hope for after each turn, in hundredths."""
    points = []
    for n, one in enumerate(rounds):
        for line in one.lines[:1]:
            value = line.value if line.seat == seats[0] else 100 - line.value
            points.append(f"{n * WIDE + WIDE / 2:g},{HIGH * (1 - value / 100):.2f}")
    return " ".join(points) if len(seats) == 2 else ""


def table(match: Match, one: Reviewed, best: str) -> dict[str, Any]:
    """The programs of a round, under each that cost something the best answer to what the others played."""
    turn = one.number - 1
    before, orders = states_of(match)[turn], turns_of(match)[turn]
    rows = []
    for line in one.lines:
        rows.append(_row(before, orders, line, line.name, line.order))
        if line.regret:
            rows.append(_row(before, {**orders, line.seat: line.best}, line, best, line.best))
    steps = max((len(row.cells) for row in rows), default=0)
    for row in rows:  # the match may have ended in it
        row.cells.extend([None] * (steps - len(row.cells)))
    return {"rows": rows, "steps": [], "current": 0, "shown": {"number": 0, "lasting": False}}


def _row(before: State, orders: Mapping[Letter, Order], line: Line, name: str, order: Order) -> Row:
    """A program as slots, with what comes of it if the turn is played like this."""
    cells = [state.cell(line.seat) for state in play_turn(before, orders)]
    return Row(line.seat, side=line.side, name=name, order=order, cells=cells)


def parts(match: Match, found: Round, names: Mapping[Letter, str]) -> Iterator[Part]:
    """The near-equilibrium of a round, each player's programs by their shares, if there is one."""
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
