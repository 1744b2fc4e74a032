"""A program's webhook: signed events in place of its stream, to the one address that it names itself."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from robosite.matches.models import Match
from robosite.notices import sender
from robosite.notices.models import Channel, Kind, Parcel
from tests.receivers import Asked, Receiver
from tests.site.api.test_api import WALK, Api, api, problem
from tests.site.api.test_challenges import Open
from tests.site.api.test_programs import Program, against, hal
from tests.site.browsers import Browser
from tests.site.conftest import Time
from tests.site.notices.test_notices_sent import receiver

__all__ = ["api", "hal", "receiver"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def hook(hal: Program, receiver: Receiver) -> Receiver:
    """The receiver of Hal's webhook, which has had its test."""
    assert hal.ask("PUT", "me/webhook", {"url": f"{receiver.url}/hal"}).status_code == 200
    sender.send_all()
    (test,) = heard(receiver)
    assert test["type"] == "robosite.test"
    return receiver


def heard(receiver: Receiver) -> list[dict[str, Any]]:
    """The requests that have come since the last look."""
    asked, receiver.asked = receiver.asked, []
    return [json.loads(one.body) for one in asked]


def told(receiver: Receiver) -> list[tuple[str, str, int]]:
    """The kinds of notices that have come, each with its match and turn."""
    sender.send_all()
    found = [one for message in heard(receiver) for one in message["data"]["notices"]]
    return [(one["kind"], one["match"], one["turn"]) for one in found]


def is_signed(asked: Asked, key: str) -> bool:
    raw = base64.b64decode(key.removeprefix("whsec_"))
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    wanted = base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
    return asked.headers["webhook-signature"] == f"v1,{wanted}"


def test_its_key_is_shown_once_and_signs(hal: Program, receiver: Receiver) -> None:
    url = f"{receiver.url}/hal"
    set_ = hal.ask("PUT", "me/webhook", {"url": url}).json()
    assert set_["url"] == url and set_["on"] is True and set_["key"].startswith("whsec_")
    sender.send_all()
    (asked,) = receiver.asked
    assert is_signed(asked, set_["key"])
    seen = hal.get("me/webhook").json()
    assert "key" not in seen and seen["failures"] == 0 and seen["succeeded_at"]
    again = hal.ask("PUT", "me/webhook", {"url": url}).json()
    assert again["key"] != set_["key"]
    assert Channel.objects.filter(guest=hal.row.guest).count() == 1
    sender.send_all()
    assert is_signed(receiver.asked[1], again["key"]) and not is_signed(receiver.asked[1], set_["key"])


def test_it_hears_of_its_turn_at_once_even_where_it_brought_it_about(
    api: Api, hal: Program, hook: Receiver
) -> None:
    key, ada = against(hal)  # Hal sits down last, so the match begins by its own deed
    assert ("turn", key, 0) in told(hook)
    assert api.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": WALK}, ada).status_code == 200
    assert hal.seal(key).status_code == 200
    after = told(hook)
    assert ("turn", key, 1) in after and ("revealed", key, 0) in after


def test_what_waits_already_is_told_first(hal: Program, receiver: Receiver) -> None:
    key, _ada = against(hal)
    hal.ask("PUT", "me/webhook", {"url": f"{receiver.url}/hal"})
    assert ("turn", key, 0) in told(receiver)


def test_proposals_are_told_until_they_are_answered(api: Api, hal: Program, hook: Receiver) -> None:
    key, ada = against(hal)
    told(hook)
    api.ask("POST", f"matches/{key}/proposals", {"kind": "draw", "do": "offer"}, ada)
    assert ("proposed", key, 0) in told(hook)
    api.ask("POST", f"matches/{key}/proposals", {"kind": "call-off", "do": "offer"}, ada)
    assert (
        hal.ask("POST", f"matches/{key}/proposals", {"kind": "call-off", "do": "decline"}).status_code == 200
    )
    assert told(hook) == []
    hal.ask("POST", f"matches/{key}/proposals", {"kind": "draw", "do": "accept"})
    assert ("over", key, 1) in told(hook)


