"""The tables that other tests begin with are those that people make through the pages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.apps import apps
from django.forms import model_to_dict

from games import GAMES
from robosite.matches.models import Match
from robosite.moderation.models import Salt
from robosite.people.models import Guest
from tests.site.browsers import Browser

LANGUAGE = {"HTTP_ACCEPT_LANGUAGE": "de", "REMOTE_ADDR": "192.0.2.7"}
CHANCE = {"id", "key", "match", "guest", "seat", "invite_hash", "link_hash", "taken_at", "setup"}
"""The facts that differ in every match."""


def rows() -> Counter[str]:
    """The number of rows of each model, but for the tally of requests, which pages alone make."""
    models = [model for model in apps.get_models() if model._meta.label != "trail.Tally"]
    return Counter({model._meta.label: model._default_manager.count() for model in models})


def facts(match: Match) -> list[dict[str, Any]]:
    """The match, its seats, holds and guests, without what is another one in every match."""
    seats = list(match.seats.order_by("letter"))
    guests = list(Guest.objects.order_by("pk"))
    holds = [hold for seat in seats for hold in seat.holds.all()]
    match.late = match.if_late
    return [
        {name: value for name, value in model_to_dict(row).items() if name not in CHANCE}
        for row in (match, *seats, *guests, *holds)
    ]


@pytest.mark.parametrize("slug", GAMES)
def test_a_table_through_the_flow_is_one_through_the_pages(db: Any, slug: str) -> None:
    made = []
    for by_page in (True, False):
        Match.objects.all().delete()
        Guest.objects.all().delete()
        Salt.objects.all().delete()
        before = rows()
        alice, bob = Browser("Alice", **LANGUAGE), Browser("Bob", **LANGUAGE)
        alice.cookies["zone"] = "Asia/Tokyo"
        match = (alice.make_by_page if by_page else alice.make)(game=slug)
        seat = match.seats.get(letter="A")
        invite = alice.own_links(seat)["invite"]
        assert alice.links(seat) == alice.own_links(seat)
        if by_page:
            assert bob.accept(invite).status_code == 302
        else:
            bob.join(invite)
        match.refresh_from_db()
        kept = [dict(browser.session.items()) for browser in (alice, bob)]
        assert [session["guest"] for session in kept] == [
            Guest.objects.get(name=name).pk for name in ("Alice", "Bob")
        ]
        names = [sorted(session) for session in kept]
        made.append((facts(match), rows() - before, names, sorted(bob.cookies)))
    assert made[0] == made[1]
