"""The pages of a league: making it, joining by link, its main page and its record."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from games import GAMES, newest
from games.players import PLAYERS
from robosite.leagues import flow, seasons
from robosite.leagues.arithmetic.table import Decided
from robosite.leagues.forms import LeagueForm, playable
from robosite.leagues.league_talk import InLeague, hold_in
from robosite.leagues.models import League, Place
from robosite.leagues.pages.league_page import league_page, league_with, meetings_by_size, own_place
from robosite.leagues.pages.season_terms import preset_key_of
from robosite.leagues.pages.shown import week_before
from robosite.leagues.record.record import record_text
from robosite.lobby.forms import NameForm
from robosite.lobby.handing_over import enter, sit_down
from robosite.matches import flow as match_flow
from robosite.matches.models import Match
from robosite.people import shares
from robosite.people.browser_links import keep_links
from robosite.people.current_guest import current_guest, named_guest, welcome
from robosite.people.models import Guest
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.zones import offered_zones, zone_here
from robosite.play.decorators import Request, number
from robosite.play.drawings import show
from robosite.play.variants import variant_of
from robosite.share.comic import Moment, best_moment
from robosite.talk.views import conversation_page
from robosite.web.http import or_404, private, secret
from robosite.web.link_secrets import hash_secret

# Making one


@require_http_methods(["GET", "HEAD", "POST"])
@private
@unless_restricted(Action.PLAY)
@sent_once
def new(request: Request) -> HttpResponse:
    """The form of a new league; a POST makes the league, and an htmx GET gets a summary of the answers."""
    guest = current_guest(request)
    if request.method != "POST" and request.htmx:
        summed_up = {"form": _cleaned(request, request.GET), "apart": True}
        return render(request, "leagues/_summary.html", summed_up)
    if request.method != "POST":
        known = {"name": guest.name if guest else "", "plays": _first_of(request.GET.get("plays", ""))}
        known |= _as_before(request.GET.get("after", ""), guest)
        return _form_page(request, LeagueForm(initial=known))
    form = LeagueForm(request.POST, guest=guest, zone_here=zone_here(request))
    return _make(request, form) if form.is_valid() else _form_page(request, form, status=422)


def _make(request: Request, form: LeagueForm) -> HttpResponse:
    data = form.cleaned_data
    shares.may_make(request)
    guest = welcome(request, data["name"])
    slug, _slash, key = data["plays"].partition("/")
    game = newest(slug)
    try:
        created = flow.create(
            data["title"],
            game,
            game.read_options(dict(game.presets[key].options)),
            data["name"],
            plays=data["who"] != "programs",
            for_programs=data["who"] == "programs",
            names=data["written"],
            guest=guest,
            **{term: data[term] for term in ("format", "most_places", "table_seats")},
            scoring=data["scoring"] or League.Scoring.SHARES,
            legs=int(data["legs"] or 1),
            every_days=int(data["rounds"]) if data["rounds"] else None,
            ends_days=float(data["ends"]),
            late=data["late"] or Match.Late.DRAFT,
            handover=not data["kept"],
            **data["times"],
        )
    except RefusedName as refusal:  # taken away meanwhile
        form.add_error("name", str(refusal))
        return _form_page(request, form, status=422)
    for player in islice(PLAYERS, 0 if created.league.for_programs else int(data["bots"] or 0)):
        with suppress(match_flow.Refused):
            flow.add_bot(created.league, player, lambda _fresh: True)
    key = created.league.key
    links = {f"league/{key}": created.invite, f"organiser/{key}": created.organiser_token}
    return keep_links(request, redirect(created.league), links | {f"place/{key}": created.token or ""})


def _as_before(key: str, guest: Guest | None) -> dict[str, str]:
    """Returns initial form answers for a new league like an earlier one: format, game and other players."""
    league = League.objects.filter(key=key).first()
    if league is None or own_place(league, guest) is None:
        return {}
    others = league.places.filter(gone=False, left_at=None, removed=False, player="").exclude(taken_at=None)
    names = [place.name for place in others.exclude(holders__guest=guest).order_by("number")]
    plays = f"{league.game_slug}/{preset_key_of(league)}"
    return {"format": league.format, "plays": _first_of(plays), "names": ", ".join(names)}


def _first_of(plays: str) -> str:
    return next((one.value for one in playable() if plays and one.value.startswith(plays)), "")


def _cleaned(request: Request, answers: Mapping[str, Any]) -> LeagueForm:
    """Returns the form with these answers, cleaned, for the summary; missing answers get default values."""
    form = LeagueForm(answers, zone_here=zone_here(request))
    form.full_clean()
    return form


def _form_page(request: Request, form: LeagueForm, status: int = 200) -> HttpResponse:
    summed_up = form
    if not form.is_bound:
        plays = form.initial["plays"] = form.initial.get("plays") or playable()[0].value
        summed_up = _cleaned(request, {**form.initial, "plays": plays})
    elif form.too_short:
        summed_up = _cleaned(request, form.data)  # with the end that fits, which the form proposes
    games = [show(slug) for slug in GAMES]
    zone = {"zones": offered_zones(), "zone": form.data.get("zone") or zone_here(request)}
    return render(
        request,
        "leagues/new.html",
        {"form": form, "summed_up": summed_up, "playable": playable(), "games": games, **zone},
        status=status,
    )


# Joining


@require_safe
@secret
def invited(request: Request, secret: str) -> HttpResponse:
    """The page of an invite to a league: the players so far, and a field for a name; 404 for a wrong link."""
    return _invite_page(request, _invited_to(secret), secret, NameForm.for_guest(current_guest(request)))


def _invited_to(secret: str) -> League:
    return get_object_or_404(League, invite_hash=hash_secret(secret))


def _invite_page(
    request: Request, league: League, secret: str, form: NameForm, status: int = 200
) -> HttpResponse:
    places = list(league.places.filter(gone=False))
    context = {
        "league": league,
        "secret": secret,
        "form": form,
        "taken": [place for place in places if place.taken],
        "written": [place for place in places if not place.taken],
        "full": len(places) >= league.most_places,
        "host": flow.organisers_place(league),
        "mine": own_place(league, current_guest(request)),
        "meetings": meetings_by_size(league, sum(place.taken for place in places)),
        **variant_of(league.game_slug, league.rules, league.given_options, league.table_seats),
    }
    return render(request, "leagues/invite.html", context, status=status)


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def join(request: Request, secret: str) -> HttpResponse:
    """Takes a new place in a league; with the form field `place`, the untaken place with that number.

    After the start, the guest waits for the next season instead.
    """
    league = _invited_to(secret)
    claimed = league.places.filter(number=number(request.POST.get("place")), gone=False).first()
    given = {"name": claimed.name} if claimed else request.POST
    others = tuple(place.name for place in league.places.filter(gone=False) if place != claimed)
    form = NameForm(given, others=others, guest=current_guest(request))

    def take(name: str, guest: Guest) -> tuple[League, str, str]:
        if league.status != League.Status.OPEN:
            return flow.wait(league, secret, guest), f"place/{league.key}", ""
        claims, once = claimed.number if claimed else None, "once" in request.POST
        taken = flow.join(league, name, invite=secret, claims=claims, guest=guest, once=once)
        return league, f"place/{league.key}", taken.secret

    return sit_down(request, form, partial(_invite_page, request, league, secret), take)


@require_safe
@secret
def place_link(request: Request, secret: str) -> HttpResponse:
    """The page of the link to a player's place, with a button that lets this browser play for the place."""
    place = or_404(seasons.place_behind(secret))
    return render(
        request, "leagues/place_link.html", {"place": place, "league": place.league, "secret": secret}
    )


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_place(request: Request, secret: str) -> HttpResponse:
    """Lets this browser play for the place of a link, in all its matches; 404 if the link is not valid."""
    place = or_404(seasons.place_behind(secret))
    shares.take(request, "seat")
    here = current_guest(request)
    guest = named_guest(request, (here and here.name) or place.name)
    try:
        place = flow.take(secret, guest)
    except match_flow.SeatLost:
        raise Http404 from None
    return enter(request, guest, place.league, f"place/{place.league.key}", secret)


