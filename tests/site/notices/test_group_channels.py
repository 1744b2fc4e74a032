"""Channels of matches and leagues: one living message in a chat, against answers of each service."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from robosite.leagues import next_season
from robosite.leagues.flow import locked_league
from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.models import Hold, Match, Nudge, Replies
from robosite.notices import group_channels, living, personal_data, services
from robosite.notices.models import GroupChannel
from robosite.notices.services import Address
from robosite.talk import messages
from robosite.web.setting_checks import WEBHOOK_KINDS, check_webhooks
from tests import at_once
from tests.receivers import Asked, Receiver
from tests.site.api.test_api import Api, problem
from tests.site.browsers import FIRST, OTHER, Browser, Table, guest, text
from tests.site.conftest import Time
from tests.site.leagues.conftest import begun, resign_all
from tests.site.notices.test_notices_sent import receiver
from tests.site.world import world

__all__ = ["receiver"]
BOT = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ_0123456789"
DISCORD = b'{"type": 0, "content": "%s", "id": "1100", "channel_id": "7"}' % (b"x" * 5000)
ADDRESSES = {
    "discord": ("/api/webhooks/77/se-cret", ""),
    "slack": ("/archives/C012AB3CD", "xoxb-1-secret"),
    "matrix": ("/!room:example.org", "syt_secret"),
    "telegram": ("/-100123", BOT),
    "ntfy": ("/robots", "tk_secret"),
    "json": ("/hook", "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="),
}
"""The path and the token of an address of each service."""
ANSWERS: dict[str, bytes] = {
    "discord": DISCORD,
    "slack": b'{"ok": true, "channel": "C012AB3CD", "ts": "1503435956.000247", "message": {"text": "x"}}',
    "matrix": b'{"event_id": "$YUwRidLecu:example.com"}',
    "telegram": b'{"ok": true, "result": {"message_id": 42, "date": 1, "chat": {"id": -100123}}}',
    "ntfy": b'{"id": "hwQ2YpKdmg", "time": 1635528741, "event": "message", "topic": "robots"}',
    "json": b"",
}
"""What each service answers when a message was posted."""


def channel(table: Table, receiver: Receiver, kind: str, **more: str) -> GroupChannel:
    path, token = ADDRESSES[kind]
    address = Address(more.get("url", receiver.url + path), more.get("token", token))
    return make(flow.locked_seat(table.a), kind, address)


def make(lock: Any, kind: str, address: Address) -> GroupChannel:
    site = "https://robots.example"
    return group_channels.make(lock, kind, address, guest=guest("Alice"), name="Alice", site=site)


def sent(receiver: Receiver) -> list[Asked]:
    """What has come since the last look."""
    at_once.send_all()
    asked, receiver.asked = receiver.asked, []
    return asked


def told(asked: Asked) -> dict[str, Any]:
    return dict(json.loads(asked.body))


def edited(table: Table, receiver: Receiver, time: Time, kind: str) -> tuple[Asked, Asked]:
    """The request that posts the message and, after a turn, the one that edits it."""
    receiver.answers = [(200, {}, ANSWERS[kind])] * 2
    channel(table, receiver, kind)
    (first,) = sent(receiver)
    table.play((FIRST, FIRST))
    assert sent(receiver) == []  # not within five seconds
    time.pass_(seconds=6)
    (second,) = sent(receiver)
    time.pass_(seconds=6)
    assert sent(receiver) == []
    return first, second


def test_discord_has_one_message_that_is_edited(table: Table, receiver: Receiver, time: Time) -> None:
    first, second = edited(table, receiver, time, "discord")
    assert (first.method, first.path) == ("POST", "/api/webhooks/77/se-cret?wait=true")
    assert (second.method, second.path) == ("PATCH", "/api/webhooks/77/se-cret/messages/1100")
    assert told(first)["allowed_mentions"] == {"parse": []} and told(first)["embeds"] == []
    assert "Waiting for Alice and Bob" in told(first)["content"]
    assert "Round 1 is on the board" in told(second)["content"]
    assert told(second)["embeds"][0]["image"]["url"].startswith(
        f"https://robots.example/m/{table.key}/card.png?v=1"
    )


def test_slack_with_a_bots_token_edits(table: Table, receiver: Receiver, time: Time) -> None:
    first, second = edited(table, receiver, time, "slack")
    assert first.path == "/api/chat.postMessage" and second.path == "/api/chat.update"
    assert first.headers["authorization"] == "Bearer xoxb-1-secret"
    assert told(first)["channel"] == "C012AB3CD" and told(second)["ts"] == "1503435956.000247"


def test_slack_without_one_gets_a_line_for_each_reveal_alone(
    table: Table, receiver: Receiver, time: Time
) -> None:
    channel(table, receiver, "slack", url=f"{receiver.url}/services/T0/B0/secret", token="")
    assert len(sent(receiver)) == 1
    flow.seal(table.a, 0, FIRST)
    time.pass_(seconds=6)
    assert sent(receiver) == []
    flow.seal(table.b, 0, FIRST)
    time.pass_(seconds=6)
    (line,) = sent(receiver)
    assert "is on the board" in told(line)["text"] and "Waiting" not in told(line)["text"]


def test_matrix_replaces_its_event(table: Table, receiver: Receiver, time: Time) -> None:
    first, second = edited(table, receiver, time, "matrix")
    room = "/_matrix/client/v3/rooms/%21room%3Aexample.org/send/m.room.message/"
    assert first.method == second.method == "PUT"
    assert first.path.startswith(room) and second.path.startswith(room) and first.path != second.path
    new = told(second)
    assert new["m.relates_to"] == {"rel_type": "m.replace", "event_id": "$YUwRidLecu:example.com"}
    assert "is on the board" in new["m.new_content"]["body"] and new["m.new_content"]["m.mentions"] == {}


def test_telegram_edits_the_text(table: Table, receiver: Receiver, time: Time) -> None:
    first, second = edited(table, receiver, time, "telegram")
    assert first.path == f"/bot{BOT}/sendMessage" and second.path == f"/bot{BOT}/editMessageText"
    assert told(first)["chat_id"] == "-100123" and told(second)["message_id"] == 42
    assert told(second)["link_preview_options"]["url"].endswith("card.png?v=1.0")


def test_ntfy_and_json_keep_one_number(table: Table, receiver: Receiver, time: Time) -> None:
    first, second = edited(table, receiver, time, "ntfy")
    assert told(first)["topic"] == "robots" and told(first)["sequence_id"] == told(second)["sequence_id"]
    assert first.headers["authorization"] == "Bearer tk_secret"
    GroupChannel.objects.all().delete()
    receiver.answers = []
    channel(table, receiver, "json")
    (asked,) = sent(receiver)
    table.play((OTHER, OTHER))
    time.pass_(seconds=6)
    (later,) = sent(receiver)
    assert told(asked)["data"]["id"] == told(later)["data"]["id"]
    number, at = asked.headers["webhook-id"], int(asked.headers["webhook-timestamp"])
    key = ADDRESSES["json"][1]
    assert asked.headers["webhook-signature"] == services.signature(key, number, at, asked.body)


LATER: dict[str, tuple[int, dict[str, str], bytes]] = {
    "discord": (429, {"Retry-After": "65"}, b'{"message": "Slow down.", "retry_after": 64.57}'),
    "slack": (429, {"Retry-After": "90"}, b'{"ok": false, "error": "ratelimited"}'),
    "matrix": (429, {}, b'{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 90000}'),
    "telegram": (429, {}, b'{"ok": false, "error_code": 429, "parameters": {"retry_after": 90}}'),
}


@pytest.mark.parametrize("kind", LATER)
def test_a_service_that_wants_time_gets_it(table: Table, receiver: Receiver, time: Time, kind: str) -> None:
    receiver.answers = [LATER[kind], (200, {}, ANSWERS[kind])]
    made = channel(table, receiver, kind)
    assert len(sent(receiver)) == 1
    made.refresh_from_db()
    assert 64 <= (made.due_at - time.now()).total_seconds() <= 91 and made.failures == 1
    time.pass_(seconds=92)
    assert len(sent(receiver)) == 1
    made.refresh_from_db()
    assert made.failures == 0 and made.message


ENDS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "discord": (404, {}, b'{"message": "Unknown Webhook", "code": 10015}'),
    "slack": (200, {}, b'{"ok": false, "error": "channel_not_found"}'),
    "matrix": (403, {}, b'{"errcode": "M_FORBIDDEN", "error": "not in room"}'),
    "telegram": (403, {}, b'{"ok": false, "description": "Forbidden: bot was kicked"}'),
    "ntfy": (410, {}, b""),
    "json": (410, {}, b""),
}


@pytest.mark.parametrize("kind", ENDS)
def test_a_service_that_is_gone_ends_the_channel(table: Table, receiver: Receiver, kind: str) -> None:
    receiver.answers = [ENDS[kind]]
    channel(table, receiver, kind)
    assert len(sent(receiver)) == 1 and not GroupChannel.objects.exists()


MISSING: dict[str, tuple[int, dict[str, str], bytes]] = {
    "discord": (404, {}, b'{"message": "Unknown Message", "code": 10008}'),
    "slack": (200, {}, b'{"ok": false, "error": "message_not_found"}'),
    "telegram": (400, {}, b'{"ok": false, "description": "Bad Request: message to edit not found"}'),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_message_that_was_deleted_is_posted_anew(
    table: Table, receiver: Receiver, time: Time, kind: str
) -> None:
    receiver.answers = [(200, {}, ANSWERS[kind]), MISSING[kind], (200, {}, ANSWERS[kind])]
    channel(table, receiver, kind)
    (first,) = sent(receiver)
    table.play((FIRST, FIRST))
    for _ in range(2):
        time.pass_(seconds=6)
        at_once.send_all()
    assert receiver.asked[1].path == first.path or kind == "matrix"


def test_names_notify_nobody_and_are_no_markup() -> None:
    post = services.Post("n", 1, "@everyone <b> *Bob*", (), "https://robots.example/m/x/")
    address = Address("https://discord.com/api/webhooks/1/a")
    call = services.SERVICES["discord"].call(address, post, "")
    assert call and r"\@everyone \<b\> \*Bob\*" in json.loads(call.body)["content"]
    call = services.SERVICES["slack"].call(Address("https://hooks.slack.com/services/x"), post, "")
    assert call and "&lt;b&gt;" in json.loads(call.body)["text"]


REFUSED = (
    ("discord", "http://discord.com/api/webhooks/1/a", ""),
    ("json", "https://10.0.0.1/", ""),
    ("discord", "https://discord.com/channels/1", ""),
    ("slack", "https://hooks.slack.com/other", ""),
    ("slack", "https://x.slack.com/archives/C1", "no"),
    ("matrix", "https://matrix.org/!room:matrix.org", ""),
    ("telegram", "https://api.telegram.org/-1", "../x"),
    ("ntfy", "https://ntfy.sh/", ""),
    ("json", "https://example.org/\r\nx", ""),
)


@pytest.mark.parametrize(("kind", "url", "token"), REFUSED)
def test_addresses_that_may_not_be_called_are_refused(
    api: Api, settings: Any, kind: str, url: str, token: str
) -> None:
    settings.WEBHOOKS = list(services.SERVICES)
    made = api.make()
    body = {"kind": kind, "url": url, "token": token}
    problem(api.ask("POST", f"matches/{made['match']}/channel", body, made["token"]), 422, "/url")
    assert not GroupChannel.objects.exists()


def test_a_channels_page_says_why_there_is_none_to_make(table: Table, settings: Any) -> None:
    at, settings.WEBHOOKS = f"/m/{table.key}/A/channel/", True
    assert "switched off" not in text(table.alice.get(at))
    settings.WEBHOOKS = False
    assert "Chat channels are switched off" in text(table.alice.get(at))
    assert "switched off" not in text(table.bob.get(f"/m/{table.key}/B/channel/"))
    assert "channel/" not in text(table.alice.get(f"/m/{table.key}/A/more/"))


def test_a_host_switches_off_each_kind(api: Api, settings: Any) -> None:
    """And addresses are tried a few times only."""
    settings.WEBHOOKS = ["ntfy"]
    made = api.make()
    at, token = f"matches/{made['match']}/channel", made["token"]
    problem(api.ask("POST", at, {"kind": "json", "url": "https://a.example/"}, token), 422, "/url")
    settings.LIMITS = "on"
    tries = [api.ask("POST", at, {"kind": "ntfy", "url": "https://10.0.0.1/"}, token) for _ in range(6)]
    assert [one.status_code for one in tries] == [422] * 5 + [429] and tries[-1]["Retry-After"]
    settings.LIMITS = "off"
    ntfy = {"kind": "ntfy", "url": "https://ntfy.sh/robots"}
    assert api.ask("POST", at, ntfy, token).status_code == 201


def test_a_match_has_one_channel_that_its_creator_makes_and_anybody_there_ends(
    api: Api, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WEBHOOKS = ["ntfy"]
    key, ada, ben = api.table()
    at, body = f"matches/{key}/channel", {"kind": "ntfy", "url": "https://ntfy.sh/hidden", "token": "tk_hid"}
    assert api.ask("POST", at, body, ben).status_code == 403
    made = api.ask("POST", at, body, ada)
    assert made.status_code == 201
    assert made.json() == {"kind": "ntfy", "host": "ntfy.sh", "made_by": "Ada"}
    assert api.get(at).json() == made.json()
    problem(api.ask("POST", at, body, ada), 409)
    assert api.ask("DELETE", at, token=ben).status_code == 204
    assert api.get(at).status_code == 404
    assert "hidden" not in caplog.text and "tk_hid" not in caplog.text


def test_an_address_is_stored_encrypted_and_told_to_nobody(table: Table, receiver: Receiver) -> None:
    made = channel(table, receiver, "telegram")
    assert BOT.encode() not in bytes(made.secret)
    for who in (table.alice, table.bob, table.charlie):
        for page in (f"/m/{table.key}/", f"/m/{table.key}/menu/", f"/api/v1/matches/{table.key}/channel"):
            assert BOT not in who.get(page).content.decode() and "-100123" not in str(who.get(page).content)


def test_a_league_tells_whom_all_wait_for_its_table_and_its_results_and_goes_on_in_its_next_season(
    alice: Browser, bob: Browser, charlie: Browser, receiver: Receiver, time: Time
) -> None:
    league = begun(alice, bob, charlie)
    address = Address(f"{receiver.url}/hook")
    with pytest.raises(flow.SeatLost):
        make(locked_league(league.pk, lambda _fresh: False), "json", address)
    make(locked_league(league.pk), "json", address)
    (first,) = sent(receiver)
    lines = "\n".join(told(first)["data"]["lines"])
    assert "Alice (" in lines and "1. " in lines and "The league has begun" in lines
    resign_all("Bob")
    alice.get(league.get_absolute_url())  # which stores the results, as the clock does
    time.pass_(seconds=6)
    (second,) = sent(receiver)
    assert "Alice beat Bob" in told(second)["data"]["lines"]
    assert told(second)["data"]["picture"].startswith(f"https://robots.example/l/{league.key}/table-1.png")
    resign_all("Charlie")
    alice.get(league.get_absolute_url())
    time.pass_(seconds=6)
    sent(receiver)
    assert League.objects.get().status == League.Status.OVER
    following = next_season.announce(league)
    asked = []
    for _look in range(2):  # the first one finds that the old season still reads the same
        time.pass_(seconds=6)
        asked += sent(receiver)
    new = told(asked[-1])["data"]
    assert new["id"] != told(first)["data"]["id"] and "Not started yet" in str(new["lines"])
    assert GroupChannel.objects.get().league == following
    group_channels.end(locked_league(following.pk))
    assert not GroupChannel.objects.exists()


def test_an_end_is_told_and_then_nothing_more(table: Table, receiver: Receiver, time: Time) -> None:
    channel(table, receiver, "json")
    sent(receiver)
    flow.resign(table.b)
    time.pass_(seconds=6)
    (last,) = sent(receiver)
    assert "Waiting" not in str(told(last)) and "Alice" in str(told(last)["data"]["lines"])
    with pytest.raises(flow.Refused):
        make(flow.locked_seat(table.a), "json", Address(f"{receiver.url}/x"))


def test_an_export_and_a_forgetting_know_of_it(table: Table, receiver: Receiver) -> None:
    channel(table, receiver, "ntfy")
    (chat,) = personal_data.export(guest("Alice"))["chats"]
    assert chat["match"] == table.key and "/robots" in chat["address"]
    assert personal_data.export_for_host(guest("Alice"))["chats"][0]["address"] is None
    personal_data.merge(guest("Alice"), guest("Bob"))
    assert GroupChannel.objects.get().guest == guest("Bob")
    personal_data.forget(guest("Bob"))
    assert not GroupChannel.objects.exists()


def told_in_a_world(order: str) -> list[str]:
    """The text that a chat reads of Bob's match while he seals, drafts and says this, before it is played."""
    there = world(order)
    match = Match.objects.get(key=there.keys["playing"])
    made = GroupChannel(match=match, kind="json", language="en", site="https://robots.example")
    bob, dora = (match.seats.select_related("match").get(letter=letter) for letter in "BC")
    posts = [living.write(made)]
    flow.reopen(bob, 1)
    flow.draft(bob, 1, order)
    posts.append(living.write(made))
    flow.seal(bob, 1, order)
    flow.seal(dora, 1, FIRST)
    Nudge.objects.create(seat=bob, turn=1, at=match.changed_at)
    messages.say(bob, guest("Bob"), f"I’m in {order}", to=[dora.letter])
    match = Match.objects.get(pk=match.pk)
    posts.append(living.write(GroupChannel(match=match, kind="json", language="en", site="")))
    league = League.objects.get(key=there.keys["league"])
    posts.append(living.write(GroupChannel(league=league, kind="json", language="en", site="")))
    for post in posts:
        assert order not in post.text
    calls = [
        str(service.call(Address("https://a.example/-1", BOT), post._replace(number="n"), "42"))
        for post in posts
        for service in services.SERVICES.values()
    ]
    return [
        re.sub("|".join(there.keys.values()), "", re.sub(r"timestamp': '\d+'|v1,[^']+", "", one))
        for one in calls
    ]


