"""The responses of a match's page, whole or as a fragment for htmx, with the context of its templates."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import reswap, retarget

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import listing, replying, seat_offers, takeback
from robosite.matches.models import Match, Seat
from robosite.matches.records import digest_of
from robosite.matches.wording import headed, listed
from robosite.people.current_guest import current_guest
from robosite.play import first_round, hot_seat, lateness, match_stages, planning, seen_turns, what_if
from robosite.play.decorators import Request, absolute, go, number, only_here, own_link
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.play.film import result, show_film
from robosite.play.match_stages import show_series
from robosite.play.opponents import called
from robosite.play.planner_form import mark_of
from robosite.play.players import show_players, table_mark
from robosite.play.waiting import count_waiting
from robosite.web.written_names import Name

NO_ENDING = {"own": "", "declined_by": "", "asked_by": ""}
NO_TEXT = (
    "error typed unread draft wish rematch_by another verdict your_side named others sealed_one awaited "
    "seen asker table preset_key shows address new_terms"
)
NO_LIST = (
    "threads rivals askings claimable last_seen bubbles bubble_points how in_short besides friends mine "
    "players players_key owing published"
)
NOT_SO = (
    "refused stale in_it lost stopped may_reply kept_seat may_nudge reply_waits has_time may_follow "
    "plays_on bubbles_stay waits needs_no_consent can_start local may_hand_over may_leave_to_bot "
    "is_reviewed sides_swap shared_device"
)
NO_NUMBER = "since unread_to_all idle next sitting taken_over longest_line"
NOTHING = "told what_if rematch next_begun series terms goal look_back seat you result replies invite"
QUIET: dict[str, Any] = {
    **BOARD,
    **dict.fromkeys(NO_TEXT.split(), ""),
    **dict.fromkeys(NO_LIST.split(), ()),
    **dict.fromkeys(NOT_SO.split(), False),
    **dict.fromkeys(NO_NUMBER.split(), 0),
    **dict.fromkeys(NOTHING.split(), None),
    "stage": "watching",
    "draw": NO_ENDING,
    "off": NO_ENDING,
}
"""Defaults for the page and its fragments, so that a template may ask for each (`test_fragments.py`)."""


def respond(
    request: Request,
    match: Match,
    seat: Seat | None,
    more: dict[str, Any] | None = None,
    *,
    status: int = 200,
    standing: flow.Standing | None = None,
) -> HttpResponse:
    """Responds with a match's page or, for htmx, its targeted fragment: `film`, `ahead` or the live part.

    `seat` is the reader's, None on the public page. `more` is added to the context of the page and the live
    part. The live part always has status 200, so that htmx swaps it.
    """
    if request.htmx and request.htmx.target == "film":
        return _film_answer(request, match, seat)
    if request.htmx and request.htmx.target == "ahead" and seat:
        return _look_ahead(request, match, seat)
    context = _context(request, standing or flow.standing_of(match), seat, more or {})
    if request.htmx:
        response = render(request, "play/_live.html", context)
        if request.htmx.target != "live":  # its target may have gone from the page meanwhile
            reswap(retarget(response, "#live"), "outerHTML")
    else:
        response = render(request, "play/match.html", context, status=status)
    if seat is None:
        seen_turns.remember(request, response, match, context["film"])
    return response


def _look_ahead(request: Request, match: Match, seat: Seat) -> HttpResponse:
    """Renders the planned board after each likely next tap, which the page then shows without a request."""
    standing = flow.standing_of(match)
    if seat.at not in standing.owing:
        return HttpResponse(status=204)
    draft = flow.kept_draft(match, seat, standing)
    begun = draft.text or first_round.ready_order(standing, seat, current_guest(request))
    plans, all_turn = planning.look_ahead(standing.state, seat, begun)
    ahead = [(key, plan, getattr(plan, "ghosts", ())) for key, plan in plans.items()]
    context = {
        **_of_match(standing, seat),
        "seen": mark_of(draft.text, draft.nonce),
        "ahead": ahead,
        "all_turn": all_turn,
        "may_plan": True,
        "tapped": False,
    }
    return render(request, "play/_ahead.html", context)


def _film_answer(request: Request, match: Match, seat: Seat | None) -> HttpResponse:
    standing = flow.standing_of(match)
    context = _shown_context(request, standing, seat)
    film = context["film"]
    if seat and not film.past:
        receipt = flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None
        if receipt or seat.at in standing.owing:
            order = receipt.order if receipt else flow.draft_of(match, seat, standing)
            ready = "" if order else first_round.ready_order(standing, seat, current_guest(request))
            context |= {"may_plan": not receipt, **_plan_context(standing, seat, order, ready=ready)}
            if not receipt:
                context |= {"draft": order, "your_side": standing.state.side(seat.at)}
                context |= first_round.first_steps(standing, seat, sealed=False)
                context |= _bubbles(request, standing, seat, context)
    response = render(request, "play/_film_part.html", context)
    if seat is None:
        seen_turns.remember(request, response, match, film)
    return response


def again(request: Request, seat: Seat) -> HttpResponse:
    """The response to an action: the seat's page, its live part, or another page at a shared device."""
    turn = number(request.POST.get("turn"))
    to = hot_seat.hand_on(request, seat, request.mine, turn)
    if to:
        return go(request, to)
    if not request.htmx:
        seen_turns.note_own_turn(request, seat, turn)
        return redirect(seat)
    standing = flow.standing_of(seat.match)
    flow.confirm_seat(seat, standing.seats)
    return respond(request, seat.match, seat, standing=standing)


