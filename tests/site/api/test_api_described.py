"""The API's description, answers that conform to it, and the same answer again."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLResolver, get_resolver
from django.utils import timezone
from jsonschema_rs import Draft202012Validator

from robosite.api.calls import CALLS
from robosite.api.idempotency import RepeatedCall
from robosite.api.models import KeptAnswer
from robosite.matches.models import Match, Seat
from robosite.web.bounds import BUCKETS
from tests.checkers import check
from tests.games.cases import size
from tests.site.api.test_api import FIRE, WALK, Api, problem
from tests.site.routes import Ask, asks
from tests.site.world import World, world


@pytest.fixture
def described(api: Api) -> dict[str, Any]:
    return dict(api.get("openapi.json").json())


def shown(route: str) -> str:
    return re.sub(r"<\w+:(\w+)>", r"{\1}", route)


def test_every_address_is_described(described: dict[str, Any], api: Api) -> None:
    api_urls = next(r for r in get_resolver().url_patterns if str(r.pattern) == "api/v1/")
    assert isinstance(api_urls, URLResolver)
    routes = {str(pattern.pattern) for pattern in api_urls.url_patterns} - {"^.*$"}
    assert {f"/api/v1/{shown(route)}".rstrip("/") for route in routes} == described["paths"].keys()
    for one in CALLS:
        path = f"/api/v1/{shown(one.path)}".rstrip("/")
        assert one.method.lower() in described["paths"][path]
    assert sum(len(path) for path in described["paths"].values()) == len(CALLS)
    assert not [path for path in described["paths"] if path.endswith("/")]
    assert api.client.get("/api/v1").json() == api.client.get("/api/v1/").json()


def test_it_says_which_token_and_fields_a_call_takes(described: dict[str, Any]) -> None:
    """That each operation is whole, and each reference leads somewhere, is the linter's part."""
    assert described["paths"]["/api/v1/games"]["get"]["security"] == []
    assert described["paths"]["/api/v1/me"]["get"]["security"] == [{"program": []}]
    schemas = described["components"]["schemas"]
    for one in CALLS:
        if one.takes:
            assert schemas[one.takes.__name__]["additionalProperties"] is (one.name == "import_record")
    assert schemas["NewMatch"]["required"] == ["game", "name"]
    assert schemas["Order"]["properties"]["order"]["maxLength"] == 2000
    for name in ("Draft", "Order"):
        field = schemas[name]["properties"]["taken_back"]
        assert {one["type"] for one in field["anyOf"]} == {"integer", "null"}
        assert "taken_back" not in schemas[name]["required"]
    parameters = described["paths"]["/api/v1/matches/{key}/order"]["delete"]["parameters"]
    assert ("taken_back", False) in [(one["name"], one["required"]) for one in parameters]


def test_the_bounds_of_an_idempotency_key_are_described(api: Api, described: dict[str, Any]) -> None:
    key, ada, _ben = api.table()
    call = described["paths"]["/api/v1/matches/{key}/draft"]["put"]
    schema = next(p for p in call["parameters"] if p["name"] == "Idempotency-Key")["schema"]
    for text in ("", "x", "~ !", "x" * schema["maxLength"], "x" * (schema["maxLength"] + 1), "ä", "\x7f"):
        good = schema["minLength"] <= len(text) <= schema["maxLength"] and re.search(schema["pattern"], text)
        body = {"turn": 0, "order": "F"}
        headers = {"Idempotency-Key": text}
        answer = api.ask("PUT", f"matches/{key}/draft", body, ada, headers=headers)
        assert answer.status_code == (204 if good else 422), text


def test_the_page_shows_every_call_limit_and_problem_and_needs_no_foreign_host(api: Api) -> None:
    answer = api.get("docs")
    text = answer.content.decode()
    assert answer["Content-Type"].startswith("text/html")
    for one in CALLS:
        assert f"{one.method} http://testserver/api/v1/{one.shown_path}" in text
        assert one.says.replace("`", "") in re.sub(
            r"</?code[^>]*>", "", text.replace("&#39;", "'").replace("&#x27;", "'")
        )
    for name, bucket in BUCKETS.items():
        assert (bucket.says in text) == name.startswith("api ")
    assert text.count("curl") >= 6 and "`" not in text
    hosts = set(re.findall(r"https?://([^/\s\"'<&]+)", text))
    assert hosts <= {"testserver", "example.org"}  # one is in an example
    for status in (400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503):
        assert f'id="problem-{status}"' in text
    page, _, anchor = api.get("nothing").json()["type"].partition("#")
    assert page == "/api/v1/docs" and f'id="{anchor}"' in text


