"""The API's answers: the same again, and in the reader's language."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from robosite.api.models import KeptAnswer
from robosite.api.problems import TITLES
from robosite.matches.models import Match, Seat
from robosite.web.bounds import Bucket
from tests.site.api.test_api import FIRE, IMPOSSIBLE, WALK, Api, problem
from tests.site.api.test_api_checks import WRONG_TYPES
from tests.site.web.test_languages import GRAMMAR

pytestmark = pytest.mark.django_db


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
    from robosite.api.idempotency import RepeatedCall

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
    from robosite.api.idempotency import RepeatedCall

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


ROBOTS = "ga(d)/(e)[i]h/c(b)(f)"


REFUSED: list[tuple[str, str, Any]] = [
    *(("POST", "matches", {**ADA, **wish}) for wish, _pointer in IMPOSSIBLE),
    *((method, path, body) for method, path, body, _pointer in WRONG_TYPES),
    ("GET", "nothing", None),
    ("PATCH", "games", None),
    ("POST", "matches", "x" * 20_000),
    ("POST", "matches", "{"),
    ("POST", "matches", "[]"),
    ("POST", "matches", "[" * 50 + "]" * 50),
    ("POST", "matches", ""),
    ("POST", "matches", {}),
    ("POST", "matches", {**ADA, "game": "robble", "seats": 7}),
    ("POST", "matches", {**ADA, "bots": []}),
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
    made = api.ask("POST", "matches", ADA, None).json()
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
    made = api.ask("POST", "matches", ADA, None).json()
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
    odd = {**ADA, "preset": "{game} {0} %s {nothing}", "game": "pigs"}
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