def _context(
    request: Request, standing: flow.Standing, seat: Seat | None, more: dict[str, Any]
) -> dict[str, Any]:
    match = standing.match
    players = show_players(standing, seat)
    rivals = standing.state.still_in() - {seat.at} if seat else frozenset()
    context = _shown_context(request, standing, seat)
    names = context["names"]
    context |= {
        "players": players,
        "players_key": tuple(player.key for player in players),
        "sealed_one": names[next(iter(rivals))] if len(rivals) == 1 else "",
        "awaited": listed([names[at] for at in standing.owing]),
        "result": result(match, names),
        "terms": lateness.terms(standing, context["you"], names)
        if match.status == Match.Status.PLAYING
        else None,
        "style": style_of(match.game_slug),
        "shows": digest_of(match, standing.state),
        "published": [f"{at}:{program.seal}" for at, program in standing.sealed.items() if program.seal],
        "taken_over": takeback.taken_over(match),
        "series": show_series(match, names, context["you"]),
        **more,
    }
    if match.status not in flow.GOING_ON:
        context |= match_stages.after_end(request, standing, seat, names)
    if seat:
        guesses, step = context.get("guesses", what_if.NONE), context.get("step", -1)
        context |= _own_context(request, standing, seat, guesses=guesses, step=step)
        context["table"] = table_mark(standing.seats)
        context |= _introduction(request, standing, seat, context)
    context["stage"] = stage_of(match, seat, may_plan=context["may_plan"])
    context["waits"] = match.status in flow.GOING_ON and not context["may_plan"] and not context["since"]
    return context


def stage_of(match: Match, seat: Seat | None, *, may_plan: bool) -> str:
    """The stage of a match as its page shows it, which is the name of a template in play/stages."""
    if match.status == Match.Status.OPEN:
        return "open"
    if match.status != Match.Status.PLAYING:
        return "over"
    if seat is None:
        return "watching"
    return "planning" if may_plan else "waiting"


def _introduction(
    request: Request, standing: flow.Standing, seat: Seat, context: dict[str, Any]
) -> dict[str, Any]:
    """The reader's side, unless an unseen turn may change it, and bubbles; not with past turns, guesses."""
    if context["film"].past or context["what_if"]:
        return {}
    drawing = context["frames"][-1].drawing
    found: dict[str, Any] = {}
    if not context["since"]:
        found["own_side"] = first_round.own_side(standing, seat, drawing)
    if context.get("may_plan"):
        found |= _bubbles(request, standing, seat, context)
    return found


