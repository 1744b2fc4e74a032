"""Views for playing with bots: beginning a match against bots, and seating a bot in one's own match."""

from functools import partial

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from games import GAMES, newest
from games.core import SEATS, Game, seat_letters
from games.players import PLAYERS
from robosite.matches import flow
from robosite.matches.models import Seat
from robosite.people import shares
from robosite.people.browser_links import keep_links
from robosite.people.current_guest import name_here, welcome
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.shares import lane_of, may_make
from robosite.play.decorators import Request, link_key
from robosite.play.opponents import offered
from robosite.play.views import action_view


@require_POST
@unless_restricted(Action.PLAY)
@sent_once
def play(request: Request) -> HttpResponse:
    """View: begins a match against bots at once, with defaults for what is missing or unknown."""
    post = request.POST
    slug = post.get("game", "")
    game = newest(slug) if slug in GAMES else next(iter(newest(one) for one in GAMES))
    preset = game.presets.get(post.get("preset", "")) or next(iter(game.presets.values()))
    player = post.get("player", "")
    try:
        name = name_here(request)
    except RefusedName as refusal:
        return _refused(request, str(refusal), game)
    seats = preset.usual_seats
    options = game.read_options(preset.options)
    own = game.newcomers_seat(options, seats)
    may_make(request, bots=seats - 1)
    guest = welcome(request, name if post.get("name", "").strip() else "")
    player = player if player in PLAYERS else offered(guest, [game.slug])[game.slug]
    try:
        taken = flow.create(
            game,
            options,
            seats,
            name,
            at=own,
            bots={letter: player for letter in seat_letters(seats) if letter != own},
            guest=guest,
            lane=lane_of(request),
        )[1]
    except RefusedName as refusal:  # taken away meanwhile
        return _refused(request, str(refusal), game)
    return keep_links(request, redirect(taken.seat), {link_key(taken.seat): taken.secret})


def _refused(request: Request, why: str, game: Game) -> HttpResponse:
    return render(request, "bots/refused.html", {"why": why, "game": game}, status=422)


@partial(action_view, spot="bots")
def seat_bot(request: Request, seat: Seat) -> None:
    """View: the creator of a match seats a bot (`player`) at the posted `seat`, or removes one."""
    at, player = request.POST.get("seat", ""), request.POST.get("player", "")
    if not (len(at) == 1 and at in SEATS and seat.match.seats.filter(letter=at).exists()):
        raise flow.Refused("There’s no seat “{at}” in this match.", at=at[:8])
    if not player:
        flow.remove_bot(seat, at)
    elif player in PLAYERS:
        shares.take(request, "bots")
        flow.add_bot(seat, at, player)
    else:
        raise flow.Refused("There’s no such bot.")
