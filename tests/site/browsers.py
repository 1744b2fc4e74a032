"""Alice and Bob play, Charlie only watches: each in a browser of their own (Django's test client).

What is made through the flow gives a browser what pages would have given it: a session of the guest at its
seat, and the cookie with its own links (`test_opponents.py` compares the two).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from games import newest
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.moderation import staff_sessions  # noqa: F401 - its receiver hears of logins
from robosite.people import browser_links
from robosite.people.current_guest import welcome
from robosite.people.models import Guest
from robosite.people.restrictions import note_action
from robosite.people.shares import lane_of
from robosite.people.zones import in_readers_zone, zone_here
from robosite.play.decorators import link_key
from robosite.web.link_secrets import hash_secret

Sessions: Any = import_module(settings.SESSION_ENGINE).SessionStore

FIRST = "F ^ TR v H"
OTHER = "TL TL TL TL TL"
SHOTS = "\\ F F F F", OTHER
"""A round in which Alice hits Bob four times; MORE_SHOTS then ends the match."""
MORE_SHOTS = "F F F F F", "X X X X TL"

SAME_ORIGIN = ((b"host", b"testserver"), (b"origin", b"http://testserver"))
"""The headers with which a page of the site opens a socket."""

_TAG = re.compile(r"<\w[^<>]*>")
_BDI = re.compile(r'</?bdi[^>]*>| translate="no"|[\u2068\u2069]')
_BETWEEN_TAGS = re.compile(r">\n+<")

Answer = Any
"""A response of the test client, which has more than Django's own."""


def guest(name: str) -> Guest:
    return Guest.objects.get(name=name)


def seat_at(match: Match, letter: str) -> Seat:
    return Seat.objects.select_related("match").get(match=match, letter=letter)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


