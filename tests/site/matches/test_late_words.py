"""The treatment of a late player is chosen by the same four words in matches, evenings and leagues."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.models import Match, Program
from tests.clock import tick
from tests.site.api.test_api import Api
from tests.site.browsers import FIRST, Browser
from tests.site.conftest import Time
from tests.site.leagues.test_league_pages import make

pytestmark = pytest.mark.django_db

WORDS = ("wait", "bot", "draft", "out")


@pytest.fixture
def api(client: Client, settings: Any) -> Api:
    settings.LIMITS = "off"
    return Api(client)


@pytest.mark.parametrize("late", WORDS)
def test_each_word_is_kept_by_a_match_an_evening_and_a_league(api: Api, late: str) -> None:
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    for more in ({"deadline_hours": 24}, {"reveal_at": hour}):
        assert api.match(api.make(late=late, **more)["match"])["late"] == late
    new = {"name": "Spring", "game": "pigs", "organiser": "Ada", "late": late}
    made = api.ask("POST", "leagues", new).json()
    assert api.get(f"leagues/{made['league']}").json()["late"] == late


@pytest.mark.parametrize(("former", "now"), [("claim", "wait"), ("fill", "draft"), ("forfeit", "out")])
def test_a_former_word_means_the_same_as_before(api: Api, alice: Browser, former: str, now: str) -> None:
    key = api.make(late=former, deadline_hours=24)["match"]
    assert api.match(key)["late"] == former
    assert Match.objects.get(key=key).if_late == now
    assert alice.make_by_page(deadline="24", late=former).late == now


@pytest.mark.parametrize("late", WORDS)
def test_the_deadline_does_what_was_chosen(api: Api, time: Time, late: str) -> None:
    key, ada, ben = api.table(late=late, deadline_hours=24)
    api.seal(key, ada, FIRST)
    api.draft(key, ben, "TL TL TR TR TL")
    time.pass_(hours=25)
    tick()
    match = Match.objects.get(key=key)
    played = Program.objects.filter(seat__match=match, seat__letter="B", turn=0).first()
    if late == "wait":
        assert match.turn == 0 and flow.owing(match) == ["B"]
        assert api.ask("POST", f"matches/{key}/claim", {"seat": "B"}, ada).status_code == 200
    elif late == "out":
        assert match.status == Match.Status.OVER
    else:
        assert played and played.by == "deadline" and match.turn == 1
        assert (played.order == "TL TL TR TR TL") == (late == "draft")


def test_the_forms_offer_them(alice: Browser) -> None:
    for late in WORDS:
        assert alice.make_by_page(deadline="24", late=late).late == late
    assert alice.make_by_page(deadline="hour", hour="20:00", late="bot").late == "bot"
    league, _invite = make(alice, late="out", kept="1")
    assert (league.late, league.handover) == ("out", False)
    assert League.objects.get(key=make(alice)[0].key).late == "draft"
