"""The API refuses in the reader's language, one cause a sentence; else in English."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError

from robosite.api.problems import TITLES
from robosite.web.bounds import Bucket
from tests.site.api.test_api import Api, problem
from tests.site.web.test_languages import GRAMMAR

pytestmark = pytest.mark.django_db

ROBOTS = "ga(d)/(e)[i]h/c(b)(f)"


@pytest.fixture
def api(client: Any, settings: Any) -> Api:
    settings.LIMITS = "off"
    cache.clear()
    return Api(client)


NEW = {"game": "pigs", "name": "Ada"}
REFUSED: list[tuple[str, str, Any]] = [
    ("GET", "nothing", None),
    ("PATCH", "games", None),
    ("POST", "matches", "x" * 20_000),
    ("POST", "matches", "{"),
    ("POST", "matches", "[]"),
    ("POST", "matches", "[" * 50 + "]" * 50),
    ("POST", "matches", ""),
    ("POST", "matches", {}),
    ("POST", "matches", {**NEW, "colour": 1}),
    ("POST", "matches", {**NEW, "name": 5}),
    ("POST", "matches", {**NEW, "name": ""}),
    ("POST", "matches", {**NEW, "name": "x" * 99}),
    ("POST", "matches", {**NEW, "seats": "two"}),
    ("POST", "matches", {**NEW, "seats": 1.5}),
    ("POST", "matches", {**NEW, "seats": 7}),
    ("POST", "matches", {**NEW, "game": "robble", "seats": 7}),
    ("POST", "matches", {**NEW, "seat": "Z"}),
    ("POST", "matches", {**NEW, "open": 1}),
    ("POST", "matches", {**NEW, "late": "never"}),
    ("POST", "matches", {**NEW, "late": 1}),
    ("POST", "matches", {**NEW, "bots": []}),
    ("POST", "matches", {**NEW, "bots": {"Z": "random"}}),
    ("POST", "matches", {**NEW, "bots": {"A": "random"}}),
    ("POST", "matches", {**NEW, "bots": {"B": "genius"}}),
    ("POST", "matches", {**NEW, "seat": "random", "bots": {"A": "random", "B": "random"}}),
    ("POST", "matches", {**NEW, "options": {"mode": "fast"}}),
    ("POST", "matches", {**NEW, "options": {"speed": 1}}),
    ("POST", "matches", {**NEW, "setup": {"x": 1}}),
    ("POST", "matches", {**NEW, "preset": "none"}),
    ("POST", "matches", {**NEW, "deadline_hours": "soon"}),
    ("POST", "matches", {**NEW, "deadline_hours": 0.001}),
    ("POST", "matches", {**NEW, "game": "chess"}),
    ("GET", "matches", None),
    ("GET", "matches?open=2", None),
    ("GET", "matches?open=1&game=chess", None),
    ("GET", "matches?open=1&after=x", None),
    ("GET", "matches/aaaaaaaaaaaa", None),
    ("GET", "matches/KEY?since=x", None),
    ("GET", "matches/KEY?since=-1", None),
    ("GET", "matches/KEY?since=1.5", None),
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
    ("POST", "matches/KEY/draw", {"offer": "yes"}),
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
    made = api.ask("POST", "matches", NEW, None).json()
    api.ask("POST", f"matches/{made['match']}/seats", {"name": "Ben", "invite": made["invite"]}, None)
    method, path, body = REFUSED[n]
    path = path.replace("KEY", made["match"])
    told = {}
    others = ("", "fr") if n % 10 == 0 else ()
    for language in ("en", "es", "de", *others):
        asked = {"Accept-Language": language} if language else {}
        answer = api.ask(method, path, body, made["token"], headers=asked)
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


def test_what_is_no_problem_says_that_it_is_english(api: Api) -> None:
    for path in ("games", "openapi.json", "matches?open=1"):
        answers = [api.ask("GET", path, None, None, headers={"Accept-Language": one}) for one in ("en", "de")]
        assert answers[0].content == answers[1].content
        assert {answer["Content-Language"] for answer in answers} == {"en"}
        assert answers[0]["ETag"] == answers[1]["ETag"]


def test_a_name_with_braces_is_no_template(api: Api) -> None:
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
