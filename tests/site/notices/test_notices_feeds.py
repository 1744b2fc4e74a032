"""Feeds of notices, and addresses that are asked for them."""

from __future__ import annotations

import csv
import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from ipaddress import IPv6Network, collapse_addresses, ip_address, ip_network
from typing import Any

import feedparser
import icalendar
import pytest

from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.notices import safe_http
from robosite.notices.models import Channel
from tests.checkers import check
from tests.receivers import Receiver
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import ends
from tests.site.notices.test_notices_sent import receiver

__all__ = ["receiver"]


def link(browser: Browser, kind: str) -> str:
    """A new feed (atom) or calendar; the path of its secret link."""
    browser.post("/notices/add/", {"kind": kind})
    at = {"atom": "feed", "calendar": "calendar"}[kind]
    found = re.search(f">http://testserver(/s/{at}/[^/]+/)<", text(browser.get("/notices/")))
    return found[1]


def calendar_at(reader: Browser, path: str) -> Any:
    """The calendar there as ical.js reads it, the parser of Thunderbird's calendar."""
    told = check("calendar.mjs", given=reader.get(path).content.decode())
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def feed_at(reader: Browser, path: str) -> Any:
    """The feed there as feedparser reads it, which complains (`bozo`) of whatever is not well-formed."""
    answer = reader.get(path)
    feed = feedparser.parse(answer.content, response_headers={"content-type": answer["Content-Type"]})
    assert not feed.bozo, feed.bozo_exception
    assert feed.version == "atom10"
    return feed


def entries(browser: Browser, path: str) -> list[tuple[str, str, str]]:
    """Title, id and link of each entry of a feed."""
    assert browser.get(path)["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = feed_at(browser, path)
    assert feed.feed.id and feed.feed.updated_parsed and feed.feed.title and feed.feed.links[0].href
    return [(one.title, one.id, one.link) for one in feed.entries]


def test_the_feed_tells_what_waits_and_says_so_when_it_is_dealt_with(table: Table) -> None:
    path = link(table.alice, "atom")
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, OTHER)
    reader = Browser("")
    before = entries(reader, path)
    was = {title: number for title, number, _ in before}
    assert "Your turn: Robo Battle Pigs with Bob" in was and len(set(was.values())) == len(before)
    assert before[0][2] == f"http://testserver/m/{table.key}/A/"
    assert OTHER not in text(reader.get(path))
    flow.seal(table.a, 1, FIRST)
    after = {number: title for title, number, _ in entries(reader, path)}
    assert after[was["Your turn: Robo Battle Pigs with Bob"]] == "Done: Your turn: Robo Battle Pigs with Bob"


def test_a_feed_that_has_not_changed_is_not_sent_again_and_is_shown_as_fetched(table: Table) -> None:
    path = link(table.alice, "atom")
    assert "Not fetched yet" in text(table.alice.get("/notices/"))
    unchanged = {"If-None-Match": table.charlie.get(path)["ETag"]}
    assert table.charlie.get(path, headers=unchanged).status_code == 304
    assert "Last fetched" in text(table.alice.get("/notices/"))
    table.play((FIRST, FIRST))
    assert table.charlie.get(path, headers=unchanged).status_code == 200
    assert entries(table.charlie, path)
    table.a.holds.all().delete()
    assert entries(table.charlie, path) == [], "the seat is lost"
    assert Match.objects.filter(key=table.key).exists()


def test_a_new_link_ends_the_old_one_and_so_does_removing_it(table: Table) -> None:
    path = link(table.alice, "atom")
    channel = Channel.objects.get()
    table.alice.post(f"/notices/{channel.number}/", {"do": "renew"})
    assert table.charlie.get(path).status_code == 404
    new = re.search(r">http://testserver(/s/feed/[^/]+/)<", text(table.alice.get("/notices/")))
    assert new and table.charlie.get(new[1]).status_code == 200
    table.alice.post(f"/notices/{channel.number}/", {"do": "remove"})
    assert table.charlie.get(new[1]).status_code == 404


def test_a_feed_is_no_calendar_and_the_site_keeps_a_hash_of_the_link_alone(table: Table) -> None:
    path = link(table.alice, "calendar")
    channel, secret = Channel.objects.get(), path.split("/")[3]
    assert channel.link_hash and secret not in str(vars(channel))
    assert secret not in text(table.bob.get("/notices/"))
    assert table.charlie.get(path.replace("calendar", "feed")).status_code == 404
    assert table.charlie.get(link(table.alice, "atom").replace("feed", "calendar")).status_code == 404


def events(browser: Browser, path: str) -> list[Any]:
    answer = browser.get(path)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    lines = answer.content.split(b"\r\n")
    assert all(len(line) <= 75 for line in lines) and b"\n" not in b"".join(lines)
    return list(icalendar.Calendar.from_ical(answer.content).walk("VEVENT"))