def test_a_rematch_is_told_in_the_match_that_is_over(api: Api, hal: Program, hook: Receiver) -> None:
    key, ada = against(hal)
    api.ask("POST", f"matches/{key}/resign", token=ada)
    assert Match.objects.get(key=key).status == "over"
    told(hook)
    asked = api.ask("POST", f"matches/{key}/rematch", token=ada)
    assert asked.status_code == 200, asked.content
    assert [(kind, at) for kind, at, _turn in told(hook)] == [("proposed", key)]
    assert hal.ask("POST", f"matches/{key}/rematch").status_code == 200
    assert ("turn", Match.objects.get(rematch_of__key=key).key, 0) in told(hook)


def test_an_invitation_is_told(alice: Browser, hal: Program, hook: Receiver) -> None:
    hal.ask("PUT", "me", {"takes": ["pigs"]})
    table = Open(alice)
    assert table.invites(hal).status_code == 302
    sender.send_all()
    (message,) = heard(hook)
    assert message["type"] == "robosite.invited" and message["data"]["match"] == table.key
    assert table.invites(hal).status_code == 302  # inviting again is no news
    sender.send_all()
    assert heard(hook) == []


def test_nothing_of_other_matches_or_seats_is_told(api: Api, hal: Program, hook: Receiver) -> None:
    other = Program(api, "Eve")
    key, ada = against(other)
    api.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": WALK}, ada)
    other.seal(key)
    assert told(hook) == []


def test_a_notice_says_nothing_of_what_is_sealed(api: Api, hal: Program, hook: Receiver) -> None:
    key, ada = against(hal)
    api.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": WALK}, ada)
    sender.send_all()
    assert WALK not in b"".join(one.body for one in hook.asked).decode()


def test_addresses_that_are_not_on_the_open_internet_are_refused(hal: Program, settings: Any) -> None:
    problem(hal.ask("PUT", "me/webhook", {"url": "https://example.org/x"}), 422, "/url")
    settings.WEBHOOKS = True
    for address in ("http://example.org/x", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/", "x"):
        problem(hal.ask("PUT", "me/webhook", {"url": address}), 422, "/url")
    assert (hal.get("me/webhook").json()["url"], hal.get("me/webhook").json()["on"]) == ("", False)
    assert not Channel.objects.exists()


def test_it_is_switched_off_when_it_fails_too_often_and_says_so(
    hal: Program, hook: Receiver, time: Time
) -> None:
    hook.answers = [500] * 60
    key, _ada = against(hal)
    Channel.objects.update(failures=19)
    sender.send_all()
    seen = hal.get("me/webhook").json()
    assert seen["on"] is False and seen["fault"] == "refused" and seen["failures"] == 20
    hook.answers = []
    assert hal.ask("PUT", "me/webhook", {"url": seen["url"]}).json()["on"] is True
    assert hal.get("me/webhook").json()["failures"] == 0
    time.pass_(hours=1)
    assert ("turn", key, 0) in told(hook)


def test_one_that_fails_is_tried_again_with_the_same_number(
    api: Api, hal: Program, hook: Receiver, time: Time
) -> None:
    hook.answers = [503]
    against(hal)
    sender.send_all()
    time.pass_(minutes=5)
    sender.send_all()
    first, *again = hook.asked
    assert first.headers["webhook-id"] in {one.headers["webhook-id"] for one in again}


def test_it_ends_with_the_webhook_and_with_the_program(api: Api, hal: Program, hook: Receiver) -> None:
    against(hal)
    assert hal.ask("DELETE", "me/webhook").status_code == 204
    assert hal.ask("DELETE", "me/webhook").status_code == 204
    assert told(hook) == [] and not Parcel.objects.exists()
    assert (hal.get("me/webhook").json()["url"], hal.get("me/webhook").json()["on"]) == ("", False)


def test_it_is_for_programs_alone_and_bounded(
    api: Api, hal: Program, receiver: Receiver, settings: Any, seconds: Any
) -> None:
    settings.LIMITS = "on"
    made = api.make()
    for token in (None, made["token"]):
        assert api.ask("PUT", "me/webhook", {"url": f"{receiver.url}/x"}, token).status_code == 401
    answers = [hal.ask("PUT", "me/webhook", {"url": f"{receiver.url}/x"}).status_code for _ in range(8)]
    assert answers[0] == 200 and answers[-1] == 429


def test_every_kind_of_notice_is_told(hal: Program, hook: Receiver) -> None:
    assert Channel.objects.get().tells == list(Kind.values)