def test_what_a_chat_reads_is_the_same_whatever_was_sealed() -> None:
    told = []
    for order in (FIRST, OTHER):
        with transaction.atomic():
            told.append(told_in_a_world(order))
            transaction.set_rollback(True)
    assert told[0] == told[1] and len(told[0]) == 24


def test_a_reply_that_is_planned_ahead_is_not_told() -> None:
    there = world(FIRST)
    match = Match.objects.get(key=there.keys["playing"])
    made = GroupChannel(match=match, kind="json", language="en", site="")
    before = living.write(made)
    Replies.objects.create(seat=match.seats.get(letter="B"), turn=match.turn, secret=b"x")
    assert living.write(made) == before


def test_a_match_gets_a_channel_in_two_taps_that_all_see_and_any_player_ends(
    table: Table, settings: Any
) -> None:
    settings.WEBHOOKS = ["ntfy", "discord"]
    menu = text(table.alice.get(f"/m/{table.key}/A/more/"))
    assert f'href="/m/{table.key}/A/channel/"' in menu
    at = f"/m/{table.key}/A/channel/"
    page = text(table.alice.get(at))
    assert "<summary>Discord</summary>" in page and "<summary>Slack</summary>" not in page
    assert page.count("<li>") >= 6
    given = {"do": "make", "kind": "ntfy", "address": "https://ntfy.sh/my-topic", "token": ""}
    assert table.bob.post(f"/m/{table.key}/B/channel/", given).status_code == 409
    refused = table.alice.post(at, given | {"address": "https://10.0.0.1/x"})
    assert refused.status_code == 422 and "public internet" in text(refused)
    assert table.alice.post(at, given)["Location"] == at
    for who, where in ((table.alice, "A/"), (table.bob, "B/"), (table.charlie, "")):
        seen = text(who.get(f"/m/{table.key}/{where}channel/"))
        assert "It goes to ntfy (ntfy.sh); Alice added it." in seen and "my-topic" not in seen
        assert ("Remove channel" in seen) == bool(where)
    assert table.bob.post(f"/m/{table.key}/B/channel/", {"do": "end"}).status_code == 302
    assert not GroupChannel.objects.exists()