def test_the_calendar_has_the_deadlines_of_what_waits(table: Table, time: Time) -> None:
    """As two parsers read it: icalendar and ical.js."""
    path = link(table.alice, "calendar")
    assert calendar_at(table.charlie, path)["events"] == []
    ends(table, time, hours=30)
    (event,), (other,) = events(table.charlie, path), calendar_at(table.charlie, path)["events"]
    deadline = (time.now() + timedelta(hours=30)).replace(microsecond=0)
    assert event["DTEND"].dt == deadline == datetime.fromisoformat(other["ends"])
    assert str(event["SUMMARY"]) == other["summary"] == "Deadline: Robo Battle Pigs with Bob"
    assert event["URL"].endswith(f"/m/{table.key}/A/")
    assert other["begins"] <= other["ends"] and other["uid"]
    assert {"dtstamp", "url"} <= set(other["properties"])
    flow.seal(table.a, 0, FIRST)
    assert events(table.charlie, path) == calendar_at(table.charlie, path)["events"] == []


@pytest.mark.parametrize(
    ("public", "to"), [("", "testserver"), ("https://robots.example:8443", "robots.example:8443")]
)
def test_a_calendar_is_subscribed_to_and_says_that_it_is_late(
    table: Table, settings: Any, public: str, to: str
) -> None:
    settings.PUBLIC_URL = public
    table.alice.post("/notices/add/", {"kind": "calendar"})
    table.alice.post("/notices/add/", {"kind": "atom"})
    page = text(table.alice.get("/notices/"))
    (secret,) = re.findall(r"://[^/]+/s/calendar/([^/]+)/", page.partition('href="webcal:')[0])
    assert f'href="webcal://{to}/s/calendar/{secret}/"' in page and page.count("webcal:") == 1
    assert "Calendar apps update every few hours" in page
    assert events(table.charlie, f"/s/calendar/{secret}/") == []
    assert "webcal:" not in text(table.bob.get("/notices/"))


NASTY = "Bob;,\\n\\ 🤖" + "ä" * 60


def test_names_break_no_calendar_and_no_feed(table: Table, time: Time) -> None:
    path, feed = link(table.alice, "calendar"), link(table.alice, "atom")
    table.play((FIRST, FIRST))
    Seat.objects.filter(pk=table.b.pk).update(name=NASTY + "\r\nATTACH:evil\r\n<b>&amp;")
    ends(table, time, hours=30)
    (event,), (other,) = events(table.charlie, path), calendar_at(table.charlie, path)["events"]
    assert "ATTACH" not in event and NASTY in str(event["SUMMARY"]) and NASTY in other["summary"]
    told = feed_at(table.charlie, feed).entries
    assert any("<b>&amp;" in one.title for one in told)
    assert not [one for one in told if "<b>" in one.summary]  # they are HTML, and escaped once more


def test_lines_are_folded_between_signs(table: Table, time: Time) -> None:
    path, name = link(table.alice, "calendar"), "🤖ä" * 60
    Seat.objects.filter(pk=table.b.pk).update(name=name)
    ends(table, time, hours=30)
    text = table.charlie.get(path).content.decode()  # a sign cut in two is no UTF-8
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    assert f"SUMMARY:Deadline: Robo Battle Pigs with {name}" in text.replace("\r\n ", "").split("\r\n")


REFUSED = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.8/32
    192.0.0.170/31 192.0.0.11/32 192.0.0.192/32 192.0.0.255/32 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
    198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
    ::/128 ::1/128 ::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 ::/8 100::/8 200::/7 400::/6 800::/5 1000::/4
    2001::/32 2001:2::/48 2001:4::/48 2001:10::/28 2001:1ff::/32 2001:db8::/32 2002::/16 3fff::/20
    4000::/3 5f00::/16 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 f800::/6 fc00::/7 fe00::/9
    fe80::/10 fec0::/10 ff00::/8
""".split()  # noqa: SIM905
OPEN = """
    1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
    168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.0.9 192.0.0.10
    192.0.1.0 192.0.1.255 192.0.3.0 192.31.196.0 192.31.196.255 192.52.193.0 192.52.193.255 192.88.98.255
    192.88.100.0 192.167.255.255 192.169.0.0 192.175.48.0 192.175.48.255 198.17.255.255 198.20.0.0
    198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 8.8.8.8
    2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:1::1 2001:1::2 2001:1::3 2001:3::
    2001:3:ffff:ffff:ffff:ffff:ffff:ffff 2001:4:112:: 2001:4:112:ffff:ffff:ffff:ffff:ffff 2001:20::
    2001:2f:ffff:ffff:ffff:ffff:ffff:ffff 2001:30:: 2001:3f:ffff:ffff:ffff:ffff:ffff:ffff 2001:200::
    2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003::
    2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff
    3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2606:4700::1111
