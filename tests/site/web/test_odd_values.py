"""Odd values, addresses of networks, and sockets to anywhere over which anything is said."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.test import RequestFactory
from hypothesis import given

from robosite.matches.live import consumers
from robosite.moderation import login_limits, measures
from robosite.web import limits, metrics
from robosite.web.addresses import counted, is_proxy, parse_network
from robosite.web.http import split_url
from tests.site.browsers import Browser, Table, guest
from tests.site.fuzzing import ADDRESSES, LONG, REQUESTS, OddSocket, no_faults, odd_socket, quoted, some, tell
from tests.site.world import World, world

FORM = "application/x-www-form-urlencoded"


def test_what_is_no_address_has_no_parts_and_no_oembed(alice: Browser) -> None:
    for address in ("http://[", "http://[::1", "http://x:y/", "//[", "http://x:99999/", "\0"):
        parts = split_url(address)
        assert not parts.netloc and parts.port is None
    for address in ADDRESSES:
        assert alice.get(f"/oembed?url={quoted(address)}").status_code in (400, 404), address


@pytest.mark.parametrize("path", ["/notices/wishes/", "/language/"])
def test_only_a_page_of_this_site_comes_next(table: Table, path: str) -> None:
    def next_after(to: str) -> Any:
        return table.alice.post(path, f"language=en&next={quoted(to)}", FORM)

    here = f"/m/{table.key}/A/?at=1.2"
    assert next_after(here)["Location"] == here
    for to in (
        "1",
        "home",
        "notices",
        "admin:index",
        "",
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
    ):
        answer = next_after(to)
        assert answer.status_code == 302 and answer["Location"] in ("/notices/", "/"), to
    for to in ADDRESSES:
        answer = next_after(to)
        assert answer.status_code in (302, 400), to
        assert answer.status_code == 400 or answer["Location"].startswith("/"), to


def test_a_measure_that_was_read_leads_to_a_page_of_this_site(table: Table) -> None:
    made = measures.take("mute", None, guest=guest("Alice"), why="Noise", ends_at=measures.until("7"))
    evil = "//evil.example/", "https://example.org/", "1"
    for to, lands in (*((one, "/mine/") for one in evil), ("/rules/pigs/", "/rules/pigs/")):
        answer = table.alice.post(made.get_absolute_url(), {"read": "1", "next": to})
        assert (answer.status_code, answer["Location"]) == (302, lands)


def test_nul_in_an_address_or_a_form_is_no_text_and_for_the_api_a_problem(table: Table) -> None:
    for path in ("/?x=", "/me/?said=", "/admin/matches/match/?q=", "/new/pigs/?seats=", "/rules/", "/?x=1&"):
        assert table.alice.get(f"{path}%00").status_code == 400, path
    for sent in ({"name": "A\0da"}, {"n\0ame": "Ada"}):
        assert table.alice.post("/me/name/", sent).status_code == 400
    assert table.alice.post("/me/name/", {"name": "Ada"}).status_code == 302
    for path in ("programs?game=", "programs?after=", "matches?open=1&game=", "matches?open=1&after="):
        answer = table.alice.get(f"/api/v1/{path}%00")
        assert answer.status_code == 422 and answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "value", ['"aaaaaaaaaaaa\\000bbbb"', "aaaaaaaa\0bbbb", "\xe9" * 20, "a" * 5000, '"\\777"']
)
@pytest.mark.parametrize(
    "name", ["sessionid", "csrftoken", "zone", "django_language", "offline", "links", "messages"]
)
def test_a_cookie_may_hold_anything(alice: Browser, name: str, value: str) -> None:
    for path in ("/me/", "/", "/admin/"):
        answer = alice.get(path, headers={"Cookie": f"{name}={value}; offline=x"})
        assert answer.status_code < 500, answer.content


def test_a_page_that_htmx_names_may_be_no_address(table: Table) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://["}
    assert table.alice.get(f"/m/{table.key}/A/talk/", headers=headers).status_code == 200


PROXY = "10.0.0.1"

SPELT = {
    "203.0.113.7": (
        "203.0.113.7:52344",
        " 203.0.113.7 ",
        '"203.0.113.7:443"',
        "[203.0.113.7]:9",
        "::ffff:203.0.113.7",
        "[::ffff:203.0.113.7]:443",
        "::ffff:203.0.113.7:443",
        "0:0:0:0:0:ffff:203.0.113.7",
        "64:ff9b::203.0.113.7",
        "203.0.113.7:",
        "198.51.100.1, 203.0.113.7",
        "203.0.113.7:9, 10.0.0.3:443",
        "203.0.113.7:9, ::ffff:10.0.0.3, [::ffff:10.0.0.4]:81",
        "203.0.113.7, ",
    ),
    "2001:db8:7:a00::/56": (
        "2001:db8:7:a00::1",
        "[2001:db8:7:a00::1]:443",
        '"[2001:db8:7:a00::1]:52344"',
        "2001:db8:7:abc:1:2:3:4",
        "2001:db8:7:abc:1:2:3:4:443",
        "2001:db8:7:a00::1:52344",
        "2001:db8:7:a01::1%eth0",
        "[2001:db8:7:a01::1%25eth0]:443",
        "fe80::9, 2001:db8:7:a00::5",
    ),
    "unknown": ("unknown", "Unknown", " unknown:4711 ", "[unknown]:1"),
}


def through_proxy(forwarded: str, peer: str = PROXY) -> Any:
    return RequestFactory().get("/", REMOTE_ADDR=peer, headers={"X-Forwarded-For": forwarded})


@pytest.mark.parametrize(
    ("spelt", "address"), [(spelt, address) for address, each in SPELT.items() for spelt in each]
)
@pytest.mark.parametrize("peer", [PROXY, "::ffff:10.0.0.1", "10.0.0.1:5000"])
def test_however_it_is_spelt_it_is_one_address(settings: Any, peer: str, spelt: str, address: str) -> None:
    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    assert limits.address(through_proxy(spelt, peer)) == address
    assert login_limits.origin(through_proxy(spelt)) == login_limits.origin(through_proxy(address))
    line = consumers.Changes()
    headers = [(b"x-forwarded-for", part.encode()) for part in spelt.split(",")]
    line.scope = {"client": [peer, 1], "headers": headers}
    assert line._address() == address


@pytest.mark.parametrize("spelt", ["", ",", " , ,", "\x00", "[", "]:1", "::1%", "%", "1.2.3.4.5", "9" * 900])
def test_garbage_is_one_short_text_and_no_fault_and_neighbours_are_not_one(settings: Any, spelt: str) -> None:
    settings.TRUSTED_PROXIES = [PROXY]
    assert len(limits.address(through_proxy(spelt))) <= 64
    assert counted(spelt) == counted(counted(spelt))
    assert parse_network("nonsense") is None
    neighbours = "203.0.113.7", "203.0.113.8:7", "2001:db8::1", "2001:db8:0:100::1"
    assert len({counted(at) for at in neighbours}) == 4


@pytest.mark.parametrize(
    ("listed", "peer"),
    [
        ("10.0.0.1", "::ffff:10.0.0.1"),
        ("::ffff:10.0.0.0/104", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1:80"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("fe80::1", "fe80::1%eth0"),
        (" 10.0.0.0/8 ", "10.9.8.7"),
    ],
)
def test_a_trusted_proxy_is_known_however_it_is_spelt(settings: Any, listed: str, peer: str) -> None:
    settings.TRUSTED_PROXIES = [listed]
    assert is_proxy(peer) and not is_proxy("192.0.2.1") and not is_proxy("")
    settings.METRICS_FOR = [listed]
    assert metrics._is_near(RequestFactory().get("/", REMOTE_ADDR=peer))


@pytest.mark.parametrize("banned", ["203.0.113.7", "203.0.113.0/24", "::ffff:203.0.113.7", "203.0.113.7:80"])
def test_a_ban_holds_for_every_port(settings: Any, alice: Browser, banned: str) -> None:
    settings.TRUSTED_PROXIES = [PROXY]
    measures.take("ban", None, network=banned)
    for spelt in ("203.0.113.7:52344", "203.0.113.7:52345", "::ffff:203.0.113.7"):
        given: Any = {"REMOTE_ADDR": PROXY, "HTTP_X_FORWARDED_FOR": spelt}
        assert alice.post("/play/", {"game": "pigs", "name": "Alice"}, **given).status_code == 403


def test_a_ban_of_a_range_that_was_narrower_once_holds_for_the_connection(alice: Browser) -> None:
    ban = measures.take("ban", None, network="2001:db8:1::5")
    assert ban.network == "2001:db8:1::/56"
    type(ban).objects.update(network="2001:db8:1::/64")  # as it was kept before
    given = {"game": "pigs", "name": "Alice"}
    assert alice.post("/play/", given, REMOTE_ADDR="2001:db8:1:7::1").status_code == 403
    assert alice.post("/play/", given, REMOTE_ADDR="2001:db8:1:100::1").status_code == 302


async def talk(there: World, odd: OddSocket) -> str:
    """Opens a socket, says what is to be said, and closes it; whether it was let in."""
    from robosite.asgi import application

    cookie = "; ".join(f"{name}={one.value}" for name, one in there.people[odd.who].cookies.items())
    given = {name for name, _ in odd.headers}
    usual = ((b"cookie", cookie.encode()), (b"host", b"testserver"))
    own = [(name, value) for name, value in usual if name not in given]
    line = WebsocketCommunicator(application, odd.path, headers=[*odd.headers, *own])
    try:
        accepted, _ = await line.connect(timeout=60)
        if not accepted:
            return "refused"
        for frame in odd.frames:
            if isinstance(frame, bytes):
                await line.send_input({"type": "websocket.receive", "bytes": frame})
            else:
                await line.send_input({"type": "websocket.receive", "text": frame})  # send_to sends no ""
        first = await line.receive_from(timeout=60)
        assert first == "{}" if odd.path.startswith("/ws/mine/") else "version" in first
        assert await line.receive_nothing(timeout=0.001)
        return "accepted"
    finally:
        await line.disconnect(timeout=60)


def drawn(there: World) -> list[OddSocket]:
    """Sockets to open: Hypothesis draws them beforehand, since it knows no async."""
    found: list[OddSocket] = []

    @some(max(1, round(REQUESTS * 0.05)), 0)
    @given(odd_socket(there))
    def draw(odd: OddSocket) -> None:
        found.append(odd)

    draw()
    return found


@pytest.mark.fuzz
@pytest.mark.timeout(4 * 3600 if LONG else 900)
@pytest.mark.django_db(transaction=True)
async def test_sockets_hear_anything_and_answer_nothing() -> None:
    there = await sync_to_async(world)()
    counted: Counter[str] = Counter()
    with no_faults() as faults:
        for one in drawn(there):
            faults.found.clear()
            counted[await talk(there, one)] += 1
            assert not faults.found, (faults.found, one)
    tell("sockets", counted)
