"""A real process: sockets for its own origin alone, and public answers that know no reader."""

from __future__ import annotations

import base64
import os
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.servers import Server

PUBLIC = "https://robots.example.org"
OUTSIDE: dict[str, Any] = {"PRODUCTION": "1", "DEBUG": "0", "LIMITS": "on", "PUBLIC_URL": PUBLIC}
KEYS: dict[str, Any] = {
    name: base64.urlsafe_b64encode(bytes(range(first, first + 32))).decode()
    for first, name in enumerate(("SECRET_KEY", "SEAL_KEYS"))
}
NAMES = "robots.example.org,www.example.org,127.0.0.1"
THROUGH_PROXY = {"X-Forwarded-Proto": "https", "Host": "robots.example.org"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("data")
    with Server(data, **OUTSIDE, **KEYS, ALLOWED_HOSTS=NAMES) as running:
        yield running


def make(server: Server, headers: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The key of a new match, and its tokens by seat."""
    with httpx.Client(
        base_url=f"{server.url}/api/v1/", headers=headers, timeout=60, trust_env=False, verify=False
    ) as site:
        made = site.post("matches", json={"game": "pigs", "name": "Ada"}).json()
        body = {"name": "Ben", "invite": made["invite"]}
        sat = site.post(f"matches/{made['match']}/seats", json=body).json()
    return made["match"], {"A": made["token"], "B": sat["token"]}


# Sockets


def opens(server: Server, key: str, host: str, *origins: str) -> int:
    """The status that a socket is answered with."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        told = [
            f"GET /ws/m/{key}/ HTTP/1.1",
            f"Host: {host}",
            *(f"Origin: {origin}" for origin in origins),
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        ]
        line.sendall(("\r\n".join(told) + "\r\n\r\n").encode())
        return int(line.makefile("rb").readline().split()[1])


def test_a_socket_opens_for_the_very_origin_that_was_asked(server: Server) -> None:
    key, _ = make(server, {})
    here = f"127.0.0.1:{server.port}"
    assert opens(server, key, here, f"http://{here}") == 101
    assert opens(server, key, "localhost", "http://localhost") == 101
    assert opens(server, key, "localhost", "http://localhost:80") == 101
    wrong = [
        "http://127.0.0.1",
        f"http://127.0.0.1:{server.port + 1}",
        f"https://{here}",
        f"ws://{here}",
        f"http://localhost:{server.port}",
        f"http://127.0.0.1.evil.example:{server.port}",
        f"http://{here}/",
        f"http://x@{here}",
        "null",
    ]
    for origin in wrong:
        assert opens(server, key, here, origin) == 403, origin
    assert opens(server, key, here) == 403
    assert opens(server, key, here, f"http://{here}", "http://evil.example") in (400, 403)
    assert opens(server, key, "evil.example", "http://evil.example") == 403


def test_in_production_a_socket_opens_for_the_public_address_alone(production: Server) -> None:
    key, _ = make(production, THROUGH_PROXY)
    name = "robots.example.org"
    assert opens(production, key, name, PUBLIC) == 101
    for host, origin in (
        (name, "http://robots.example.org"),
        (name, f"{PUBLIC}:8443"),
        ("www.example.org", "https://www.example.org"),
        (f"127.0.0.1:{production.port}", f"http://127.0.0.1:{production.port}"),
        (f"127.0.0.1:{production.port}", f"https://127.0.0.1:{production.port}"),
        (name, "null"),
    ):
        assert opens(production, key, host, origin) == 403, (host, origin)


# HTTPS


def test_browsers_are_told_of_this_host_alone_unless_the_host_asks_for_more(production: Server) -> None:
    def told(server: Server) -> str:
        answer = httpx.get(f"{server.url}/", headers=THROUGH_PROXY, timeout=60)
        assert answer.status_code == 200
        return answer.headers["strict-transport-security"]

    assert told(production) == "max-age=31622400"
    for wish, more in (("subdomains", "; includeSubDomains"), ("preload", "; includeSubDomains; preload")):
        with production.beside(HSTS=wish) as other:
            assert told(other) == f"max-age=31622400{more}"


# Public answers

COOKIES = {
    "django_language": "de",
    "zone": "Asia/Seoul",
    "theme": "dark",
    "offline": "x",
    "sessionid": "abcdefgh",
    "messages": "[]",
}


def test_an_embed_is_the_same_whatever_cookies_come_with_the_request(server: Server) -> None:
    key, tokens = make(server, {})
    resigned = httpx.post(
        f"{server.url}/api/v1/matches/{key}/resign", headers={"Authorization": f"Bearer {tokens['B']}"}
    )
    assert resigned.json()["status"] == "over"

    def served(path: str, **headers: str) -> tuple[Any, ...]:
        answer = httpx.get(
            f"{server.url}{path}", headers={"Accept-Encoding": "identity", **headers}, timeout=60
        )
        assert answer.status_code == 200
        return answer.text, sorted(item for item in answer.headers.items() if item[0] != "date")

    for path in (f"/m/{key}/embed/", f"/oembed?url={server.url}/m/{key}/"):
        plain = served(path)
        headers = dict(plain[1])
        assert "public" in headers["cache-control"] and "max-age=300" in headers["cache-control"]
        assert "accept-language" in headers["vary"].lower() and "cookie" not in headers["vary"].lower()
        assert "set-cookie" not in headers
        for name, value in COOKIES.items():
            assert served(path, Cookie=f"{name}={value}") == plain, (path, name)
        wishes = {"Accept-Language": "de", "Cookie": "django_language=es"}
        assert dict(served(path, **wishes)[1])["content-language"] == "de"
