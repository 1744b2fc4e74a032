"""The JSON API: what is refused, how, in which order and language; and the limits."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.db import OperationalError
from django.test import Client, RequestFactory
from django.urls import resolve

import robosite.api.urls  # noqa: F401  (its calls fill the list)
from robosite.api.calls import CALLS as KNOWN
from robosite.api.calls import MOST_BYTES, Call
from robosite.api.problems import TITLES
from robosite.matches.live import consumers
from robosite.web import limits as site_limits
from robosite.web.bounds import BUCKETS, Bucket
from tests.site.api.test_api import IMPOSSIBLE, WALK, Api, problem
from tests.site.conftest import Seconds
from tests.site.web.test_languages import GRAMMAR

OF_MATCHES = [one for one in KNOWN if one.path.startswith("matches/<str:key>")]


def addresses(calls: list[Call]) -> list[tuple[str, str]]:
    """The method and the path of each call."""
    return [(one.method, re.sub("SLUG", "pigs", re.sub(r"\bN$", "1", one.shown_path))) for one in calls]


CALLS = addresses([one for one in KNOWN if one.most_bytes == MOST_BYTES])
OF_SEATS = addresses([one for one in OF_MATCHES if one.by == "seat"])
WITH_BODY = addresses(
    [
        one
        for one in KNOWN
        if one.takes and (one in OF_MATCHES or one.path == "matches")
        if any(field.is_required() for field in one.takes.model_fields.values())
    ]
)


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


@pytest.mark.parametrize(("method", "path"), addresses(OF_MATCHES))
def test_an_unknown_match_is_404_before_the_token(api: Api, method: str, path: str) -> None:
    for key in ("abcdefghjkmn", "x", "%00", "A" * 300):
        problem(api.ask(method, path.replace("KEY", key), "{", "no token", kind="text/plain"), 404)


@pytest.mark.parametrize(("method", "path"), OF_SEATS)
def test_no_token_is_401_and_one_of_another_match_403_before_the_body(
    api: Api, method: str, path: str
) -> None:
    path = path.replace("KEY", api.make()["match"])
    for headers in (
        {},
        *({"Authorization": h} for h in ("Bearer no", "Bearer", "Basic QTpC", "Bearer \xff")),
    ):
        answer = api.ask(method, path, "{", headers=headers, kind="text/plain")
        problem(answer, 401)
        assert answer["WWW-Authenticate"] == "Bearer"
    problem(api.ask(method, path, "{", api.make()["token"], kind="text/plain"), 403)


def test_the_secret_of_an_invite_is_no_token_and_a_look_with_a_wrong_one_is_refused_too(api: Api) -> None:
    made, other = api.make(), api.make()
    for path in (f"matches/{made['match']}", f"matches/{made['match']}/record"):
        problem(api.get(path, "no"), 401)
        problem(api.get(path, made["invite"]), 401)
        problem(api.get(path, other["token"]), 403)


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
def test_another_content_type_is_415_before_the_body_and_no_json_400(
    api: Api, method: str, path: str
) -> None:
    made = api.make()
    token = made["token"] if (method, path) in OF_SEATS else None
    path = path.replace("KEY", made["match"])
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""):
        problem(api.ask(method, path, "{", token, kind=kind), 415)
    bodies: list[str | bytes] = ["{", "[]", "null", '"x"', "", "[" * 9000, '{"turn": NaN}']
    bodies += [b'{"name": "\xff"}', '{"name": "\\ud800"}', '{"seats": ' + "9" * 9000 + "}"]
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


def test_every_call_has_a_limit_and_over_it_is_429_with_a_time_to_wait(
    api: Api, settings: Any, seconds: Seconds
) -> None:
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


NEW = {"game": "pigs", "name": "Ada"}
ROBOTS = "ga(d)/(e)[i]h/c(b)(f)"


REFUSED: list[tuple[str, str, Any]] = [
    *(("POST", "matches", {**NEW, **wish}) for wish, _pointer in IMPOSSIBLE),
    *((method, path, body) for method, path, body, _pointer in WRONG_TYPES),
    ("GET", "nothing", None),
    ("PATCH", "games", None),
    ("POST", "matches", "x" * 20_000),
    ("POST", "matches", "{"),
    ("POST", "matches", "[]"),
    ("POST", "matches", "[" * 50 + "]" * 50),
    ("POST", "matches", ""),
    ("POST", "matches", {}),
    ("POST", "matches", {**NEW, "game": "robble", "seats": 7}),
    ("POST", "matches", {**NEW, "bots": []}),
    ("GET", "matches", None),
    ("GET", "matches?open=2", None),
    ("GET", "matches?open=1&game=chess", None),
    ("GET", "matches?open=1&after=x", None),
    ("GET", "matches/aaaaaaaaaaaa", None),
    ("GET", "matches/KEY?since=x", None),
    ("GET", "matches/KEY?since=-1", None),
    ("GET", "matches/KEY?legal=maybe", None),
    ("PUT", "matches/KEY/draft", {"turn": -1, "order": ""}),
    ("PUT", "matches/KEY/draft", {"turn": 5, "order": ""}),
    ("PUT", "matches/KEY/draft", {"turn": 0, "order": "x" * 3_000}),
    ("PUT", "matches/KEY/draft", {"turn": 0}),
    ("PUT", "matches/KEY/order", {"turn": 0, "order": "F F"}),
    ("PUT", "matches/KEY/order", {"turn": 0, "order": "^ X X X X"}),
    ("PUT", "matches/KEY/order", {"turn": 0, "order": "nonsense"}),
    ("PUT", "matches/KEY/order", {"turn": 0, "order": "resign"}),
    ("DELETE", "matches/KEY/order?turn=9", None),
    ("DELETE", "matches/KEY/order?turn=x", None),
    ("DELETE", "matches/KEY/order", None),
    ("POST", "matches/KEY/claim", {"seat": "B"}),
    ("POST", "matches/KEY/claim", {"seat": "H"}),
    ("POST", "matches/KEY/resign", {"x": 1}),
    ("POST", "matches/KEY/seats", {"name": "Eve"}),
    ("POST", "matches/KEY/seats", {"name": "Eve", "invite": "none"}),
    ("POST", "matches/KEY/proposals", {"kind": "peace", "do": "offer"}),
    ("POST", "matches/KEY/proposals", {"kind": "pause", "do": "accept"}),
    ("POST", "matches/KEY/proposals", {"kind": "take-back", "do": "offer"}),
    ("POST", "matches/KEY/talk", {}),
    ("POST", "matches/KEY/talk", {"text": "x" * 9999}),
    ("POST", "matches/KEY/talk", {"phrase": "none"}),
    ("POST", "matches/KEY/talk", {"text": "Hi", "to": ["Z"]}),
    ("POST", "matches/KEY/rematch", None),
    ("GET", "matches/KEY/talk?before=x", None),
    ("POST", "programs", {}),
    ("POST", "programs", {"name": "x" * 99}),
    ("POST", "programs", {"name": "Hal", "about": "x" * 999}),
    ("POST", "programs", {"name": "Hal", "about": "a\nb"}),
    ("POST", "programs", {"name": "Hal", "url": "x"}),
    ("GET", "programs?after=x", None),
    ("GET", "me", None),
    ("GET", "me/events", None),
    ("DELETE", "me/challenges/KEY", None),
]
SAME = re.compile(r"“[^”]*”|/\S*|\b[A-Z]{2,}\b|JSON|UTF-8|[\w-]+/[\w-]+")


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", SAME.sub("", text).lower()))


@pytest.mark.parametrize("n", range(len(REFUSED)), ids=lambda n: f"{n} {REFUSED[n][1]}")
def test_a_refusal_is_told_in_the_readers_language(api: Api, n: int) -> None:
    method, path, body = REFUSED[n]
    key, token, _ben = api.table() if "KEY" in path else ("", None, "")
    path = path.replace("KEY", key)
    told = {}
    others = ("", "fr") if n % 10 == 0 else ()
    for language in ("en", "es", "de", *others):
        asked = {"Accept-Language": language} if language else {}
        answer = api.ask(method, path, body, token, headers=asked)
        assert answer["Content-Type"] == "application/problem+json"
        assert answer["Content-Language"] == (language if language in ("es", "de") else "en")
        assert "Accept-Language" in answer["Vary"]
        told[language] = answer.json()
    assert all(told[language] == told["en"] for language in others)
    for language in ("es", "de"):
        for part in ("title", "detail"):
            assert told[language][part] != told["en"][part]
            assert not words(told[language][part]) & (GRAMMAR - {"has"}), told[language][part]
        for fault, english in zip(
            told[language].get("errors", ()), told["en"].get("errors", ()), strict=True
        ):
            assert fault["pointer"] == english["pointer"] and fault["detail"] != english["detail"]


@pytest.mark.parametrize("language", ["es", "de"])
def test_limits_tokens_and_faults_of_the_site_too(
    api: Api, settings: Any, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    asked = {"Accept-Language": language}
    made = api.ask("POST", "matches", NEW, None).json()
    path = f"matches/{made['match']}"
    problems = [
        problem(api.ask("POST", f"{path}/resign", None, None, headers=asked), 401),
        problem(api.ask("POST", f"{path}/resign", None, "nobody's", headers=asked), 401),
        problem(api.ask("GET", path, None, None, headers={**asked, "Authorization": "x"}), 401),
    ]
    settings.LIMITS = "on"
    settings.BUCKETS = {**settings.BUCKETS, "api read": Bucket(1, 0.001)}
    answers = [api.ask("GET", "games", None, None, headers=asked) for _ in range(2)]
    problems.append(problem(answers[1], 429))
    settings.LIMITS = "off"

    def locked(*given: object, **more: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("robosite.api.match_views.flow.resign", locked)
    problems.append(problem(api.ask("POST", f"{path}/resign", None, made["token"], headers=asked), 503))
    for one in problems:
        assert not words(one) & GRAMMAR, one
    assert answers[1].json()["title"] not in TITLES.values()


def test_what_is_no_problem_says_that_it_is_english_and_braces_are_no_template(api: Api) -> None:
    for path in ("games", "openapi.json", "matches?open=1"):
        answers = [api.ask("GET", path, None, None, headers={"Accept-Language": one}) for one in ("en", "de")]
        assert answers[0].content == answers[1].content
        assert {answer["Content-Language"] for answer in answers} == {"en"}
        assert answers[0]["ETag"] == answers[1]["ETag"]
    odd = {**NEW, "preset": "{game} {0} %s {nothing}", "game": "pigs"}
    told = problem(api.ask("POST", "matches", odd, None), 422)
    assert "{game} {0} %s {nothing}" in told


def test_layouts_joined_by_a_semicolon_are_told_how_to_write_them(api: Api) -> None:
    tag_team = {"game": "roboxing", "name": "Ada", "preset": "tag-team"}
    made = api.ask("POST", "matches", tag_team, None).json()
    path = f"matches/{made['match']}/order"
    for joined in (f"{ROBOTS};{ROBOTS}", f"{ROBOTS} ; {ROBOTS}", f"{ROBOTS};"):
        told = problem(api.ask("PUT", path, {"turn": 0, "order": joined}, made["token"]), 422)
        assert told.endswith("Write the robots one after another with a space between them, nine slots each.")
    order = {"turn": 0, "order": f"{ROBOTS} {ROBOTS}"}
    assert api.ask("PUT", path, order, made["token"]).status_code == 200
