"""The page of a match as an answer: whole, or its live part, with everything that its templates ask for."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from games.core import Seat as Letter
from robosite.matches import (
    asking,
    flow,
    hotseat,
    lateness,
    lost,
    mine,
    news,
    nudges,
    page,
    starting,
    takeback,
    whatif,
)
from robosite.matches.asked import Request, absolute, go, number, only_here
from robosite.matches.drawings import style_of, templates_of
from robosite.matches.links import own_link, own_links
from robosite.matches.models import Match, Seat
from robosite.matches.phrases import headed, listed
from robosite.people.here import guest_here


def answer(
    request: Request,
    match: Match,
    seat: Seat | None,
    more: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, or for htmx its live part only; htmx gets 200 where it is to show what was refused."""
    if request.htmx and request.htmx.target == "film":
        return _film_answer(request, match, seat)
    context = _context(request, match, seat, more or {})
    if request.htmx:
        response = render(request, "matches/_live.html", context)
        response["HX-Retarget"], response["HX-Reswap"] = "#live", "outerHTML"
    else:
        response = render(request, "matches/page.html", context, status=status)
    if seat is None:
        news.remember(request, response, match, context["film"])
    return response


def _film_answer(request: Request, match: Match, seat: Seat | None) -> HttpResponse:
    """Another turn on the board of an open page: the film and what happened, nothing else."""
    now = flow.standing(match)
    context = _shown_context(request, now, seat)
    film = context["film"]
    if seat and not film.past:
        receipt = flow.order_of(match, seat, now) if match.status in flow.GOING_ON else None
        if receipt or seat.at in now.owing:
            order = receipt.order if receipt else flow.draft_of(match, seat, now)
            context |= {"may_plan": not receipt, **_plan_context(now, seat, order)}
    response = render(request, "matches/_film_part.html", context)
    if seat is None:
        news.remember(request, response, match, film)
    return response


def again(request: Request, seat: Seat) -> HttpResponse:
    """The seat's page after something was done: for htmx the live part, else by way of a redirect.

    Where several share the browser, the device goes to whose turn it is now.
    """
    turn = number(request.POST.get("turn"))
    to = hotseat.hand_on(request, seat, turn)
    if to:
        return go(request, to)
    if not request.htmx:
        news.own(request, seat, turn)
        return redirect(seat)
    seat.refresh_from_db()
    return answer(request, Match.objects.get(pk=seat.match_id), seat)


def _context(request: Request, match: Match, seat: Seat | None, more: dict[str, Any]) -> dict[str, Any]:
    now = flow.standing(match)
    players = page.show_players(now, seat)
    context = _shown_context(request, now, seat)
    names = context["names"]
    context |= {
        "players": players,
        "others": headed([names[p.seat.at] for p in players if p.seat.taken and not p.you]),
        "owing": now.owing,
        "awaited": listed([names[at] for at in now.owing]),
        "result": page.result(match, names),
        "terms": lateness.terms(now, context["you"], names) if match.status == Match.Status.PLAYING else None,
        "style": style_of(match.game_slug),
        "error": "",
        **more,
    }
    if match.status not in flow.GOING_ON:
        context |= _rematch(request, match)
        context["stopped"] = lost.was_called_off(match)
    if seat:
        guesses, step = context.get("guesses", whatif.NONE), context.get("step", -1)
        context |= _own_context(request, now, seat, guesses, step)
    context["waits"] = match.status in flow.GOING_ON and not context.get("may_plan") and not context["since"]
    return context


def _rematch(request: Request, match: Match) -> dict[str, Any]:
    """The rematch if there is one, and who asks for it if the reader's own seat there waits for him."""
    after = Match.objects.filter(rematch_of=match).first()
    asks = ""
    if after and after.status == Match.Status.OPEN and not hotseat.held(guest_here(request), after):
        asks = next((seat.name for seat in after.seats.all() if seat.host), "")
    return {"rematch": after, "rematch_by": asks}


def _shown_context(request: Request, now: flow.Standing, seat: Seat | None) -> dict[str, Any]:
    """What the film needs: the turn asked for, else what is new, else the present.

    `since` is how many turns were played since this browser last looked, where the film begins with them.
    """
    match, names = now.match, names_of(now)
    viewer = seat.at if seat else None
    turn, at = _asked_step(request, match)
    since = 0
    if turn is None:
        seen = news.seen(request, match, seat)
        since = match.turn - seen
        turn, at = (seen, 0) if since else (match.turn - 1, None)
    film = page.show_film(match, viewer, names, turn, at)
    if seat:
        news.note(request, match.turn if since else film.number)
    return {
        "match": match,
        "game": match.game,
        "seat": seat,
        "you": viewer,
        "names": names,
        "film": film,
        "frames": film.steps,
        "since": since,
        "past": film.past,
        "over": match.status == Match.Status.OVER,
        "drawn": templates_of(match.game_slug),
    }


