"""The JSON API: conditional replies. Ada and Ben play Robble; Ada's first stone is on d4."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from robosite.matches.models import Replies
from tests.site.api.test_api import Api, problem
from tests.site.api.test_api_secrets import answers
from tests.site.replaced import replace_in_flow

pytestmark = pytest.mark.django_db

LINES = [["c4", "d5"], ["c4", "d5", "e6", "f3"]]


@pytest.fixture
def table(api: Api) -> tuple[str, str, str]:
    key, ada, ben = api.table(game="robble")
    api.seal(key, ada, "d4")
    return key, ada, ben


def put(api: Api, key: str, token: str | None, lines: Any, turn: Any = 1, **more: Any) -> Any:
    return api.ask("PUT", f"matches/{key}/replies", {"turn": turn, "lines": lines, **more}, token)


def get(api: Api, key: str, token: str | None) -> Any:
    return api.get(f"matches/{key}/replies", token)


def test_replies_are_kept_shown_to_their_own_seat_and_played(api: Api, table: Any) -> None:
    key, ada, ben = table
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


def test_what_was_dropped_is_told_to_its_seat(api: Api, table: Any) -> None:
    key, ada, ben = table
    put(api, key, ada, LINES)
    api.seal(key, ben, "a1", 1)
    told = get(api, key, ada).json()
    assert told["lines"] == [] and "None of your planned replies fits" in told["dropped"]
    assert "dropped" not in get(api, key, ben).json()
    api.seal(key, ada, "g7", 2)
    assert get(api, key, ada).json() == {"turn": 3, "lines": []}


def test_dropping_them_twice_is_the_same_as_once(api: Api, table: Any) -> None:
    key, ada, ben = table
    put(api, key, ada, LINES)
    for _ in range(2):
        answer = api.ask("DELETE", f"matches/{key}/replies", token=ben)
        assert answer.status_code == 204
    assert get(api, key, ada).json()["lines"] == LINES
    for _ in range(2):
        assert api.ask("DELETE", f"matches/{key}/replies", token=ada).status_code == 204
    assert get(api, key, ada).json()["lines"] == []


@pytest.mark.parametrize(
    ("lines", "status", "pointer", "says"),
    [
        ([["c4", "d5"], ["c4", "d6"]], 422, "/lines/1/1", "differently"),
        ([["c4", "c4"]], 422, "/lines/0/1", "a stone on c4"),
        ([["d4", "c4"]], 422, "/lines/0/0", "a stone on d4"),
        ([["c4", "resign"]], 422, "/lines/0/1", "POST /api/v1/matches/KEY/resign"),
        ([["c4"]], 422, "/lines/0", "followed by one of yours"),
        ([[]], 422, "/lines/0", "followed by one of yours"),
        ([["c4", "d5"] * 5], 422, "/lines/0", "at most 8 turns"),
        ([[f"a{n}", "g7"] for n in range(17)], 422, "/lines", "At most 16 lines"),
        ([["c4", "x" * 2_001]], 422, "/lines/0/1", "too long"),
        ("c4", 400, "/lines", "list"),
        (["c4"], 400, "/lines/0", "list"),
        ([["c4", 5]], 400, "/lines/0/1", "text"),
        (None, 400, "/lines", "list"),
    ],
)
def test_lines_that_cannot_be_are_refused_with_a_sentence(
    api: Api, table: Any, lines: Any, status: int, pointer: str, says: str
) -> None:
    key, ada, _ben = table
    put(api, key, ada, [["g1", "g2"]])
    assert says in problem(put(api, key, ada, lines), status, pointer)
    assert get(api, key, ada).json()["lines"] == [["g1", "g2"]]


def test_only_the_present_turn_can_be_replied_to(api: Api, table: Any) -> None:
    key, ada, ben = table
    for turn in (0, 2, -1):
        problem(put(api, key, ada, LINES, turn), 409)
    problem(put(api, key, ada, LINES, taken_back=1), 409)
    problem(put(api, key, ben, LINES), 409)  # his own turn, and he has planned nothing
    problem(put(api, key, ada, LINES, "1"), 400)
    api.ask("POST", f"matches/{key}/resign", token=ben)
    problem(put(api, key, ada, LINES, 2), 409)
    assert get(api, key, ada).json() == {"turn": 2, "lines": []}


def test_on_ones_own_turn_they_follow_the_draft(api: Api, table: Any) -> None:
    key, ada, ben = table
    put(api, key, ada, LINES)
    api.draft(key, ben, "c4", 1)
    assert put(api, key, ben, [["d5", "e6"]]).status_code == 204
    assert get(api, key, ben).json() == {"turn": 1, "after": "c4", "lines": [["d5", "e6"]]}
    api.seal(key, ben, "c4", 1)
    match = api.match(key, ben)
    assert [*map(list, (turn.values() for turn in match["turns"]))] == [
        ["d4"], ["c4"], ["d5"], ["e6"], ["f3"],
    ]  # fmt: skip
    assert match["to_act"] == ["B"]


def test_games_in_which_all_act_at_once_have_none(api: Api) -> None:
    key, ada, _ben = api.table()
    assert "players take turns" in problem(put(api, key, ada, [["F", "F"]], 0), 422)
    assert get(api, key, ada).json() == {"turn": 0, "lines": []}


@pytest.mark.parametrize("other", [None, [["c4", "e6"], ["g7", "d5", "e6", "f3"]]])
def test_two_worlds_that_differ_in_adas_replies_are_the_same_for_everybody_else(
    api: Api, table: Any, monkeypatch: pytest.MonkeyPatch, other: Any
) -> None:
    replace_in_flow(monkeypatch, "seal_of", lambda *of, **more: "5e" * 32)
    replace_in_flow(monkeypatch, "new_nonce", lambda: "00" * 32)
    key, ada, ben = table
    worlds = []
    for lines in (LINES, other):
        with transaction.atomic():
            if lines:
                assert put(api, key, ada, lines).status_code == 204
            seen = [answers(api, key, ben), get(api, key, ben).content]
            api.seal(key, ben, "a1", 1)  # fits none of them
            assert Replies.objects.filter(dropped="other").count() == bool(lines)
            seen += [answers(api, key, ben), get(api, key, ben).content]
            worlds.append(seen)
            transaction.set_rollback(True)
    assert worlds[0] == worlds[1]


def test_replies_change_no_version_and_nobody_elses_etag(api: Api, table: Any) -> None:
    key, ada, ben = table
    before = [api.get(f"matches/{key}", token)["ETag"] for token in (ada, ben, None)]
    put(api, key, ada, LINES)
    assert [api.get(f"matches/{key}", token)["ETag"] for token in (ada, ben, None)] == before
