"""Secrets and origins at the API: who reads what through which token and from where."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

import robosite.api.urls  # noqa: F401  (its calls fill the list)
from robosite.api.calls import CALLS
from robosite.api.models import KeptAnswer, KeptReceipt
from robosite.matches.models import Program
from tests.site.api.test_api import FIRE, TURN, WALK, Api
from tests.site.browsers import Table
from tests.site.replaced import replace_in_flow

pytestmark = pytest.mark.django_db


def answers(api: Api, key: str, ada: str) -> list[Any]:
    """The answers to all that Ada, and nobody, can ask for: status, headers and bytes."""
    seen = []
    for token in (ada, None):
        for path in ("", "?legal=1", "?since=1", "/record"):
            answer = api.get(f"matches/{key}{path}", token)
            seen.append((answer.status_code, sorted(answer.headers.items()), answer.content))
    seen.append(api.get("matches?open=1").content)
    return seen


@pytest.mark.parametrize("more", ["draft", "order", "reopened"])
def test_two_worlds_that_differ_in_bens_order_are_the_same_for_everybody_else(
    api: Api, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    # A seal differs with its order. Here it is the same in both worlds, so that all else can be compared.
    replace_in_flow(monkeypatch, "seal_of", lambda *of, **more: "5e" * 32)
    key, ada, ben = api.table()
    for turn in range(2):
        api.seal(key, ada, WALK, turn)
        api.seal(key, ben, TURN, turn)
    worlds = []
    for order in ("F F F F F", "TL TR TL TR \\"):
        with transaction.atomic():
            if more == "draft":
                api.draft(key, ben, order, 2)
            else:
                api.seal(key, ben, order, 2)
            if more == "reopened":
                api.ask("DELETE", f"matches/{key}/order?turn=2", token=ben)
            worlds.append(answers(api, key, ada))
            transaction.set_rollback(True)
    assert worlds[0] == worlds[1]


def test_a_seal_is_all_that_others_see_of_an_order(api: Api) -> None:
    key, ada, ben = api.table()
    first = api.seal(key, ben, FIRE).json()
    one = api.get(f"matches/{key}", ada).content
    second = api.seal(key, ben, "TL TR TL TR \\").json()
    two = api.get(f"matches/{key}", ada).content
    assert len(one) == len(two)
    changed = one.replace(first["seal"].encode(), second["seal"].encode())
    assert changed.replace(b'"version":3', b'"version":4') == two


def test_a_draft_changes_nobody_elses_etag(api: Api) -> None:
    key, ada, ben = api.table()
    etags = [api.get(f"matches/{key}", token)["ETag"] for token in (ada, None)]
    api.draft(key, ben, FIRE)
    assert [api.get(f"matches/{key}", token)["ETag"] for token in (ada, None)] == etags


def test_events_and_positions_come_through_the_view_of_who_asks(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    from games.pigs.state import PigsState

    key, ada, ben = api.table()
    api.seal(key, ada, WALK)
    api.seal(key, ben, TURN)
    asked: list[Any] = []

    def view(self: PigsState, seat: Any) -> PigsState:
        asked.append(seat)
        return self

    monkeypatch.setattr(PigsState, "view", view)
    for token, seat in ((ada, "A"), (None, None)):
        asked.clear()
        api.match(key, token)
        assert set(asked) == {seat} and len(asked) == 6  # five steps and the position


def test_no_table_holds_an_order_in_the_clear_before_the_reveal(api: Api) -> None:
    from django.db import connection

    key, ada, ben = api.table()
    api.seal(key, ben, "TL TR TL TR \\", headers={"Idempotency-Key": "1"})
    api.draft(key, ada, "TL TR TL TR draft")
    assert Program.objects.count() == 2 and KeptReceipt.objects.count() == KeptAnswer.objects.count() == 1
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            assert "TL TR TL" not in repr(cursor.fetchall())


def test_answers_with_secrets_are_stored_nowhere_on_the_way(api: Api) -> None:
    made = api.ask("POST", "matches", {"game": "pigs", "name": "Ada"})
    assert made["Cache-Control"] == "no-store"
    look = api.get(f"matches/{made.json()['match']}", made.json()["token"])
    assert look["Cache-Control"] == "private, no-cache" and "Authorization" in look["Vary"]


def test_tokens_and_invites_are_kept_as_hashes_only(api: Api) -> None:
    from django.db import connection

    made = api.make()
    joined = api.join(made)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            rows = repr(cursor.fetchall())
            assert all(secret not in rows for secret in (made["token"], made["invite"], joined["token"]))


ORIGIN = {"Origin": "https://elsewhere.example"}
WRITES_WITHOUT_A_TOKEN = {
    (one.method, one.path) for one in CALLS if one.by == "anyone" and one.method != "GET"
}


def preflight(path: str, method: str) -> Any:
    return Client().options(f"/api/v1/{path}", headers={**ORIGIN, "Access-Control-Request-Method": method})


@pytest.mark.parametrize("one", CALLS, ids=lambda one: f"{one.method} {one.path}")
def test_a_page_may_make_a_call_that_reads_or_needs_a_token_and_no_other(one: Any) -> None:
    path = one.path.replace("<str:key>", "abcdefghjkmn").replace("<slug:slug>", "pigs")
    path = path.replace("<str:league>", "abcdefghjkmn").replace("<int:place>", "1")
    answer = preflight(path, one.method)
    assert answer.status_code == 204 and not answer.cookies
    allowed = (one.method, one.path) not in WRITES_WITHOUT_A_TOKEN
    assert ("Access-Control-Allow-Origin" in answer.headers) == allowed
    if allowed:
        assert one.method in answer["Access-Control-Allow-Methods"].split(", ")
        assert "Authorization" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_matches_are_not_made_by_pages_of_other_sites(db: None) -> None:
    assert ("POST", "matches") in WRITES_WITHOUT_A_TOKEN and ("POST", "programs") in WRITES_WITHOUT_A_TOKEN
    body = {"game": "pigs", "name": "Ada", "seats": 2}
    made = Client().post("/api/v1/matches", body, content_type="application/json", headers=ORIGIN)
    assert "Access-Control-Allow-Origin" not in made.headers


def test_what_is_read_may_be_read_with_its_tag_and_errors_too(table: Table) -> None:
    for path in (f"matches/{table.key}", "games", "matches/abcdefghjkmn"):
        answer = Client().get(f"/api/v1/{path}", headers=ORIGIN)
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in answer["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_a_cookie_opens_nothing(table: Table) -> None:
    """Alice's browser is asked by another site's page: it gets what anybody gets."""
    cookies = {name: morsel.value for name, morsel in table.alice.cookies.items()}
    hers, nobodys = Client(), Client()
    hers.cookies.load(cookies)
    path = f"/api/v1/matches/{table.key}"
    assert hers.get(path, headers=ORIGIN).content == nobodys.get(path, headers=ORIGIN).content


def test_options_alone_is_no_call() -> None:
    assert Client().options("/api/v1/games").status_code == 405