def _own_context(
    request: Request, now: flow.Standing, seat: Seat, guesses: whatif.Guesses, step: int
) -> dict[str, Any]:
    """What only this seat sees: its program, its guesses, its links, its buttons."""
    match, links = now.match, own_links(request)
    text = flow.draft_of(match, seat, now)
    receipt = flow.order_of(match, seat, now) if match.status in flow.GOING_ON else None
    may_plan = seat.at in now.owing
    invite = links.get(f"invite/{match.key}") if seat.host and match.status == Match.Status.OPEN else None
    own = own_link(request, seat)
    waiting = mine.waiting(request.hold.guest) if receipt or request.htmx else 0
    return {
        "receipt": receipt,
        "askings": _askings(now, seat),
        "next": waiting if receipt and not request.mine[1:] else 0,
        **({"waiting": waiting} if request.htmx else {}),
        "may_plan": may_plan,
        "your_side": now.state.side(seat.at),
        "draft": text,
        "lost": flow.is_lost(match, seat, now.programs.get(seat.at)),
        **_endings(now, seat),
        "claimable": now.claimable(seat.at),
        "may_nudge": nudges.may_nudge(now, seat),
        **_wish(now, seat),
        "invite": invite and absolute(request, reverse("invite", args=[invite])),
        "own_link": own and absolute(request, reverse("seat-link", args=[own])),
        "sitting": sum(one.taken for one in now.seats),
        "can_start": seat.host and starting.can_start(match, now.seats),
        "local": only_here(request),
        "sat": "sat" in request.GET,
        **(
            _plan_context(now, seat, receipt.order, whatif.NONE)
            if receipt
            else _plan_context(now, seat, text, guesses, step)
            if may_plan
            else {}
        ),
    }


def _endings(now: flow.Standing, seat: Seat) -> dict[str, Any]:
    """What there is to say of ending the match together: who else is in it, what they and I have offered.

    `draw` and `off` each say whether the own offer stands, who declined it, and who asks for an answer.
    """
    match = now.match
    if match.status != Match.Status.PLAYING:
        return {}
    still_in = now.state.still_in() - now.resigning
    own = next(one for one in now.seats if one.pk == seat.pk)
    rivals = [one for one in now.seats if one.at in still_in and one.pk != seat.pk]
    told: dict[str, Any] = {"in_it": own.at in still_in, "rivals": [one.name for one in rivals]}
    for ending in flow.Ending:
        asking = [one for one in rivals if flow.stands(one, match, ending)]
        mine = "stands" if flow.stands(own, match, ending) else ""
        no = [one.name for one in rivals if mine and flow.has_declined(one, match, [own], ending)]
        open_ = asking and not mine and not flow.has_declined(own, match, asking, ending)
        asked_by = listed([one.name for one in asking]) if open_ else ""
        told[ending] = {"own": mine, "declined_by": listed(no), "asked_by": asked_by}
    return told


def _askings(now: flow.Standing, seat: Seat) -> list[dict[str, Any]]:
    """Who asks for a lost seat at this table, and what this seat may say to it."""
    told = []
    for one in asking.standing(now.match):
        deciders = asking.deciders(now.seats, one)
        told.append(
            {
                "pk": one.pk,
                "who": one.guest.name if one.guest.name != one.seat.name else "",
                "seat": one.seat,
                "own": one.seat_id == seat.pk,
                "decides": seat.pk in {other.pk for other in deciders},
                "deciders": listed([other.name for other in deciders]),
                "by": one.answered_by,
                "due": one.due,
            }
        )
    return told


def _wish(now: flow.Standing, seat: Seat) -> dict[str, Any]:
    """What there is to say of taking the last turn back: theirs, own, declined, ask, or nothing."""
    match, own = now.match, next(one for one in now.seats if one.pk == seat.pk)
    asker = takeback.asking(match, now.seats)
    if asker:
        return {"wish": "own" if asker.pk == seat.pk else "theirs", "asker": asker.letter}
    if takeback.declined(match, own):
        return {"wish": "declined"}
    if not takeback.may_ask(match, own):
        return {}
    return {"wish": "ask", "at_once": takeback.at_once(match, now.seats)}


def _plan_context(
    now: flow.Standing, seat: Seat, text: str, guesses: whatif.Guesses = whatif.NONE, step: int = -1
) -> dict[str, Any]:
    plan = page.show_plan(now.state, seat, text, guesses.orders)
    beside = whatif.show(now.state.view(seat.at), plan, guesses, step)
    return {"plan": plan, "ghosts": getattr(plan, "ghosts", ()), "what_if": beside}


def planner_context(
    now: flow.Standing, seat: Seat, text: str, guesses: whatif.Guesses, step: int, thrown: bool
) -> dict[str, Any]:
    """What the answer to a tap needs: the planner and its ghosts, nothing else of the page.

    With guesses the board's film goes along, and the real one again once the last guess is `thrown` away.
    """
    match, names = now.match, names_of(now)
    context = {
        "match": match,
        "game": match.game,
        "you": seat.at,
        "names": names,
        "owing": now.owing,
        "drawn": templates_of(match.game_slug),
        "tapped": True,
        **_plan_context(now, seat, text, guesses, step),
    }
    if thrown:
        film = page.show_film(match, seat.at, names, match.turn - 1, None)
        context |= {"film": film, "frames": film.steps}
    return context


def names_of(now: flow.Standing) -> dict[Letter, str]:
    kept = flow.kept_for(now.match)
    seats = {seat.at: seat.name or kept.get(seat.at, "") for seat in now.seats}
    return {at: name or _("Seat {letter}").format(letter=at) for at, name in seats.items()}


def _asked_step(request: Request, match: Match) -> tuple[int | None, int | None]:
    """`?at=3.2` is step 2 of the third turn."""
    turn, _dot, step = request.GET.get("at", "").partition(".")
    if not (0 < number(turn) <= match.turn):
        return None, None
    return number(turn) - 1, number(step) if number(step) >= 0 else None
