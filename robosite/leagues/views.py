"""The pages of a league: making one, joining by link, and how it stands."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from pydantic_core import to_json

from games import newest
from robosite.leagues import flow, pairing
from robosite.leagues.forms import MOST_BY_PAGE, LeagueForm, presets_of_two
from robosite.leagues.models import League, Place, PlaceHold
from robosite.leagues.record import league_record
from robosite.leagues.standings import COLUMNS, Standings
from robosite.leagues.table import Decided
from robosite.lobby.forms import NameForm
from robosite.matches import flow as match_flow
from robosite.matches.link_secrets import hash_secret
from robosite.matches.models import Match, Program
from robosite.people import shares
from robosite.people.current_guest import become, current_guest, named_guest, welcome
from robosite.people.models import Guest
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.zones import zone_here
from robosite.play.decorators import Request, number
from robosite.play.own_links import keep_links, own_links
from robosite.play.variants import variant_of
from robosite.web.http import absolute, private, secret

# Making one


@require_http_methods(["GET", "HEAD", "POST"])
@private
@unless_restricted(Action.PLAY)
@sent_once
def new(request: Request) -> HttpResponse:
    """The form of a new league on one screen; sent, it makes the league and leads to its page."""
    guest = current_guest(request)
    if request.method != "POST":
        known = {"name": guest.name if guest else "", "plays": request.GET.get("plays", "")}
        return _making(request, LeagueForm(initial=known))
    form = LeagueForm(request.POST, guest=guest)
    if not form.is_valid():
        return _making(request, form, status=422)
    data = form.cleaned_data
    shares.may_make(request)
    guest = welcome(request, data["name"])
    slug, _slash, key = data["plays"].partition("/")
    game = newest(slug)
    try:
        made = flow.create(
            data["title"],
            game,
            game.read_options(dict(game.presets[key].options)),
            data["name"],
            names=data["written"],
            guest=guest,
            most_places=max(MOST_BY_PAGE, 1 + len(data["written"])),
            legs=int(data["legs"] or 1),
            every_days=int(data["rounds"]) if data["rounds"] else None,
            deadline_hours=float(data["pace"]),
            ends_days=float(data["ends"]),
            zone=zone_here(request),
        )
    except RefusedName as refusal:  # taken away meanwhile
        form.add_error("name", str(refusal))
        return _making(request, form, status=422)
    response = redirect(made.league)
    links = {f"league/{made.league.key}": made.invite, f"organiser/{made.league.key}": made.organiser_token}
    keep_links(request, response, links | {f"place/{made.league.key}": made.token or ""})
    return response


def _making(request: Request, form: LeagueForm, status: int = 200) -> HttpResponse:
    games: dict[str, list[tuple[str, str, int]]] = {}
    for value, game, preset, turns in presets_of_two():
        games.setdefault(game, []).append((value, preset, turns))
    return render(request, "leagues/new.html", {"form": form, "games": games}, status=status)


# Joining


@require_safe
@secret
def invited(request: Request, secret: str) -> HttpResponse:
    """The page of an invite: who is expected, and a name to type; 404 for a wrong or an old one."""
    guest = current_guest(request)
    form = NameForm(initial={"name": guest.name if guest else ""})
    return _invite_page(request, _invited_to(secret), secret, form)


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
        "mine": _own_place(league, current_guest(request)),
        **variant_of(league.game_slug, league.rules, league.given_options, 2),
    }
    return render(request, "leagues/invite.html", context, status=status)


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def join(request: Request, secret: str) -> HttpResponse:
    """Takes a place: a new one, or `place`, whose name was written. 422 for a name, 409 if it is too late."""
    league = _invited_to(secret)
    claimed = league.places.filter(number=number(request.POST.get("place")), gone=False).first()
    given = {"name": claimed.name} if claimed else request.POST
    others = tuple(place.name for place in league.places.filter(gone=False) if place != claimed)
    form = NameForm(given, others=others, guest=current_guest(request))
    if not form.is_valid():
        return _invite_page(request, league, secret, form, status=422)
    shares.take("seat", request)
    guest = welcome(request, form.cleaned_data["name"])
    try:
        taken = flow.join(
            league,
            form.cleaned_data["name"],
            invite=secret,
            claims=claimed.number if claimed else None,
            guest=guest,
        )
    except (match_flow.Refused, RefusedName) as refusal:
        form.add_error(None, str(refusal))
        return _invite_page(request, league, secret, form, status=409)
    response = redirect(league)
    keep_links(request, response, {f"place/{league.key}": taken.secret})
    return response


@require_safe
@secret
def place_link(request: Request, secret: str) -> HttpResponse:
    """The page of a place's own link, which opens the place in any browser."""
    places = Place.objects.select_related("league")
    place = get_object_or_404(places, link_hash=hash_secret(secret), gone=False)
    return render(
        request, "leagues/place_link.html", {"place": place, "league": place.league, "secret": secret}
    )


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_place(request: Request, secret: str) -> HttpResponse:
    """Lets this browser act for the place, in all its matches; 404 if the link is no longer valid."""
    place = get_object_or_404(Place, link_hash=hash_secret(secret), gone=False)
    shares.take("seat", request)
    here = current_guest(request)
    guest = named_guest(request, (here and here.name) or place.name)
    try:
        place = flow.take(secret, guest)
    except match_flow.SeatLost:
        raise Http404 from None
    become(request, guest)
    response = redirect(place.league)
    keep_links(request, response, {f"place/{place.league.key}": secret})
    return response


