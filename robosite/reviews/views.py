"""The page of a review: for everybody who may see the match, once the match is over."""

from __future__ import annotations

from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

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
from robosite.reviews.made import line_of, wanted_of
from robosite.reviews.rounds import HIGH, WIDE, bars, course, dearest, parts, reviewed, table
from robosite.reviews.waiting_line import Found, Task, find, maker, missing_of
from robosite.share.comic import names_in

ON_A_PAGE = 16
"""How many programs a page shows in full: eight rounds of two pigs, two rounds of eight."""
AGAIN = 5
"""Seconds after which the page is looked at again while the review is being made."""
LATER = 60


@public_page
def review(request: Request, match: Match) -> HttpResponse:
    """The review, or its progress: missing rounds are reviewed outside the request."""
    if match.status != Match.Status.OVER or not match.turn or not unit_of(state_of(match)):
        raise Http404
    task = _task(match)
    found = find(task.name)
    left = missing_of(task.wanted, found.rounds)
    begun = not left or _begun(request, task)
    standing = flow.standing_of(match)
    names = names_in(standing.seats)
    own = hot_seat.held(current_guest(request), match)
    viewer = own[0].at if len(own) == 1 else None
    context = {
        **BOARD,
        "match": match,
        "game": match.game,
        "names": names,
        "viewer": viewer,
        "players": [(seat.at, standing.state.side(seat.at)) for seat in standing.seats],
        "film_at": own[0].get_absolute_url() if own else match.get_absolute_url(),
        "drawn": templates_of(match.game_slug),
        "style": style_of(match.game_slug),
        "by_share": unit_of(standing.state) == SHARE,
        "first": task.wanted[0] + 1,
        "last": match.turn,
        "wanted": len(task.wanted),
        "done": len(task.wanted) - len(left),
        "again": 0 if not left else AGAIN if begun else LATER,
        "begun": begun,
        "put_out": task.name in maker.put_out,
        **({} if left else _shown(request, match, found, names, viewer)),
    }
    return render(request, "reviews/review.html", context)


def _task(match: Match) -> Task:
    """The task to review the last rounds of the match, whose record contains neither names nor seals."""
    turns = turns_of(match)[: match.turn]
    data = record.write(match.game, match.options, len(state_of(match).seats), setup=match.setup, turns=turns)
    return Task(match.key, line_of(match), data, wanted_of(match))


def _begun(request: Request, task: Task) -> bool:
    """Tell whether the review is under way, and begin it if there is room. A HEAD request begins none."""
    if maker.is_at(task.name):
        return True
    if request.method == "HEAD" or shares.wait("review", request):
        return False
    if not maker.put(owner_of(request), task):
        return False
    if isinstance(request, ASGIRequest):  # on a server
        maker.wake()
    return True


def _shown(
    request: Request, match: Match, found: Found, names: dict[Letter, str], viewer: Letter | None
) -> dict[str, Any]:
    """The whole review: its summary, its picture, and all details of one page's rounds.

    The picture's line is that of the reader's seat, or of the first one.
    """
    rounds = reviewed(match, found.rounds, names)
    room = max(ON_A_PAGE // len(names), 1)
    pages = [rounds[n : n + room] for n in range(0, len(rounds), room)]
    page = min(max(number(request.GET.get("page")), 1), len(pages))
    most = max((line.regret for one in rounds for line in one.lines), default=0.0)
    seen_from = viewer or next(iter(names))
    return {
        "rounds": rounds,
        "costly": dearest(rounds),
        "judged_then": any(line.then for one in rounds for line in one.lines),
        "most": most,
        "high": HIGH,
        "wide": WIDE,
        "width": WIDE * len(rounds),
        "seen_from": (seen_from, state_of(match).side(seen_from)),
        "course": course(rounds, list(names), seen_from, by_share=unit_of(state_of(match)) == SHARE),
        "bars": {seat: bars(rounds, seat, most) for seat in names},
        "page": page,
        "pages": [(n, page[0].number, page[-1].number) for n, page in enumerate(pages, 1)],
        "page_of": {one.number: n for n, page in enumerate(pages, 1) for one in page},
        "full": [
            (
                one,
                table(match, one, _("better")),
                list(parts(match, found.rounds[one.number - 1], names)),
            )
            for one in pages[page - 1]
        ],
    }
