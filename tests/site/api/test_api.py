"""The JSON API: making a match, sitting down, playing it to its end. Ada and Ben play."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from robosite.api import schemas
from robosite.matches.models import Match

WALK, TURN, FIRE = "^ ^ v v ^", "TL TL TR TR TL", "F F F F F"


class Api:
    """A program that talks to the site."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None, **more: Any) -> Any:
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **more.pop("headers", {})}
        raw = body if isinstance(body, str | bytes) else b"" if body is None else json.dumps(body)
        kind = more.pop("kind", "application/json" if raw else "")
        return self.client.generic(method, f"/api/v1/{path}", raw, content_type=kind, headers=headers, **more)

    def __call__(self, method: str, path: str, body: Any = None, token: str = "", status: int = 200) -> Any:
        """The data of an answer, which has this status."""
        answer = self.ask(method, path, body, token)
        assert answer.status_code == status, answer.content.decode()
        return answer.json() if answer.content else None

    def get(self, path: str, token: str | None = None, **more: Any) -> Any:
        return self.ask("GET", path, None, token, **more)

    def make(self, **wishes: Any) -> Any:
        return self("POST", "matches", {"game": "pigs", "name": "Ada", **wishes}, status=201)

    def join(self, made: dict[str, Any], name: str = "Ben", **wishes: Any) -> Any:
        body = {"name": name, "invite": made["invite"], **wishes}
        return self("POST", f"matches/{made['match']}/seats", body, status=201)

    def table(self, **wishes: Any) -> tuple[str, str, str]:
        """A match of two: its key, Ada's token, Ben's."""
        made = self.make(**wishes)
        return made["match"], made["token"], self.join(made)["token"]

    def seal(self, key: str, token: str, order: str, turn: int = 0, **more: Any) -> Any:
        return self.ask("PUT", f"matches/{key}/order", {"turn": turn, "order": order}, token, **more)

    def draft(self, key: str, token: str, order: str, turn: int = 0) -> Any:
        return self.ask("PUT", f"matches/{key}/draft", {"turn": turn, "order": order}, token)

    def check(self, key: str, token: str, order: str, turn: int = 0) -> Any:
        return self("POST", f"matches/{key}/check", {"turn": turn, "order": order}, token)

    def plan(self, key: str, token: str, order: str, turn: int = 0) -> Any:
        return self("POST", f"matches/{key}/plan", {"turn": turn, "order": order}, token)

    def match(self, key: str, token: str | None = None, more: str = "") -> dict[str, Any]:
        response = self.get(f"matches/{key}{more}", token)
        assert response.status_code == 200, response.content
        schemas.Match.model_validate_json(response.content)
        return dict(response.json())