@require_safe
@secret
def place_offer(request: Request, secret: str) -> HttpResponse:
    """The page of the link by which a place in a league is taken over, with a button to do so."""
    form = NameForm.for_guest(current_guest(request))
    return _offer_page(request, or_404(flow.offered(secret)), secret, form)


def _offer_page(
    request: Request, place: Place, secret: str, form: NameForm, status: int = 200
) -> HttpResponse:
    context = {"place": place, "league": place.league, "secret": secret, "form": form}
    return render(request, "leagues/place_offer.html", context, status=status)


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_offer(request: Request, secret: str) -> HttpResponse:
    """Gives the place of an offer link, with all its matches, to this browser's guest."""
    place, here = or_404(flow.offered(secret)), current_guest(request)
    form = NameForm(request.POST, others=tuple(flow.names_in(place.league, without=place.pk)), guest=here)

    def take(name: str, guest: Guest) -> tuple[League, str, str]:
        taken = flow.take_offer(secret, guest, name)
        return place.league, f"place/{place.league.key}", taken.secret

    name = "" if place.link_hash else (here and here.name) or place.name
    return sit_down(request, form, partial(_offer_page, request, place, secret), take, name=name)


@require_safe
@secret
def organiser_link(request: Request, secret: str) -> HttpResponse:
    """The page of an organiser's link, with a button that lets this browser organise the league."""
    league = or_404(seasons.organised_by(secret))
    return render(request, "leagues/organiser_link.html", {"league": league, "secret": secret})


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_organiser(request: Request, secret: str) -> HttpResponse:
    """Keeps an organiser's link in this browser, and lets its guest organise; 404 if it is not valid."""
    league = or_404(seasons.organised_by(secret))
    shares.take(request, "seat")
    guest = named_guest(request, "")
    flow.note_organiser(league, guest)
    return enter(request, guest, league, f"organiser/{league.key}", secret)


