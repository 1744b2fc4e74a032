"""The part of a complete review that the film of the match shows: the better orders of each turn."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from games.core import Plan
from games.core import Seat as Letter
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match
from robosite.play.film import Film
from robosite.reviews.complete_reviews import CompleteReview, complete_review
from robosite.reviews.rounds import HIGH, WIDE, OrderReview, compare_with


class OnFilm(NamedTuple):
    """The part of a review that belongs to one turn (from 1), as the match's page shows it below the board.

    If the better order is drawn on the board, `shown` is the review of the order played, `plan` draws the
    better one, and `table` compares them. `back` and `forward` are the nearest turns in which an order was
    not the best, or 0.
    """

    complete: CompleteReview
    names: Mapping[Letter, str]
    number: int
    viewer: Letter | None
    shown: OrderReview | None
    plan: Plan | None
    table: dict[str, Any] | None
    back: int
    forward: int

    @property
    def by_share(self) -> bool:
        return self.complete.by_share

    @property
    def first(self) -> int:
        return self.complete.rounds[0].number

    @property
    def seen_from(self) -> Letter:
        """The seat for which the chart shows how the match went: the reader's own, or else the first."""
        return self.viewer or next(iter(self.names))

    @property
    def columns(self) -> int:
        return len(self.complete.rounds)

    @property
    def high(self) -> int:
        return HIGH

    @property
    def wide(self) -> int:
        return WIDE

    @property
    def here(self) -> list[OrderReview]:
        """The reviews of the present turn's orders that were not the best, the reader's own order first."""
        return sorted(self.costs(self.number), key=lambda line: line.seat != self.viewer)

    def costs(self, number: int) -> list[OrderReview]:
        """The reviews, with names, of the orders in a turn that were not the best."""
        lines = self.complete.costs.get(number, ())
        return [line._replace(name=self.names[line.seat]) for line in lines]

    def at(self, number: int, seat: Letter | None = None) -> str:
        """The `?at=` of a turn's start, with a better order: for `seat`, the reader or the costliest one."""
        lines = self.complete.costs.get(number, ())
        own = [line for line in lines if line.seat == (seat or self.viewer)]
        costliest = own or sorted(lines, key=lambda line: (-line.regret, line.seat))
        return f"{number}.0&better={costliest[0].seat}" if costliest else f"{number}.0"


def on_film(
    match: Match, film: Film, names: Mapping[Letter, str], viewer: Letter | None, asked: str
) -> OnFilm | None:
    """The review of the turn that `film` shows, with the better order of the seat `asked` for; or None."""
    found = complete_review(match)
    if found is None or not film.turns:
        return None
    here = found.costs.get(film.number, [])
    shown = next((line._replace(name=names[line.seat]) for line in here if line.seat == asked), None)
    numbers = list(found.costs)
    before, after = bisect_left(numbers, film.number), bisect_right(numbers, film.number)
    return OnFilm(
        found,
        names=names,
        number=film.number,
        viewer=viewer,
        shown=shown,
        plan=_plan(match, film.turn, shown) if shown else None,
        table=compare_with(match, film.number, shown, _("better")) if shown else None,
        back=numbers[before - 1] if before else 0,
        forward=numbers[after] if after < len(numbers) else 0,
    )


def _plan(match: Match, turn: int, line: OrderReview) -> Plan:
    others = {at: order for at, order in turns_of(match)[turn].items() if at != line.seat}
    return states_of(match)[turn].hypothetical_plan(line.seat, line.best, others)