class Browser(Client):
    """A browser with somebody before it."""

    def __init__(self, name: str, **more: Any) -> None:
        super().__init__(**more)
        self.name = name

    def _request(self) -> Any:
        defaults: dict[str, Any] = self.defaults
        request: Any = RequestFactory(**defaults).post("/")
        request.COOKIES = {name: morsel.value for name, morsel in self.cookies.items()}
        request.session = Sessions(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
        return request

    def _posted(self, deed: Callable[[Any], tuple[Any, dict[str, str]]]) -> Any:
        """The result of a deed in a POST of this browser, which keeps its session and its new links."""
        request = self._request()
        done: list[Any] = []

        def view(request: Any) -> HttpResponse:
            answer, links = deed(request)
            done.append(answer)
            response = HttpResponse()
            browser_links.keep_links(request, response, links)
            note_action(request)
            return response

        with transaction.atomic(), translation.override(translation.get_language_from_request(request)):
            response = in_readers_zone(view)(request)
            request.session.save()
        self.cookies.update(response.cookies)
        self.cookies[settings.SESSION_COOKIE_NAME] = request.session.session_key
        return done[0]

    def make(self, seats: int = 2, game: str = "pigs") -> Match:
        """A new match of the standard preset through the flow, with this browser on seat A."""
        rules = newest(game)
        options = rules.read_options(rules.presets["standard"].options)

        def deed(request: Any) -> tuple[Match, dict[str, str]]:
            mine: Any = {"guest": welcome(request, self.name), "lane": lane_of(request)}
            match, taken, invite = flow.create(
                rules, options, seats, self.name, zone=zone_here(request), **mine
            )
            return match, {link_key(taken.seat): taken.secret, f"invite/{match.key}": invite}

        made: Match = self._posted(deed)
        return made

    def join(self, invite: str) -> Seat:
        """The free seat on which this browser sits down through the flow."""

        def deed(request: Any) -> tuple[Seat, dict[str, str]]:
            match = Match.objects.get(invite_hash=hash_secret(invite))
            taken = flow.join(match, self.name, invite=invite, guest=welcome(request, self.name))
            return taken.seat, {link_key(taken.seat): taken.secret}

        seat: Seat = self._posted(deed)
        return seat

    def own_links(self, seat: Seat) -> dict[str, str]:
        """The links that this browser keeps of a seat, by their kind: `invite`, `seat`."""
        kept = browser_links.own_links(self._request())
        named = {"invite": f"invite/{seat.match.key}", "seat": link_key(seat)}
        return {kind: kept[name] for kind, name in named.items() if name in kept}

    def make_by_page(self, seats: int = 2, game: str = "pigs", **form: str) -> Match:
        """A new match through its form, with this browser on seat A."""
        answer = self.post("/matches/", {"game": game, "seats": seats, "name": self.name, **form})
        assert answer.status_code == 302, text(answer)
        return Match.objects.get(key=answer["Location"].split("/")[2])

    def links(self, seat: Seat) -> dict[str, str]:
        """The links that the page of this seat and its menu show, by their kind: `invite`, `seat`."""
        page = seat.get_absolute_url()
        shown = text(self.get(page)) + text(self.get(f"{page}more/"))
        return dict(re.findall(r"[> ]http://testserver/s/(invite|seat)/([^/]+)/</textarea>", shown))

    def accept(self, invite: str) -> Answer:
        return self.post(f"/s/invite/{invite}/accept/", {"name": self.name})

    def seal(self, seat: Seat, order: str, turn: int | None = None) -> Answer:
        return self.do(seat, "plan", turn=seat.match.turn if turn is None else turn, typed=order, seal="1")

    def draft(self, seat: Seat, order: str, turn: int | None = None) -> Answer:
        return self.do(seat, "plan", turn=seat.match.turn if turn is None else turn, typed=order, use="1")

    def do(self, at: Seat, deed: str, **given: Any) -> Answer:
        return self.post(f"{at.get_absolute_url()}{deed}/", given)


@dataclass
class Table:
    """A match, usually of Robo Battle Pigs: Alice on seat A, Bob on seat B, Charlie watches."""

    key: str
    alice: Browser
    bob: Browser
    charlie: Browser
    invite: str

    @property
    def match(self) -> Match:
        return Match.objects.get(key=self.key)

    def seat(self, letter: str) -> Seat:
        return Seat.objects.select_related("match").get(match__key=self.key, letter=letter)

    @property
    def a(self) -> Seat:
        return self.seat("A")

    @property
    def b(self) -> Seat:
        return self.seat("B")

    def play(self, *rounds: tuple[str, str]) -> None:
        for of_alice, of_bob in rounds:
            turn = self.match.turn
            flow.seal(self.a, turn, of_alice)
            flow.seal(self.b, turn, of_bob)
            assert self.match.turn == turn + 1

    def play_some(self, turns: int, seed: int = 0) -> None:
        """Plays that many random turns, or until the match is over."""
        rng = Random(seed)
        for _ in range(turns):
            match = self.match
            for letter in flow.owing(match):
                flow.seal(self.seat(letter), match.turn, state_of(match).view(letter).sample(letter, rng))


def sit_down(alice: Browser, bob: Browser, charlie: Browser, game: str = "pigs") -> Table:
    match = alice.make(game=game)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    bob.join(invite)
    return Table(match.key, alice, bob, charlie, invite)


def text(answer: Answer) -> str:
    """An answer's body with HTML's escapes undone, without line breaks in and between tags.

    What isolates names, and keeps translators off them and off notation, is left out.
    """
    body = _TAG.sub(lambda tag: " ".join(tag[0].split()), _BDI.sub("", answer.content.decode()))
    return html.unescape(_BETWEEN_TAGS.sub("><", body))


def has_word(page: str, word: str) -> bool:
    """Tell whether a page has this word as a word: the random letters of a token or a link may spell it."""
    return re.search(rf"\b{re.escape(word)}\b", page) is not None


FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


def asked(answer: Any) -> dict[str, Any]:
    """The fields that the “Yes” of a page sends; a page without one is no page that asks."""
    assert answer.status_code == 200 and "cannot be undone" in text(answer)
    fields: dict[str, list[str]] = {}
    for name, value in FIELD.findall(text(answer)):
        fields.setdefault(name, []).append(html.unescape(value))
    fields.pop("csrfmiddlewaretoken", None)
    assert fields["sure"]
    return fields


def confirm(client: Client, at: str, data: dict[str, Any], *, follow: bool = False, **more: Any) -> Any:
    """The answer once the page that asks has been confirmed."""
    return client.post(at, asked(client.post(at, data, **more)), follow=follow, **more)
