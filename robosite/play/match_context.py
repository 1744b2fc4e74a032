"""The responses of a match's page, whole or as a part for htmx, from its typed state (`page_state.py`)."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import reswap, retarget

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import handover, listing, takeback
from robosite.matches.models import Match, Seat
from robosite.matches.records import digest_of
from robosite.matches.wording import headed, listed
from robosite.people.current_guest import current_guest
from robosite.play import first_round, hot_seat, match_stages, planning, seen_turns, what_if
from robosite.play.decorators import Request, absolute, go, number, own_link
from robosite.play.drawings import style_of
from robosite.play.film import show_film
from robosite.play.match_stages import show_series
from robosite.play.opponents import called
from robosite.play.page_state import (
    UNTRIED,
    Ahead,
    Menu,
    Open,
    Over,
    Page,
    Part,
    Planning,
    Playing,
    Tried,
    Waiting,
    Watching,
)
from robosite.play.planner_form import mark_of
from robosite.play.players import show_players, table_mark
from robosite.play.waiting import count_waiting
from robosite.web.written_names import Name


def respond(
    request: Request,
    match: Match,
    seat: Seat | None,
    tried: Tried = UNTRIED,
    *,
    mine: list[Seat] | None = None,
    status: int = 200,
    standing: flow.Standing | None = None,
) -> HttpResponse:
    """Responds with a match's page or, for htmx, its targeted part: `film`, `ahead` or the live part.

    `seat` is the reader's; on the public page it is None, and `mine` are the seats that the browser holds.
    The live part always has status 200, so that htmx swaps it.
    """
    standing = standing or flow.standing_of(match)
    if request.htmx and request.htmx.target == "film":
        return _film_answer(request, standing, seat)
    if request.htmx and request.htmx.target == "ahead" and seat:
        return _look_ahead(request, standing, seat)
    page = page_of(request, standing, seat, tried, mine or [])
    if request.htmx:
        response = render(request, "play/_live.html", page.context())
        if request.htmx.target != "live":  # its target may have gone from the page meanwhile
            reswap(retarget(response, "#live"), "outerHTML")
    else:
        response = render(request, "play/match.html", page.context(), status=status)
    if seat is None:
        seen_turns.remember(request, response, match, page.film)
    return response


def _look_ahead(request: Request, standing: flow.Standing, seat: Seat) -> HttpResponse:
    """Renders the planned board after each likely next tap, to show it at once; 204 if no order is owed."""
    if seat.at not in standing.owing:
        return HttpResponse(status=204)
    draft = flow.kept_draft(standing.match, seat, standing)
    begun = draft.text or first_round.ready_order(standing, seat, current_guest(request))
    plans, all_turn = planning.look_ahead(standing.state, seat, begun)
    page = Ahead(
        **_of_match(standing, seat),
        may_plan=True,
        seen=mark_of(draft.text, draft.nonce),
        ahead=[(key, plan, getattr(plan, "ghosts", ())) for key, plan in plans.items()],
        all_turn=all_turn,
    )
    return render(request, "play/_ahead.html", page.context())


def _film_answer(request: Request, standing: flow.Standing, seat: Seat | None) -> HttpResponse:
    match, page = standing.match, Part(**_of_match(standing, seat))
    _show_turn(page, request, standing)
    if seat and not page.film.past:
        receipt = flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None
        if receipt:
            _show_plan(page, standing, receipt.order)
        elif seat.at in standing.owing:
            page.may_plan = True
            page.draft = flow.draft_of(match, seat, standing)
            ready = "" if page.draft else first_round.ready_order(standing, seat, current_guest(request))
            _show_plan(page, standing, page.draft, ready=ready)
            page.your_side = standing.state.side(seat.at)
            page.goal = first_round.first_goal(standing, seat, sealed=False)
            _show_bubbles(page, request, standing)
    response = render(request, "play/_film_part.html", page.context())
    if seat is None:
        seen_turns.remember(request, response, match, page.film)
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


def stage_of(standing: flow.Standing, seat: Seat | None) -> type[Page]:
    match standing.match.status:
        case Match.Status.OPEN:
            return Open
        case Match.Status.PLAYING if seat:
            return Planning if seat.at in standing.owing else Waiting
        case Match.Status.PLAYING:
            return Watching
    return Over


def page_of(
    request: Request, standing: flow.Standing, seat: Seat | None, tried: Tried, mine: list[Seat]
) -> Page:
    match = standing.match
    page = stage_of(standing, seat)(**_of_match(standing, seat), mine=mine)
    _show_turn(page, request, standing)
    _show_table(page, standing)
    page.address, page.style = absolute(request, match.get_absolute_url()), style_of(match.game_slug)
    if seat:
        _show_own(page, request, standing, seat, tried)
    if isinstance(page, Open) and seat:
        match_stages.before_start(page, request, standing, seat)
    if isinstance(page, Playing):
        match_stages.in_play(page, request, standing)
    if isinstance(page, Over):
        match_stages.after_end(page, request, standing)
    return page


def _show_table(page: Page, standing: flow.Standing) -> None:
    match, names = standing.match, page.names
    page.players = show_players(standing, page.seat)
    page.players_key = tuple(player.key for player in page.players)
    rivals = standing.state.still_in() - {page.you} if page.you else frozenset()
    page.sealed_one = names[next(iter(rivals))] if len(rivals) == 1 else ""
    page.awaited = listed([names[at] for at in standing.owing])
    page.shows = digest_of(match, standing.state)
    page.published = [f"{at}:{program.seal}" for at, program in standing.sealed.items() if program.seal]
    page.taken_over = takeback.taken_over(match)
    page.series = show_series(match, names, page.you)


def _show_turn(page: Part, request: Request, standing: flow.Standing) -> None:
    """Shows the turn that `?at=` names, else the first unseen one, else the last one; notes it as seen."""
    match, seat = standing.match, page.seat
    turn, at = _asked_step(request, match)
    if turn is None:
        seen = seen_turns.seen(request, match, seat)
        page.since = 0 if seen_turns.opens_at_own_turn(request, standing, seat) else match.turn - seen
        turn, at = (seen, 0) if page.since else (match.turn - 1, None)
    page.show(show_film(match, page.you, page.names, turn=turn, at=at))
    if seat:
        seen_turns.remember_seen(request, match.turn if page.since else page.film.number)
        page.shared_device = len(request.mine) > 1
    page.named = headed([one.shown_name for one in standing.seats if one.taken and one.at != page.you])
    page.others = headed([called(one) for one in standing.seats if one.taken and one.at != page.you])


def _show_own(page: Page, request: Request, standing: flow.Standing, seat: Seat, tried: Tried) -> None:
    """Fills in what only the seat's player sees, such as the draft or sealed order, the plan, and hints."""
    match = standing.match
    text, ready = flow.draft_of(match, seat, standing), ""
    page.error, page.refused, page.former, page.typed = tried.error, tried.refused, tried.former, tried.typed
    page.table = table_mark(standing.seats)
    page.receipt = flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None
    page.may_plan = seat.at in standing.owing
    if page.may_plan and not text and not page.receipt:
        ready = first_round.ready_order(standing, seat, current_guest(request))
    is_too_long = page.may_plan and len(text) > standing.state.view(seat.at).max_order_length(seat.at)
    page.askings = match_stages.askings_shown(standing, seat)
    page.kept_seat = getattr(request, "kept_seat", False)
    _show_way_on(page, request, standing, seat)
    page.your_side = standing.state.side(seat.at)
    page.draft, page.unread = text, text if is_too_long else ""
    page.lost = flow.is_unreadable(match, seat, standing.programs.get(seat.at))
    page.goal = first_round.first_goal(standing, seat, sealed=page.receipt is not None)
    if page.receipt:
        _show_plan(page, standing, page.receipt.order)
    elif page.may_plan:
        _show_plan(page, standing, text, guesses=tried.guesses, step=tried.step, ready=ready)
    if not (page.film.past or page.what_if):
        if not page.since:
            page.own_side = first_round.own_side(standing, seat, page.frames[-1].drawing)
        if page.may_plan:
            _show_bubbles(page, request, standing)


