"""The page on which a player plans replies to the opponent's next orders, with its own planner.

A line is a sequence of orders, alternately the opponent's and the player's. One that is being planned exists
only in the page's form, so no URL and no log contains an order; it is stored once it ends with an own order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods
from django_htmx.http import reselect, reswap, retarget

from games.core import IllegalOrder, Order, State
from robosite.matches import flow
from robosite.matches.flow import orders, replies, replying
from robosite.matches.flow.replying import LONGEST_LINE, Line
from robosite.matches.models import Match, Seat
from robosite.play.decorators import Request, go, number, seat_page, secret
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.play.film import film_of
from robosite.play.planner_form import taken_back
from robosite.play.planning import TAPS_HEADER, choose_all, keys_of, readable
from robosite.web.sentences import render_sentence


class Shown(NamedTuple):
    """A player's planned replies, the own order that they follow, and why earlier ones were dropped."""

    lines: tuple[Line, ...]
    after: Order
    dropped: str


def offered(match: Match, mine: Sequence[Seat]) -> bool:
    """Returns True if this browser may plan replies; it must hold only one seat of the match."""
    return replies.may_plan(match) and len(mine) == 1


def shown(match: Match, seat: Seat) -> Shown:
    planned, dropped = replying.planned_by(match, seat), replying.why_dropped(match, seat)
    why = render_sentence(replies.WHY_DROPPED[dropped]) if dropped else ""
    return Shown(planned.lines if planned else (), (planned.after if planned else None) or "", why)


@require_http_methods(["GET", "HEAD", "POST"])
@seat_page
@secret
def reply_page(request: Request, seat: Seat) -> HttpResponse:
    """The page for planning replies, and its form; an htmx GET with the present `turn` gets a 204."""
    if not offered(seat.match, request.mine):
        return go(request, seat.get_absolute_url())
    if request.method != "POST":
        asked = number(request.GET.get("turn")), number(request.GET.get("taken_back"))
        gone_on = "turn" in request.GET and asked != (seat.match.turn, seat.match.taken_back)
        if request.htmx and "turn" in request.GET and not gone_on:
            return HttpResponse(status=204)
        return _page(request, seat, Planning(), gone_on=gone_on)
    planning, post = _read(request.POST), request.POST
    try:
        if "drop" in post:
            replies.drop(seat)
        elif "remove" in post:
            replies.remove(seat, planning.turn, post["remove"].split(";"), taken_back=planning.taken_back)
        else:
            flow.check_current(seat.match, planning.turn, planning.taken_back)
            return _planned(request, seat, planning)
    except flow.Refused as refusal:
        return _page(request, seat, Planning(), error=str(refusal))
    return go(request, request.path)


@dataclass(frozen=True, slots=True)
class Planning:
    """The form: the line so far, its unfinished next order, and the own order that it follows (`base`)."""

    orders: Line = ()
    draft: Order = ""
    turn: int = -1
    taken_back: int | None = None
    base: Order = ""


def _read(post: Mapping[str, str]) -> Planning:
    given = [post.get(f"guess-{n}", "") for n in range(LONGEST_LINE)]
    orders = tuple(given[: given.index("")] if "" in given else given)
    if "go" in post:
        orders = tuple(post["go"].split(";"))[:LONGEST_LINE] if post["go"] else ()
    draft = "" if "go" in post else post.get("guess-draft", "")
    return Planning(orders, draft, number(post.get("turn")), taken_back(post), post.get("guess-base", ""))


def _planned(request: Request, seat: Seat, planning: Planning) -> HttpResponse:
    post = request.POST
    try:
        base = replies.base_of(flow.standing_of(seat.match), seat)
        if (base.after or "") != planning.base:
            raise flow.Refused("Your planned turn has changed. Look at the board again.")
        if "go" in post:
            return _page(request, seat, planning)
        now = replies.play_line(base, planning.orders)
        order = _tapped(now, replies.acting(base, len(planning.orders)), planning.draft, post)
        planning = replace(planning, draft=order)
        if "seal" in post:
            return _step_on(request, seat, base, planning)
    except IllegalOrder as refusal:
        error = render_sentence(refusal.sentence)
        return _page(request, seat, planning, error=error)
    return _page(request, seat, planning, tapped=bool(request.htmx))


