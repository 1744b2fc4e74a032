"""The JSON API: drafts, orders and their seals, resigning, draws, deadlines."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from games.pigs import PigsState
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match
from tests.site.api.test_api import FIRE, TURN, WALK, Api, problem


@pytest.mark.parametrize("text", ["F ^ what now?", "", "resign", "x" * 96, "\U0001f916\u0000\n"])
def test_any_text_can_be_a_draft_and_is_kept_for_its_own_seat_only(api: Api, text: str) -> None:
    key, ada, ben = api.table()
    answer = api.draft(key, ada, text)
    assert answer.status_code == 204 and answer.content == b""
    assert (api.match(key, ada)["draft"] or "") == text
    assert api.match(key, ben)["draft"] is None and api.match(key)["draft"] is None
    api.seal(key, ada, WALK)
    problem(api.draft(key, ada, "F"), 409)


@pytest.mark.parametrize("turn", [1, -1, 10**30])
def test_a_turn_that_is_not_the_present_one(api: Api, turn: int) -> None:
    key, ada, _ben = api.table()
    problem(api.draft(key, ada, "F", turn), 409)
    problem(api.seal(key, ada, WALK, turn), 409)
    problem(api.ask("DELETE", f"matches/{key}/order?turn={turn}", token=ada), 409)


def test_a_text_longer_than_any_order_of_that_game_is_refused_unread(api: Api, monkeypatch: Any) -> None:
    key, ada, _ben = api.table()
    api.draft(key, ada, "F ^")
    monkeypatch.setattr(PigsState, "read_order", None)
    monkeypatch.setattr(PigsState, "make_plan", None)
    detail = "This text has 97 characters; a turn here has 96 at most. Please write less."
    assert detail in api.draft(key, ada, "F" * 97).content.decode()
    for length in (97, 2001):
        problem(api.draft(key, ada, "F" * length), 422, "/order")
        problem(api.seal(key, ada, "F" * length), 422, "/order")
    problem(api.seal(key, ada, "x" * 2001, turn=7), 422, "/order")
    assert api.match(key, ada)["draft"] == "F ^"


def test_an_order_is_checked_nothing_is_kept_of_it_and_a_request_for_the_seat_stands(
    api: Api, monkeypatch: Any
) -> None:
    key, ada, ben = api.table()
    api.draft(key, ada, "F ^")
    before = {token: api.match(key, token) for token in (ada, ben)}
    legal = api.check(key, ada, "f  ^ tr V h")
    assert (legal["legal"], legal["order"], legal["detail"]) == (True, "F ^ TR v H", None)
    assert legal["position"] is None  # Ben acts in the same turn
    wrong = api.check(key, ada, "F ^")
    assert (wrong["legal"], wrong["order"], wrong["position"]) == (False, None, None)
    refused = api.seal(key, ada, "F ^").json()
    assert wrong["detail"] == refused["detail"]
    assert {token: api.match(key, token) for token in (ada, ben)} == before
    key, ada, _ben = api.table()
    kept: list[Any] = []
    monkeypatch.setattr("robosite.api.answers.seat_requests.is_asked_for", lambda match, seat: True)
    monkeypatch.setattr("robosite.api.answers.seat_requests.end_requests", kept.append)
    api.check(key, ada, WALK)
    assert not kept
    api.draft(key, ada, WALK)
    assert len(kept) == 1


def test_the_position_after_is_told_where_one_seat_acts_alone_and_not_where_others_act_too(api: Api) -> None:
    key, ada, ben = api.table(game="robble")
    match = api.match(key, ada, "?legal=1")
    order = match["legal"][0]
    told = api.check(key, ada, order)
    assert told["legal"] and told["position"] not in (None, match["position"])
    api.seal(key, ada, order)
    assert api.match(key, ada)["position"] == told["position"]
    problem(api.ask("POST", f"matches/{key}/check", {"turn": 1, "order": order}, ada), 409)
    problem(api.ask("POST", f"matches/{key}/check", {"turn": 0, "order": order}, ben), 409)
    key, *tokens = api.table(game="roboxing")
    row = Match.objects.get(key=key)
    tokens_of = dict(zip("AB", tokens, strict=True))
    for turn in range(3):
        row.refresh_from_db()
        state = state_of(row)
        orders = {seat: state.view(seat).sample(seat, Random(turn)) for seat in sorted(state.to_act())}
        for seat, order in orders.items():
            told = api.check(key, tokens_of[seat], order, turn)
            assert told["legal"] and told["position"] is None, (turn, seat)
            assert api.seal(key, tokens_of[seat], order, turn).status_code == 200


def test_an_order_is_made_of_choices_one_by_one_and_nothing_is_kept(api: Api) -> None:
    key, ada, _ben = api.table()
    before, order = api.match(key, ada), ""
    for sign in ("F", "^", "TR", "v", "H"):
        planned = api.plan(key, ada, order)
        assert planned["missing"]
        order = next(one["order"] for one in planned["choices"] if one["key"] == sign and not one["why_not"])
    planned = api.plan(key, ada, order)
    assert (planned["order"], planned["missing"]) == ("F ^ TR v H", None)
    assert all(one["why_not"] for one in planned["choices"] if one["key"] == "F")
    assert api.match(key, ada) == before
    problem(api.ask("POST", f"matches/{key}/plan", {"turn": 0, "order": "F" * 97}, ada), 422, "/order")
    problem(api.ask("POST", f"matches/{key}/plan", {"turn": 1, "order": ""}, ada), 409)


def test_legal_orders_are_listed_where_they_are_few_or_why_not(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, ada, _ben = api.table(game="robble")
    assert api.match(key, ada)["legal_reason"] == "not asked for" and api.match(key, ada)["legal"] is None
    assert api.match(key, more="?legal=1")["legal_reason"] == "no token"
    assert api.match(key, more="?legal=1")["legal"] is None
    listed = api.match(key, ada, "?legal=1")
    assert listed["legal"] and listed["legal_reason"] is None
    key, ada, _ben = api.table(game="pigs")
    many = api.match(key, ada, "?legal=1")  # 32,768
    assert many["legal"] is None and many["legal_reason"] == "more than 1,000"
    monkeypatch.setattr(PigsState, "to_act", lambda self: frozenset())
    assert api.match(key, ada, "?legal=1")["legal"] == []


def test_sealing_gives_a_receipt(api: Api) -> None:
    key, ada, ben = api.table()
    receipt = api.seal(key, ada, " f,^ tr  v h").json()
    assert list(receipt) == ["turn", "seat", "order", "seal", "sealed_at", "revealed", "version"]
    assert (receipt["turn"], receipt["seat"], receipt["order"]) == (0, "A", "F ^ TR v H")
    assert receipt["revealed"] is False and receipt["version"] == api.match(key)["version"]
    assert api.match(key)["seals"] == [{"A": receipt["seal"]}]
    last = api.seal(key, ben, WALK).json()
    assert last["revealed"] is True and last["version"] == api.match(key)["version"]
    assert api.match(key)["turn"] == 1


def test_the_same_order_again_when_its_turn_has_ended_the_match_or_was_never_played(api: Api) -> None:
    key, ada, ben = api.table()
    for turn, (walks, fires) in enumerate((("^ ^ ^ ^ TR", "v v v v v"), (FIRE, "\\ \\ \\ ^ TR"))):
        api.seal(key, ada, walks, turn)
        api.seal(key, ben, fires, turn)
    match = Match.objects.get(key=key)
    match.status = Match.Status.OVER  # as if turn 1 had been the last
    match.outcome_json = {"scores": {"A": 1, "B": 0}, "reason": "destroyed"}
    match.save()
    assert api.seal(key, ada, FIRE, 1).status_code == 200
    problem(api.seal(key, ada, WALK, 1), 409)
    problem(api.seal(key, ada, WALK, 2), 409)
    problem(api.draft(key, ada, "F", 2), 409)
    key, ada, ben = api.table()
    first = api.seal(key, ada, WALK).json()
    api.ask("POST", f"matches/{key}/resign", token=ben)
    again = api.seal(key, ada, WALK)
    assert again.status_code == 200 and again.json() == first
    problem(api.seal(key, ada, FIRE), 409)
    seen = api.match(key, ada)
    assert seen["draft"] == WALK and seen["order"] is None and seen["seals"] == [{}]
    assert api.match(key, ben)["draft"] is None
    assert first["seal"] not in api.get(f"matches/{key}/record").content.decode()


@pytest.mark.parametrize("before", ["", WALK])
def test_a_receipt_is_of_the_order_that_was_sealed_last_on_the_page_too(api: Api, before: str) -> None:
    key, ada, ben = api.table()
    if before:
        api.seal(key, ada, before)
    flow.seal(Match.objects.get(key=key).seats.get(letter="A"), 0, FIRE)
    api.seal(key, ben, WALK)
    problem(api.seal(key, ada, WALK), 409)
    assert api.seal(key, ada, FIRE).status_code == 200
    assert api.seal(key, ada, FIRE).json() == api.seal(key, ada, FIRE).json()


@pytest.mark.parametrize(
    ("word", "says"),
    [("resign", "/resign"), ("draw", "/draw"), (" Resign ", "/resign"), ("F F", "five commands")],
)
def test_what_is_a_call_or_breaks_a_rule_is_no_order(api: Api, word: str, says: str) -> None:
    key, ada, _ben = api.table()
    assert says in problem(api.seal(key, ada, word), 422, "/order")
    assert api.match(key)["sealed"] == []
    if says != "five commands":
        problem(api.seal(key, ada, word, turn=5), 422, "/order")


def test_nothing_owed_is_409(api: Api) -> None:
    made = api.make(seats=3)
    ben, cy = api.join(made)["token"], api.join(made, "Cy")["token"]
    key = made["match"]
    api.ask("POST", f"matches/{key}/resign", token=ben)
    problem(api.seal(key, ben, WALK), 409)
    problem(api.draft(key, ben, WALK), 409)
    assert api.match(key)["resigned"] == ["B"] and api.match(key)["to_act"] == ["A", "C"]
    api.seal(key, made["token"], WALK)
    api.seal(key, cy, WALK)
    seen = api.match(key)
    assert seen["turns"] == [{"A": WALK, "B": "resign", "C": WALK}] and seen["resigned"] == []
    assert seen["events"][0][0] == {"kind": "resigned", "by": "B"}
    problem(api.seal(key, ben, WALK, 1), 409)


def test_reopening_makes_the_order_the_draft_again_where_no_turn_was_taken_back_since(api: Api) -> None:
    key, ada, ben = api.table()
    at = f"matches/{key}/order?turn=0"
    first = api.seal(key, ada, WALK).json()
    answer = api.ask("DELETE", at, token=ada)
    assert answer.status_code == 204 and answer.content == b""
    seen = api.match(key, ada)
    assert (seen["draft"], seen["order"], seen["sealed"], seen["seals"]) == (WALK, None, [], [{}])
    assert api.ask("DELETE", at, token=ada).status_code == 204
    assert api.seal(key, ada, WALK).json()["seal"] != first["seal"]
    Match.objects.filter(key=key).update(taken_back=1)
    problem(api.ask("DELETE", f"{at}&taken_back=0", token=ada), 409)
    problem(api.ask("DELETE", f"{at}&taken_back=x", token=ada), 422)
    assert api.match(key, ada)["order"] == WALK
    assert api.ask("DELETE", f"{at}&taken_back=1", token=ada).status_code == 204
    assert api.match(key, ada)["draft"] == WALK
    api.seal(key, ada, WALK)
    api.seal(key, ben, WALK)
    problem(api.ask("DELETE", at, token=ada), 409)
    problem(api.ask("DELETE", f"matches/{key}/order", token=ada), 422)
    problem(api.ask("DELETE", f"matches/{key}/order?turn=x", token=ada), 422)


def test_a_record_with_secrets_in_it_is_409(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    key, ada, ben = api.table()
    monkeypatch.setattr(PigsState, "conceals", lambda self, turn, seat: not self.ended)
    api.seal(key, ada, WALK)
    api.seal(key, ben, TURN)
    assert "secret" in problem(api.get(f"matches/{key}/record"), 409)
    assert api.match(key)["turns"] == [{"A": None, "B": None}]
    assert api.match(key, ada)["turns"] == [{"A": WALK, "B": None}]
    assert api.seal(key, ada, WALK).status_code == 200
    assert all(api.match(key)["seals"][0].values())
    api.ask("POST", f"matches/{key}/resign", token=ada)
    assert api.match(key)["turns"] == [{"A": WALK, "B": TURN}, {"A": "resign"}]
    assert api.get(f"matches/{key}/record").status_code == 200


def test_resigning_ends_a_match_of_two_and_gives_a_seat_of_an_open_match_up(api: Api) -> None:
    made = api.make()
    ben = api.join(api.make(seats=3))
    key, token = ben["match"], ben["token"]
    seen = api.ask("POST", f"matches/{key}/resign", token=token).json()
    assert seen["status"] == "open" and seen["seats"]["B"] is None and seen["you"] is None
    problem(api.get(f"matches/{key}", token), 401)
    key, ada, _ben = made["match"], made["token"], api.join(made)
    answer = api.ask("POST", f"matches/{key}/resign", token=ada)
    assert answer.status_code == 200
    seen = answer.json()
    assert seen["you"] == "A" and seen["status"] == "over"
    assert seen["outcome"] == {"scores": {"A": 0, "B": 1}, "reason": "resigned"}
    problem(api.ask("POST", f"matches/{key}/resign", token=ada), 409)


def test_a_draw_when_every_seat_still_in_offers(api: Api) -> None:
    made = api.make()
    path, ada = f"matches/{made['match']}/draw", made["token"]
    problem(api.ask("POST", path, {"offer": True}, ada), 409)  # nobody else is there
    ben = api.join(made)["token"]
    assert [api("POST", path, {"offer": one}, ada)["draws"] for one in (True, False, True)] == [
        ["A"],
        [],
        ["A"],
    ]
    seen = api("POST", path, {"offer": True}, ben)
    assert seen["outcome"] == {"scores": {"A": 0.5, "B": 0.5}, "reason": "agreed"} and seen["draws"] == []
    assert seen["turns"] == [{"A": "draw", "B": "draw"}] and seen["events"] == [[{"kind": "agreed"}]]
    problem(api.ask("POST", path, {"offer": True}, ada), 409)


def test_a_seat_past_its_deadline_can_be_claimed_by_one_that_owes_nothing(api: Api) -> None:
    key, ada, ben = api.table(deadline_hours=1)
    version, path = api.match(key)["version"], f"matches/{key}/claim"
    over = timezone.now() - timedelta(seconds=1)
    Match.objects.filter(key=key).update(deadline=over, due=over)
    assert api.match(key)["claimable"] == [] and api.match(key)["version"] == version + 1
    problem(api.ask("POST", path, {"seat": "B"}, ada), 409)
    api.seal(key, ada, WALK)
    assert api.match(key)["claimable"] == ["B"]
    problem(api.ask("POST", path, {"seat": "A"}, ben), 409)
    problem(api.ask("POST", path, {"seat": "C"}, ada), 422, "/seat")
    seen = api("POST", path, {"seat": "B"}, ada)
    assert seen["outcome"] == {"scores": {"A": 1, "B": 0}, "reason": "resigned"} and seen["claimable"] == []


def test_a_late_order_is_not_played_in_a_position_that_its_program_never_saw(api: Api) -> None:
    """Ben has looked at the match before its last turn was taken back: now turn 1 is another position."""
    key, ada, ben = api.table(game="robble")
    for turn, (token, order) in enumerate(((ada, "d4"), (ben, "d5"), (ada, "a1"))):
        assert api.seal(key, token, order, turn).status_code == 200
    ask = {"kind": "take-back", "do": "offer", "turn": 3, "taken_back": 0}
    api("POST", f"matches/{key}/proposals", ask, ada)
    accepted = api("POST", f"matches/{key}/proposals", {**ask, "do": "accept"}, ben)
    assert (accepted["turn"], accepted["taken_back"]) == (2, 1)
    assert api.seal(key, ada, "g7", 2).status_code == 200  # turn 3 is Ben's again, on another board
    before = api.match(key)
    body = {"turn": 3, "order": "a2", "taken_back": 0}
    for path in (f"matches/{key}/order", f"matches/{key}/draft"):
        assert "in the meantime" in problem(api.ask("PUT", path, body, ben), 409)
    assert api.match(key) == before and api.match(key, ben)["draft"] is None
    same = {"turn": 0, "order": "d4"}  # nor is an old one answered with its receipt
    for more in ({}, {"taken_back": 1}):
        assert api("PUT", f"matches/{key}/order", {**same, **more}, ada)["order"] == "d4"
    for other in (0, 2, -1, 10**30):
        problem(api.ask("PUT", f"matches/{key}/order", {**same, "taken_back": other}, ada), 409)
    assert api("PUT", f"matches/{key}/order", {**body, "taken_back": 1}, ben)["order"] == "a2"
