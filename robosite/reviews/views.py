"""The page of a review, for everybody who may see the match, once the match is over.

It shows one turn: the one that `?turn=` asks for, else the one that cost most. While the review is being
made, the page shows one of the first turns that are done, and polls; `?after=` is the number of turns done at
the last poll.
"""

from itertools import takewhile
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django_htmx.http import reselect, reswap, retarget

from games import record
from games.core import SHARE
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Match
from robosite.people import shares
from robosite.people.current_guest import current_guest, owner_of
from robosite.play import hot_seat
from robosite.play.decorators import Request, number, public_page
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.reviews.complete_reviews import turns_key, wanted_of
from robosite.reviews.review_process import Round
from robosite.reviews.rounds import (
    HIGH,
    WIDE,
    OrderReview,
    Reviewed,
    bars,
    course,
    parts,
    reviewed,
    scale_of,
    worst,
)
from robosite.reviews.waiting_line import Task, find, missing_of, review_queue
from robosite.reviews.watching import NOTHING, Wish, read_wish, watch, wished_line
from robosite.share.comic import names_in
from robosite.web import limits
from robosite.web.http import or_404

AGAIN, AGAIN_BY_ITSELF = 2, 10
"""Seconds until a page, with scripts or without, requests more rounds of a review under way."""
LATER = 60


@public_page
def review(request: Request, match: Match) -> HttpResponse:
    """The page of a match's review, or of the part that is done; for htmx, what its page lacks, or a 204."""
    if match.status != Match.Status.OVER or not match.turn or not state_of(match).review_unit:
        raise Http404
    task = _task(match)
    found = find(task.name).rounds
    left = missing_of(task.wanted, found)
    begun = not left or _begun(request, task)
    ready = list(takewhile(lambda turn: turn not in left, task.wanted))
    after = number(request.GET.get("after")) if request.htmx else -1
    if left and begun and after >= len(ready):
        return HttpResponse(status=204)  # the page shows all rounds that are done
    context = {
        **_of_match(request, match),
        "first": task.wanted[0] + 1,
        "wanted": len(task.wanted),
        "done": len(ready),
        "again": 0 if not left else AGAIN if begun else LATER,
        "again_by_itself": AGAIN_BY_ITSELF if begun else LATER,
        "begun": begun,
        "displaced": task.name in review_queue.displaced,
    }
    names, done = context["names"], {turn: found[turn] for turn in ready}
    wish = read_wish(request.GET, number(request.GET.get("at")))
    if request.htmx and wish.number:
        return _film_alone(request, match, reviewed(match, done, names), wish, context)
    context["after"] = max(after, 0)
    if done and not (left and after > 0):
        context |= _one_turn(match, done, names, context["viewer"], wish, number(request.GET.get("turn")))
    response = render(request, "reviews/review.html", context)
    if after >= 0 and not (left and begun):
        return reselect(reswap(retarget(response, ".review"), "outerHTML"), ".review")
    return response


def _of_match(request: Request, match: Match) -> dict[str, Any]:
    standing = flow.standing_of(match)
    own = hot_seat.held(current_guest(request), match)
    viewer = own[0].at if len(own) == 1 else None
    return {
        **BOARD,
        "match": match,
        "game": match.game,
        "names": names_in(standing.seats),
        "viewer": viewer,
        "you": viewer,
        "players": [(seat.at, standing.state.side(seat.at)) for seat in standing.seats],
        "film_at": own[0].get_absolute_url() if own else match.get_absolute_url(),
        "drawn": templates_of(match.game_slug),
        "style": style_of(match.game_slug),
        "by_share": standing.state.review_unit == SHARE,
    }


def _task(match: Match) -> Task:
    """The job of reviewing the last turns of a match; its copy of the match has neither names nor seals."""
    turns = turns_of(match)[: match.turn]
    data = record.write(match.game, match.options, len(state_of(match).seats), setup=match.setup, turns=turns)
    return Task(match.key, turns_key(match), data, wanted_of(match))


def _begun(request: Request, task: Task) -> bool:
    if review_queue.is_being_made(task.name):
        return True
    if request.method == "HEAD" or limits.wait_for(shares.uses("review", request)):
        return False
    if not review_queue.put(owner_of(request), task):
        return False
    if isinstance(request, ASGIRequest):  # on a server, not in a test client
        review_queue.wake()
    return True


def _film_alone(
    request: Request, match: Match, rounds: list[Reviewed], wish: Wish, context: dict[str, Any]
) -> HttpResponse:
    line = or_404(wished_line(rounds, wish))
    watched = watch(match, wish.number, line, context["names"], wish=wish)
    return render(request, "reviews/_watch.html", {**context, "watched": watched})


def _one_turn(
    match: Match,
    done: dict[int, Round],
    names: dict[Letter, str],
    viewer: Letter | None,
    wish: Wish,
    asked: int,
) -> dict[str, Any]:
    """Context of the turn shown (wished, asked for, costliest for the reader, or last), and the chart."""
    rounds = reviewed(match, done, names)
    found = worst(rounds, viewer)
    judged = [one.number for one in rounds if one.lines] or [rounds[-1].number]
    numbers = [one.number for one in rounds]
    shown = next((n for n in (wish.number, asked, found[0] if found else 0) if n in numbers), judged[-1])
    one = rounds[numbers.index(shown)]
    wished = wished_line([one], wish)
    line = wished or _line_shown(one, found, viewer)
    return {
        "rounds": rounds,
        "one": one,
        "line": line,
        "watched": watch(match, shown, line, names, wish=wish if wished else NOTHING) if line else None,
        "mixes": list(parts(match, done[shown - 1], names)),
        "before": shown - 1 if shown - 1 in numbers else 0,
        "onward": shown + 1 if shown + 1 in numbers else 0,
        "worst": found[0] if found else 0,
        "costs_reader": any(line.costs for one in rounds if viewer and (line := one.line_of(viewer))),
        "judged_then": any(line.then for one in rounds for line in one.lines),
        **_chart(match, rounds[: numbers.index(judged[-1]) + 1], names, line.seat if line else viewer),
    }


def _line_shown(
    one: Reviewed, found: tuple[int, OrderReview] | None, viewer: Letter | None
) -> OrderReview | None:
    if found and found[0] == one.number:
        return found[1]
    own = one.line_of(viewer) if viewer else None
    return own or max(one.lines, key=lambda line: (line.sure, line.regret), default=None)


def _chart(
    match: Match, rounds: list[Reviewed], names: dict[Letter, str], seat: Letter | None
) -> dict[str, Any]:
    """The context of the chart: how the match went for `seat` (None: the first), and what its orders cost."""
    seat = seat or next(iter(names))
    most = max((line.regret for one in rounds for line in one.lines), default=0.0)
    return {
        "high": HIGH,
        "wide": WIDE,
        "width": WIDE * len(rounds),
        "last": rounds[-1].number,
        "seen_from": (seat, state_of(match).side(seat)),
        "course": course(rounds, list(names), seat, by_share=state_of(match).review_unit == SHARE),
        "furthest": scale_of(rounds, seat),
        "bars": bars(rounds, seat, most) if most else [],
    }
