"""Pages of other sites and the API: what anybody may read and what needs a token, and never a cookie."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

import robosite.api.urls  # noqa: F401  (its calls fill the list)
from robosite.api.calls import CALLS
from tests.site.browsers import Table

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
