"""Complete reviews, in the form in which films show them; each process caches the latest."""

from typing import NamedTuple

from games.core import SHARE
from games.core import Seat as Letter
from robosite.matches.history import count_played, states_of
from robosite.matches.models import Match
from robosite.reviews.rounds import Bar, OrderReview, Reviewed, bars, course, reviewed
from robosite.reviews.waiting_line import find, missing_of, review_name
from robosite.web.caches import Made, made_once

MOST_ROUNDS = 60
"""The maximum number of rounds that are reviewed: the last ones of the match."""
SIZE = 100_000


class CompleteReview(NamedTuple):
    """A complete review, the same for every reader, with letters of seats in place of names.

    If `by_share`, values are in hundredths of a win, otherwise in hits. `costs` maps a turn (from 1) to the
    reviews of its orders that were not the best. `courses` maps a seat to an SVG polyline of how the match
    went for it, `bars` to a bar for each of its orders that was not the best.
    """

    by_share: bool
    rounds: list[Reviewed]
    costs: dict[int, list[OrderReview]]
    courses: dict[Letter, str]
    bars: dict[Letter, list[Bar]]


def wanted_of(match: Match) -> tuple[int, ...]:
    """The turns to review, counted from 0: the last turns of the match, up to MOST_ROUNDS of them."""
    end = count_played(match) or match.turn
    return tuple(range(max(end - MOST_ROUNDS, 0), end))


def turns_key(match: Match) -> str:
    """A text that identifies the played turns of a finished match; it changes if turns are taken back."""
    return f"{match.taken_back}/{match.turn}"


def complete_review(match: Match) -> CompleteReview | None:
    """The review of a finished match, None until it is complete but for turns that failed too often."""
    if match.status != Match.Status.OVER or not match.turn:
        return None
    name = review_name(match.key, turns_key(match))
    if made := made_once.get(("review", name)):
        known: CompleteReview = made.value
        return known
    rounds = find(name).rounds
    if not rounds or missing_of(wanted_of(match), rounds):
        return None
    start = states_of(match)[0]
    shown = reviewed(match, rounds, {at: at for at in start.seats})
    known = _of(shown, start.seats, by_share=start.review_unit == SHARE)
    made_once["review", name] = Made(known, SIZE)
    return known


def _of(rounds: list[Reviewed], seats: tuple[Letter, ...], *, by_share: bool) -> CompleteReview:
    most = max((line.regret for one in rounds for line in one.lines), default=0.0)
    costs = {one.number: [line for line in one.lines if line.costs] for one in rounds}
    return CompleteReview(
        by_share=by_share,
        rounds=rounds,
        costs={number: lines for number, lines in costs.items() if lines},
        courses={seat: course(rounds, seats, seat, by_share=by_share) for seat in seats},
        bars={seat: bars(rounds, seat, most) for seat in seats},
    )
