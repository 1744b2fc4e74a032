"""The JSON API: a write with an Idempotency-Key has one effect and one answer."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from robosite.api.models import KeptAnswer
from robosite.matches.models import Match, Seat
from tests.site.api.test_api import FIRE, WALK, Api, problem

pytestmark = pytest.mark.django_db

ADA = {"game": "pigs", "name": "Ada"}


@pytest.fixture
def api(client: Client, settings: Any) -> Api:
    settings.LIMITS = "off"
    return Api(client)


def under(key: str | None = None) -> dict[str, str]:
    return {"Idempotency-Key": key or str(uuid.uuid4())}


def test_the_same_call_makes_one_match(api: Api) -> None:
    headers = under()
    first = api.ask("POST", "matches", ADA, headers=headers)
    again = api.ask("POST", "matches", ADA, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again["Content-Type"] == first["Content-Type"]
    assert Match.objects.count() == 1
    api.ask("POST", "matches", ADA, headers=under())
    assert Match.objects.count() == 2


def test_the_same_call_takes_one_seat_also_when_the_table_is_full_by_then(api: Api) -> None:
    made = api.make()
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


def test_with_a_token_the_key_may_be_anything_short(api: Api) -> None:
    key, ada, ben = api.table()
    assert api.seal(key, ada, WALK, headers=under("1")).status_code == 200
    problem(api.seal(key, ben, WALK, headers=under("x" * 201)), 422)
    problem(api.seal(key, ben, WALK, headers={"Idempotency-Key": ""}), 422)


def test_a_key_belongs_to_its_token(api: Api) -> None:
    key, ada, ben = api.table()
    first = api.seal(key, ada, WALK, headers=under("1")).json()
    second = api.seal(key, ben, FIRE, headers=under("1")).json()
    assert (first["seat"], second["seat"]) == ("A", "B")


def test_the_answer_is_the_one_given_then(api: Api) -> None:
    key, ada, ben = api.table()
    first = api.seal(key, ada, WALK, headers=under("1"))
    api.seal(key, ada, FIRE, headers=under("2"))
    api.seal(key, ben, FIRE)
    again = api.seal(key, ada, WALK, headers=under("1"))
    assert again.content == first.content
    assert api.match(key)["turns"] == [{"A": FIRE, "B": FIRE}]


def test_a_204_comes_again_without_a_second_effect(api: Api) -> None:
    key, ada, _ben = api.table()
    path, headers = f"matches/{key}/order?turn=0", under("away")
    api.seal(key, ada, WALK)
    assert api.ask("DELETE", path, token=ada, headers=headers).status_code == 204
    api.seal(key, ada, FIRE)
    again = api.ask("DELETE", path, token=ada, headers=headers)
    assert again.status_code == 204 and again.content == b"" and "Content-Type" not in again
    assert api.match(key, ada)["order"] == FIRE


def test_resigning_comes_again_where_it_would_be_409(api: Api) -> None:
    key, ada, _ben = api.table()
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


def test_a_token_that_was_replaced_opens_no_kept_answer(api: Api) -> None:
    key, ada, _ben = api.table()
    api.seal(key, ada, WALK, headers=under("1"))
    Seat.objects.filter(match__key=key, letter="A").update(link_hash="0" * 64)
    problem(api.seal(key, ada, WALK, headers=under("1")), 401)


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
