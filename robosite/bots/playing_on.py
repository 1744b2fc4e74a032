"""The page for playing on from a turn of a finished match, in a new match against bots."""

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games.players import PLAYERS
from robosite.matches import flow
from robosite.matches.flow.continuation import may_play_again, play_again
from robosite.matches.history import states_of
from robosite.matches.models import Match
from robosite.people.browser_links import keep_links
from robosite.people.current_guest import current_guest, name_here, welcome
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.shares import lane_of, may_make
from robosite.play import hot_seat
from robosite.play.decorators import Request, among_players, link_key, match_of, number
from robosite.play.drawings import is_drawn
from robosite.play.opponents import offered
from robosite.web.http import private


@require_http_methods(["GET", "HEAD", "POST"])
@private
def again(request: Request, key: str) -> HttpResponseBase:
    """The form for playing on from `?turn=` of a finished match, or a 404; a POST begins the new match."""
    match = flow.apply_due(match_of(key))
    if not match.may_be_watched_by(current_guest(request)):
        return among_players(request, match)
    if not may_play_again(match):
        raise Http404
    states_of(match)  # a long match is replayed before anything is counted or made (Later)
    if request.method == "POST":
        return _begin(request, match)
    return _choice(request, match, number(request.GET.get("turn")))


@unless_restricted(Action.PLAY)
@sent_once
def _begin(request: Request, match: Match) -> HttpResponse:
    post = request.POST
    turn, at, player = number(post.get("turn")), post.get("seat", ""), post.get("player", "")
    if player not in PLAYERS:
        return _choice(request, match, turn, at=at, error=_("There’s no such bot."), status=409)
    try:
        name = name_here(request)
        may_make(request, bots=match.seats.count() - 1)
        guest = welcome(request, name if post.get("name", "").strip() else "")
        taken = play_again(match, turn - 1, at, name, player, guest=guest, lane=lane_of(request))
    except (flow.Refused, RefusedName) as refusal:
        return _choice(request, match, turn, at=at, player=player, error=str(refusal), status=409)
    return keep_links(request, redirect(taken.seat), {link_key(taken.seat): taken.secret})


def _choice(
    request: Request,
    match: Match,
    turn: int,
    *,
    at: str = "",
    player: str = "",
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    turn = min(max(turn, 1), match.turn)
    state, guest = states_of(match)[turn - 1], current_guest(request)
    seats = [seat for seat in match.seats.all() if seat.at in state.still_in()]
    mine = [seat.letter for seat in hot_seat.held(guest, match)]
    letters = [seat.letter for seat in seats]
    asked = (at, request.GET.get("seat", ""), *mine, letters[0])
    context: dict[str, Any] = {
        "match": match,
        "game": match.game,
        "turn": turn,
        "seats": [(seat, state.side(seat.at)) for seat in seats],
        "chosen": next(letter for letter in asked if letter in letters),
        "player": player or offered(guest, [match.game_slug])[match.game_slug],
        "is_drawn": is_drawn(match.game_slug),
        "hides": any(state.conceals(n, seat.at) for n in range(turn - 1) for seat in seats),
        "error": error,
    }
    return render(request, "bots/again.html", context, status=status)
