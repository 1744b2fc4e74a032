"""The JSON API: what is refused, how, and in which order it is checked; and the limits."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from robosite.matches.live import consumers
from robosite.web import limits as site_limits
from robosite.web.bounds import BUCKETS, Bucket
from tests.site.api.test_api import WALK, Api, problem
from tests.site.conftest import Seconds

pytestmark = pytest.mark.django_db


CALLS = [
    ("GET", ""),
    ("GET", "games"),
    ("GET", "games/pigs"),
    ("POST", "matches"),
    ("GET", "matches"),
    ("GET", "matches/KEY"),
    ("POST", "matches/KEY/seats"),
    ("PUT", "matches/KEY/draft"),
    ("PUT", "matches/KEY/order"),
    ("POST", "matches/KEY/check"),
    ("POST", "matches/KEY/plan"),
    ("DELETE", "matches/KEY/order"),
    ("POST", "matches/KEY/resign"),
    ("POST", "matches/KEY/draw"),
    ("POST", "matches/KEY/claim"),
    ("POST", "matches/KEY/keep"),
    ("GET", "matches/KEY/replies"),
    ("PUT", "matches/KEY/replies"),
    ("DELETE", "matches/KEY/replies"),
    ("GET", "matches/KEY/record"),
    ("GET", "matches/KEY/events"),
    ("GET", "openapi.json"),
    ("GET", "docs"),
]
OF_SEATS = [
    (m, p)
    for m, p in CALLS
    if p.endswith(("draft", "order", "resign", "draw", "claim", "keep", "check", "plan", "replies"))
]
WITH_BODY = [(m, p) for m, p in CALLS if m in ("POST", "PUT") and not p.endswith(("resign", "keep"))]


def test_an_unknown_address_and_a_query_of_too_many_fields_are_problems_too(api: Api) -> None:
    for method in ("GET", "POST", "PUT", "DELETE"):
        for path in ("nothing", "matches/", "matches/KEY/nothing"):
            problem(api.ask(method, path, {"x": 1}), 404)
    problem(api.ask("GET", "matches?" + "a&" * 1001, None), 413)


@pytest.mark.parametrize("path", sorted({path for _, path in CALLS}))
def test_a_wrong_method_is_405_with_what_is_allowed(api: Api, path: str) -> None:
    answer = api.ask("PATCH", path, "x" * 20_000, "no token")
    problem(answer, 405)
    allowed = set(answer["Allow"].split(", "))
    methods = {m for m, p in CALLS if p == path}
    assert allowed == methods | ({"HEAD"} if "GET" in methods else set())


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_a_body_announced_too_long_is_413_before_it_is_read(api: Api, method: str, path: str) -> None:
    problem(api.ask(method, path, "", headers={"Content-Length": "16385"}, CONTENT_LENGTH="16385"), 413)


@pytest.mark.parametrize(("method", "path"), [call for call in CALLS if call[0] != "GET"])
def test_a_body_read_too_long_is_413(method: str, path: str) -> None:
    from io import BytesIO

    from django.core.handlers.asgi import ASGIRequest
    from django.urls import resolve

    scope = {
        "type": "http",
        "method": method,
        "path": f"/api/v1/{path}",
        "query_string": b"",
        "headers": [],  # no length announced, as with a chunked body
    }
    request = ASGIRequest(scope, BytesIO(b"x" * 16_385))
    found = resolve(request.path)
    problem(found.func(request, *found.args, **found.kwargs), 413)


def test_a_body_may_have_16_kb_and_say_its_charset_and_none_needs_no_content_type(api: Api) -> None:
    body = '{"game": "pigs", "name": "Ada"' + " " * (16 * 1024 - 31) + "}"
    assert len(body) == 16 * 1024
    made = api.ask("POST", "matches", body, kind="application/json; charset=UTF-8")
    assert made.status_code == 201
    path, token = f"matches/{made.json()['match']}/resign", made.json()["token"]
    assert api.ask("POST", path, None, token, kind="text/plain").status_code == 200


@pytest.mark.parametrize(("method", "path"), [c for c in CALLS if "KEY" in c[1]])
def test_an_unknown_match_is_404_before_the_token(api: Api, method: str, path: str) -> None:
    for key in ("abcdefghjkmn", "x", "%00", "A" * 300):
        problem(api.ask(method, path.replace("KEY", key), "{", "no token", kind="text/plain"), 404)


@pytest.mark.parametrize(("method", "path"), OF_SEATS)
def test_no_token_or_an_unknown_one_is_401_before_the_body(api: Api, method: str, path: str) -> None:
    path = path.replace("KEY", api.make()["match"])
    for headers in (
        {},
        *({"Authorization": h} for h in ("Bearer no", "Bearer", "Basic QTpC", "Bearer \xff")),
    ):
        answer = api.ask(method, path, "{", headers=headers, kind="text/plain")
        problem(answer, 401)
        assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "path"), OF_SEATS)
def test_a_token_of_another_match_is_403_before_the_body(api: Api, method: str, path: str) -> None:
    path = path.replace("KEY", api.make()["match"])
    problem(api.ask(method, path, "{", api.make()["token"], kind="text/plain"), 403)


def test_the_secret_of_an_invite_is_no_token_and_a_look_with_a_wrong_one_is_refused_too(api: Api) -> None:
    made, other = api.make(), api.make()
    for path in (f"matches/{made['match']}", f"matches/{made['match']}/record"):
        problem(api.get(path, "no"), 401)
        problem(api.get(path, made["invite"]), 401)
        problem(api.get(path, other["token"]), 403)


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
def test_another_content_type_is_415_before_the_body(api: Api, method: str, path: str) -> None:
    made = api.make()
    token = made["token"] if (method, path) in OF_SEATS else None
    path = path.replace("KEY", made["match"])
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""):
        problem(api.ask(method, path, "{", token, kind=kind), 415)


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
def test_no_json_is_400(api: Api, method: str, path: str) -> None:
    made = api.make()
    token = made["token"] if (method, path) in OF_SEATS else None
    path = path.replace("KEY", made["match"])
    bodies: list[str | bytes] = [
        "{",
        "[]",
        "null",
        '"x"',
        "",
        "[" * 9000,
        '{"turn": NaN}',
        b'{"name": "\xff"}',
    ]
    bodies += ['{"name": "\\ud800"}', '{"seats": ' + "9" * 9000 + "}"]
    for body in bodies:
        problem(api.ask(method, path, body, token, kind="application/json"), 400)


WRONG_TYPES: list[tuple[str, str, dict[str, Any], str]] = [
    ("POST", "matches", {"game": 1, "name": "Ada"}, "/game"),
    ("POST", "matches", {"game": "pigs", "name": None}, "/name"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "seats": "2"}, "/seats"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "seats": 2.0}, "/seats"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "seats": True}, "/seats"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "options": []}, "/options"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "open": 1}, "/open"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "late": 1}, "/late"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "deadline_hours": "1"}, "/deadline_hours"),
    ("POST", "matches", {"game": "pigs", "name": "Ada", "bots": {"B": 1}}, "/bots/B"),
    ("POST", "matches/KEY/seats", {"name": "Ben", "invite": 1}, "/invite"),
    ("PUT", "matches/KEY/order", {"turn": "0", "order": WALK}, "/turn"),
    ("PUT", "matches/KEY/order", {"turn": 0, "order": ["F"]}, "/order"),
    ("PUT", "matches/KEY/draft", {"turn": 0, "order": None}, "/order"),
    ("POST", "matches/KEY/draw", {"offer": "yes"}, "/offer"),
    ("POST", "matches/KEY/claim", {"seat": 2}, "/seat"),
]


@pytest.mark.parametrize(("method", "path", "body", "pointer"), WRONG_TYPES)
def test_a_wrong_json_type_is_400_before_what_cannot_be_had(
    api: Api, method: str, path: str, body: dict[str, Any], pointer: str
) -> None:
    made = api.make()
    token = made["token"] if (method, path) in OF_SEATS else None
    problem(api.ask(method, path.replace("KEY", made["match"]), {**body, "more": 1}, token), 400, pointer)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("draft", {"turn": 0, "order": "F", "x": 1}),
        ("order", {"turn": 0, "order": WALK, "x": 1}),
        ("resign", {"x": 1}),
        ("draw", {"offer": True, "x": 1}),
        ("claim", {"seat": "A", "x": 1}),
    ],
)
def test_an_unknown_field_is_422_before_409(api: Api, path: str, body: dict[str, Any]) -> None:
    key, ada, _ben = api.table()
    api.ask("POST", f"matches/{key}/resign", token=ada)
    method = "PUT" if path in ("draft", "order") else "POST"
    problem(api.ask(method, f"matches/{key}/{path}", body, ada), 422, "/x")
    del body["x"]
    if body:
        problem(api.ask(method, f"matches/{key}/{path}", body, ada), 409)


def test_a_missing_field_is_422(api: Api) -> None:
    key, ada, _ben = api.table()
    problem(api.ask("PUT", f"matches/{key}/order", {"turn": 0}, ada), 422, "/order")
    problem(api.ask("POST", f"matches/{key}/draw", {}, ada), 422, "/offer")
    problem(api.ask("POST", "matches", {"game": "pigs"}), 422, "/name")
    problem(api.ask("POST", "matches", {"name": "Ada"}), 422, "/game")


@pytest.mark.filterwarnings("ignore")
def test_a_busy_database_and_a_fault_of_the_site_are_problems_without_details(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, ada, _ben = api.table()
    faults: list[Exception] = [ZeroDivisionError("a secret"), OperationalError("database is locked")]

    def fails(*args: Any, **more: Any) -> None:
        raise faults.pop()

    monkeypatch.setattr("robosite.matches.flow.seal", fails)
    api.client.raise_request_exception = False
    answer = api.seal(key, ada, WALK)
    problem(answer, 503)
    assert answer["Retry-After"] == "5"
    answer = api.seal(key, ada, WALK)
    assert "secret" not in problem(answer, 500) and b"Traceback" not in answer.content


def test_over_a_limit_is_429_with_a_time_to_wait(api: Api, settings: Any, seconds: Seconds) -> None:
    settings.LIMITS = "on"
    settings.BUCKETS = {**settings.BUCKETS, "api make": Bucket(3, 6, "making")}
    for _ in range(3):
        api.make()
    answer = api.ask("POST", "matches", "{", kind="text/plain")
    problem(answer, 429)
    assert answer["Retry-After"] == "31"
    assert api.get("games").status_code == 200  # another bucket
    assert api.ask("POST", "matches", "x" * 20_000).status_code == 413  # the size comes first
    assert api.ask("PUT", "matches", "{").status_code == 405
    seconds.at += 29
    problem(api.ask("POST", "matches/nothing/seats", {}), 429)  # before 404
    seconds.at += 2
    api.make()
    elsewhere = Api(Client(REMOTE_ADDR="192.0.2.7"))
    elsewhere.make()


def test_every_call_has_a_limit() -> None:
    from robosite.api.calls import CALLS as KNOWN

    assert {f"api {one.limit}" for one in KNOWN} == {name for name in BUCKETS if name.startswith("api ")}


@pytest.mark.parametrize(
    ("proxies", "at", "forwarded", "address"),
    [
        ([], "192.0.2.1", "198.51.100.9", "192.0.2.1"),
        (["192.0.2.1"], "192.0.2.1", "198.51.100.9", "198.51.100.9"),
        (["192.0.2.0/24"], "192.0.2.1", "203.0.113.5, 198.51.100.9, 192.0.2.8", "198.51.100.9"),
        (["192.0.2.1"], "198.51.100.1", "203.0.113.5", "198.51.100.1"),
        (["192.0.2.1"], "192.0.2.1", "203.0.113.5, junk", "junk"),
        ([], "2001:db8:1:2:3:4:5:6", "", "2001:db8:1::/56"),
        ([], "", "", ""),
    ],
)
def test_addresses_are_believed_only_from_trusted_proxies(
    settings: Any, proxies: list[str], at: str, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR=at, headers={"X-Forwarded-For": forwarded})
    assert site_limits.address(request) == address
    socket = consumers.Changes()
    socket.scope = {"client": [at, 1], "headers": [(b"x-forwarded-for", forwarded.encode())]}
    assert socket._address() == address
