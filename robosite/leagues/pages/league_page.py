"""The page of a league, and functions that find out whether the reader organises it or has a place in it."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from games.players import PLAYERS, Player
from robosite.engine.prepared import prepared
from robosite.leagues import flow, seasons
from robosite.leagues.arithmetic import pairing
from robosite.leagues.arithmetic.designs import Meetings
from robosite.leagues.forms import StartForm
from robosite.leagues.models import League, Place, Waiting
from robosite.leagues.next_season import goes_on, own_before
from robosite.leagues.pages.cup_shown import ShownCup
from robosite.leagues.pages.shown import ShownLeague
from robosite.people.browser_links import own_links
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request
from robosite.play.variants import variant_of
from robosite.web.http import absolute, or_404, path_of
from robosite.web.link_secrets import hash_secret


def league_with(key: str) -> League:
    """The league with this key, with the seasons before and after it loaded; Http404 if there is none."""
    return or_404(_league.first(key))


@prepared(str)
def _league(key: str) -> QuerySet[League]:
    awaited = Exists(Waiting.objects.filter(league=OuterRef("pk")))
    return League.objects.select_related("previous", "following").filter(key=key).annotate(awaited=awaited)


def league_page(request: Request, league: League, error: str = "", status: int = 200) -> HttpResponse:
    """Renders a league's page, brought up to date; 204 to an htmx request that has this state already."""
    guest = current_guest(request)
    shown = ShownLeague.read(league, guest)
    if shown.is_due():
        shown = ShownLeague.read(flow.brought_up(league), guest)
    if request.htmx and request.GET.get("mark") == shown.mark:
        return HttpResponse(status=204)
    organises = _organises(request, shown, guest)
    links = own_links(request)
    context = {
        "league": league,
        "shown": shown,
        "mark": shown.mark,
        "error": error,
        "organises": organises,
        "host": shown.organiser if league.status == League.Status.OPEN and not organises else None,
        **variant_of(league.game_slug, league.rules, league.given_options, league.table_seats),
        "lot": pairing.lot_of(league.nonce),
        "least": league.least_places,
        "cup": ShownCup(shown) if league.kind.knocks_out and shown.started else None,
        "meetings": meetings_by_size(league, len(shown.taken)),
        "bots_to_add": _bots_to_add(league, shown.places) if organises else [],
        "replaced": flow.replaced(shown.places) if len(shown.places) >= league.most_places else None,
        "now": timezone.now(),
        "unread": getattr(shown.mine, "unread", None),
        **{
            f"{what}_address": absolute(request, path_of(f"league-{what}", league.key))
            for what in ("feed", "calendar")
        },
        **_passing_on(request, shown, links, organises=organises),
        **season_context(league, shown, guest),
        **_links(request, league, links, organises=organises, mine=shown.mine),
    }
    return render(request, "leagues/page.html", context, status=status)


def _passing_on(
    request: Request, shown: ShownLeague, links: dict[str, str], *, organises: bool
) -> dict[str, Any]:
    league = shown.league
    return {
        "heirs": shown.heirs if organises and league.status != League.Status.OVER else [],
        "choosing": _choosing(shown, organises=organises),
        "may_hand_over": flow.may_hand_over(league, shown.mine),
        "may_vacate": league.status == League.Status.PLAYING and getattr(league, "awaited", False),
        "hand_over_link": _offer_link(request, league, shown.mine, links),
        "offers": [(one, _offer_link(request, league, one, links)) for one in shown.vacant if organises],
    }


def _bots_to_add(league: League, places: list[Place]) -> list[Player]:
    full = len(places) >= league.most_places and not flow.replaced(places)
    if league.status != League.Status.OPEN or full:
        return []
    here = {place.player for place in places}
    return [one for one in PLAYERS.values() if one.key not in here]


