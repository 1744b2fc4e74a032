"""Two worlds of a league that differ in one sealed order are the same for everybody else, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.db import transaction

from robosite.leagues.models import League
from robosite.matches.models import Match, Seat
from robosite.play.film import rendered_turns
from tests.site.browsers import FIRST, OTHER, Browser
from tests.site.leagues.test_league_pages import begun
from tests.site.sameness import same_numbers

pytestmark = pytest.mark.django_db

LONGER = "F ^ F ^ F"
PAGES = ("", "talk/", "feed/", "calendar/", "moment/", "table-1.svg", "record/")
CALLS = ("", "/table", "/matches", "/record")


def addresses(league: League) -> list[str]:
    """All that can be read of a league and of its matches."""
    matches = Match.objects.filter(fixture__league=league).order_by("pk")
    own = [match.get_absolute_url() for match in matches]
    return [
        *(f"/l/{league.key}/{page}" for page in PAGES),
        *(f"/api/v1/leagues/{league.key}{call}" for call in CALLS),
        *(address for match in own for address in (match, f"{match}version/")),
        *(f"/api/v1/matches/{match.key}" for match in matches),
        "/mine/",
        "/next/",
    ]


def read(reader: Browser, address: str, same: Callable[[str], None]) -> tuple[Any, ...]:
    same(f"{reader.name} {address}")
    answer = reader.get(address)
    body = b"" if answer.streaming else answer.content
    cookies = sorted(morsel.OutputString() for morsel in answer.cookies.values())
    return address, answer.status_code, sorted(answer.items()), cookies, body


@pytest.mark.parametrize("orders", [(FIRST, OTHER), (FIRST, LONGER)])
def test_what_one_has_sealed_is_the_same_for_everybody_else(
    alice: Browser, bob: Browser, charlie: Browser, same: Callable[[str], None], orders: tuple[str, str]
) -> None:
    same("a league")
    league = begun(alice, bob, charlie)
    seat = Seat.objects.filter(name="Bob", match__seats__name="Alice").get()
    against = Seat.objects.get(match=seat.match, name="Alice").get_absolute_url()
    readers = (alice, charlie, Browser("Dora"))
    jars = {reader: deepcopy(reader.cookies) for reader in (bob, *readers)}
    worlds, own = [], []
    for order in orders:
        for reader, jar in jars.items():
            reader.cookies = deepcopy(jar)
        with transaction.atomic():
            same("an order")
            same_numbers()
            bob.seal(seat, order)
            own.append(read(bob, seat.get_absolute_url(), same))
            rendered_turns.clear()
            worlds.append(
                [
                    read(reader, address, same)
                    for reader in readers
                    for address in (*addresses(league), against)
                ]
            )
            transaction.set_rollback(True)
    assert own[0] != own[1], "the worlds do not differ"
    assert {seen[1] for seen in worlds[0]} >= {200}
    assert not [first[:2] for first, second in zip(*worlds, strict=True) if first != second]