""".split()  # noqa: SIM905


@pytest.mark.parametrize("block", REFUSED)
def test_no_address_of_a_special_block_is_asked(block: str, settings: Any) -> None:
    settings.REACHABLE_NETWORKS = []
    network = ip_network(block)
    for address in (network[0], network[-1]):
        assert not safe_http.allowed(address), address
        host = f"[{address}]" if address.version == 6 else str(address)
        with pytest.raises(safe_http.Forbidden):
            safe_http.check(f"https://{host}/")


@pytest.mark.parametrize("address", OPEN)
def test_its_neighbours_are(address: str, settings: Any) -> None:
    settings.REACHABLE_NETWORKS = []
    assert safe_http.allowed(ip_address(address))


@pytest.mark.parametrize("way", ["::ffff:", "64:ff9b::"])
def test_an_address_with_one_of_ipv4_in_it_is_judged_by_that(way: str, settings: Any) -> None:
    settings.REACHABLE_NETWORKS = []
    for block in REFUSED:
        if ":" not in block:
            for address in (ip_network(block)[0], ip_network(block)[-1]):
                assert not safe_http.allowed(ip_address(f"{way}{address}")), address
    assert safe_http.allowed(ip_address(f"{way}8.8.8.8"))
    for other in ("::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7", "64:ff9b:1::8.8.8.8"):
        assert not safe_http.allowed(ip_address(other)), other


def test_a_network_that_the_host_allows_is_asked(settings: Any) -> None:
    settings.REACHABLE_NETWORKS = ["10.1.0.0/16", "fd00:1::/32"]
    for address in ("10.1.2.3", "fd00:1::9", "::ffff:10.1.2.3"):
        assert safe_http.allowed(ip_address(address))
    for address in ("10.2.0.0", "fd00:2::", "::ffff:10.2.0.0"):
        assert not safe_http.allowed(ip_address(address))


def test_the_registries_are_data_and_hold_every_address_of_ipv6() -> None:
    with safe_http.DATA.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(safe_http.blocks()) == len({row["block"] for row in rows})
    assert all(row["name"] and row["reference"] and row["source"] for row in rows)
    assert {row["globally_reachable"] for row in rows} == {"True", "False", "N/A"}
    space = [IPv6Network(row["block"]) for row in rows if ":" in row["block"]]
    assert [*collapse_addresses(space)] == [IPv6Network("::/0")]


def answers(monkeypatch: pytest.MonkeyPatch, *found: str) -> list[str]:
    """Lets the resolver answer so for `localhost`; returns the names that it is asked for, as they come."""
    real, asked = socket.getaddrinfo, list[str]()

    def resolve(host: Any, port: Any, *more: Any, **given: Any) -> Any:
        asked.append(host)
        if host != "localhost":
            return real(host, port, *more, **given)
        kinds = [socket.AF_INET6 if ":" in one else socket.AF_INET for one in found]
        return [(kind, 1, 6, "", (one, port)) for kind, one in zip(kinds, found, strict=True)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


@pytest.mark.parametrize(
    "found", [["::1", "127.0.0.1"], ["::1", "::1", "127.0.0.1"], ["127.0.0.9", "::1", "127.0.0.1"]]
)
def test_every_address_of_a_name_is_tried(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, settings: Any, found: list[str]
) -> None:
    """Nobody listens at the first ones, as on a host whose IPv6 is broken.

    The name is resolved once: it cannot be one address when it is checked, and another when it is asked.
    """
    settings.REACHABLE_NETWORKS = ["127.0.0.0/8", "::1/128"]
    asked = answers(monkeypatch, *found)
    url = receiver.url.replace("127.0.0.1", "localhost")
    assert safe_http.post(f"{url}/x", b"hello", {}).status == 201
    assert [one.body for one in receiver.asked] == [b"hello"] and asked.count("localhost") == 1


@contextmanager
def full_queue(family: socket.AddressFamily, address: str, port: int = 0) -> Iterator[int]:
    """A port where nobody is let in or turned away, since its queue of connections is full."""
    with ExitStack() as opened:
        full = opened.enter_context(socket.socket(family))
        if family == socket.AF_INET6:
            full.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        full.bind((address, port))
        full.listen(0)
        for _ in range(4):
            one = opened.enter_context(socket.socket(family))
            one.setblocking(False)
            with suppress(OSError):
                one.connect(full.getsockname())
        yield full.getsockname()[1]


def test_an_address_that_does_not_answer_takes_no_more_than_its_share(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """A connection over IPv6 is neither taken nor refused; IPv4 comes in time."""
    settings.REACHABLE_NETWORKS = ["127.0.0.0/8", "::1/128"]
    monkeypatch.setattr(safe_http, "CONNECTING", 8.0)
    monkeypatch.setattr(safe_http, "TIME", 30.0)
    answers(monkeypatch, "::1", "::1", "127.0.0.1")
    with full_queue(socket.AF_INET6, "::1", receiver.server.server_address[1]):
        url = receiver.url.replace("127.0.0.1", "localhost")
        assert safe_http.post(f"{url}/x", b"", {}).status == 201