def meetings_by_size(league: League, here: int) -> list[tuple[int, Meetings]]:
    """Returns pairs: a number of participants, and how often they would meet; [] for matches of two."""
    if league.table_seats == 2:
        return []
    fewest = pairing.fewest_places(league.table_seats)
    numbers = {max(here, fewest)}
    if league.status == League.Status.OPEN:
        numbers.add(max(league.most_places, fewest))
    return [(n, pairing.meetings(n, league.table_seats, league.legs)) for n in sorted(numbers)]


def _links(
    request: Request, league: League, links: dict[str, str], *, organises: bool, mine: Place | None
) -> dict[str, str]:
    shown = dict.fromkeys(("invite_link", "place_link", "organiser_link"), "")
    invite = links.get(f"league/{league.key}", "")
    if hash_secret(invite) != league.invite_hash:
        invite = seasons.first_invite(league) or ""
    if organises and invite:
        shown["invite_link"] = absolute(request, reverse("league-invite", args=[invite]))
    place = _secret_of(links, "place", mine.link_hash) if mine else ""
    if place:
        shown["place_link"] = absolute(request, reverse("place-link", args=[place]))
    own = _secret_of(links, "organiser", league.organiser_hash) if organises else ""
    if own:
        shown["organiser_link"] = absolute(request, reverse("organiser-link", args=[own]))
    return shown


def _secret_of(links: dict[str, str], kind: str, link_hash: str) -> str:
    """Returns the browser's secret with this hash, from any league, since seasons share it; "" without it."""
    secrets = (secret for what, secret in links.items() if what.startswith(f"{kind}/"))
    return next((secret for secret in secrets if hash_secret(secret) == link_hash), "")


def _organises(request: Request, shown: ShownLeague, guest: Guest | None) -> bool:
    """The same as `organises_it`, from the places that the page has read already."""
    if shown.organiser:
        return shown.organiser == shown.mine or _has_organisers_link(request, shown.league)
    return organises_it(request, shown.league, guest)


def _choosing(shown: ShownLeague, *, organises: bool) -> list[Place]:
    waits = shown.league.status == League.Status.OPEN or bool(shown.vacant)
    if shown.mine is None or organises or shown.mine.left_at or not waits:
        return []
    return shown.heirs if flow.may_choose(shown.league) else []


def _offer_link(request: Request, league: League, place: Place | None, links: dict[str, str]) -> str:
    secret = links.get(f"offer/{place.number}/{league.key}", "") if place and place.offer_hash else ""
    known = place and secret and hash_secret(secret) == place.offer_hash
    return absolute(request, reverse("place-offer", args=[secret])) if known else ""


def organises_it(request: Request, league: League, guest: Guest | None) -> bool:
    """Returns True if the reader organises the league, or if this browser has the organiser's link."""
    return flow.is_organised_by(league, guest) or _has_organisers_link(request, league)


def _has_organisers_link(request: Request, league: League) -> bool:
    return bool(_secret_of(own_links(request), "organiser", league.organiser_hash))


def own_place(league: League, guest: Guest | None) -> Place | None:
    return league.places.filter(holders__guest=guest, gone=False).first() if guest else None


def season_context(league: League, shown: ShownLeague, guest: Guest | None) -> dict[str, Any]:
    """The template context of the parts of a league's page that are about other seasons."""
    before, after = league.previous, league.next_season
    may_follow = after is None and not league.closed
    over = league.status == League.Status.OVER and shown.started
    return {
        "season_before": before,
        "season_after": after,
        "may_announce": over and may_follow,
        "start_form": StartForm(),
        "asked": sum(goes_on(place) for place in shown.places),
        "may_come_back": _may_come_back(league, shown, guest),
        "waits": bool(guest and not shown.mine and league.waiting.filter(guest=guest).exists()),
        "may_choose": bool(
            may_follow and not league.kind.knocks_out and shown.mine and not shown.mine.left_at
        ),
    }


def _may_come_back(league: League, shown: ShownLeague, guest: Guest | None) -> Place | None:
    if not (guest and league.previous_id and league.status == League.Status.OPEN) or shown.mine:
        return None
    before = own_before(league, guest)
    gone = before and league.places.filter(number=before.number, gone=True, removed=False).exists()
    return before if gone else None
