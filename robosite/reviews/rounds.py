"""The rounds of a review in the form in which its page shows them, with the players' present names.

The regret of an order is the difference in value between the best order and the one that was played. In a
near-equilibrium, each player chooses programs by chance, and can gain little by another choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from games.core import HITS, SHARE, Order, State, play_turn
from games.core import Seat as Letter
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match
from robosite.play.film import Row
from robosite.reviews.review_process import Round

LIKELIEST = 5
HIGH, WIDE = 24, 8
"""The height of a review's chart, and the width of a round in it, in the chart's units."""
LEAST = {HITS: 0.005, SHARE: 2.0}
"""The least regret that counts, as displayed: less is an estimate's error, unless a sure win was missed."""
SCALE = {HITS: 1, SHARE: 100}
"""The factor by which values are multiplied for display: shares of a win become hundredths."""


class OrderReview(NamedTuple):
    """The review of one order of a player, compared with the best that they could have given.

    `value`, `best_value` and `regret` are in hits or, in games without hits, in hundredths of a win. `landed`
    and `taken` are hits. `sure`: the best order wins for certain, and the one played does not.
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
    then: OrderReview | None = None
    """The same order, judged only by what the player could know or expect at the time."""
    in_reach: tuple[str, ...] = ()
    """The names of those whom the player could hit within two steps."""

    @property
    def costs(self) -> bool:
        """True if another order would have been better than the one that was played."""
        return bool(self.regret) or self.sure


class Part(NamedTuple):
    """A player's mixed strategy in the near-equilibrium of a turn: orders and their shares in per cent.

    `others` is how many are not listed. `gap` is the value to be gained by another strategy.
    """

    seat: Letter
    side: str
    name: str
    value: float
    gap: float
    programs: list[tuple[Order, float]]
    others: int


class Reviewed(NamedTuple):
    """A reviewed turn, numbered from 1, with the review of each order given in it, unless it `failed`."""

    number: int
    lines: list[OrderReview]
    failed: bool = False

    def line_of(self, seat: Letter) -> OrderReview | None:
        return next((line for line in self.lines if line.seat == seat), None)


class Bar(NamedTuple):
    """A bar in the chart of what a player's orders cost: its left edge and height, in the chart's units."""

    x: int
    height: float


def reviewed(match: Match, found: Mapping[int, Round], names: Mapping[Letter, str]) -> list[Reviewed]:
    """The stored reviews of a match's turns (from 0) in the form that pages show, the earliest first."""
    states = states_of(match)
    unit = states[0].review_unit
    scale, digits = SCALE[unit], 0 if unit == SHARE else 4

    def line(turn: int, seat: Letter, entry: Mapping[str, Any]) -> OrderReview:
        value, best_value = (round(entry[key] * scale, digits) for key in ("value", "best_value"))
        sure = entry.get("sure", False)
        regret = best_value - value
        if regret < LEAST[unit] and not sure:
            regret = 0.0
        return OrderReview(
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
            in_reach=tuple(names[Letter(other)] for other in entry.get("in_reach", ())),
        )

    return [
        Reviewed(
            turn + 1,
            [line(turn, Letter(seat), told) for seat, told in one.get("seats", {}).items()],
            "failed" in one,
        )
        for turn, one in sorted(found.items())
    ]


def worst(rounds: Iterable[Reviewed], seat: Letter | None) -> tuple[int, OrderReview] | None:
    """The turn and review of the costliest order: of `seat` if it has one, else of anybody; None if none."""
    costly = [(one.number, line) for one in rounds for line in one.lines if line.costs]
    own = [found for found in costly if found[1].seat == seat]
    return max(own or costly, key=lambda found: (found[1].sure, found[1].regret, -found[0]), default=None)


def bars(rounds: list[Reviewed], seat: Letter, most: float) -> list[Bar]:
    """The bars of a seat's orders that were not the best; one of full height stands for the regret `most`."""
    return [
        Bar(n * WIDE, round(HIGH * line.regret / most, 2))
        for n, one in enumerate(rounds)
        for line in one.lines
        if line.seat == seat and line.regret
    ]


def course(rounds: Iterable[Reviewed], seats: Sequence[Letter], seat: Letter, *, by_share: bool) -> str:
    """Points of an SVG polyline: a seat's expected result (`by_share`), or its lead; "" unless two play."""
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
    high = 100.0 if by_share else max(map(abs, values.values()), default=0.0) or 1.0
    low = 0.0 if by_share else -high
    return " ".join(
        f"{n * WIDE + WIDE / 2:g},{HIGH * (high - value) / (high - low):.2f}" for n, value in values.items()
    )


def scale_of(rounds: Iterable[Reviewed], seat: Letter) -> float:
    """The largest lead or deficit of a seat, in hits, at the end of any round; 1.0 if there was none."""
    ahead, most = 0.0, 0.0
    for one in rounds:
        line = one.line_of(seat)
        ahead += line.value if line else 0
        most = max(most, abs(ahead))
    return most or 1.0


def acts_of(match: Match, number: int, seat: Letter, order: Order) -> list[Any]:
    """The actions that a seat would have taken in turn `number` (from 1) with `order`, step by step."""
    before, orders = states_of(match)[number - 1], turns_of(match)[number - 1]
    cells = (state.cell(seat) for state in play_turn(before, {**orders, seat: order}))
    return [cell for cell in cells if cell]


def ends_match(match: Match, number: int, line: OrderReview) -> bool:
    """Returns True if the turn `number` (from 1) ends the match, as played or with the best order."""
    before, orders = states_of(match)[number - 1], turns_of(match)[number - 1]
    better = {**orders, line.seat: line.best}
    return any([*play_turn(before, played)][-1].outcome() for played in (orders, better))


def compare_with(match: Match, number: int, line: OrderReview, best: str) -> dict[str, Any]:
    """The context of a table of two rows: what a player did in turn `number` (from 1), and what was best."""
    before, orders = states_of(match)[number - 1], turns_of(match)[number - 1]
    better = {**orders, line.seat: line.best}
    rows = [_row(before, orders, line, line.name, line.order), _row(before, better, line, best, line.best)]
    steps = max(len(row.cells) for row in rows)
    for row in rows:  # the match may have ended in it
        row.cells.extend([None] * (steps - len(row.cells)))
    return {"rows": rows, "steps": [], "current": 0, "shown": {"number": 0, "lasting": False}}


def _row(before: State, orders: Mapping[Letter, Order], line: OrderReview, name: str, order: Order) -> Row:
    cells = [state.cell(line.seat) for state in play_turn(before, orders)]
    return Row(line.seat, side=line.side, name=name, order=order, cells=cells)


def parts(match: Match, found: Round, names: Mapping[Letter, str]) -> Iterator[Part]:
    """Yields each player's mixed strategy in the near-equilibrium of a reviewed turn, if one was computed."""
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