def test_a_league_gets_a_channel_by_its_organiser(
    alice: Browser, bob: Browser, charlie: Browser, settings: Any
) -> None:
    settings.WEBHOOKS = ["json"]
    league = begun(alice, bob, charlie)
    at = f"/l/{league.key}/channel/"
    given = {"do": "make", "kind": "json", "address": "https://hooks.example/my-topic"}
    assert f'href="{at}"' in text(bob.get(league.get_absolute_url()))
    assert bob.post(at, given).status_code == 404 and alice.post(at, given).status_code == 302
    assert "It goes to Webhook (hooks.example); Alice added it." in text(bob.get(at))
    assert alice.post(at, {"do": "end"}).status_code == 302 and not GroupChannel.objects.exists()


@pytest.mark.parametrize(
    ("given", "address", "kinds"),
    [
        ("", "https://robots.example.org", 6),
        ("", "http://127.0.0.1:8000", 0),
        ("", "", 0),
        ("0", "https://robots.example.org", 0),
        ("1", "", 6),
        ("ntfy, matrix", "", 2),
    ],
)
def test_channels_are_on_where_the_sites_address_is_public(given: str, address: str, kinds: int) -> None:
    assert len(check_webhooks(given, address)) == kinds


def test_a_setting_that_names_no_service_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured):
        check_webhooks("irc", "")
    assert list(WEBHOOK_KINDS) == list(services.SERVICES)


