"""Outgoing requests: which addresses are asked, block by block, and each address of a name in its turn."""

from __future__ import annotations

import csv
import socket
from contextlib import ExitStack, suppress
from ipaddress import IPv6Network, collapse_addresses, ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from robosite.notices import safe_http
from tests.receivers import Receiver

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


@pytest.fixture
def receiver(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    with Receiver(tmp_path) as running:
        settings.REACHABLE_NETWORKS = ["127.0.0.0/8", "::1/128"]
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


def answers(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    """The resolver's answer for `localhost`; addresses are looked up as ever."""
    real = socket.getaddrinfo

    def resolve(host: Any, port: Any, *more: Any, **given: Any) -> Any:
        if host != "localhost":
            return real(host, port, *more, **given)
        kinds = [socket.AF_INET6 if ":" in one else socket.AF_INET for one in found]
        return [(kind, 1, 6, "", (one, port)) for kind, one in zip(kinds, found, strict=True)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.mark.parametrize(
    "found", [["::1", "127.0.0.1"], ["::1", "::1", "127.0.0.1"], ["127.0.0.9", "::1", "127.0.0.1"]]
)
def test_every_address_of_a_name_is_tried(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, found: list[str]
) -> None:
    """Nobody listens at the first ones, as on a host whose IPv6 is broken."""
    answers(monkeypatch, *found)
    url = receiver.url.replace("127.0.0.1", "localhost")
    assert safe_http.post(f"{url}/x", b"hello", {}).status == 201
    assert [one.body for one in receiver.asked] == [b"hello"]


def test_an_address_that_does_not_answer_takes_no_more_than_its_share(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection over IPv6 is neither taken nor refused; IPv4 comes in time."""
    monkeypatch.setattr(safe_http, "CONNECTING", 8.0)
    monkeypatch.setattr(safe_http, "TIME", 30.0)
    with ExitStack() as open_ones:
        full = open_ones.enter_context(socket.socket(socket.AF_INET6))
        full.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        full.bind(("::1", receiver.server.server_address[1]))
        full.listen(0)
        for _ in range(4):
            one = open_ones.enter_context(socket.socket(socket.AF_INET6))
            one.setblocking(False)
            with suppress(OSError):
                one.connect(full.getsockname())
        answers(monkeypatch, "::1", "::1", "127.0.0.1")
        url = receiver.url.replace("127.0.0.1", "localhost")
        assert safe_http.post(f"{url}/x", b"", {}).status == 201


def test_a_name_is_not_asked_if_one_of_its_addresses_leads_inside(
    receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REACHABLE_NETWORKS = ["127.0.0.0/8"]
    answers(monkeypatch, "127.0.0.1", "::1")
    with pytest.raises(safe_http.Forbidden):
        safe_http.post(receiver.url.replace("127.0.0.1", "localhost"), b"", {})
    assert not receiver.asked