# The league's page


@require_safe
@secret
def league(request: Request, key: str) -> HttpResponse:
    """The page of a league: before the start with its players, afterwards with the table and the matches."""
    return league_page(request, league_with(key))


@require_safe
@private
def league_of(request: Request, key: str) -> HttpResponse:
    """Redirects to the league to which the match with this key belongs; 404 if there is none."""
    return redirect(get_object_or_404(League, fixtures__match__key=key))


@require_safe
@secret
def record(request: Request, key: str) -> HttpResponse:
    """Serves the record of a league as a JSON file; 409 if the league is not over or has never started."""
    league = flow.brought_up(league_with(key))
    try:
        text = record_text(league)
    except match_flow.Refused as refusal:
        return league_page(request, league, str(refusal), status=409)
    name = f"robosite-league-{league.key}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json", headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
@secret
def talk(request: Request, key: str) -> HttpResponse:
    """The page on which the players of a league talk to each other; 403 for guests without a place there."""
    league = league_with(key)
    hold = hold_in(league, current_guest(request))
    if hold is None and request.htmx:
        return HttpResponseClientRefresh()
    if hold is None:
        return render(request, "talk/later.html", {"league": league, "seat": None}, status=403)
    try:
        return conversation_page(request, InLeague(request, hold))
    except match_flow.SeatLost:
        return redirect(request.path)


SEEN = 5
"""The number of a week's newest matches in which the best step is searched for."""


def moment_of(league: League) -> Moment | None:
    """Returns the best step of the week's matches by the game's own measure (`State.highlight`), or None."""
    rows = league.fixtures.filter(
        decided=Decided.PLAY, match__changed_at__gte=week_before(league), match__turn__gt=1
    )
    found = [one.match for one in rows.select_related("match").order_by("-match__changed_at", "-pk")[:SEEN]]
    return best_moment([match for match in found if match and match.watched])


@require_safe
@private
def moment(request: Request, key: str) -> HttpResponse:
    """The page of the best step of this week's matches in a league (its “moment”); 404 if there is none."""
    league = league_with(key)
    found = or_404(moment_of(league))
    context = {"league": league, "moment": found, "names": found.names, "game": found.match.game}
    part = "_moment" if request.htmx else "moment"
    return render(request, f"leagues/{part}.html", context)