@require_safe
@secret
def organiser_link(request: Request, secret: str) -> HttpResponse:
    """The page of a league's own link, which lets a browser organise the league."""
    league = get_object_or_404(League, organiser_hash=hash_secret(secret))
    return render(request, "leagues/organiser_link.html", {"league": league, "secret": secret})


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_organiser(request: Request, secret: str) -> HttpResponse:
    """Lets this browser organise the league."""
    league = get_object_or_404(League, organiser_hash=hash_secret(secret))
    shares.take("seat", request)
    response = redirect(league)
    keep_links(request, response, {f"organiser/{league.key}": secret})
    return response


# The league's page


@require_safe
@secret
def league(request: Request, key: str) -> HttpResponse:
    """How a league stands: who is there before its start, then the table, the matches, who is waited for."""
    return _page(request, _league(key))


@require_safe
@private
def league_of(request: Request, key: str) -> HttpResponse:
    """On to the league of which a match is part; 404 for a match of none."""
    return redirect(get_object_or_404(League, fixtures__match__key=key))


def _league(key: str) -> League:
    return get_object_or_404(League, key=key)


def _page(request: Request, league: League, error: str = "", status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    shown = _Shown.read(league, guest)
    if shown.is_due():
        flow.settle(league.pk)
        league.refresh_from_db()
        shown = _Shown.read(league, guest)
    organises = _organises(request, league, guest)
    links = own_links(request)
    context = {
        "league": league,
        "shown": shown,
        "error": error,
        "organises": organises,
        **variant_of(league.game_slug, league.rules, league.given_options, 2),
        "lot": pairing.lot_of(league.nonce),
        "least": pairing.LEAST,
        "now": timezone.now(),
        **_links(request, league, links, organises=organises, mine=shown.mine),
    }
    return render(request, "leagues/page.html", context, status=status)


def _links(
    request: Request, league: League, links: dict[str, str], *, organises: bool, mine: Place | None
) -> dict[str, str]:
    """The secret links that this browser keeps of the league, as whole addresses."""
    told = dict.fromkeys(("invite_link", "place_link", "organiser_link"), "")
    invite, place = links.get(f"league/{league.key}"), links.get(f"place/{league.key}")
    if organises and invite and hash_secret(invite) == league.invite_hash:
        told["invite_link"] = absolute(request, reverse("league-invite", args=[invite]))
    if mine and place and hash_secret(place) == mine.link_hash:
        told["place_link"] = absolute(request, reverse("place-link", args=[place]))
    own = links.get(f"organiser/{league.key}")
    if organises and own and hash_secret(own) == league.organiser_hash:
        told["organiser_link"] = absolute(request, reverse("organiser-link", args=[own]))
    return told


def _organises(request: Request, league: League, guest: Guest | None) -> bool:
    if guest and league.organiser_id == guest.pk:
        return True
    own = own_links(request).get(f"organiser/{league.key}", "")
    return hash_secret(own) == league.organiser_hash


def _own_place(league: League, guest: Guest | None) -> Place | None:
    return league.places.filter(holders__guest=guest, gone=False).first() if guest else None


@dataclass
class Cell:
    """A match in the crosstable, as the place of its row sees it."""

    text: str
    words: str
    match: str
    counts: bool


class _Shown(Standings):
    """A league as its page shows it; everything of it is read by two queries."""

    @classmethod
    def read(cls, league: League, guest: Guest | None) -> _Shown:
        held = PlaceHold.objects.filter(place=OuterRef("pk"), guest=guest.pk if guest else None)
        places: Any = list(league.places.filter(gone=False).annotate(mine=Exists(held)))
        shown = cls(league, places, [])
        if league.started_at:
            shown.fixtures = list(_fixtures(league))
        return shown

    def is_due(self) -> bool:
        """Tell whether something follows from results or the time that was not noted."""
        league, now = self.league, timezone.now()
        if league.status != League.Status.PLAYING:
            return False
        ended = any(
            one.match and not one.decided and one.match.status in flow.FINISHED for one in self.fixtures
        )
        return ended or any(at and at <= now for at in (league.ends, league.next_round_at))

    @property
    def mine(self) -> Place | None:
        """The reader's place."""
        return next((place for place in self.places if getattr(place, "mine", False)), None)

    @property
    def by_number(self) -> dict[int, Place]:
        return {place.number: place for place in self.places}

    def division(self, at: int) -> dict[str, Any]:
        """The table of a division, as rows, and its crosstable, whose columns are the numbers."""
        rows = [self._row(row) for row in self.table["divisions"][at]["rows"]]
        order = [row["place"] for row in rows]
        cells = self._cells
        for row in rows:
            row["cells"] = [cells[row["place"], other] for other in order]
        return {"rows": rows, "has_strength": any(row["strength"] for row in rows)}

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        place = self.by_number[row["place"]]
        return {
            **row,
            "name": place.shown_name,
            "mine": place == self.mine,
            "left": self.left(place),
            "removed": place.removed,
            "points": _points(row["points"]),
            "direct": _points(row["direct"]),
            "sonneborn_berger": _points(row["sonneborn_berger"]),
        }

    @property
    def _cells(self) -> dict[tuple[int, int], list[Cell]]:
        cells: defaultdict[tuple[int, int], list[Cell]] = defaultdict(list)
        for fixture, result in zip(self.fixtures, self.results, strict=True):
            key = fixture.match.key if fixture.match else ""
            counts = self.counts(result) or not result.over
            for at, (place, other) in enumerate(((result.a, result.b), (result.b, result.a))):
                own = result.points[at] if result.points else None
                cells[place, other].append(Cell(_sign(own, result), _words(own, result), key, counts))
        return cells

    @property
    def waited_for(self) -> list[tuple[str, int]]:
        """Whoever owes orders, with the number of their matches, the most first."""
        times: Counter[int] = Counter()
        for fixture in self.fixtures:
            for _letter, place in _owing(fixture):
                times[place] += 1
        return [(self.by_key[place].shown_name, count) for place, count in times.most_common()]

    @property
    def own_matches(self) -> list[dict[str, Any]]:
        """The reader's matches that go on, those that wait for them first."""
        mine = self.mine
        told = []
        for fixture in self.fixtures:
            if mine and fixture.match and not fixture.decided and mine.pk in (fixture.a_id, fixture.b_id):
                letter = "A" if fixture.a_id == mine.pk else "B"
                other = self.by_key[fixture.b_id if letter == "A" else fixture.a_id]
                waits = letter in dict(_owing(fixture))
                to = reverse("seat", args=[fixture.match.key, letter])
                told.append({"to": to, "against": other.shown_name, "waits": waits, "match": fixture.match})
        return sorted(told, key=lambda one: not one["waits"])


def _fixtures(league: League) -> Any:
    """The pairings with their matches, and whether each seat has sealed for the present turn."""
    sealed = Program.objects.filter(seat__match=OuterRef("match"), turn=OuterRef("match__turn")).exclude(
        seal=""
    )
    ours = ("division", "round", "decided", "forfeit", "a_id", "b_id", "league_id", "match_id")
    rows = league.fixtures.select_related("match").only(*ours, *(f"match__{column}" for column in COLUMNS))
    return rows.annotate(
        a_sealed=Exists(sealed.filter(seat__letter="A")), b_sealed=Exists(sealed.filter(seat__letter="B"))
    )


def _owing(fixture: Any) -> list[tuple[str, int]]:
    """The seats of a running match that owe an order, each with the primary key of its place."""
    match = fixture.match
    if match is None or match.status != Match.Status.PLAYING:
        return []
    seats = (("A", fixture.a_id, fixture.a_sealed), ("B", fixture.b_id, fixture.b_sealed))
    return [
        (letter, place) for letter, place, sealed in seats if letter in (match.to_act or "") and not sealed
    ]


def _points(points: float) -> str:
    """Points as people write them: 3½."""
    whole, rest = divmod(points, 1)
    fraction = {0.25: "¼", 0.5: "½", 0.75: "¾"}.get(rest, "")
    return f"{int(whole) if whole or not fraction else ''}{fraction}"


def _sign(own: float | None, result: Any) -> str:
    if result.void:
        return "×"
    return "·" if own is None else _points(own)


def _words(own: float | None, result: Any) -> str:
    """The result in words, for whoever does not see the sign."""
    if result.void:
        return _("closed")
    if own is None:
        return _("not over")
    told = {1.0: _("won"), 0.5: _("drawn"), 0.0: _("lost")}[own]
    how = {
        Decided.DEFAULT: _("by default"),
        Decided.LAST_DAY: _("on the last day"),
        Decided.NOBODY: _("nobody came"),
    }.get(result.decided)
    return f"{told}, {how}" if how else told


# What is done there


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def start(request: Request, key: str) -> HttpResponse:
    """Starts a league, for its organiser; 409 while too few have joined."""
    league = _league(key)
    if not _organises(request, league, current_guest(request)):
        raise Http404
    try:
        flow.start(league)
    except match_flow.Refused as refusal:
        return _page(request, league, str(refusal), status=409)
    return redirect(league)


@require_POST
@secret
@sent_once
def leave(request: Request, key: str) -> HttpResponse:
    """Gives up one's own place; an organiser may remove any other (`place`).

    409 where the league has another status by now than on the page (`status`): what leaving means depends on
    it.
    """
    league, guest = _league(key), current_guest(request)
    place = own = _own_place(league, guest)
    if "place" in request.POST and _organises(request, league, guest):
        place = league.places.filter(number=number(request.POST["place"])).first()
    if place is None:
        raise Http404
    try:
        flow.leave(place, removed=place != own, status=request.POST.get("status", league.status))
    except match_flow.Refused as refusal:
        return _page(request, _league(key), str(refusal), status=409)
    return redirect(league)


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def new_invite(request: Request, key: str) -> HttpResponse:
    """A new invite, kept by the organiser's browser; the old one stops working."""
    league = _league(key)
    if not _organises(request, league, current_guest(request)):
        raise Http404
    try:
        made = flow.new_invite(league)
    except match_flow.Refused as refusal:
        return _page(request, league, str(refusal), status=409)
    response = redirect(league)
    keep_links(request, response, {f"league/{league.key}": made})
    return response


@require_POST
@secret
@sent_once
def new_place_link(request: Request, key: str) -> HttpResponse:
    """A new link to one's own place, kept by this browser; the old one and all other browsers are out."""
    league, guest = _league(key), current_guest(request)
    place = _own_place(league, guest)
    if place is None or guest is None:
        raise Http404
    try:
        made = flow.new_link(place, guest)
    except match_flow.SeatLost:
        raise Http404 from None
    response = redirect(f"{league.get_absolute_url()}#own-link")
    keep_links(request, response, {f"place/{league.key}": made})
    return response


@require_POST
@secret
@sent_once
def new_organiser_link(request: Request, key: str) -> HttpResponse:
    """A new link for organising the league, kept by this browser; the old one organises nothing."""
    league, guest = _league(key), current_guest(request)
    try:
        made = flow.new_organiser_link(league, lambda fresh: _organises(request, fresh, guest))
    except match_flow.SeatLost:
        raise Http404 from None
    response = redirect(f"{league.get_absolute_url()}#organiser-link")
    keep_links(request, response, {f"organiser/{league.key}": made})
    return response


@require_safe
@secret
def record(request: Request, key: str) -> HttpResponse:
    """The record of a league that is over, as a file."""
    league = flow.brought_up(_league(key))
    try:
        data = league_record(league)
    except match_flow.Refused as refusal:
        return _page(request, league, str(refusal), status=409)
    name = f"robosite-league-{league.key}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(to_json(data), content_type="application/json", headers=headers)
