"""Inviting a program by its name: who may, what the program sees, how it sits down or declines."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client

from robosite.api import challenges, program_stream
from robosite.api.models import Challenge, NamedProgram
from robosite.api.program_stream import ProgramStream
from robosite.api.stream import BEAT
from robosite.matches.models import Match, Seat
from robosite.ops.periods import RETENTIONS
from tests.site.api.test_api import Api, api, problem
from tests.site.api.test_programs import Program, hal
from tests.site.browsers import Browser, text

__all__ = ["api", "hal"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def willing(hal: Program) -> Program:
    assert hal.ask("PUT", "me", {"takes": ["pigs", "pigs"], "about": "Plays <fair>"}).status_code == 200
    return hal


class Open:
    """An open match that Alice has made, for two."""

    def __init__(self, alice: Browser, game: str = "pigs", **form: str) -> None:
        self.alice = alice
        made = alice.make_by_page(2, game, **form) if form else alice.make(game=game)
        self.key, self.seat = made.key, made.seats.get(letter="A")
        self.page = f"/m/{made.key}/A/programs/"

    def invites(self, program: Program, **more: str) -> Any:
        return self.alice.post(self.page, {"program": program.row.pk, **more})


@pytest.fixture
def table(alice: Browser) -> Open:
    return Open(alice)


def test_a_person_invites_a_program_which_sits_down_without_a_link(table: Open, willing: Program) -> None:
    assert f'href="{table.page}"' in text(table.alice.get(f"/m/{table.key}/A/"))
    shown = text(table.alice.get(table.page))
    assert "Invite Hal" in shown and "Plays &lt;fair&gt;" in table.alice.get(table.page).content.decode()
    assert table.invites(willing).status_code == 302
    assert "Hal is invited." in text(table.alice.get(table.page))
    (asked,) = willing.get("me/challenges").json()["challenges"]
    assert (asked["match"], asked["game"]) == (table.key, "pigs")
    assert asked["seats"] == {"A": {"name": "Alice", "kind": "human"}, "B": None}
    assert program_stream.invited_to(willing.row) == {table.key}
    seated = willing.ask("POST", f"matches/{table.key}/seats", {})
    assert seated.status_code == 201 and seated.json()["seat"] == "B"
    match = willing.get(f"matches/{table.key}").json()
    assert match["status"] == "playing" and match["seats"]["B"] == {"name": "Hal", "kind": "bot"}
    assert not Challenge.objects.exists()


def test_the_form_of_a_match_leads_to_inviting(alice: Browser, willing: Program) -> None:
    assert "Someone’s bot" in text(alice.get("/new/pigs/"))
    assert "Someone’s bot" not in text(alice.get("/new/robble/")), "none takes it"
    form = {"game": "pigs", "seats": 2, "name": "Alice", "with": "program"}
    made = alice.post("/matches/", form)
    key = Match.objects.get().key
    assert made.status_code == 302 and made["Location"] == f"/m/{key}/A/programs/"
    assert "Invite Hal" in text(alice.get(made["Location"]))
    again = alice.post("/matches/", {**form, "name": ""})
    assert again.status_code == 422
    assert re.search(r'value="program"\s+checked', again.content.decode())


def test_a_program_declines_and_is_not_asked_again(table: Open, willing: Program) -> None:
    table.invites(willing)
    assert willing.ask("DELETE", f"me/challenges/{table.key}").status_code == 204
    assert willing.get("me/challenges").json() == {"challenges": []}
    assert "Hal has declined." in text(table.alice.get(table.page))
    table.invites(willing)
    assert "Hal has declined." in text(table.alice.get(table.page))
    problem(willing.ask("POST", f"matches/{table.key}/seats", {}), 403)


def test_nobody_else_sits_down_by_an_invitation(api: Api, table: Open, willing: Program) -> None:
    table.invites(willing)
    eve = Program(api, "Eve")
    eve.ask("PUT", "me", {"takes": ["pigs"]})
    problem(eve.ask("POST", f"matches/{table.key}/seats", {}), 403)
    problem(api.ask("POST", f"matches/{table.key}/seats", {"name": "Hal"}), 403)
    problem(willing.ask("POST", f"matches/{table.key}/seats", {"invite": "wrong"}), 403)
    assert eve.get("me/challenges").json() == {"challenges": []}


def test_an_invitation_that_is_another_ones_or_none_is_404(api: Api, table: Open, willing: Program) -> None:
    table.invites(willing)
    eve = Program(api, "Eve")
    known, unknown = (eve.ask("DELETE", f"me/challenges/{key}") for key in (table.key, "abcdefghjkmn"))
    assert known.status_code == 404 and known.content == unknown.content
    assert Challenge.objects.filter(declined=False).exists()


def test_an_invitation_that_was_withdrawn_is_looked_at_inside_the_lock(
    table: Open, willing: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.invites(willing)
    stands = challenges.has_open_invitation
    asked: list[bool] = []

    def meanwhile(program: Any, match: Match) -> bool:
        found = stands(program, match)
        if not asked:
            Challenge.objects.all().delete()
        asked.append(found)
        return found

    monkeypatch.setattr(challenges, "has_open_invitation", meanwhile)
    problem(willing.ask("POST", f"matches/{table.key}/seats", {}), 403)
    assert asked == [True, False] and not Seat.objects.filter(name="Hal").exists()


def test_only_the_creator_invites_while_a_seat_is_free(table: Open, willing: Program, bob: Browser) -> None:
    invite = table.alice.own_links(table.seat)["invite"]
    bob.join(invite)
    for browser, page in ((table.alice, table.page), (bob, f"/m/{table.key}/B/programs/")):
        assert browser.post(page, {"program": willing.row.pk}).status_code == 409
        assert "Invite Hal" not in text(browser.get(page))
    assert bob.post(table.page, {"program": willing.row.pk}).status_code == 403
    assert not Challenge.objects.exists()


def test_a_program_that_takes_no_invitations_gets_none(alice: Browser, hal: Program) -> None:
    table = Open(alice)
    assert table.invites(hal).status_code == 409
    assert hal.get("programs").json() == {"programs": [], "next": None}
    hal.ask("PUT", "me", {"takes": ["robble"]})
    assert table.invites(hal).status_code == 409
    problem(hal.ask("PUT", "me", {"takes": ["chess"]}), 422, "/takes")
    assert hal.get("me").json()["takes"] == ["robble"]
    hal.ask("PUT", "me", {"takes": []})
    assert Open(alice, "robble").invites(hal).status_code == 409


@pytest.mark.parametrize(
    ("takes", "preset", "is_taken"),
    [
        (["pigs/kids"], "kids", True),
        (["pigs/kids"], "standard", False),
        (["pigs/kids", "pigs/standard"], "standard", True),
        (["robble/standard"], "standard", False),
        (["pigs", "pigs/kids"], "standard", True),
    ],
)
def test_a_program_is_invited_to_the_presets_that_it_takes(
    alice: Browser, hal: Program, takes: list[str], preset: str, *, is_taken: bool
) -> None:
    assert hal.ask("PUT", "me", {"takes": takes}).json()["takes"] == takes
    table = Open(alice, preset=preset)
    assert ("Invite Hal" in text(alice.get(table.page))) is is_taken
    assert table.invites(hal).status_code == (302 if is_taken else 409)


@pytest.mark.parametrize(
    ("pace", "hours", "is_taken"),
    [
        ({"least_hours": 24}, "24", True),
        ({"least_hours": 24}, "", True),
        ({"least_hours": 48}, "24", False),
        ({"most_hours": 24}, "24", True),
        ({"most_hours": 24}, "72", False),
        ({"most_hours": 24}, "", False),
        ({}, "24", True),
    ],
)
def test_a_program_is_invited_where_its_pace_is_kept(
    alice: Browser, willing: Program, pace: dict[str, float], hours: str, *, is_taken: bool
) -> None:
    told = willing.ask("PUT", "me", {"pace": pace}).json()["pace"]
    assert told == {"least_hours": None, "most_hours": None, **pace}
    table = Open(alice, deadline=hours)
    assert table.invites(willing).status_code == (302 if is_taken else 409)
    assert willing.ask("PUT", "me", {"pace": {}}).json()["takes"] == ["pigs"]
    assert table.invites(willing).status_code == 302


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"takes": ["pigs/chess"]}, "/takes"),
        ({"takes": ["pigs/"]}, "/takes"),
        ({"pace": {"least_hours": -1}}, "/pace/least_hours"),
        ({"pace": {"most_hours": 337}}, "/pace/most_hours"),
        ({"pace": {"least_hours": 5, "most_hours": 4}}, "/pace"),
        ({"pace": {"hours": 5}}, "/pace/hours"),
    ],
)
def test_presets_and_paces_that_there_are_not_are_refused(
    willing: Program, body: dict[str, Any], pointer: str
) -> None:
    problem(willing.ask("PUT", "me", body), 422, pointer)
    assert willing.get("me").json()["takes"] == ["pigs"]


def test_the_list_says_which_presets_and_paces(hal: Program) -> None:
    hal.ask("PUT", "me", {"takes": ["robble", "pigs/kids", "pigs/bash"], "pace": {"least_hours": 1.5}})
    page = text(Client().get("/programs/"))
    assert "Plays Robble and Robo Battle Pigs (Kids, B.A.S.H.)." in page
    assert "Time per turn: at least 1.5\xa0h." in page
    NamedProgram.objects.update(takes=" robble chess pigs/gone ")  # as of games that there were
    assert "Plays Robble." in text(Client().get("/programs/"))


def test_invitations_are_withdrawn_and_bounded(
    api: Api, table: Open, willing: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.invites(willing)
    assert table.invites(willing, withdraw="1").status_code == 302
    assert willing.get("me/challenges").json() == {"challenges": []}
    monkeypatch.setattr(challenges, "MOST", 1)
    eve = Program(api, "Eve")
    eve.ask("PUT", "me", {"takes": ["pigs"]})
    assert [table.invites(one).status_code for one in (willing, eve)] == [302, 409]
    willing.ask("DELETE", "me")
    assert "Hal" not in text(table.alice.get(table.page))


def test_lists_show_those_who_take_invitations(api: Api, willing: Program) -> None:
    page = Client().get("/programs/").content.decode()
    assert "Hal" in page and "Plays &lt;fair&gt;" in page and "Robo Battle Pigs" in page
    listed: dict[str, Any] = {"name": "Hal", "about": "Plays <fair>", "url": "", "takes": ["pigs"]}
    listed |= {"pace": {"least_hours": None, "most_hours": None}}
    assert api.get("programs?game=pigs").json() == {"programs": [listed], "next": None}
    assert api.get("programs?game=robble").json()["programs"] == []
    assert api.get(f"programs?after={willing.row.pk}").json()["programs"] == []


def test_old_invitations_go(table: Open, willing: Program, time: Any) -> None:
    table.invites(willing)
    kept = next(one for one in RETENTIONS if one.name == "challenges")
    time.pass_(days=2)
    assert not kept.due().exists()
    Match.objects.update(status="aborted")
    assert kept.due().count() == 1 and willing.get("me/challenges").json() == {"challenges": []}


@pytest.mark.django_db(transaction=True)
def test_an_open_stream_is_told_at_once(alice: Browser, willing: Program) -> None:
    table, own, other = Open(alice), willing.row, Program(Api(Client()), "Eve").row

    async def events() -> list[str]:
        streams = [ProgramStream(one, None) for one in (own, other)]
        told = [aiter(one) for one in streams]
        for one in told:
            assert (await anext(one)).startswith("retry: ")
        waits = [asyncio.ensure_future(anext(one)) for one in told]
        while any(one.first for one in streams):
            await asyncio.sleep(0.01)
        await sync_to_async(table.invites)(willing)
        done, silent = await asyncio.wait(waits, timeout=BEAT / 5)
        for wait in silent:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        return [one.result() for one in done]

    (event,) = async_to_sync(events)()
    assert f'event: challenge\ndata: {{"match": "{table.key}"}}' in event
