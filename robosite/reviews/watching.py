"""A turn of a finished match to watch on its review's page: as it was played, or with a better order."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from games.core import Plan, play_turn
from games.core import Seat as Letter
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match
from robosite.play.film import Film, film_of
from robosite.reviews.rounds import OrderReview, Reviewed


class Wish(NamedTuple):
    """A request to watch a turn (from 1; 0: none) from the step `at`, as `played` or with a better order."""

    number: int = 0
    seat: str = ""
    played: bool = False
    at: int = 0


NOTHING = Wish()


class Watched(NamedTuple):
    """A turn (from 1) to watch, with a player's better order or as it was played.

    `plan` draws the better order before the first step. `plays`: the film starts by itself.
    """

    number: int
    line: OrderReview
    better: bool
    film: Film
    plan: Plan | None
    plays: bool


def read_wish(query: Mapping[str, Any], at: int) -> Wish:
    """Parses `watch=3.A`: seat A's better order in turn 3 or, with `played`, the played one; else NOTHING."""
    found = re.fullmatch(r"(\d{1,4})\.([A-H])", query.get("watch", ""))
    return Wish(int(found[1]), found[2], "played" in query, max(at, 0)) if found else NOTHING


def wished_line(rounds: Iterable[Reviewed], wish: Wish) -> OrderReview | None:
    """The review of the order that a reader wishes to watch; None if these turns have no such order."""
    one = next((one for one in rounds if one.number == wish.number), None)
    line = one.line_of(Letter(wish.seat)) if one and wish.seat else None
    return line if line and (line.costs or wish.played) else None


def watch(
    match: Match, number: int, line: OrderReview, names: Mapping[Letter, str], *, wish: Wish = NOTHING
) -> Watched:
    """The film of a turn (from 1) with the player's better order or as played, and nothing concealed."""
    before = states_of(match)[number - 1]
    orders = dict(turns_of(match)[number - 1])
    others = {seat: order for seat, order in orders.items() if seat != line.seat}
    better = line.costs and not wish.played
    if better:
        orders[line.seat] = line.best
    positions = [before, *play_turn(before, orders)]
    film = film_of(positions, None, at=wish.at, orders=orders, names=names, uncovered=True)
    plan = before.hypothetical_plan(line.seat, line.best, others) if better else None
    film = replace(film, turn=number - 1, turns=number, present=[])
    return Watched(number, line, better, film, plan, plays=bool(wish.number))
