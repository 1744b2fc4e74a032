"""Every call of the API, made well, succeeds for somebody and answers exactly what its description says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from tests.site.routes import Ask, asks
from tests.site.world import World, world

pytestmark = pytest.mark.django_db

SUCCESS = range(200, 300)
ELSEWHERE = {
    ("POST", "/api/v1/matches/{key}/claim"),  # needs a seat that is late: test_api_orders.py
    ("POST", "/api/v1/matches/{key}/put-out"),  # needs a stranger at an open table: test_open_tables.py
    ("POST", "/api/v1/matches/{key}/talk"),  # needs a program that sits there: test_program_deals.py
    ("POST", "/api/v1/leagues/{league}/start"),  # needs three players: test_leagues.py
    ("POST", "/api/v1/leagues/{league}/next"),  # the same: test_seasons.py
    ("POST", "/api/v1/handover"),  # needs a seat that is handed over: test_handing_over.py
    ("GET", "/api/v1/leagues/{league}/record"),  # needs a league that is over: test_leagues.py
    ("PUT", "/api/v1/matches/{key}/replies"),  # needs a game in turns: test_api_replies.py
    ("PUT", "/api/v1/me/webhook"),  # needs an address on the open internet: test_program_webhook.py
    ("POST", "/api/v1/matches/{key}/channel"),  # the same: test_group_channels.py
    ("GET", "/api/v1/matches/{key}/channel"),
    ("POST", "/api/v1/leagues/{league}/channel"),
    ("GET", "/api/v1/leagues/{league}/channel"),
}
"""The calls that nobody can make in the world of these requests."""


@pytest.fixture
def there(settings: Any) -> World:
    settings.LIMITS = "off"
    return world()


@pytest.fixture
def described(there: World) -> dict[str, Any]:
    return dict(there.people["Alice"].get("/api/v1/openapi.json").json())


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, here in described["paths"].items():
        for method in here:
            yield method.upper(), path


def described_path(described: dict[str, Any], ask: Ask) -> str:
    """The address as the description has it, `{key}` for a match's key and so on; "" if it has none."""
    plain = ask.path.partition("?")[0].rstrip("/") or "/"
    parts = plain.split("/")
    for path in described["paths"]:
        shape = path.rstrip("/").split("/")
        if len(shape) == len(parts) and all(
            a == b or a[:1] == "{" for a, b in zip(shape, parts, strict=True)
        ):
            return str(path)
    return ""


def test_each_call_succeeds_and_answers_as_described(there: World, described: dict[str, Any]) -> None:
    succeeded: set[tuple[str, str]] = set()
    validators: dict[tuple[str, str, int], Draft202012Validator] = {}
    for ask in asks(there):
        path = described_path(described, ask) if ask.path.startswith("/api/v1/") else ""
        operation = described["paths"].get(path, {}).get(ask.method.lower())
        if operation is None or path.endswith("/events"):
            continue
        for who in there.people:
            answer = there.ask(who, ask)
            assert str(answer.status_code) in operation["responses"], (who, ask, answer.content)
            told = operation["responses"][str(answer.status_code)]
            if "$ref" in told:
                told = described["components"]["responses"][told["$ref"].rpartition("/")[2]]
            kind = answer.headers.get("Content-Type", "").partition(";")[0]
            assert kind in told.get("content", {"": {}}), (who, ask, kind)
            if kind.endswith("json"):
                key = (ask.method, path, answer.status_code)
                if key not in validators:
                    schema = {**told["content"][kind]["schema"], "components": described["components"]}
                    validators[key] = Draft202012Validator(schema)
                validators[key].validate(answer.json())
            if answer.status_code in SUCCESS:
                succeeded.add((ask.method, path))
    never = {one for one in operations(described) if not one[1].endswith("/events")} - succeeded
    assert never == ELSEWHERE