def problem(response: Any, status: int, pointer: str | None = None) -> str:
    """Checks that this is the problem expected; gives its sentence."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    told = schemas.ProblemDetails.model_validate_json(response.content)
    assert told.status == status and told.type and told.title
    if pointer is not None:
        assert [fault.pointer for fault in told.errors] == [pointer]
    return told.detail


def test_the_root_says_where_to_go(api: Api) -> None:
    told = api.get("").json()
    assert told["docs"] == "http://testserver/api/v1/docs"
    for url in told.values():
        assert api.client.get(url).status_code == 200, url
    assert api.get("nothing").status_code == 404


def test_games_are_listed_and_each_tells_all_that_a_program_must_know_of_its_texts(api: Api) -> None:
    listed = api.get("games").json()
    pigs = next(game for game in listed if game["slug"] == "pigs")
    assert pigs.keys() == {"slug", "name", "designer", "seats", "options", "presets", "bots", "rules"}
    assert pigs["name"] == "Robo Battle Pigs" and pigs["designer"] == "Randy Cox" and pigs["rules"] == 1
    assert pigs["seats"] == {"min": 2, "max": 8}
    assert pigs["options"]["properties"]["ends"]["enum"] == ["first_down", "last_standing"]
    assert pigs["presets"]["bash"] == {
        "name": "B.A.S.H.",
        "options": {"start": "ring", "ends": "last_standing"},
        "seats": {"min": 2, "max": 8},
    }
    assert pigs["bots"] == ["random", "hasty", "quick", "thorough"]
    soccer = api.get("games/robosoccer").json()
    assert soccer.items() >= listed[2].items()
    assert soccer["data"]["board"]["columns"] == 6 and "scored" in soccer["events"]
    assert [one["example"] for one in soccer["orders"]] == ["LMSSML", "c2", "c2-c3 d2>d3"]
    assert "?be" in api.get("games/roboxing").json()["masked"]
    problem(api.get("games/chess"), 404)


def test_a_match_is_made_with_name_and_game_alone_and_its_links_open(api: Api, settings: Any) -> None:
    made = api.make()
    assert made["seat"] == "A"
    assert made["url"] == f"http://testserver/m/{made['match']}/"
    assert made["join_url"] == f"http://testserver/s/invite/{made['invite']}/"
    assert made["seat_url"] == f"http://testserver/s/seat/{made['token']}/"
    match = api.match(made["match"], made["token"])
    assert match["seats"] == {"A": {"name": "Ada", "kind": "human"}, "B": None}
    assert match["status"] == "open" and match["late"] == "claim" and match["deadline"] is None
    links = "url", "join_url", "seat_url"
    assert {api.client.get(made[url]).status_code for url in links} == {200}
    settings.PUBLIC_URL = "https://robots.example.org"
    made = api.make()
    assert all(made[url].startswith("https://robots.example.org/") for url in links)


@pytest.mark.parametrize(
    ("wishes", "options", "seats"),
    [
        ({"options": {"ends": "last_standing"}, "seats": 4, "seat": "C"}, {"ends": "last_standing"}, 4),
        ({"options": {"ends": "first_down"}}, {}, 2),
        ({"options": {"start": "ring"}, "seats": 5}, {"start": "ring"}, 5),
        ({"preset": "bash", "seats": 8}, {"start": "ring", "ends": "last_standing"}, 8),
        ({"preset": "bash", "options": {"ends": "first_down"}, "seats": 3}, {"start": "ring"}, 3),
    ],
)
def test_options_on_top_of_a_preset_seats_and_seat_can_be_chosen(
    api: Api, wishes: dict[str, Any], options: dict[str, str], seats: int
) -> None:
    made = api.make(**wishes)
    match = api.match(made["match"])
    assert match["options"] == options and [*match["seats"]] == [*"ABCDEFGH"[:seats]]
    assert made["seat"] == wishes.get("seat", "A")
    assert match["seats"][made["seat"]] == {"name": "Ada", "kind": "human"}


def test_deadline_late_and_open_are_kept(api: Api, settings: Any) -> None:
    made = api.make(deadline_hours=24, late="fill", open=True)
    match = api.match(made["match"])
    assert match["late"] == "fill" and match["deadline"] is None  # it starts when the table is full
    api.join(made)
    deadline = api.match(made["match"])["deadline"]
    assert deadline.endswith("Z") and deadline[10] == "T"
    settings.MIN_DEADLINE_HOURS = 0.0001
    api.make(deadline_hours=0.0002)


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"game": "chess"}, "/game"),
    ({"options": {"laser": 1}}, "/options/laser"),
    ({"options": {"damage_moves": 1}}, "/options/damage_moves"),
    ({"preset": "hard"}, "/preset"),
    ({"setup": {"corners": {}}}, "/setup"),
    ({"seats": 1}, "/seats"),
    ({"seats": 5}, "/seats"),
    ({"preset": "kids", "options": {"start": "ring"}, "seats": 5}, "/seats"),
    ({"seat": "C"}, "/seat"),
    ({"seat": "a"}, "/seat"),
    ({"seat": ""}, "/seat"),
    ({"seat": "AB"}, "/seat"),
    ({"bots": {"B": "clever"}}, "/bots/B"),
    ({"bots": {"A": "random"}}, "/bots/A"),
    ({"bots": {"A": "random", "B": "quick"}, "seat": "random"}, "/bots"),
    ({"bots": {"Z": "random"}}, "/bots"),
    ({"deadline_hours": 0.5}, "/deadline_hours"),
    ({"deadline_hours": 337}, "/deadline_hours"),
    ({"late": "shoot"}, "/late"),
    ({"name": ""}, "/name"),
    ({"name": "x" * 25}, "/name"),
    ({"name": "A\u202eda"}, "/name"),
    ({"colour": "red"}, "/colour"),
]
"""Wishes for a match that cannot be had, each with the field that is to blame."""


@pytest.mark.parametrize(("wish", "pointer"), IMPOSSIBLE)
def test_what_cannot_be_had_is_refused_with_its_field(api: Api, wish: dict[str, Any], pointer: str) -> None:
    assert problem(api.ask("POST", "matches", {"game": "pigs", "name": "Ada", **wish}), 422, pointer)
    assert not Match.objects.exists()


def test_bots_sit_down_at_creation_and_a_random_seat_is_some_seat(api: Api) -> None:
    assert {api.make(seat="random")["seat"] for _ in range(40)} == {"A", "B"}
    made = api.make(seats=3, bots={"A": "random", "C": "quick"}, seat="random")
    assert made["seat"] == "B"
    shown = api.match(made["match"])
    assert shown["status"] == "playing"
    kinds = {seat: player["kind"] for seat, player in shown["seats"].items()}
    assert kinds == {"A": "bot", "B": "human", "C": "bot"}


def test_the_first_free_seat_is_taken_or_the_one_that_is_asked_for(api: Api) -> None:
    made = api.make(seats=4)
    joined = api.join(made)
    assert (joined["match"], joined["seat"]) == (made["match"], "B")
    assert joined["seat_url"] == f"http://testserver/s/seat/{joined['token']}/"
    assert api.join(made, "Dan", seat="D")["seat"] == "D"
    body = {"name": "Cy", "invite": made["invite"], "seat": "D"}
    problem(api.ask("POST", f"matches/{made['match']}/seats", body), 409)
    assert api.join(made, "Cy")["seat"] == "C"
    assert api.match(made["match"])["status"] == "playing"


def test_a_wrong_invite_is_told_before_anything_else_and_a_refused_name_before_a_full_table(api: Api) -> None:
    made = api.make()
    path = f"matches/{made['match']}/seats"
    for body in ({"name": "Ben", "invite": "no"}, {"name": "Ben"}, {"invite": "no", "seat": "Z", "x": 1}):
        problem(api.ask("POST", path, body), 403, "/invite")
    api.join(made)
    problem(api.ask("POST", path, {"name": "Cy", "invite": "no"}), 403)
    problem(api.ask("POST", path, {"name": "Cy", "invite": made["invite"]}), 409)
    problem(api.ask("POST", path, {"name": "Ben", "invite": made["invite"]}), 409)
    problem(api.ask("POST", path, {"name": " ", "invite": made["invite"]}), 422, "/name")


@pytest.mark.parametrize(
    ("wish", "pointer"), [({"seat": "C"}, "/seat"), ({"name": "\u0430da"}, "/name"), ({"nam": 1}, "/nam")]
)
def test_what_cannot_be_joined_with(api: Api, wish: dict[str, Any], pointer: str) -> None:
    made = api.make()
    body = {"name": "Ben", "invite": made["invite"], **wish}
    problem(api.ask("POST", f"matches/{made['match']}/seats", body), 422, pointer)


def test_open_tables_need_no_invite_and_are_listed_newest_first_while_a_seat_is_empty(api: Api) -> None:
    first, second = api.make(open=True, deadline_hours=24), api.make(open=True, seats=3)
    other = api.make(open=True, game="robble")
    api.make()

    def listed(query: str) -> list[str]:
        return [table["match"] for table in api.get(f"matches?open=1{query}").json()["matches"]]

    assert listed("") == [other["match"], second["match"], first["match"]]
    assert listed("&game=robble") == [other["match"]]
    told = api.get("matches?open=1&game=pigs").json()
    assert [table["match"] for table in told["matches"]] == [second["match"], first["match"]]
    assert told["next"] is None
    table = told["matches"][1]
    assert table["game"] == "pigs" and table["deadline_hours"] == 24 and table["created_at"].endswith("Z")
    assert table["seats"] == {"A": {"name": "Ada", "kind": "human"}, "B": None}
    path = f"matches/{first['match']}/seats"
    assert api.ask("POST", path, {"name": "Ben"}).status_code == 201
    problem(api.ask("POST", path, {"name": "Cy"}), 409)
    assert listed("&game=pigs") == [second["match"]]
    for query in ("?open=1&game=chess", "?open=1&after=nothing", "?open=1&after=%00", ""):
        problem(api.get(f"matches{query}"), 422)


def test_a_long_list_goes_on_after_its_cursor(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robosite.api.views.PAGE", 2)
    made = [api.make(open=True)["match"] for _ in range(5)]
    found: list[str] = []
    page = api.get("matches?open=1").json()
    found += [table["match"] for table in page["matches"]]
    while page["next"]:
        page = api.get(f"matches?open=1&after={page['next']}").json()
        found += [table["match"] for table in page["matches"]]
    assert found == made[::-1]


def test_the_version_of_a_match_rises_with_public_changes(api: Api) -> None:
    key, ada, ben = api.table()
    version = api.match(key, ada)["version"]
    api.draft(key, ada, "F")
    assert api.match(key)["version"] == version
    api.seal(key, ada, WALK)
    api.ask("POST", f"matches/{key}/draw", {"offer": True}, ben)
    assert api.match(key)["version"] == version + 2


def test_who_owes_is_told_and_turns_events_and_seals_one_entry_a_turn_from_since_on(api: Api) -> None:
    key, ada, ben = api.table()
    for turn in range(3):
        api.seal(key, ada, WALK, turn)
        api.seal(key, ben, TURN, turn)
    whole, late = api.match(key), api.match(key, more="?since=2")
    assert whole["turn"] == 3 and len(whole["turns"]) == len(whole["events"]) == 3
    assert whole["turns"][1] == {"A": WALK, "B": TURN}
    assert [list(seals) for seals in whole["seals"]] == [["A", "B"]] * 3 + [[]]
    assert whole["events"][0][0] == {
        "kind": "walked",
        "step": 0,
        "by": "A",
        "command": "^",
        "from": "d8",
        "to": "d7",
    }
    assert {event["step"] for event in whole["events"][2]} == {0, 1, 2, 3, 4}
    assert late["turns"] == whole["turns"][2:] and late["events"] == whole["events"][2:]
    assert late["seals"] == whole["seals"]
    assert api.match(key, more="?since=99")["turns"] == []
    for bad in ("-1", "x", ""):
        problem(api.get(f"matches/{key}?since={bad}"), 422)
    made = api.make(seats=3)
    key, ada = made["match"], made["token"]
    assert api.match(key)["to_act"] == ["A", "B", "C"]  # empty seats too
    api.seal(key, ada, WALK)
    seen = api.match(key)
    assert seen["to_act"] == ["B", "C"] and seen["sealed"] == ["A"] and list(seen["seals"][0]) == ["A"]


def test_the_api_sets_no_cookie_and_asks_for_none(api: Api) -> None:
    strict = Api(Client(enforce_csrf_checks=True))
    key, ada, ben = strict.table()
    strict.seal(key, ada, WALK)
    strict.seal(key, ben, WALK)
    answer = strict.get(f"matches/{key}", ada)
    assert not strict.client.cookies and "Cookie" not in answer["Vary"]