def _tapped(state: State, acts: Seat, draft: Order, post: Mapping[str, str]) -> Order:
    view, typed = state.view(acts.at), post.get("typed", "").strip()
    view.check_order_length(acts.at, typed)
    if typed and ("use" in post or "seal" in post):
        draft = typed if "seal" in post else readable(view, acts.at, typed)
    order, _taken, refusal, _former = choose_all(partial(view.plan, acts.at), draft, keys_of(post))
    if refusal:
        raise refusal
    return order


def _step_on(request: Request, seat: Seat, base: replies.Base, planning: Planning) -> HttpResponse:
    acts = replies.acting(base, len(planning.orders))
    view = replies.play_line(base, planning.orders).view(acts.at)
    plan = view.plan(acts.at, planning.draft)
    if plan.missing and not request.POST.get("typed", "").strip():
        return _page(request, seat, planning, refused=True)
    line = (*planning.orders, view.check(acts.at, planning.draft if plan.missing else plan.order))
    kept = len(line) % 2 == 0
    if kept:
        replies.add(seat, planning.turn, line, base=planning.base, taken_back=planning.taken_back)
    return _page(request, seat, replace(planning, orders=line, draft=""), kept=kept)


def _page(
    request: Request,
    seat: Seat,
    planning: Planning,
    *,
    error: str = "",
    refused: bool = False,
    tapped: bool = False,
    kept: bool = False,
    gone_on: bool = False,
) -> HttpResponse:
    """The whole page, or only its planner for a tap; `gone_on`: the match has changed meanwhile."""
    match = seat.match
    context = _context(match, seat, planning) | {"error": error, "refused": refused}
    context |= {"kept_now": kept, "gone_on": gone_on}
    if tapped:
        response = render(request, "play/replies/_planner.html", context | {"tapped": True})
    else:
        status = 422 if (error or refused) and not request.htmx else 200
        response = render(request, "play/replies/page.html", context, status=status)
        if request.htmx:
            response = reselect(reswap(retarget(response, "#lesson"), "outerHTML"), "#lesson")
    _tab, first = orders.parse_mark(request.POST.get("once", ""))
    if request.htmx:
        response[TAPS_HEADER] = "? refused" if error else str(first + len(keys_of(request.POST)[1:]))
    return response


def _context(match: Match, seat: Seat, planning: Planning) -> dict[str, Any]:
    standing = flow.standing_of(match)
    names = {one.at: one.shown_name for one in standing.seats}
    other = next(one for one in standing.seats if one.at != seat.at)
    context: dict[str, Any] = {
        **BOARD,
        "what_if": None,
        "is_task": True,
        "table": match,
        "seat": seat,
        "you": seat.at,
        "refused": False,
        "draft": "",
        "game": match.game,
        "names": names,
        "who": names[other.at],
        "drawn": templates_of(match.game_slug),
        "style": style_of(match.game_slug),
        "replies": shown(match, seat),
        "planning": planning,
        "longest_line": LONGEST_LINE,
        "why_not": "",
        "line": (),
        "base": "",
        "own": False,
        "ended": False,
    }
    try:
        base = replies.base_of(standing, seat)
        line, state = planning.orders, replies.play_line(base, planning.orders)
    except flow.Refused as refusal:
        return context | {"why_not": str(refusal)}
    except IllegalOrder:  # the line belongs to another position, so the page begins anew
        line, state = (), base.state
    return context | _step(base, line, state, planning.draft)


def _step(base: replies.Base, line: Line, state: State, draft: Order) -> dict[str, Any]:
    acts = replies.acting(base, len(line))
    ended = state.outcome() is not None or len(line) == LONGEST_LINE or state.to_act() != {acts.at}
    film = film_of([state], acts.at, at=0)
    found = {"base": base.after or "", "line": line, "own": acts == base.seat, "ended": ended}
    found |= {"film": film, "frames": film.steps, "you": acts.at}
    if ended:
        return found
    plan = state.view(acts.at).plan(acts.at, draft)
    return found | {"may_plan": True, "plan": plan, "ghosts": getattr(plan, "ghosts", ()), "draft": draft}
