"""Programs with a name: their token, their seats, their list of matches. Hal plays against Ada."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from robosite.api import program_views, programs
from robosite.api.models import NamedProgram
from robosite.matches.flow import seat_requests
from robosite.matches.models import Hold, Match, Seat
from robosite.moderation import measures, traces
from robosite.ops.periods import RETENTIONS
from robosite.people.current_guest import forget_step_of_oldest, merge
from robosite.people.models import Guest
from robosite.web.bounds import Bucket
from tests.site.api.test_api import WALK, Api, problem
from tests.site.browsers import Browser, Table, logged_in, text


class Program:
    """A program with a name, as its author sees it."""

    def __init__(self, api: Api, name: str = "Hal", **more: Any) -> None:
        self.api, self.name = api, name
        self.token = api("POST", "programs", {"name": name, **more}, status=201)["token"]

    @property
    def row(self) -> NamedProgram:
        return NamedProgram.objects.get(guest__name=self.name)

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        return self.api.ask(method, path, body, self.token, **more)

    def get(self, path: str) -> Any:
        return self.api.get(path, self.token)

    def make(self, **wishes: Any) -> Any:
        return self.api("POST", "matches", {"game": "pigs", **wishes}, self.token, status=201)

    def join(self, made: dict[str, Any]) -> Any:
        body = {"invite": made["invite"]}
        return self.api("POST", f"matches/{made['match']}/seats", body, self.token, status=201)

    def seal(self, key: str, order: str = WALK, turn: int = 0) -> Any:
        return self.ask("PUT", f"matches/{key}/order", {"turn": turn, "order": order})

    def matches(self, more: str = "") -> list[str]:
        return [one["match"] for one in self.get(f"me/matches{more}").json()["matches"]]


@pytest.fixture
def hal(api: Api) -> Program:
    return Program(api)


def against(hal: Program, **wishes: Any) -> tuple[str, str]:
    """A match in which Hal has joined Ada: its key, and her token."""
    made = hal.api.make(**wishes)
    hal.join(made)
    return made["match"], made["token"]


def test_a_program_sits_down_by_its_name_once_and_is_a_bot_for_all_to_see(api: Api, hal: Program) -> None:
    made, joined = hal.make(seats=3), api.make()
    hal.join(joined)
    assert api.match(made["match"])["seats"]["A"] == {"name": "Hal", "kind": "bot"}
    assert api.match(joined["match"])["seats"]["B"] == {"name": "Hal", "kind": "bot"}
    page = text(Client().get(f"/m/{made['match']}/"))
    assert re.search(r"Hal\s*<span class=\"bot\"", page)
    answer = hal.ask("POST", f"matches/{made['match']}/seats", {"invite": made["invite"]})
    assert problem(answer, 409) == "This bot is already in this match."
    assert Hold.objects.count() == 2
    tables = api.get("matches?open=1").json()["matches"] or [{"seats": {}}]
    assert all(table["seats"].get("A") != {"name": "Hal", "kind": "human"} for table in tables)


def test_a_program_has_no_name_but_its_own(api: Api, hal: Program) -> None:
    problem(hal.ask("POST", "matches", {"game": "pigs", "name": "Ada"}), 422, "/name")
    assert hal.ask("POST", "matches", {"game": "pigs", "name": "Hal"}).status_code == 201
    problem(api.ask("POST", "matches", {"game": "pigs"}), 422, "/name")
    for alike in ("Hal", "hal", "H a l", "HAL", "Hаl"):
        problem(api.ask("POST", "programs", {"name": alike}), 422, "/name")
    for wrong in ({}, {"name": ""}, {"name": "Eve", "url": "javascript:1"}, {"name": "Eve", "about": "a\nb"}):
        assert api.ask("POST", "programs", wrong).status_code == 422, wrong
    assert NamedProgram.objects.count() == Guest.objects.count() == 1


def test_one_token_plays_every_seat_and_seats_keep_their_own(api: Api, hal: Program) -> None:
    first, _ada = against(hal)
    second = hal.make(game="robble")
    assert hal.seal(first).json()["seat"] == "B"
    assert hal.get(f"matches/{second['match']}").json()["you"] == "A"
    assert api.match(second["match"], second["token"])["you"] == "A"
    problem(api.get(f"matches/{first}", second["token"]), 403)
    problem(api.get("me", second["token"]), 401)


def test_only_the_hash_of_a_token_is_kept_and_no_log_or_address_has_it(
    hal: Program, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    answer = hal.ask("POST", "matches", {"game": "pigs"})
    shown = hal.get("me").content.decode() + hal.get("me/export").content.decode() + answer.content.decode()
    row = str(NamedProgram.objects.values().get()) + str(Guest.objects.values().get())
    assert len(hal.token) >= len("program.") + 43
    assert all(hal.token not in told for told in (shown, row, caplog.text, str(answer.headers)))


def test_a_new_token_takes_the_old_ones_place_when_it_is_first_used(api: Api, hal: Program) -> None:
    lost = hal.ask("POST", "programs/token").json()["token"]
    new = hal.ask("POST", "programs/token").json()["token"]
    assert hal.get("me").status_code == 200
    problem(api.get("me", lost), 401)
    assert api.get("me", new).json()["name"] == "Hal"
    problem(hal.get("me"), 401)
    assert api.get("me", new).status_code == 200


def test_a_kept_answer_gives_the_new_token_to_nobody_with_the_old_one(api: Api, hal: Program) -> None:
    again = {"headers": {"Idempotency-Key": "1"}}
    new = hal.ask("POST", "programs/token", **again).json()["token"]
    assert hal.ask("POST", "programs/token", **again).json()["token"] == new
    assert api.get("me", new).status_code == 200
    problem(hal.ask("POST", "programs/token", headers={"Idempotency-Key": "1"}), 401)


def test_a_token_replaced_while_a_call_is_under_way_writes_nothing(
    api: Api, hal: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, _ada = against(hal)
    confirm, new = programs.confirm, hal.ask("POST", "programs/token").json()["token"]

    def meanwhile(program: NamedProgram) -> None:
        assert programs.find(new)
        confirm(program)

    monkeypatch.setattr(programs, "confirm", meanwhile)
    problem(hal.seal(key), 401)
    monkeypatch.undo()
    assert api.match(key)["sealed"] == []


def test_a_seat_lost_while_a_call_is_under_way_is_not_acted_for(
    hal: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, _ada = against(hal)
    confirm = programs.confirm

    def meanwhile(program: NamedProgram) -> None:
        measures.take("revoke", None, seat=Seat.objects.select_related("match").get(name="Hal"))
        confirm(program)

    monkeypatch.setattr(programs, "confirm", meanwhile)
    problem(hal.seal(key), 401)
    assert not Seat.objects.get(name="Hal").programs.exists()


def test_a_seats_link_opens_the_seat_and_nothing_of_the_program(api: Api, hal: Program, bob: Browser) -> None:
    other, made = hal.make(), hal.make()
    assert bob.post(f"/s/seat/{made['token']}/take/").status_code == 302
    assert bob.get(f"/m/{made['match']}/A/").status_code == 200
    assert bob.get(f"/m/{other['match']}/A/").status_code == 403
    for page in (f"/m/{made['match']}/A/", "/me/", "/mine/"):
        shown = bob.get(page).content.decode()
        assert hal.token not in shown and "program." not in shown and other["match"] not in shown
    problem(bob.generic("GET", "/api/v1/me"), 401)
    for path in ("me", "me/matches", "me/export", "programs/token"):
        method = "POST" if path == "programs/token" else "GET"
        problem(api.ask(method, path, None, made["token"]), 401)


def test_unknown_and_forbidden_matches_look_the_same(api: Api, hal: Program, alice: Browser) -> None:
    match = alice.make()
    Match.objects.update(watched=False)
    known = [hal.ask(how, f"matches/{match.key}{more}") for how, more in CALLS]
    unknown = [hal.ask(how, f"matches/abcdefghjkmn{more}") for how, more in CALLS]
    for one, other in zip(known, unknown, strict=True):
        assert (one.status_code, one.content) == (404, other.content)
    problem(Program(api, "Eve").ask("POST", f"matches/{api.make()['match']}/resign"), 403)


CALLS = [("GET", ""), ("GET", "?legal=1"), ("GET", "/record"), ("POST", "/resign"), ("POST", "/keep")]


def test_an_unknown_programs_token_opens_nothing_at_all(api: Api, hal: Program) -> None:
    wrong = hal.token[:-1] + ("a" if hal.token[-1] != "a" else "b")
    for method, path in (
        ("GET", "me"),
        ("POST", "matches"),
        ("GET", "games"),
        ("GET", f"matches/{api.make()['match']}"),
    ):
        body = {"game": "pigs", "name": "Hal"} if method == "POST" else None
        problem(api.ask(method, path, body, wrong), 401)
    assert Seat.objects.filter(name="Hal").count() == 0


def test_a_call_by_which_a_seat_was_left_has_the_same_answer_again(hal: Program) -> None:
    made, key = hal.make(), {"Idempotency-Key": str(uuid.uuid4())}
    first = hal.ask("POST", f"matches/{made['match']}/resign", headers=key)
    assert first.status_code == 200 and first.json()["status"] == "aborted"
    again = hal.ask("POST", f"matches/{made['match']}/resign", headers=key)
    assert again.content == first.content
    problem(hal.ask("POST", f"matches/{made['match']}/resign"), 403)


def test_a_program_is_counted_by_its_token_and_reads_what_is_left(
    api: Api, hal: Program, settings: Any, seconds: Any
) -> None:
    settings.LIMITS = "on"
    settings.BUCKETS = {**settings.BUCKETS, "api read": settings.BUCKETS["api read"].__class__(3, 3)}
    left = []
    for n in range(3):
        answer = hal.api.get("me", hal.token, REMOTE_ADDR=f"192.0.2.{n}")
        left.append(answer["RateLimit"])
        assert answer["RateLimit-Policy"] == '"api-read";q=3;w=60'
    assert left == ['"api-read";r=2;t=60', '"api-read";r=1;t=60', '"api-read";r=0;t=60']
    refused = hal.api.get("me", hal.token, REMOTE_ADDR="192.0.2.9")
    problem(refused, 429)
    assert refused["RateLimit"] == '"api-read";r=0;t=60' and refused["Retry-After"] == "61"
    assert Program(api, "Eve").get("me").status_code == 200  # from the same address as Hal
    assert "RateLimit" not in api.get("games") and api.get("games").status_code == 200


def test_an_address_names_few_programs_and_a_barred_one_none(api: Api, settings: Any, seconds: Any) -> None:
    settings.LIMITS = "on"
    settings.BUCKETS = {**settings.BUCKETS, "api program": Bucket(6, 0.1)}
    for letter in "ACEGKM":
        assert Program(api, f"Robot {letter}").token
    problem(api.ask("POST", "programs", {"name": "Eve"}), 429)
    settings.LIMITS = "off"
    measures.take("ban", None, network="127.0.0.1", ends_at=measures.until("7"))
    problem(api.ask("POST", "programs", {"name": "Eve"}), 403)


def test_a_banned_program_sits_down_nowhere_and_plays_on(api: Api, hal: Program) -> None:
    key, _ada = against(hal)
    measures.take("ban", None, guest=hal.row.guest, ends_at=measures.until("7"))
    told = problem(hal.ask("POST", "matches", {"game": "pigs"}), 403)
    assert "GET /api/v1/me/export" in told and "/measure/" not in told
    assert hal.get("me/export").json()["moderation"]["measures"][0]["kind"] == "ban"
    made = api.make()
    problem(hal.ask("POST", f"matches/{made['match']}/seats", {"invite": made["invite"]}), 403)
    assert hal.seal(key).status_code == 200
    assert traces.trace_of(hal.row.guest)


def test_staff_sees_which_guests_are_programs(hal: Program, table: Table) -> None:
    client = logged_in(User.objects.create_superuser("boss"))
    every, some = (client.get(f"/admin/people/guest/{more}").content.decode() for more in ("", "?program=1"))
    assert "Alice" in every and "Hal" in every and "Alice" not in some and "Hal" in some
    page = client.get(f"/admin/people/guest/{hal.row.guest_id}/change/").content.decode()
    assert hal.row.token_hash not in page


def test_a_program_takes_all_that_is_kept_of_it_along(api: Api) -> None:
    hal = Program(api, about="Plays fair", url="https://example.org/hal")
    key, _ada = against(hal)
    hal.seal(key)
    told = hal.get("me/export").json()
    assert told["program"]["about"] == "Plays fair"
    assert [one["match"] for one in told["matches"]] == [key]
    me = hal.get("me").json()
    assert (me["name"], me["url"]) == ("Hal", "https://example.org/hal")
    assert me["matches"] == {"waiting": 0, "playing": 1, "open": 0, "over": 0}


def test_a_forgotten_program_is_gone_with_its_name_and_resigns(api: Api, hal: Program) -> None:
    key, _ada = against(hal)
    assert hal.ask("DELETE", "me").status_code == 204
    problem(hal.get("me"), 401)
    problem(hal.seal(key), 401)
    assert not NamedProgram.objects.exists()
    Program(api, "Hal")
    while forget_step_of_oldest():
        pass
    match = api.match(key)
    assert match["status"] == "over" and match["seats"]["B"] == {"name": "Somebody", "kind": "bot"}
    assert Guest.objects.count() == 1


def test_a_guest_who_became_another_leads_to_no_program(hal: Program, alice: Browser) -> None:
    alice.make()
    merge(hal.row.guest, Guest.objects.get(name="Alice"))
    problem(hal.get("me"), 401)


def test_a_program_without_seats_goes_when_nobody_uses_it(hal: Program) -> None:
    kept = next(one for one in RETENTIONS if one.name == "programs")
    long_ago = timezone.now() - timedelta(days=100)
    NamedProgram.objects.update(used_at=long_ago)
    assert kept.due().count() == 1
    made = hal.make()
    assert NamedProgram.objects.get().used_at > long_ago and not kept.due().exists()
    NamedProgram.objects.update(used_at=long_ago)
    assert not kept.due().exists()
    hal.ask("POST", f"matches/{made['match']}/resign")
    NamedProgram.objects.update(used_at=long_ago)
    assert kept.due().count() == 1


def test_whoever_gets_a_programs_seat_is_a_person(hal: Program, time: Any, bob: Browser) -> None:
    key, _ada = against(hal)
    bob.make()
    seat = Seat.objects.select_related("match").get(match__key=key, letter="B")
    seat_requests.ask(seat, Guest.objects.get(name="Bob"))
    ada = Seat.objects.select_related("match").get(match__key=key, letter="A")
    seat.askings.update(answer="yes", answered_by=ada, due=time.now() + timedelta(days=1))
    Match.objects.filter(key=key).update(handover_at=time.now() + timedelta(days=1))
    assert hal.get(f"matches/{key}").json()["you"] == "B"
    time.pass_(days=2)
    problem(hal.seal(key), 403)
    assert hal.api.match(key)["seats"]["B"] == {"name": "Hal", "kind": "human"}


def test_matches_that_wait_come_first_and_pages_lead_on(
    hal: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed, _ = against(hal)
    hal.seal(sealed)
    waits, _ = against(hal)
    open_ = hal.make()["match"]
    over, ada = against(hal)
    hal.api.ask("POST", f"matches/{over}/resign", None, ada)
    assert hal.matches() == [waits, sealed, open_, over]
    for status, key in {"waiting": waits, "playing": sealed, "open": open_, "over": over}.items():
        assert hal.matches(f"?status={status}") == [key]
    monkeypatch.setattr(program_views, "PAGE", 3)
    first = hal.get("me/matches").json()
    assert [one["waits"] for one in first["matches"]] == [True, False, False]
    assert hal.matches(f"?after={first['next']}") == [over]
    for wrong in ("x", "0.", f"9.{over}", "1.abcdefghjkmn", f"1.{hal.api.make()['match']}"):
        problem(hal.get(f"me/matches?after={wrong}"), 422)
    problem(hal.get("me/matches?status=lost"), 422)


def test_nobody_reads_what_belongs_to_another_program(api: Api, hal: Program) -> None:
    key, _ada = against(hal)
    hal.ask("PUT", f"matches/{key}/draft", {"turn": 0, "order": "F ^"})
    eve = Program(api, "Eve")
    assert eve.matches() == [] and eve.get("me/export").json().get("matches") in (None, [])
    assert eve.get(f"matches/{key}").json()["draft"] is None
    problem(eve.seal(key), 403)
    assert hal.get(f"matches/{key}").json()["draft"] == "F ^"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/\u202egnp.exe",
        "https://example.org/\u2066x\u2069",
        "https://example.org/a\u200bb",
        "https://example.org/\u3164",
        "https://ex\u00adample.org/",
        "https://\u0435xample.org/",
        "https://example.org/\x1b[31m",
        "https://example.org/\x00",
        "https://me:secret@example.org/",
        "https://example.org@evil.example/",
        "https://example.org\\@evil.example/",
        "http://[",
        "ftp://example.org/",
        "javascript:alert(1)",
        "//example.org/",
    ],
)
def test_the_address_of_a_program_hides_nothing(api: Api, hal: Program, url: str) -> None:
    told = problem(api.ask("POST", "programs", {"name": "Eve", "url": url}), 422, "/url")
    assert told.endswith(".")
    problem(hal.ask("PUT", "me", {"url": url}), 422, "/url")
    assert hal.get("me").json()["url"] == ""


def test_an_address_as_browsers_copy_it_is_kept(hal: Program) -> None:
    for url in ("https://example.org/a%20b?c=d@e#f", "http://xn--bcher-kva.example:8080/%C3%BC", ""):
        assert hal.ask("PUT", "me", {"url": url}).status_code == 200
        assert hal.get("me").json()["url"] == url


def test_a_program_has_few_open_tables_and_open_leagues(hal: Program) -> None:
    """As many as a guest, or all the newcomers of an address, may have by pages."""
    table = {"game": "robble", "open": True}
    league = {"game": "robble", "name": "Robots", "open": True}
    for path, body in (("matches", table), ("leagues", league)):
        for _ in range(5):
            assert hal.ask("POST", path, body).status_code == 201
        refused = hal.ask("POST", path, body)
        assert refused.status_code == 409 and re.search(r"ha(ve|s) 5", refused.json()["detail"])
        assert hal.ask("POST", path, {**body, "open": False}).status_code == 201
