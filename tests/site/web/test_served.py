"""What is served: compressed, kept by its bytes, seen first, fetched early, told to robots."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.robotparser import RobotFileParser

import httpx
import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone

from robosite.api.models import KeptAnswer, KeptReceipt
from robosite.matches.models import Hold, Match
from robosite.play.decorators import TOO_EARLY
from robosite.web.middleware import Compression
from robosite.web.views import FETCHED_EARLY
from tests.games.cases import size
from tests.servers import Server
from tests.site.api.test_api import Api
from tests.site.api.test_api_described import under
from tests.site.browsers import SHOTS, Browser, Table, seat_at
from tests.site.play.test_hot_seat import device, share, take
from tests.site.promises import STRICT
from tests.site.web.test_setting_urls import KEYS

__all__ = ["device"]
PUBLIC = "https://robots.example.org"
NAMES = "robots.example.org,www.example.org,127.0.0.1"
OUTSIDE: dict[str, Any] = {"PRODUCTION": "1", "DEBUG": "0", "LIMITS": "on", "PUBLIC_URL": PUBLIC}
THROUGH_PROXY = {"X-Forwarded-Proto": "https", "Host": "robots.example.org"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("data")
    with Server(data, **{**KEYS, **OUTSIDE, "ALLOWED_HOSTS": NAMES}) as running:
        yield running


def make(server: Server, headers: dict[str, str]) -> str:
    given = {"game": "pigs", "name": "Ada"}
    made = httpx.post(f"{server.url}/api/v1/matches", json=given, headers=headers, timeout=60, verify=False)
    return str(made.json()["match"])


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
    key = make(server, {})
    here = f"127.0.0.1:{server.port}"
    assert opens(server, key, here, f"http://{here}") == 101
    assert opens(server, key, "localhost", "http://localhost") == 101
    assert opens(server, key, "localhost", "http://localhost:80") == 101
    wrong = [
        "http://127.0.0.1",
        f"http://127.0.0.1:{server.port + 1}",
        f"https://{here}",
        f"http://localhost:{server.port}",
        f"http://127.0.0.1.evil.example:{server.port}",
    ]
    for origin in wrong:
        assert opens(server, key, here, origin) == 403, origin
    assert opens(server, key, here) == 403
    assert opens(server, key, here, f"http://{here}", "http://evil.example") in (400, 403)
    assert opens(server, key, "evil.example", "http://evil.example") == 403


def test_in_production_a_socket_opens_for_the_public_address_alone(production: Server) -> None:
    key = make(production, THROUGH_PROXY)
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


def test_browsers_are_told_of_this_host_alone_unless_the_host_asks_for_more(production: Server) -> None:
    def told(server: Server) -> str:
        answer = httpx.get(f"{server.url}/", headers=THROUGH_PROXY, timeout=60)
        assert answer.status_code == 200
        return answer.headers["strict-transport-security"]

    assert told(production) == "max-age=31622400"
    more_than_that = {"subdomains": "; includeSubDomains", "preload": "; includeSubDomains; preload"}
    for wish, more in [*more_than_that.items()][size(1, 0) :]:
        with production.beside(HSTS=wish) as other:
            assert told(other) == f"max-age=31622400{more}"


TEXT = b"What is said again and again. " * 100


def answered(response: HttpResponse, accepts: str = "br, gzip") -> HttpResponse:
    request = HttpRequest()
    request.META["HTTP_ACCEPT_ENCODING"] = accepts
    return Compression(lambda _request: response)(request)  # type: ignore[return-value]


def test_what_comes_out_of_compression_is_what_went_in_and_its_length_says_less_than_it_could() -> None:
    answer = answered(HttpResponse(TEXT))
    assert answer["Content-Encoding"] == "gzip" and answer["Vary"] == "Accept-Encoding"
    assert gzip.decompress(answer.content) == TEXT
    assert int(answer["Content-Length"]) == len(answer.content) < len(TEXT) / 5
    lengths = {len(answered(HttpResponse(TEXT)).content) for _ in range(200)}
    assert 50 < len(lengths) <= 100 and max(lengths) - min(lengths) < 100
    for tag in ('"one"', 'W/"one"'):
        assert answered(HttpResponse(TEXT, headers={"ETag": tag}))["ETag"] == 'W/"one"'
    answer = answered(StreamingHttpResponse([TEXT, TEXT]))  # type: ignore[arg-type]
    assert gzip.decompress(b"".join(answer.streaming_content)) == TEXT * 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("response", "accepts"),
    [
        (HttpResponse(TEXT), "br"),
        (HttpResponse(TEXT), ""),
        (HttpResponse(b"x" * 199), "gzip"),
        (HttpResponse(TEXT, headers={"Content-Encoding": "br"}), "gzip"),
        (HttpResponse(bytes(range(256))), "gzip"),  # would become longer
    ],
)
def test_what_stays_as_it_is(response: HttpResponse, accepts: str) -> None:
    before, encoding = response.content, response.get("Content-Encoding")
    answer = answered(response, accepts)
    assert answer.content == before and answer.get("Content-Encoding") == encoding


TURNS = 20
MOST_A_MATCH = 40_000
"""Bytes in all tables of a match of TURNS turns between two programs (docs/performance.md)."""
SPINS = "TL TL TL TL TL"


def bytes_by_table() -> Counter[str]:
    sizes = Counter[str]()
    with connection.cursor() as cursor:
        for model in apps.get_models():
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            for row in cursor.fetchall():
                sizes[model._meta.db_table] += sum(
                    len(value) if isinstance(value, bytes | memoryview) else len(str(value)) for value in row
                )
    return sizes


def played(api: Api, turns: int) -> str:
    """The key of a match in which two programs have sealed so many turns, each under an Idempotency-Key."""
    key, ada, ben = api.table()
    for turn in range(turns):
        for token, sign in ((ada, "a"), (ben, "b")):
            api.seal(key, token, SPINS, turn, headers=under(f"{sign}{turn}"))
    assert Match.objects.get(key=key).turn == turns
    return key


def test_a_match_of_twenty_turns_is_small_and_alone_outlasts_its_year(api: Api) -> None:
    """Nothing is left of what only the site itself needed; matches, their orders and seals stay."""
    before = bytes_by_table()
    key = played(api, TURNS)
    whole = bytes_by_table()
    grown = whole - before
    answers = grown.pop("api_keptanswer")  # for a day
    assert grown.total() <= MOST_A_MATCH, grown
    assert answers <= 2 * TURNS * 2_000 + 10_000
    Match.objects.update(status=Match.Status.OVER)
    Match.objects.update(changed_at=timezone.now() - timedelta(days=365))
    KeptAnswer.objects.update(made_at=timezone.now() - timedelta(days=365))
    call_command("prune", "--yes", verbosity=0)
    left = bytes_by_table()
    assert whole["api_keptreceipt"] and whole["api_keptanswer"]
    assert not left["api_keptreceipt"] and not left["api_keptanswer"]
    for table in ("matches_match", "matches_seat", "matches_program"):
        assert left[table] >= whole[table] * 0.9, table
    assert Match.objects.get().key == key


def test_receipts_of_equal_tables_have_one_length(api: Api) -> None:
    for order in (SPINS, "\\ ^ v X H"):
        key, ada, _ben = api.table()
        api.seal(key, ada, order)
    lengths = {len(bytes(row.order)) for row in KeptReceipt.objects.all()}
    assert len(lengths) == 1 and max(lengths) < 600


FILES = re.compile(r'<(?P<kind>style|script) data-file="(?P<url>[^"]+)">(?P<text>.*?)</(?P=kind)>', re.DOTALL)
LINKS = re.compile(r'<link rel="stylesheet"|<script src="[^"]*theme')


@pytest.fixture
def browser(production: Server) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=production.url, headers=THROUGH_PROXY, timeout=60, trust_env=False, verify=False
    ) as browser:
        yield browser


def head(answer: httpx.Response) -> str:
    return answer.text.partition("</head>")[0]


def policy(answer: httpx.Response) -> set[str]:
    return set(answer.headers["Content-Security-Policy"].split("; "))


def allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("path", ["/", "/new/pigs/", "/rules/pigs/", "/mine/"])
def test_a_first_page_waits_for_no_file(browser: httpx.Client, path: str) -> None:
    page = browser.get(path, follow_redirects=True)
    assert page.status_code == 200 and not LINKS.search(head(page))
    found = {
        kind: {allowed(text) for one, _, text in FILES.findall(page.text) if one == kind}
        for kind in ("style", "script")
    }
    assert found["style"] and len(found["script"]) == 1
    own = {f"{kind}-src 'self' {' '.join(sorted(sources))}" for kind, sources in found.items()}
    assert policy(page) == {one for one in STRICT if not one.startswith(("style-src", "script-src"))} | own
    assert "ETag" not in page.headers and "Cookie" in page.headers["Vary"]


def test_the_next_page_leads_to_the_files_and_those_that_a_style_sheet_names_are_there(
    browser: httpx.Client,
) -> None:
    first = browser.get("/")
    (cookie,) = [one for one in first.headers.get_list("Set-Cookie") if "styles=" in one]
    assert cookie.startswith("__Host-styles=") and "HttpOnly" in cookie and "Secure" in cookie
    page = browser.get("/", headers={"Cookie": cookie.partition(";")[0]})
    assert LINKS.search(head(page)) and not FILES.search(page.text)
    assert policy(page) == STRICT
    older = browser.get("/", headers={"Cookie": "__Host-styles=000000000000"})
    assert FILES.search(older.text)
    named = re.findall(r"""url\("?([^")]+)""", head(browser.get("/rules/pigs/")))
    fonts = [one for one in named if not one.startswith("data:")]
    assert fonts and all(browser.get(one).status_code == 200 for one in fonts)


@pytest.mark.parametrize("path", ["/nothing/", "/api/v1/", "/admin/login/", "/early.json"])
def test_nothing_else_has_them(browser: httpx.Client, path: str) -> None:
    answer = browser.get(path)
    assert not FILES.search(answer.text)
    assert "styles=" not in answer.headers.get("Set-Cookie", "")
    assert not FILES.search(browser.get("/mine/", headers={"HX-Request": "true"}).text)


EARLY = {"Sec-Purpose": "prefetch"}


def test_pages_lead_to_the_rules_which_name_pages_alone_that_only_show(client: Any, table: Table) -> None:
    page = client.get("/")
    path = json.loads(page["Speculation-Rules"])
    rules = client.get(path)
    assert rules["Content-Type"] == "application/speculationrules+json"
    (rule,) = rules.json()["prefetch"]
    assert [one["href_matches"] for one in rule["where"]["or"]] == list(FETCHED_EARLY)
    assert "Speculation-Rules" not in table.alice.get(
        table.a.get_absolute_url(), headers={"HX-Request": "true"}
    )
    for other in ("/nothing/", f"/m/{table.key}/embed/", "/robots.txt", "/admin/login/"):
        assert "Speculation-Rules" not in client.get(other), other
    named = "|".join(re.sub(r":key", "[a-z0-9]+", one).replace("*", ".*") for one in FETCHED_EARLY)
    for name, args in (("talk", ("aaaaaaaaaaaa", "A")), ("export", ()), ("me", ()), ("notices", ())):
        assert not re.fullmatch(named, reverse(name, args=args)), name


def test_a_turn_counts_as_seen_once_somebody_sees_it(table: Table) -> None:
    table.play(SHOTS)
    hold, path = Hold.objects.get(seat=table.b), table.b.get_absolute_url()
    page = table.bob.get(path, headers=EARLY)
    assert page.status_code == 200 and "data-since" in page.content.decode()
    hold.refresh_from_db()
    assert hold.seen_turn == 0
    table.bob.get(path)
    hold.refresh_from_db()
    assert hold.seen_turn == 1


def test_a_watcher_has_not_seen_what_was_fetched_early(table: Table, charlie: Browser) -> None:
    path = f"/m/{table.key}/"
    charlie.get(path)
    table.play(SHOTS)
    assert "seen" not in charlie.get(path, headers=EARLY).cookies
    assert "seen" in charlie.get(path).cookies


def test_nothing_is_fetched_early_at_a_device_that_several_share(device: Browser) -> None:
    match = share(device)
    path = seat_at(match, "A").get_absolute_url()
    take(device, seat_at(match, "A"))
    assert device.get(path).status_code == 200
    assert device.get(path, headers=EARLY).status_code == TOO_EARLY


AGENTS = ["Google-Calendar-Importer", "Googlebot", "Slackbot-LinkExpanding", "facebookexternalhit", "Feedly"]
KEY, SECRET = "a" * 12, "x" * 32
ADDRESSES = [
    f"/s/calendar/{SECRET}/",
    f"/s/feed/{SECRET}/",
    f"/s/invite/{SECRET}/",
    f"/s/seat/{SECRET}/",
    f"/s/unsubscribe/{SECRET}/",
    "/s/",
    "/S/feed/x/",
    "/m/",
    f"/m/{KEY}/",
    f"/m/{KEY}",
    f"/m/{KEY}/A/",
    f"/m/{KEY}/card.png",
    f"/m/{KEY}/record/",
]


@pytest.mark.integration
def test_previews_feeds_and_calendars_may_be_fetched_and_are_not_indexed(server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=60, verify=False) as client:
        rules = RobotFileParser()
        rules.parse(client.get("/robots.txt").text.splitlines())
        for agent in AGENTS:
            assert all(rules.can_fetch(agent, f"{server.url}{address}") for address in ADDRESSES)
            assert not rules.can_fetch(agent, f"{server.url}/admin/")
        for address in ADDRESSES:
            for answer in (client.get(address), client.head(address), client.post(address, data={"a": "b"})):
                assert answer.headers["X-Robots-Tag"] == "noindex", (answer.request.method, address)
        for address in ("/", "/rules/", "/puzzles/", "/robots.txt"):
            assert "X-Robots-Tag" not in client.get(address).headers
        home = client.get("/")
        token = home.text.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
        made = client.post("/play/", data={"csrfmiddlewaretoken": token, "game": "pigs", "name": "Alice"})
        assert made.status_code == 302, made.text
        seat = made.headers["location"].partition("?")[0]
        match = seat.rstrip("/").rpartition("/")[0]
        own = [match + path for path in ("/", "/card.png", "/version/", "/record/", "/nothing/")]
        for path in (*own, f"{seat}time/"):
            assert client.get(path).headers["X-Robots-Tag"] == "noindex", path
        link = client.post("/notices/add/", data={"csrfmiddlewaretoken": token, "kind": "calendar"})
        page = client.get(link.headers["location"]).text
        calendar = page.partition(f">{server.url}/s/calendar/")[2].partition("<")[0]
        answer = client.get(f"/s/calendar/{calendar}")
        assert answer.text.startswith("BEGIN:VCALENDAR") and answer.headers["X-Robots-Tag"] == "noindex"