def test_a_channel_waits_for_the_rematch_and_has_a_new_message_there(
    table: Table, receiver: Receiver, time: Time
) -> None:
    first, _second = edited(table, receiver, time, "json")
    flow.resign(table.a)
    receiver.answers = []
    (last,) = sent(receiver)
    assert "Bob" in last.body.decode() and f"/m/{table.key}/" in last.body.decode()
    table.alice.do(table.a, "rematch")
    time.pass_(seconds=6)
    assert sent(receiver) == [], "Bob has not said yes"
    table.bob.do(table.b, "rematch")
    after = Match.objects.get(rematch_of=table.match)
    time.pass_(seconds=6)
    (anew,) = sent(receiver)
    assert f"/m/{after.key}/" in anew.body.decode() and "Waiting for" in anew.body.decode()
    assert told(anew)["data"]["id"] != told(first)["data"]["id"]
    time.pass_(seconds=6)
    assert sent(receiver) == [] and GroupChannel.objects.get().match == after
    flow.resign(after.seats.get(letter="A"))
    time.pass_(seconds=6)
    (end,) = sent(receiver)
    assert told(end)["data"]["id"] == told(anew)["data"]["id"]


def test_a_channel_stays_behind_if_another_one_is_there_and_goes_if_its_maker_does_not_play_on(
    table: Table, receiver: Receiver, time: Time
) -> None:
    made = channel(table, receiver, "json")
    sent(receiver)
    flow.resign(table.a)
    time.pass_(seconds=6)
    sent(receiver)
    table.alice.do(table.a, "rematch")
    table.bob.do(table.b, "rematch")
    after = Match.objects.get(rematch_of=table.match)
    host = after.seats.select_related("match").get(host=True)
    make(flow.locked_seat(host), "ntfy", Address(f"{receiver.url}/x"))
    time.pass_(seconds=6)
    sent(receiver)
    made.refresh_from_db()
    assert made.match == table.match and GroupChannel.objects.count() == 2
    GroupChannel.objects.get(match=after).delete()
    Hold.objects.filter(seat__match=after, guest=guest("Alice")).delete()
    time.pass_(seconds=6)
    assert sent(receiver) == [] and not GroupChannel.objects.exists()
