"""Names that a league may have, and those that it may not."""

from __future__ import annotations

import pytest

from robosite.leagues import flow as leagues
from robosite.leagues.terms import clean_league_name
from robosite.people.names import RefusedName
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_pages import make
from tests.site.leagues.test_leagues import Api

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "name", ["Our spring", "Version 2.0", "Mr. T and friends", "Лига весны", "春のリーグ"]
)
def test_names_that_leagues_may_have(name: str) -> None:
    assert clean_league_name(f" {name} ") == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Robosite support", "mistaken"),
        ("M0derator's cup", "mistaken"),
        ("http://x", "address"),
        ("Win at example.org now", "address"),
        ("Лига spring", "different scripts"),
        ("Spr" + "i\u0301\u0302\u0303\u0304\u0306" + "ng", "marks"),
        ("Our\u202espring", "invisible"),
        ("x" * 61, "too long"),
        ("\ufdfa" * 10, "too long"),
        ("  ", "enter a name"),
    ],
)
def test_names_that_leagues_may_not_have(name: str, told: str) -> None:
    with pytest.raises(RefusedName, match=told):
        clean_league_name(name)


def test_a_name_that_a_moderator_took_away_stays_away(alice: Browser) -> None:
    league, _invite = make(alice)
    leagues.rename(league, "A league")
    leagues.rename(league, "A league")
    form = {"name": "Alice", "plays": "pigs/standard", "pace": "24", "ends": "60"}
    answer = alice.post("/l/new/", {**form, "title": "0ur  Spring"})
    assert answer.status_code == 422 and "A moderator has blocked this name" in text(answer)
    given = {"name": "Our spring", "game": "pigs", "organiser": "Ada"}
    assert "blocked this name" in Api()("POST", "leagues", given, status=422)["detail"]
    assert alice.post("/l/new/", {**form, "title": "Our autumn"}).status_code == 302