def _show_bubbles(page: Part, request: Request, standing: flow.Standing) -> None:
    match, seat = standing.match, page.seat
    stay = match.game.keeps_bubbles(match.turn)
    if seat is None or (page.draft and not stay):
        return
    page.bubbles = first_round.bubbles(standing, seat, current_guest(request), goal=page.goal)
    if page.bubbles:
        page.bubble_points = first_round.bubble_points(match, len(standing.seats), page.bubbles)
        page.bubbles_stay = stay


def _show_way_on(page: Page, request: Request, standing: flow.Standing, seat: Seat) -> None:
    """Counts the matches that wait: in `waiting` and, if the reader has time (`has_time`), in `next`."""
    bots = {one.at for one in standing.seats if one.is_bot}
    if request.htmx or seat.at not in standing.owing:
        page.waiting = request.waiting = count_waiting(request.hold.guest)
    page.has_time = not request.mine[1:] and seat.at not in standing.owing
    page.has_time = page.has_time and not (standing.owing and bots.issuperset(standing.owing))
    page.next = page.waiting if page.has_time else 0


def _show_plan(
    page: Part,
    standing: flow.Standing,
    text: str,
    *,
    guesses: what_if.Guesses = what_if.NONE,
    step: int = -1,
    ready: str = "",
) -> None:
    """Shows the plan for the order `text`; if that is empty, for a newcomer's `ready` order."""
    seat = page.seat
    assert seat
    page.plan = planning.show_plan(standing.state, seat, text or ready, guesses.orders)
    page.what_if = what_if.show(standing.state.view(seat.at), page.plan, guesses, step)
    page.ghosts = getattr(page.plan, "ghosts", ())
    page.seen = mark_of(text, flow.kept_draft(standing.match, seat, standing).nonce)
    page.ready = "" if text else ready


