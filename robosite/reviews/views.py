"""The page of a review, for everybody who may see the match, once the match is over.

While the review is being made, the page shows the first rounds that are done, and requests more. `?after=` is
the number of rounds that the page shows already. The summary of the match is shown once every round is done.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django_htmx.http import reselect, reswap, retarget

from games import record
from games.core import Seat as Letter
from games.review import SHARE, unit_of
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
    Part,
    Reviewed,
    bars,
    costliest,
    course,
    parts,
    reviewed,
    scale_of,
    table,
    worst,
)
from robosite.reviews.waiting_line import Task, find, missing_of, review_queue
from robosite.reviews.watching import NOTHING, Wish, read_wish, watch, wished_line
from robosite.share.comic import names_in

ON_A_PAGE = 16
"""The number of programs that a page shows in full: eight rounds of two pigs, two rounds of eight pigs.

A page shows one round at least.
"""
AGAIN, AGAIN_BY_ITSELF = 2, 10
"""Seconds until a page requests more rounds while the review is being made.

AGAIN is for pages with scripts, AGAIN_BY_ITSELF for pages without, which reload themselves.
"""
LATER = 60


@public_page
def review(request: Request, match: Match) -> HttpResponse:
    """The page of a match's review (what each order cost its player), or of the part that is done.

    Missing turns are reviewed outside of the request. An htmx request gets the turn that it asks to watch,
    the reviewed turns that the page does not have yet, or the complete review; if there is nothing new, it
    gets 204. The response is 404 if the match is not over, has no turns, or is of a game without reviews.
    """
    if match.status != Match.Status.OVER or not match.turn or not unit_of(state_of(match)):
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
    if left:
        context |= _so_far(match, done, names, max(after, 0), context["viewer"])
    else:
        context |= _shown(request, match, done, names, context["viewer"], wish)
    response = render(request, "reviews/review.html", context)
    if after >= 0 and not (left and begun):
        return reselect(reswap(retarget(response, ".review"), "outerHTML"), ".review")
    return response


def _of_match(request: Request, match: Match) -> dict[str, Any]:
    """The context of the match, which does not depend on its review."""
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
        "by_share": unit_of(standing.state) == SHARE,
    }


def _room(match: Match) -> int:
    """The maximum number of reviewed turns that one page shows in full."""
    return max(ON_A_PAGE // len(state_of(match).seats), 1)


def _task(match: Match) -> Task:
    """The job of reviewing the last turns of a match; its copy of the match has neither names nor seals."""
    turns = turns_of(match)[: match.turn]
    data = record.write(match.game, match.options, len(state_of(match).seats), setup=match.setup, turns=turns)
    return Task(match.key, turns_key(match), data, wanted_of(match))


def _begun(request: Request, task: Task) -> bool:
    """Returns True if the review is being made; if it is not being made yet, first puts it into the queue.

    Returns False if the review is not being made and cannot be put into the queue: for a HEAD request, if the
    browser has used up its share of the limit for reviews, or if the queue has no room.
    """
    if review_queue.is_being_made(task.name):
        return True
    if request.method == "HEAD" or shares.wait("review", request):
        return False
    if not review_queue.put(owner_of(request), task):
        return False
    if isinstance(request, ASGIRequest):  # on a server, not in a test client
        review_queue.wake()
    return True


def _so_far(
    match: Match, done: dict[int, Round], names: dict[Letter, str], after: int, viewer: Letter | None
) -> dict[str, Any]:
    """The template context of an incomplete review: the rounds that are done, up to one page of them.

    The first `after` of these rounds are left out, since the page shows them already.
    """
    first = reviewed(match, done, names)[: _room(match)]
    costly = [one.number for one in first if any(_is_costly(line, viewer) for line in one.lines)]
    return {
        "full": _in_full(match, first[after:], done, names, viewer),
        "shown": len(done),
        "opened": costly[0] if costly else 0,
        "worst": None,
    }


def _is_costly(line: OrderReview, viewer: Letter | None) -> bool:
    """Returns True if an order was not the best and, unless `viewer` is None, is the viewer's own order.

    `line` is the review of the order.
    """
    return line.costs and viewer in (None, line.seat)


def _in_full(
    match: Match,
    rounds: list[Reviewed],
    done: dict[int, Round],
    names: dict[Letter, str],
    viewer: Letter | None,
) -> list[tuple[Reviewed, dict[str, Any], list[Part]]]:
    """Returns a tuple for each reviewed turn: its review, the table of its orders, and its near-equilibrium.

    The near-equilibrium is a list with each player's mixed strategy.
    """
    return [
        (one, table(match, one, _("better"), viewer), list(parts(match, done[one.number - 1], names)))
        for one in rounds
    ]


def _film_alone(
    request: Request, match: Match, rounds: list[Reviewed], wish: Wish, context: dict[str, Any]
) -> HttpResponse:
    """Renders only the turn that the reader wishes to watch (`wish`), for an htmx request.

    Raises Http404 if `rounds` do not have the order that `wish` is about.
    """
    line = wished_line(rounds, wish)
    if line is None:
        raise Http404
    watched = watch(match, wish.number, line, context["names"], wish=wish)
    return render(request, "reviews/_watch.html", {**context, "watched": watched})


def _shown(
    request: Request,
    match: Match,
    done: dict[int, Round],
    names: dict[Letter, str],
    viewer: Letter | None,
    wish: Wish,
) -> dict[str, Any]:
    """The context of the complete review: its summary, its charts, and the details of one page's turns.

    The page is the one with the turn that `wish` or the query parameter `round` asks for, otherwise the one
    that the query parameter `page` names. The details of that turn are unfolded, or else those of the turn
    that cost the reader (for a watcher: any player) most. The chart of the match's course is for the reader's
    seat or, for a watcher, for the first seat.
    """
    rounds = reviewed(match, done, names)
    room = _room(match)
    pages = [rounds[n : n + room] for n in range(0, len(rounds), room)]
    page = min(max(number(request.GET.get("page")), 1), len(pages))
    page_of = {one.number: n for n, page in enumerate(pages, 1) for one in page}
    asked = wish.number or max(number(request.GET.get("round")), 0)
    page = page_of.get(asked, page)
    films = _films(match, rounds, names, viewer, wish)
    found = films["worst"]
    return {
        "rounds": rounds,
        "judged_then": any(line.then for one in rounds for line in one.lines),
        "page": page,
        "opened": asked or (found[0] if found and _is_costly(found[1], viewer) else 0),
        "pages": [(n, page[0].number, page[-1].number) for n, page in enumerate(pages, 1)],
        "full": _in_full(match, pages[page - 1], done, names, viewer),
        **films,
        **_pictures(match, rounds, names, viewer),
    }


def _films(
    match: Match, rounds: list[Reviewed], names: dict[Letter, str], viewer: Letter | None, wish: Wish
) -> dict[str, Any]:
    """The context of two turns to watch: the one with the costliest order, and the one that `wish` asks for.

    `first_film` shows the turn with the order that cost most; None if no order cost anything. `film_asked` is
    None if `wished_line` finds no order, or if `wish` asks for the order that cost most. The context also has
    the result of `worst` as `worst`.
    """
    found, asked = worst(rounds, viewer), wished_line(rounds, wish)
    is_first = bool(found and (wish.number, wish.seat) == (found[0], found[1].seat))
    first = watch(match, *found, names, wish=wish if is_first else NOTHING) if found else None
    other = watch(match, wish.number, asked, names, wish=wish) if asked and not is_first else None
    return {"worst": found, "first_film": first, "film_asked": other}


def _pictures(
    match: Match, rounds: list[Reviewed], names: dict[Letter, str], viewer: Letter | None
) -> dict[str, Any]:
    """The context of the charts of a whole review: what each order cost, and how the match went.

    The charts end with the last turn that could be reviewed; the context has its number as `last`. The
    context also has the orders that cost most as `costly`.
    """
    rounds = rounds[: max((n for n, one in enumerate(rounds, 1) if one.lines), default=1)]
    by_share = unit_of(state_of(match)) == SHARE
    most = max((line.regret for one in rounds for line in one.lines), default=0.0)
    seen_from = viewer or next(iter(names))
    costly = costliest(rounds, viewer)
    costing = sum(bool(line.regret) for one in rounds for line in one.lines)
    return {
        "costly": costly,
        "most": most,
        "has_more": costing > len(costly),
        "high": HIGH,
        "wide": WIDE,
        "width": WIDE * len(rounds),
        "last": rounds[-1].number,
        "seen_from": (seen_from, state_of(match).side(seen_from)),
        "course": course(rounds, list(names), seen_from, by_share=by_share),
        "furthest": scale_of(rounds, seen_from),
        "bars": {seat: bars(rounds, seat, most) for seat in names},
    }