def _bubbles(
    request: Request, standing: flow.Standing, seat: Seat, context: dict[str, Any]
) -> dict[str, Any]:
    match = standing.match
    stay = match.game.keeps_bubbles(match.turn)
    if context["draft"] and not stay:
        return {}
    told = first_round.bubbles(standing, seat, current_guest(request), goal=context["goal"])
    if not told:
        return {}
    return {
        "bubbles": told,
        "bubble_points": first_round.bubble_points(match, len(standing.seats), told),
        "bubbles_stay": stay,
    }


def _shown_context(request: Request, standing: flow.Standing, seat: Seat | None) -> dict[str, Any]:
    """The context of the turn that `?at=` names, else of the first unseen one, else of the last one.

    `since` is the number of unseen turns if the page begins with them. Notes what its player has seen.
    """
    match, viewer = standing.match, seat.at if seat else None
    shown = _of_match(standing, seat)
    turn, at = _asked_step(request, match)
    since = 0
    if turn is None:
        seen = seen_turns.seen(request, match, seat)
        since = 0 if seen_turns.opens_at_own_turn(request, standing, seat) else match.turn - seen
        turn, at = (seen, 0) if since else (match.turn - 1, None)
    film = show_film(match, viewer, shown["names"], turn=turn, at=at)
    if seat:
        seen_turns.remember_seen(request, match.turn if since else film.number)
    return {
        **shown,
        "shared_device": seat is not None and len(request.mine) > 1,
        "address": absolute(request, match.get_absolute_url()),
        "film": film,
        "frames": film.steps,
        "since": since,
        "named": headed([one.shown_name for one in standing.seats if one.taken and one.at != viewer]),
        "others": headed([called(one) for one in standing.seats if one.taken and one.at != viewer]),
    }


def _own_context(
    request: Request, standing: flow.Standing, seat: Seat, *, guesses: what_if.Guesses, step: int
) -> dict[str, Any]:
    match = standing.match
    text, ready = flow.draft_of(match, seat, standing), ""
    receipt = flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None
    may_plan = seat.at in standing.owing
    if may_plan and not text and not receipt:
        ready = first_round.ready_order(standing, seat, current_guest(request))
    is_too_long = may_plan and len(text) > standing.state.view(seat.at).max_order_length(seat.at)
    found = {
        "receipt": receipt,
        "askings": match_stages.askings_shown(standing, seat),
        "kept_seat": getattr(request, "kept_seat", False),
        **_way_on(request, standing, seat),
        "may_plan": may_plan,
        "your_side": standing.state.side(seat.at),
        "draft": text,
        "unread": text if is_too_long else "",
        "reply_waits": replying.is_waiting(standing.programs.get(seat.at)),
        "lost": flow.is_unreadable(match, seat, standing.programs.get(seat.at)),
        **first_round.first_steps(standing, seat, sealed=receipt is not None),
    }
    if match.status == Match.Status.OPEN:
        found |= match_stages.before_start(request, standing, seat)
    elif match.status == Match.Status.PLAYING:
        found |= match_stages.while_playing(request, standing, seat)
    if receipt:
        return found | _plan_context(standing, seat, receipt.order)
    if may_plan:
        return found | _plan_context(standing, seat, text, guesses=guesses, step=step, ready=ready)
    return found


def _way_on(request: Request, standing: flow.Standing, seat: Seat) -> dict[str, Any]:
    """Other matches that wait; the page leads there unless this one waits for the reader or only bots."""
    bots, waiting, found = {one.at for one in standing.seats if one.is_bot}, 0, {}
    if request.htmx or seat.at not in standing.owing:
        waiting = request.waiting = count_waiting(request.hold.guest)
    if request.htmx:
        found["waiting"] = waiting
    has_time = not request.mine[1:] and seat.at not in standing.owing
    has_time = has_time and not (standing.owing and bots.issuperset(standing.owing))
    return {**found, "next": waiting if has_time else 0, "has_time": has_time}