def planner_of(
    standing: flow.Standing, seat: Seat, text: str, tried: Tried, *, stale: bool, thrown: bool
) -> Part:
    """The planner in response to a tap; `stale`: the draft had changed; `thrown`: no guess is left."""
    page = Part(
        **_of_match(standing, seat), tapped=True, refused=tried.refused, former=tried.former, stale=stale
    )
    _show_plan(page, standing, text, guesses=tried.guesses, step=tried.step)
    if thrown:
        match = standing.match
        page.show(show_film(match, seat.at, page.names, turn=match.turn - 1, at=None))
    return page


def menu_of(request: Request, match: Match, seat: Seat | None) -> Menu:
    """The menu; `?at=` names the turn whose pictures, seals and neighbours it offers."""
    standing = flow.standing_of(match)
    menu = Menu(**_of_match(standing, seat))
    turn, at = _asked_step(request, match)
    menu.show(show_film(match, menu.you, menu.names, turn=match.turn - 1 if turn is None else turn, at=at))
    menu.players = [one.shown_name for one in standing.seats if one.taken]
    if seat is None:
        return menu
    own = own_link(request, seat)
    if match.status == Match.Status.PLAYING:
        match_stages.show_endings(menu, standing, seat)
    menu.may_plan = seat.at in standing.owing
    menu.receipt = flow.order_of(match, seat, standing) if match.status in flow.GOING_ON else None
    menu.may_put_out = listing.may_put_out(seat, match, standing.seats) if match.listed_at else ()
    menu.own_link = absolute(request, reverse("seat-link", args=[own])) if own else ""
    menu.may_hand_over = handover.may_offer(match)
    menu.may_leave_to_bot = any(one.taken and not one.is_bot and one.at != seat.at for one in standing.seats)
    return menu


def _of_match(standing: flow.Standing, seat: Seat | None) -> dict[str, Any]:
    return {"match": standing.match, "seat": seat, "names": names_of(standing), "owing": standing.owing}


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
