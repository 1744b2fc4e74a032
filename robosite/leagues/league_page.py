"""The page of a league, and functions that find out whether the reader organises it or has a place in it."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from games.players import PLAYERS, Player
from robosite.engine.prepared import Prepared
from robosite.leagues import flow, pairing, seasons
from robosite.leagues.cup_shown import ShownCup
from robosite.leagues.designs import Meetings
from robosite.leagues.models import League, Place
from robosite.leagues.season_page import season_context
from robosite.leagues.shown import ShownLeague
from robosite.matches.link_secrets import hash_secret
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request
from robosite.play.own_links import own_links
from robosite.play.variants import variant_of
from robosite.web.http import absolute
from robosite.web.paths import path_of


def league_with(key: str) -> League:
    """The league with this key, with the seasons before and after it loaded; Http404 if there is none."""
    found = _league.first(key)
    if found is None:
        raise Http404
    return found


_league = Prepared(lambda key: League.objects.select_related("previous", "following").filter(key=key), str)


def league_page(request: Request, league: League, error: str = "", status: int = 200) -> HttpResponse:
    """Renders the page of a league for this reader, after bringing the league up to date.

    `error` is the reason why an action of the reader was refused, or "". The response is a 204 if the query
    of an htmx request has a `mark` that equals `ShownLeague.mark`, because nothing on the page has changed.
    """
    guest = current_guest(request)
    shown = ShownLeague.read(league, guest)
    if shown.is_due():
        flow.settle(league.pk)
        league.refresh_from_db()
        shown = ShownLeague.read(league, guest)
    if request.htmx and request.GET.get("mark") == shown.mark:
        return HttpResponse(status=204)
    organises = organises_it(request, league, guest)
    links = own_links(request)
    context = {
        "league": league,
        "shown": shown,
        "mark": shown.mark,
        "error": error,
        "organises": organises,
        "host": host_of(league) if league.status == League.Status.OPEN and not organises else None,
        **variant_of(league.game_slug, league.rules, league.given_options, league.table_seats),
        "lot": pairing.lot_of(league.nonce),
        "least": league.least_places,
        "cup": ShownCup(shown) if league.is_cup and shown.started else None,
        "meetings": meetings_by_size(league, len(shown.taken)),
        "bots_to_add": _bots_to_add(league, shown.places) if organises else [],
        "now": timezone.now(),
        "unread": getattr(shown.mine, "unread", None),
        **{
            f"{what}_address": absolute(request, path_of(f"league-{what}", league.key))
            for what in ("feed", "calendar")
        },
        "offers": _offers(request, shown, links) if organises else [],
        **season_context(league, shown, guest),
        **_links(request, league, links, organises=organises, mine=shown.mine),
    }
    return render(request, "leagues/page.html", context, status=status)


def host_of(league: League) -> Place | None:
    """Returns the organiser's place in the league; None if they do not play, or if no guest organises it."""
    if not league.organiser_id:
        return None
    return league.places.filter(gone=False, holders__guest=league.organiser_id).first()


def _bots_to_add(league: League, places: list[Place]) -> list[Player]:
    """Returns the site's bots that do not play in this league yet, weakest first.

    Returns [] if the league has started or is full.
    """
    if league.status != League.Status.OPEN or len(places) >= league.most_places:
        return []
    here = {place.player for place in places}
    return [one for one in PLAYERS.values() if one.key not in here]


def meetings_by_size(league: League, here: int) -> list[tuple[int, Meetings]]:
    """Returns pairs: a possible number of participants, and how often they would then meet each other.

    The first pair is for `here`, the present number of participants. Before the start, there is also a pair
    for the maximum number. If a number is below the minimum with which the league can start, the minimum is
    used instead; if both numbers are equal, there is one pair. Returns [] if matches have two seats.
    """
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
    """Returns the secret links of the league for this reader, as absolute URLs keyed by template variable.

    `links` has the secrets that this browser has stored, and `mine` is the reader's place in the league. A
    link is "" if it is not for this reader, or if the browser does not have the link's secret. In a second or
    later season, the organiser gets the first invite even in a browser without its secret
    (`seasons.first_invite`).
    """
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
    """Returns the secret with the hash `link_hash` among the secrets stored in the browser; "" without one.

    `links` maps keys such as `place/LEAGUE` to secrets. All leagues are searched for secrets of this `kind`
    ("place" or "organiser"), because all seasons of a league share the link.
    """
    secrets = (secret for what, secret in links.items() if what.startswith(f"{kind}/"))
    return next((secret for secret in secrets if hash_secret(secret) == link_hash), "")


def _offers(request: Request, shown: ShownLeague, links: dict[str, str]) -> list[tuple[Place, str]]:
    """Returns the vacant places of the league, each with the link to take it over.

    The link is "" if this browser does not have it. `links` has the secrets that this browser has stored.
    """
    offers = []
    for place in shown.vacant:
        secret = links.get(f"offer/{place.number}/{shown.league.key}", "")
        known = place.offer_hash and hash_secret(secret) == place.offer_hash
        offers.append((place, absolute(request, reverse("place-offer", args=[secret])) if known else ""))
    return offers


def organises_it(request: Request, league: League, guest: Guest | None) -> bool:
    """Returns True if the reader made the league, or if this browser has the organiser's link."""
    if guest and league.organiser_id == guest.pk:
        return True
    return bool(_secret_of(own_links(request), "organiser", league.organiser_hash))


def own_place(league: League, guest: Guest | None) -> Place | None:
    """Returns the place in the league for which the guest plays; None if they do not take part."""
    return league.places.filter(holders__guest=guest, gone=False).first() if guest else None
