"""Secret at the API: orders, replies, and what origins may read."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

import robosite.api.urls  # noqa: F401  (its calls fill the list)
from games.pigs import PigsState
from robosite.api.calls import CALLS
from robosite.api.models import KeptAnswer, KeptReceipt
from robosite.matches.models import Program
from tests.site.api.test_api import FIRE, TURN, WALK, Api, problem
from tests.site.browsers import Table
from tests.site.replaced import replace_in_flow


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


def test_a_seal_is_all_that_others_see_of_an_order_and_nothing_of_a_draft(api: Api) -> None:
    key, ada, ben = api.table()
    etags = [api.get(f"matches/{key}", token)["ETag"] for token in (ada, None)]
    api.draft(key, ben, FIRE)
    assert [api.get(f"matches/{key}", token)["ETag"] for token in (ada, None)] == etags
    first = api.seal(key, ben, FIRE).json()
    one = api.get(f"matches/{key}", ada).content
    second = api.seal(key, ben, "TL TR TL TR \\").json()
    two = api.get(f"matches/{key}", ada).content
    assert len(one) == len(two)
    changed = one.replace(first["seal"].encode(), second["seal"].encode())
    assert changed.replace(b'"version":3', b'"version":4') == two


def test_events_and_positions_come_through_the_view_of_who_asks(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_answers_with_secrets_are_stored_nowhere_on_the_way(api: Api) -> None:
    made = api.ask("POST", "matches", {"game": "pigs", "name": "Ada"})
    assert made["Cache-Control"] == "no-store"
    look = api.get(f"matches/{made.json()['match']}", made.json()["token"])
    assert look["Cache-Control"] == "private, no-cache" and "Authorization" in look["Vary"]


def test_tokens_and_invites_are_kept_as_hashes_only_and_no_order_in_the_clear_before_the_reveal(
    api: Api,
) -> None:
    made = api.make()
    joined = api.join(made)
    api.seal(made["match"], joined["token"], "TL TR TL TR \\", headers={"Idempotency-Key": "1"})
    api.draft(made["match"], made["token"], "TL TR TL TR draft")
    assert Program.objects.count() == 2 and KeptReceipt.objects.count() == KeptAnswer.objects.count() == 1
    secrets = made["token"], made["invite"], joined["token"], "TL TR TL"
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            rows = repr(cursor.fetchall())
            assert all(secret not in rows for secret in secrets)


ORIGIN = {"Origin": "https://elsewhere.example"}
WRITES_WITHOUT_A_TOKEN = {
    (one.method, one.path) for one in CALLS if one.by == "anyone" and one.method != "GET"
}


@pytest.mark.parametrize("one", CALLS, ids=lambda one: f"{one.method} {one.path}")
def test_a_page_may_make_a_call_that_reads_or_needs_a_token_and_no_other(one: Any) -> None:
    path = one.path.replace("<str:key>", "abcdefghjkmn").replace("<slug:slug>", "pigs")
    path = path.replace("<str:league>", "abcdefghjkmn").replace("<int:place>", "1")
    asked = {**ORIGIN, "Access-Control-Request-Method": one.method}
    answer = Client().options(f"/api/v1/{path}", headers=asked)
    assert answer.status_code == 204 and not answer.cookies
    allowed = (one.method, one.path) not in WRITES_WITHOUT_A_TOKEN
    assert ("Access-Control-Allow-Origin" in answer.headers) == allowed
    if allowed:
        assert one.method in answer["Access-Control-Allow-Methods"].split(", ")
        assert "Authorization" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_pages_of_other_sites_make_no_matches_and_read_tags_and_errors_too(table: Table) -> None:
    assert ("POST", "matches") in WRITES_WITHOUT_A_TOKEN and ("POST", "programs") in WRITES_WITHOUT_A_TOKEN
    body = {"game": "pigs", "name": "Ada", "seats": 2}
    made = Client().post("/api/v1/matches", body, content_type="application/json", headers=ORIGIN)
    assert "Access-Control-Allow-Origin" not in made.headers
    for path in (f"matches/{table.key}", "games", "matches/abcdefghjkmn"):
        answer = Client().get(f"/api/v1/{path}", headers=ORIGIN)
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in answer["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
    assert Client().options("/api/v1/games").status_code == 405


LINES = [["c4", "d5"], ["c4", "d5", "e6", "f3"]]


@pytest.fixture
def robble(api: Api) -> tuple[str, str, str]:
    key, ada, ben = api.table(game="robble")
    api.seal(key, ada, "d4")
    return key, ada, ben


def put(api: Api, key: str, token: str | None, lines: Any, turn: Any = 1, **more: Any) -> Any:
    return api.ask("PUT", f"matches/{key}/replies", {"turn": turn, "lines": lines, **more}, token)


def get(api: Api, key: str, token: str | None) -> Any:
    return api.get(f"matches/{key}/replies", token)


def test_replies_are_kept_shown_to_their_own_seat_and_played(api: Api, robble: Any) -> None:
    key, ada, ben = robble
    answer = put(api, key, ada, [["C4", "d5"], ["c4", "d5", "e6", "f3"]])
    assert (answer.status_code, answer.content) == (204, b"")
    assert get(api, key, ada).json() == {"turn": 1, "lines": LINES}
    assert get(api, key, ben).json() == {"turn": 1, "lines": []}
    problem(get(api, key, None), 401)
    receipt = api.seal(key, ben, "c4", 1).json()
    assert receipt["revealed"] and receipt["turn"] == 1
    assert get(api, key, ada).json() == {"turn": 3, "lines": [["e6", "f3"]]}
    match = api.match(key, ben)
    assert match["turns"] == [{"A": "d4"}, {"B": "c4"}, {"A": "d5"}] and match["to_act"] == ["B"]
    told = api.get(f"matches/{key}/record").json()
    assert [seal.get("by") for turn in told["seals"] for seal in turn.values()] == [None, None, "reply"]


def test_what_was_dropped_is_told_to_its_seat_alone(api: Api, robble: Any) -> None:
    key, ada, ben = robble
    etags = [api.get(f"matches/{key}", token)["ETag"] for token in (ada, ben, None)]
    put(api, key, ada, LINES)
    assert [api.get(f"matches/{key}", token)["ETag"] for token in (ada, ben, None)] == etags
    for token, left in ((ben, LINES), (ada, [])):
        for _ in range(2):  # dropping them twice is the same as once
            assert api.ask("DELETE", f"matches/{key}/replies", token=token).status_code == 204
        assert get(api, key, ada).json()["lines"] == left
    put(api, key, ada, LINES)
    api.seal(key, ben, "a1", 1)
    told = get(api, key, ada).json()
    assert told["lines"] == [] and "None of your planned replies fits" in told["dropped"]
    assert "dropped" not in get(api, key, ben).json()
    api.seal(key, ada, "g7", 2)
    assert get(api, key, ada).json() == {"turn": 3, "lines": []}


@pytest.mark.parametrize(
    ("lines", "status", "pointer", "says"),
    [
        ([["c4", "d5"], ["c4", "d6"]], 422, "/lines/1/1", "differently"),
        ([["c4", "resign"]], 422, "/lines/0/1", "POST /api/v1/matches/KEY/resign"),
        ([["c4"]], 422, "/lines/0", "followed by one of yours"),
        ([[f"a{n}", "g7"] for n in range(17)], 422, "/lines", "At most 16 lines"),
        ([["c4", "x" * 2_001]], 422, "/lines/0/1", "too long"),
        ("c4", 400, "/lines", "list"),
        (["c4"], 400, "/lines/0", "list"),
        ([["c4", 5]], 400, "/lines/0/1", "text"),
        (None, 400, "/lines", "list"),
    ],
)
def test_lines_that_cannot_be_are_refused_with_a_sentence(
    api: Api, robble: Any, lines: Any, status: int, pointer: str, says: str
) -> None:
    key, ada, _ben = robble
    put(api, key, ada, [["g1", "g2"]])
    assert says in problem(put(api, key, ada, lines), status, pointer)
    assert get(api, key, ada).json()["lines"] == [["g1", "g2"]]


def test_only_the_present_turn_of_a_game_in_turns_can_be_replied_to(api: Api, robble: Any) -> None:
    key, ada, ben = robble
    problem(put(api, key, ada, LINES, 2), 409)
    problem(put(api, key, ada, LINES, taken_back=1), 409)
    problem(put(api, key, ben, LINES), 409)  # his own turn, and he has planned nothing
    problem(put(api, key, ada, LINES, "1"), 400)
    assert get(api, key, ada).json() == {"turn": 1, "lines": []}
    key, ada, _ben = api.table()
    assert "players take turns" in problem(put(api, key, ada, [["F", "F"]], 0), 422)


def test_on_ones_own_turn_they_follow_the_draft(api: Api, robble: Any) -> None:
    key, _ada, ben = robble
    api.draft(key, ben, "c4", 1)
    assert put(api, key, ben, [["d5", "e6"]]).status_code == 204
    assert get(api, key, ben).json() == {"turn": 1, "after": "c4", "lines": [["d5", "e6"]]}
