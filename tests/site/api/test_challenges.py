"""Programs are challenged, and told by webhook."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client

from robosite.api import challenges
from robosite.api.models import Challenge, NamedProgram
from robosite.api.program_stream import ProgramStream
from robosite.api.stream import BEAT
from robosite.matches.models import Match, Seat
from robosite.notices.models import Channel, Kind, Parcel
from robosite.ops.periods import RETENTIONS
from tests import at_once
from tests.receivers import Asked, Receiver
from tests.site.api.test_api import WALK, Api, problem
from tests.site.api.test_programs import Program, against, hal
from tests.site.browsers import Browser, has_word, text
from tests.site.conftest import Time
from tests.site.notices.test_notices_sent import receiver

__all__ = ["hal", "receiver"]


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
    assert [one.match.key for one in challenges.open_to(willing.row)] == [table.key]
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


def test_nobody_else_sits_down_by_an_invitation_or_declines_it(
    api: Api, table: Open, willing: Program
) -> None:
    table.invites(willing)
    eve = Program(api, "Eve")
    eve.ask("PUT", "me", {"takes": ["pigs"]})
    problem(eve.ask("POST", f"matches/{table.key}/seats", {}), 403)
    problem(api.ask("POST", f"matches/{table.key}/seats", {"name": "Hal"}), 403)
    problem(willing.ask("POST", f"matches/{table.key}/seats", {"invite": "wrong"}), 403)
    assert eve.get("me/challenges").json() == {"challenges": []}
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
    assert not has_word(text(table.alice.get(table.page)), "Hal")


def test_lists_show_those_who_take_invitations_with_presets_and_paces(api: Api, willing: Program) -> None:
    page = Client().get("/programs/").content.decode()
    assert "Hal" in page and "Plays &lt;fair&gt;" in page and "Robo Battle Pigs" in page
    listed: dict[str, Any] = {"name": "Hal", "about": "Plays <fair>", "url": "", "takes": ["pigs"]}
    listed |= {"pace": {"least_hours": None, "most_hours": None}}
    assert api.get("programs?game=pigs").json() == {"programs": [listed], "next": None}
    assert api.get("programs?game=robble").json()["programs"] == []
    assert api.get(f"programs?after={willing.row.pk}").json()["programs"] == []
    willing.ask("PUT", "me", {"takes": ["robble", "pigs/kids", "pigs/bash"], "pace": {"least_hours": 1.5}})
    page = text(Client().get("/programs/"))
    assert "Plays Robble and Robo Battle Pigs (Kids, B.A.S.H.)." in page
    assert "Time per turn: at least 1.5\xa0h." in page
    NamedProgram.objects.update(takes=" robble chess pigs/gone ")  # as of games that there were
    assert "Plays Robble." in text(Client().get("/programs/"))


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
        await asyncio.wait(waits, timeout=60, return_when=asyncio.FIRST_COMPLETED)
        done, silent = await asyncio.wait(waits, timeout=BEAT / 20)
        for wait in silent:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        return [one.result() for one in done]

    (event,) = async_to_sync(events)()
    assert f'event: challenge\ndata: {{"match": "{table.key}"}}' in event


@pytest.fixture
def hook(hal: Program, receiver: Receiver) -> Receiver:
    """The receiver of Hal's webhook, which has had its test."""
    assert hal.ask("PUT", "me/webhook", {"url": f"{receiver.url}/hal"}).status_code == 200
    at_once.send_all()
    (test,) = heard(receiver)
    assert test["type"] == "robosite.test"
    return receiver


def heard(receiver: Receiver) -> list[dict[str, Any]]:
    """The requests that have come since the last look."""
    asked, receiver.asked = receiver.asked, []
    return [json.loads(one.body) for one in asked]


def told(receiver: Receiver) -> list[tuple[str, str, int]]:
    """The kinds of notices that have come, each with its match and turn."""
    at_once.send_all()
    found = [one for message in heard(receiver) for one in message["data"]["notices"]]
    return [(one["kind"], one["match"], one["turn"]) for one in found]


def is_signed(asked: Asked, key: str) -> bool:
    raw = base64.b64decode(key.removeprefix("whsec_"))
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    wanted = base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
    return asked.headers["webhook-signature"] == f"v1,{wanted}"


def test_its_key_is_shown_once_and_signs(hal: Program, receiver: Receiver) -> None:
    url = f"{receiver.url}/hal"
    set_ = hal.ask("PUT", "me/webhook", {"url": url}).json()
    assert set_["url"] == url and set_["on"] is True and set_["key"].startswith("whsec_")
    at_once.send_all()
    (asked,) = receiver.asked
    assert is_signed(asked, set_["key"])
    seen = hal.get("me/webhook").json()
    assert "key" not in seen and seen["failures"] == 0 and seen["succeeded_at"]
    again = hal.ask("PUT", "me/webhook", {"url": url}).json()
    assert again["key"] != set_["key"]
    assert Channel.objects.filter(guest=hal.row.guest).count() == 1
    at_once.send_all()
    assert is_signed(receiver.asked[1], again["key"]) and not is_signed(receiver.asked[1], set_["key"])