def _plan_context(
    standing: flow.Standing,
    seat: Seat,
    text: str,
    *,
    guesses: what_if.Guesses = what_if.NONE,
    step: int = -1,
    ready: str = "",
) -> dict[str, Any]:
    """The context of the plan for the order `text`; if that is empty, for a newcomer's `ready` order."""
    plan = planning.show_plan(standing.state, seat, text or ready, guesses.orders)
    beside = what_if.show(standing.state.view(seat.at), plan, guesses, step)
    ghosts = getattr(plan, "ghosts", ())
    marks = flow.kept_draft(standing.match, seat, standing).nonce
    return {
        "plan": plan,
        "ghosts": ghosts,
        "what_if": beside,
        "seen": mark_of(text, marks),
        "ready": "" if text else ready,
    }


def planner_context(
    standing: flow.Standing, seat: Seat, text: str, *, guesses: what_if.Guesses, step: int, thrown: bool
) -> dict[str, Any]:
    """The context of the planner for the response to a tap; `thrown`: the last guess was just discarded."""
    context = {
        **_of_match(standing, seat),
        "tapped": True,
        **_plan_context(standing, seat, text, guesses=guesses, step=step),
    }
    if thrown:
        match = standing.match
        film = show_film(match, seat.at, context["names"], turn=match.turn - 1, at=None)
        context |= {"film": film, "frames": film.steps}
    return context


def menu_context(request: Request, match: Match, seat: Seat | None) -> dict[str, Any]:
    """The context of the menu; `?at=` names the turn whose pictures, seals and neighbours it offers."""
    standing = flow.standing_of(match)
    context = _of_match(standing, seat)
    turn, at = _asked_step(request, match)
    turn = match.turn - 1 if turn is None else turn
    context |= {
        "film": show_film(match, context["you"], context["names"], turn=turn, at=at),
        "players": [one.shown_name for one in standing.seats if one.taken],
    }
    if seat is None:
        return context
    own = own_link(request, seat)
    return {
        **context,
        **(match_stages.endings(standing, seat) if match.status == Match.Status.PLAYING else {}),
        "may_plan": seat.at in standing.owing,
        "receipt": flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None,
        "may_put_out": listing.may_put_out(seat, match, standing.seats) if match.listed_at else (),
        "own_link": own and absolute(request, reverse("seat-link", args=[own])),
        "local": only_here(request),
        "may_hand_over": seat_offers.may_offer(match),
        "may_leave_to_bot": any(one.taken and not one.is_bot and one.at != seat.at for one in standing.seats),
    }


def _of_match(standing: flow.Standing, seat: Seat | None) -> dict[str, Any]:
    match = standing.match
    return {
        **QUIET,
        "match": match,
        "game": match.game,
        "seat": seat,
        "you": seat.at if seat else None,
        "names": names_of(standing),
        "owing": standing.owing,
        "over": match.status == Match.Status.OVER,
        "drawn": templates_of(match.game_slug),
    }


def names_of(standing: flow.Standing) -> dict[Letter, str]:
    reserved = flow.kept_for(standing.match)
    seats = {seat.at: seat.shown_name or Name(reserved.get(seat.at, "")) for seat in standing.seats}
    return {at: name or _("Seat {letter}").format(letter=at) for at, name in seats.items()}


def _asked_step(request: Request, match: Match) -> tuple[int | None, int | None]:
    """The turn, from 0, and the step that `?at=` asks for: "3.2" is (2, 2); each None if it names none."""
    turn, _dot, step = request.GET.get("at", "").partition(".")
    if not (0 < number(turn) <= match.turn):
        return None, None
    return number(turn) - 1, number(step) if number(step) >= 0 else None
