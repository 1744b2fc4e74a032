"""Tables made through the flow, for browsers that then have what the pages would have given them.

A browser gets a session of the guest at its seat, and the cookie with its own links. `test_opponents.py`
compares the result with a table made through the pages.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from games import newest
from robosite.matches import flow
from robosite.matches.link_secrets import hash_secret
from robosite.matches.models import Match, Seat
from robosite.people import browser_links
from robosite.people.current_guest import welcome
from robosite.people.restrictions import note_action
from robosite.people.shares import lane_of
from robosite.people.zones import in_readers_zone, zone_here
from robosite.play.decorators import link_key

Sessions: Any = import_module(settings.SESSION_ENGINE).SessionStore


Links = dict[str, str]
"""Secrets, by the names under which a browser keeps them."""


def _request(browser: Client) -> Any:
    defaults: dict[str, Any] = browser.defaults
    request: Any = RequestFactory(**defaults).post("/")
    request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
    request.session = Sessions(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return request


def posted(browser: Client, deed: Callable[[Any], tuple[Any, Links]]) -> Any:
    """Calls `deed` in a POST of this browser, which keeps its session and new links; returns its result."""
    request = _request(browser)
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
    browser.cookies.update(response.cookies)
    browser.cookies[settings.SESSION_COOKIE_NAME] = request.session.session_key
    return done[0]


def make(browser: Client, name: str, seats: int, game: str) -> Match:
    """A match of the standard preset, with this browser's guest on seat A."""
    rules = newest(game)

    def deed(request: Any) -> tuple[Match, Links]:
        match, taken, invite = flow.create(
            rules,
            rules.read_options(rules.presets["standard"].options),
            seats,
            name,
            zone=zone_here(request),
            guest=welcome(request, name),
            lane=lane_of(request),
        )
        return match, {link_key(taken.seat): taken.secret, f"invite/{match.key}": invite}

    made: Match = posted(browser, deed)
    return made


def join(browser: Client, name: str, invite: str) -> Seat:
    """The free seat of the invite's match, on which this browser's guest sits down."""

    def deed(request: Any) -> tuple[Seat, Links]:
        match = Match.objects.get(invite_hash=hash_secret(invite))
        taken = flow.join(match, name, invite=invite, guest=welcome(request, name))
        return taken.seat, {link_key(taken.seat): taken.secret}

    seat: Seat = posted(browser, deed)
    return seat


def own_links(browser: Client, seat: Seat) -> dict[str, str]:
    """The links that the browser keeps of this seat, by their kind: `invite`, `seat`."""
    kept = browser_links.own_links(_request(browser))
    named = {"invite": f"invite/{seat.match.key}", "seat": link_key(seat)}
    return {kind: kept[name] for kind, name in named.items() if name in kept}