def test_it_hears_of_its_turn_at_once_even_where_it_brought_it_about(
    api: Api, hal: Program, hook: Receiver
) -> None:
    key, ada = against(hal)  # Hal sits down last, so the match begins by its own deed
    assert ("turn", key, 0) in told(hook)
    assert api.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": WALK}, ada).status_code == 200
    assert hal.seal(key).status_code == 200
    after = told(hook)
    assert ("turn", key, 1) in after and ("revealed", key, 0) in after


def test_what_waits_already_is_told_first(hal: Program, receiver: Receiver) -> None:
    key, _ada = against(hal)
    hal.ask("PUT", "me/webhook", {"url": f"{receiver.url}/hal"})
    assert ("turn", key, 0) in told(receiver)


def test_proposals_are_told_until_they_are_answered(api: Api, hal: Program, hook: Receiver) -> None:
    key, ada = against(hal)
    told(hook)
    api.ask("POST", f"matches/{key}/proposals", {"kind": "draw", "do": "offer"}, ada)
    assert ("proposed", key, 0) in told(hook)
    api.ask("POST", f"matches/{key}/proposals", {"kind": "call-off", "do": "offer"}, ada)
    assert (
        hal.ask("POST", f"matches/{key}/proposals", {"kind": "call-off", "do": "decline"}).status_code == 200
    )
    assert told(hook) == []
    hal.ask("POST", f"matches/{key}/proposals", {"kind": "draw", "do": "accept"})
    assert ("over", key, 1) in told(hook)


def test_a_rematch_is_told_in_the_match_that_is_over(api: Api, hal: Program, hook: Receiver) -> None:
    key, ada = against(hal)
    api.ask("POST", f"matches/{key}/resign", token=ada)
    assert Match.objects.get(key=key).status == "over"
    told(hook)
    asked = api.ask("POST", f"matches/{key}/rematch", token=ada)
    assert asked.status_code == 200, asked.content
    assert [(kind, at) for kind, at, _turn in told(hook)] == [("proposed", key)]
    assert hal.ask("POST", f"matches/{key}/rematch").status_code == 200
    assert ("turn", Match.objects.get(rematch_of__key=key).key, 0) in told(hook)


def test_an_invitation_is_told(alice: Browser, hal: Program, hook: Receiver) -> None:
    hal.ask("PUT", "me", {"takes": ["pigs"]})
    table = Open(alice)
    assert table.invites(hal).status_code == 302
    at_once.send_all()
    (message,) = heard(hook)
    assert message["type"] == "robosite.invited" and message["data"]["match"] == table.key
    assert table.invites(hal).status_code == 302  # inviting again is no news
    at_once.send_all()
    assert heard(hook) == []


def test_every_kind_of_notice_is_told_and_nothing_of_other_matches_or_of_what_is_sealed(
    api: Api, hal: Program, hook: Receiver
) -> None:
    assert Channel.objects.get().tells == list(Kind.values)
    other = Program(api, "Eve")
    key, ada = against(other)
    api.seal(key, ada, WALK)
    other.seal(key)
    assert told(hook) == []
    key, ada = against(hal)
    api.seal(key, ada, WALK)
    at_once.send_all()
    assert hook.asked and WALK not in b"".join(one.body for one in hook.asked).decode()


def test_addresses_that_are_not_on_the_open_internet_are_refused(hal: Program, settings: Any) -> None:
    problem(hal.ask("PUT", "me/webhook", {"url": "https://example.org/x"}), 422, "/url")
    settings.WEBHOOKS = True
    for address in ("http://example.org/x", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/", "x"):
        problem(hal.ask("PUT", "me/webhook", {"url": address}), 422, "/url")
    assert (hal.get("me/webhook").json()["url"], hal.get("me/webhook").json()["on"]) == ("", False)
    assert not Channel.objects.exists()


def test_it_is_switched_off_when_it_fails_too_often_and_says_so(
    hal: Program, hook: Receiver, time: Time
) -> None:
    hook.answers = [500] * 60
    key, _ada = against(hal)
    Channel.objects.update(failures=19)
    at_once.send_all()
    seen = hal.get("me/webhook").json()
    assert seen["on"] is False and seen["fault"] == "refused" and seen["failures"] == 20
    hook.answers = []
    assert hal.ask("PUT", "me/webhook", {"url": seen["url"]}).json()["on"] is True
    assert hal.get("me/webhook").json()["failures"] == 0
    time.pass_(hours=1)
    assert ("turn", key, 0) in told(hook)


def test_it_ends_with_the_webhook_and_with_the_program(api: Api, hal: Program, hook: Receiver) -> None:
    against(hal)
    assert hal.ask("DELETE", "me/webhook").status_code == 204
    assert hal.ask("DELETE", "me/webhook").status_code == 204
    assert told(hook) == [] and not Parcel.objects.exists()
    assert (hal.get("me/webhook").json()["url"], hal.get("me/webhook").json()["on"]) == ("", False)


def test_it_is_for_programs_alone_and_bounded(
    api: Api, hal: Program, receiver: Receiver, settings: Any, seconds: Any
) -> None:
    settings.LIMITS = "on"
    made = api.make()
    for token in (None, made["token"]):
        assert api.ask("PUT", "me/webhook", {"url": f"{receiver.url}/x"}, token).status_code == 401
    answers = [hal.ask("PUT", "me/webhook", {"url": f"{receiver.url}/x"}).status_code for _ in range(8)]
    assert answers[0] == 200 and answers[-1] == 429