@pytest.mark.parametrize(
    "path",
    [
        "games",
        "openapi.json",
        "docs",
        "matches?open=1",
        "matches/KEY",
        "matches/KEY?legal=1",
        "matches/KEY/record",
    ],
)
def test_what_has_not_changed_is_304(api: Api, path: str) -> None:
    made = api.make(open=True)
    path, token = path.replace("KEY", made["match"]), made["token"]
    first = api.get(path, token)
    again = api.get(path, token, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    weak = f'"other", W/{first["ETag"]}'
    assert api.get(path, token, headers={"If-None-Match": weak}).status_code == 304
    assert api.get(path, token, headers={"If-None-Match": '"other"'}).content == first.content
    head = api.ask("HEAD", path, None, token)
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", first["ETag"])
    zipped = api.get(path, token, headers={"Accept-Encoding": "gzip"})
    assert zipped.content == first.content and zipped["ETag"] == first["ETag"]
    if "match" in path:
        api.join(made)
        if "record" in path or "open" in path or "KEY" not in path:
            assert api.get(path, token, headers={"If-None-Match": first["ETag"]}).status_code == 200


SUCCESS = range(200, 300)
ELSEWHERE = {
    ("POST", "/api/v1/matches/{key}/claim"),  # needs a seat that is late: test_api_orders.py
    ("POST", "/api/v1/matches/{key}/put-out"),  # needs a stranger at an open table: test_open_tables.py
    ("POST", "/api/v1/matches/{key}/talk"),  # needs a program that sits there: test_program_deals.py
    ("POST", "/api/v1/leagues/{league}/start"),  # needs three players: test_leagues.py
    ("POST", "/api/v1/leagues/{league}/next"),  # the same: test_seasons.py
    ("POST", "/api/v1/handover"),  # needs a seat that is handed over: test_hot_seat.py
    ("GET", "/api/v1/leagues/{league}/record"),  # needs a league that is over: test_leagues.py
    ("PUT", "/api/v1/matches/{key}/replies"),  # needs a game in turns: test_api_secrets.py
    ("PUT", "/api/v1/me/webhook"),  # needs an address on the open internet: test_challenges.py
    ("POST", "/api/v1/matches/{key}/channel"),  # the same: test_group_channels.py
    ("GET", "/api/v1/matches/{key}/channel"),
    ("POST", "/api/v1/leagues/{league}/channel"),
    ("GET", "/api/v1/leagues/{league}/channel"),
}
"""The calls that nobody can make in the world of these requests."""
WHOLE = {
    *("Match", "Receipt", "Made", "Tables", "Game", "GameDetails", "Root", "Verdict", "Plan"),
    *("NamedAs", "Me", "Mine", "ProgramList", "ChallengeList", "Talk"),
}
"""The answers in which no field is left out."""


@pytest.fixture
def there(settings: Any) -> World:
    settings.LIMITS = "off"
    return world()


@pytest.fixture
def document(there: World) -> dict[str, Any]:
    return dict(there.people["Alice"].get("/api/v1/openapi.json").json())


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, here in document["paths"].items():
        for method in here:
            yield method.upper(), path


def described_path(document: dict[str, Any], ask: Ask) -> str:
    """The address as the description has it, `{key}` for a match's key and so on; "" if it has none."""
    plain = ask.path.partition("?")[0].rstrip("/") or "/"
    parts = plain.split("/")
    for path in document["paths"]:
        shape = path.rstrip("/").split("/")
        if len(shape) == len(parts) and all(
            a == b or a[:1] == "{" for a, b in zip(shape, parts, strict=True)
        ):
            return str(path)
    return ""


def test_each_call_succeeds_and_answers_as_described(there: World, document: dict[str, Any]) -> None:
    succeeded: set[tuple[str, str]] = set()
    validators: dict[tuple[str, str, int], Draft202012Validator] = {}
    schemas = document["components"]["schemas"]
    for ask in asks(there):
        path = described_path(document, ask) if ask.path.startswith("/api/v1/") else ""
        operation = document["paths"].get(path, {}).get(ask.method.lower())
        if operation is None or path.endswith("/events"):
            continue
        for who in size(("anyone", "Alice", "Bob", "elsewhere"), [*there.people]):  # the others show no token
            answer = there.ask(who, ask)
            assert str(answer.status_code) in operation["responses"], (who, ask, answer.content)
            told = operation["responses"][str(answer.status_code)]
            if "$ref" in told:
                told = document["components"]["responses"][told["$ref"].rpartition("/")[2]]
            kind = answer.headers.get("Content-Type", "").partition(";")[0]
            assert kind in told.get("content", {"": {}}), (who, ask, kind)
            if kind.endswith("json"):
                key = (ask.method, path, answer.status_code)
                schema = told["content"][kind]["schema"]
                if key not in validators:
                    validators[key] = Draft202012Validator({**schema, "components": document["components"]})
                validators[key].validate(answer.json())
                name = schema.get("$ref", "").rpartition("/")[2]
                if name in WHOLE and answer.status_code in SUCCESS:
                    assert answer.json().keys() == schemas[name]["properties"].keys(), name
            if answer.status_code in SUCCESS:
                succeeded.add((ask.method, path))
    never = {one for one in operations(document) if not one[1].endswith("/events")} - succeeded
    assert never == ELSEWHERE


LINTER = "node_modules/@redocly/cli/bin/cli.js"


def test_the_description_passes_a_linter(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_bytes(client.get("/api/v1/openapi.json").content)
    told = check(LINTER, "lint", "--config", "redocly.yaml", "--format", "json", file)
    found = json.loads(told.stdout)
    problems = [
        f"{one['location'][0]['pointer']}: {one['message']} ({one['ruleId']})" for one in found["problems"]
    ]
    assert not problems, "\n".join(problems)


ADA = {"game": "pigs", "name": "Ada"}


def under(key: str | None = None) -> dict[str, str]:
    return {"Idempotency-Key": key or str(uuid.uuid4())}


def test_the_same_call_makes_one_match_and_takes_one_seat_also_when_the_table_is_full_by_then(
    api: Api,
) -> None:
    headers = under()
    first = api.ask("POST", "matches", ADA, headers=headers)
    again = api.ask("POST", "matches", ADA, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again["Content-Type"] == first["Content-Type"]
    assert Match.objects.count() == 1
    api.ask("POST", "matches", ADA, headers=under())
    assert Match.objects.count() == 2
    made = first.json()
    headers, body = under(), {"name": "Ben", "invite": made["invite"]}
    first = api.ask("POST", f"matches/{made['match']}/seats", body, headers=headers)
    again = api.ask("POST", f"matches/{made['match']}/seats", body, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)


def test_the_same_key_with_another_body_or_call_is_422(api: Api) -> None:
    headers = under()
    api.ask("POST", "matches", ADA, headers=headers)
    problem(api.ask("POST", "matches", {**ADA, "name": "Eve"}, headers=headers), 422)
    assert Match.objects.count() == 1
    key, ada, _ben = api.table()
    api.ask("POST", f"matches/{key}/draw", {"offer": True}, ada, headers=headers)
    problem(api.ask("POST", f"matches/{key}/draw", {"offer": False}, ada, headers=headers), 422)
    problem(api.ask("POST", f"matches/{key}/resign", None, ada, headers=headers), 422)
    assert api.match(key)["draws"] == ["A"]


@pytest.mark.parametrize(
    "key", ["1", "x" * 36, "00000000-0000-0000-0000-000000000000", "5b3c2f3e-c6c1-11f0-9d5e-0242ac120002"]
)
def test_without_a_token_the_key_is_a_random_uuid(api: Api, key: str) -> None:
    problem(api.ask("POST", "matches", ADA, headers=under(key)), 422)
    problem(api.ask("POST", "matches", ADA, token="made-up", headers=under(key)), 422)
    assert not Match.objects.exists()


def test_a_short_key_belongs_to_its_token_and_its_answer_is_the_one_given_then(api: Api) -> None:
    key, ada, ben = api.table()
    first = api.seal(key, ada, WALK, headers=under("1"))
    api.seal(key, ada, FIRE, headers=under("2"))
    problem(api.seal(key, ben, WALK, headers=under("x" * 201)), 422)
    problem(api.seal(key, ben, WALK, headers={"Idempotency-Key": ""}), 422)
    second = api.seal(key, ben, FIRE, headers=under("1"))
    assert (first.json()["seat"], second.json()["seat"]) == ("A", "B")
    again = api.seal(key, ada, WALK, headers=under("1"))
    assert again.content == first.content
    assert api.match(key)["turns"] == [{"A": FIRE, "B": FIRE}]
    Seat.objects.filter(match__key=key, letter="A").update(link_hash="0" * 64)
    problem(api.seal(key, ada, WALK, headers=under("1")), 401)


def test_a_204_comes_again_without_a_second_effect_and_resigning_where_it_would_be_409(api: Api) -> None:
    key, ada, _ben = api.table()
    path, headers = f"matches/{key}/order?turn=0", under("away")
    api.seal(key, ada, WALK)
    assert api.ask("DELETE", path, token=ada, headers=headers).status_code == 204
    api.seal(key, ada, FIRE)
    again = api.ask("DELETE", path, token=ada, headers=headers)
    assert again.status_code == 204 and again.content == b"" and "Content-Type" not in again
    assert api.match(key, ada)["order"] == FIRE
    first = api.ask("POST", f"matches/{key}/resign", token=ada, headers=under("r"))
    again = api.ask("POST", f"matches/{key}/resign", token=ada, headers=under("r"))
    assert (again.status_code, again.content) == (200, first.content)


def test_giving_a_seat_up_comes_again_though_its_token_opens_nothing_any_more(api: Api) -> None:
    made = api.make(seats=3)
    api.join(made)
    path, token = f"matches/{made['match']}/resign", made["token"]
    first = api.ask("POST", path, token=token, headers=under("r"))
    again = api.ask("POST", path, token=token, headers=under("r"))
    assert (again.status_code, again.content) == (200, first.content)
    problem(api.ask("POST", path, token=token), 401)
    problem(api.ask("POST", path, token="other", headers=under("r")), 401)


def test_only_successes_are_kept(api: Api) -> None:
    key, ada, ben = api.table()
    problem(api.seal(key, ada, "F F", headers=under("1")), 422)
    problem(api.seal(key, ada, WALK, turn=1, headers=under("1")), 409)
    assert not KeptAnswer.objects.exists()
    api.seal(key, ada, WALK)
    api.seal(key, ben, WALK)
    assert api.seal(key, ada, WALK, turn=1, headers=under("1")).status_code == 200


def test_after_a_day_the_key_is_free_again(api: Api) -> None:
    headers = under()
    first = api.ask("POST", "matches", ADA, headers=headers).json()
    KeptAnswer.objects.update(made_at=timezone.now() - timedelta(hours=24, seconds=1))
    second = api.ask("POST", "matches", {**ADA, "name": "Eve"}, headers=headers).json()
    assert first["match"] != second["match"] and KeptAnswer.objects.count() == 1


def test_nothing_kept_can_be_read_without_the_key(api: Api) -> None:
    headers = under()
    made = api.ask("POST", "matches", ADA, headers=headers).json()
    api.seal(made["match"], made["token"], WALK, headers=under("1"))
    for row in KeptAnswer.objects.all():
        text = f"{row.found_by} {bytes(row.locked)!r}"
        for secret in (headers["Idempotency-Key"], made["token"], made["invite"], WALK, made["match"]):
            assert secret not in text
    assert len({len(row.locked) for row in KeptAnswer.objects.all()}) == 1


def test_an_answer_lost_between_commit_and_keeping_is_made_again(api: Api) -> None:
    key, ada, _ben = api.table()
    headers = under("r")
    store = RepeatedCall.store
    calls: list[str | None] = []

    def store_once(
        self: RepeatedCall, row: KeptAnswer, status: int, body: str | None, *, last: bool = False
    ) -> None:
        calls.append(body)
        if len(calls) == 1:
            store(self, row, status, body, last=last)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RepeatedCall, "store", store_once)
        first = api.ask("POST", f"matches/{key}/resign", token=ada, headers=headers)
    again = api.ask("POST", f"matches/{key}/resign", token=ada, headers=headers)
    assert calls[0] is None and again.status_code == 200 and again.json() == first.json()


def test_two_at_once_have_one_effect(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = under()
    first = api.ask("POST", "matches", ADA, headers=headers)
    kept, looks = RepeatedCall.kept, []

    def late(self: RepeatedCall, *, last: bool = False) -> Any:
        looks.append(last)
        return None if len(looks) == 1 else kept(self, last=last)  # not there yet when it was looked for

    monkeypatch.setattr(RepeatedCall, "kept", late)
    again = api.ask("POST", "matches", ADA, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert Match.objects.count() == 1 and len(looks) == 2
