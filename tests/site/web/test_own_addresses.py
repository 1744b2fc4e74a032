"""The site's own addresses, those that are secrets, and promises of every answer."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from django.db import OperationalError
from django.test import Client
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from robosite.matches import flow
from robosite.web import health
from robosite.web.middleware import NO_PATH
from tests.receivers import Mailbox, until
from tests.servers import Server
from tests.site.browsers import FIRST, Browser, Table, text
from tests.site.leagues.conftest import make
from tests.site.promises import LINK, keeps_the_promises
from tests.site.replaced import replace_in_flow
from tests.site.web.test_setting_urls import KEYS

SITE = "https://robots.example"
VICTIM = "victim@example.org"
EVIL: list[dict[str, str]] = [
    {"Daphne-Root-Path": "@evil.example"},
    {"Daphne-Root-Path": "https://evil.example"},
    {"Daphne-Root-Path": "/api"},
    {"Daphne-Root-Path": "/healthz"},
    {"daphne-root-path": "%2F%2Fevil.example"},
    {"X-Script-Name": "/evil.example"},
    {"Script-Name": "/evil.example", "SCRIPT_NAME": "/evil.example"},
    {"X-Forwarded-Prefix": "/evil.example"},
    {"X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-Port": "666", "X-Forwarded-Server": "evil.example"},
    {"Forwarded": "host=evil.example;proto=http", "X-Original-URL": "/evil.example"},
    {"X-Rewrite-URL": "/evil.example", "X-HTTP-Method-Override": "DELETE"},
]


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with Mailbox() as box:
        yield box


@pytest.fixture(scope="module")
def site(mailbox: Mailbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server as on the open internet: limits are on, and nginx and Prometheus would be 127.0.0.1."""
    env = {**KEYS, "PRODUCTION": "1", "DEBUG": "0", "LIMITS": "on", "EMAIL_URL": mailbox.url}
    env |= {"TRUSTED_PROXIES": "127.0.0.1", "METRICS_FOR": "127.0.0.1"}
    with Server(tmp_path_factory.mktemp("production"), prepare=True, **env) as server:
        yield server


class Visitor(httpx.Client):
    """A browser behind the proxy, at an address of its own."""

    def __init__(self, server: Server, address: str = "203.0.113.5", **headers: str) -> None:
        given = {
            "Host": "robots.example",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": address,
            "Origin": SITE,
            **headers,
        }
        super().__init__(base_url=server.url, headers=given, timeout=60, verify=False)

    def post_form(self, path: str, page: str, **fields: str) -> httpx.Response:
        """Sends a form of that page, with its token. Cookies are for HTTPS only, so they go by hand."""
        shown = self.get(page)
        (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', shown.text))
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return self.post(path, data={**fields, "csrfmiddlewaretoken": token}, headers={"Cookie": cookies})


def names_evil(answer: httpx.Response) -> bool:
    return "evil.example" in answer.text or "evil.example" in str(answer.headers)


def test_a_genuine_mail_leads_to_the_site_whatever_its_asker_sends(site: Server, mailbox: Mailbox) -> None:
    with Visitor(site) as own:
        assert own.post_form("/matches/", "/new/pigs/", game="pigs", seats="2", name="Ann").status_code == 302
        assert own.post_form("/me/mail/", "/me/", email=VICTIM).status_code == 302
        confirm = until(lambda: mailbox.mails)[0].get_content()
        (link,) = re.findall(r"https?://\S+", confirm)
        assert link.startswith(f"{SITE}/s/")
        path = link.removeprefix(SITE)
        assert f'action="{path}confirm/"' in own.get(path).text
        assert own.post_form(f"{path}confirm/", path).status_code == 200
    mailbox.mails.clear()
    for n, headers in enumerate((EVIL[0], EVIL[8])):
        with Visitor(site, f"198.51.100.{n}", **headers) as asker:
            assert asker.post_form("/back/mail/", "/back/", email=VICTIM).status_code == 200, headers
        (mail,) = until(lambda: mailbox.mails)
        (link,) = re.findall(r"\S*/s/you/\S+", mail.get_content())
        assert re.fullmatch(rf"{SITE}/s/you/[\w-]+/", link), headers
        mailbox.mails.clear()


def links(page: httpx.Response) -> list[str]:
    return sorted(set(re.findall(r'(?:href|action|src)="([^"]*)"', page.text)))


@pytest.mark.parametrize("headers", EVIL, ids=" ".join)
def test_no_header_stands_in_a_page_or_an_answer_of_the_api_or_moves_it(
    site: Server, headers: dict[str, str]
) -> None:
    for page in ("/", "/rules/pigs/", "/new/pigs/", "/nothing/", "/mine/", "/static/nothing.css"):
        with Visitor(site) as plain, Visitor(site, **headers) as evil:
            first, told, after = evil.get(page), plain.get(page), plain.get(page)
        assert first.status_code == told.status_code == after.status_code, page
        assert not any(map(names_evil, (first, told, after))), page
        assert links(first) == links(told), page
        assert not any(link.startswith(("/api/new", "/healthz/", "//")) for link in links(first)), page
    with Visitor(site, **headers) as evil:
        made = evil.post("/api/v1/matches", json={"game": "pigs", "name": "Ann", "seats": 2})
        assert made.status_code == 201, made.text
        given = made.json()
        for address in (given["url"], given["join_url"], given["seat_url"]):
            assert address.startswith(f"{SITE}/")
        described = evil.get("/api/v1/openapi.json")
        assert described.json()["servers"] == [{"url": "/"}] and not names_evil(described)
        for page in (f"/m/{given['match']}/", f"/oembed?url={given['url']}"):
            assert not names_evil(evil.get(page))


@pytest.mark.parametrize("prefix", ["/ws", "/m", "https://evil.example"])
def test_no_header_moves_a_socket(site: Server, prefix: str) -> None:
    with Visitor(site) as own:
        key = own.post("/api/v1/matches", json={"game": "pigs", "name": "Ann", "seats": 2}).json()["match"]
    headers = {"X-Forwarded-Proto": "https", "Daphne-Root-Path": prefix}

    def opened(path: str) -> Any:
        line = socket.create_connection(("127.0.0.1", site.port), timeout=60)
        at = f"ws://robots.example{path}"
        return connect(at, sock=line, origin=Origin(SITE), additional_headers=headers)

    with opened(f"/ws/m/{key}/") as page:
        assert "version" in page.recv(timeout=60)
    with pytest.raises(InvalidStatus):
        opened(f"{prefix if prefix.startswith('/') else '/x'}/ws/m/{key}/")


def test_no_header_lifts_a_limit(site: Server) -> None:
    """Forms of one address are counted, under whatever path a client says that the site is."""
    with site.beside(LIMITS="post=5/1") as other:
        for n, prefix in enumerate(["/api", "/healthz", "/metrics", "/readyz", "/static"]):
            with Visitor(other, f"198.51.100.{n}") as visitor:
                headers = {"Daphne-Root-Path": prefix}
                answers = [visitor.post(f"{prefix}/language/", headers=headers).status_code for _ in range(7)]
            assert answers[5:] == [429, 429], (prefix, answers)
            assert 429 not in answers[:5], (prefix, answers)


def test_http_leads_to_the_sites_own_name_whatever_a_stranger_without_a_proxy_says(site: Server) -> None:
    """The peer is none of TRUSTED_PROXIES: its headers are nobody's."""
    with Visitor(site, Host="www.robots.example") as visitor:
        answer = visitor.get("/rules/?a=b", headers={"X-Forwarded-Proto": "http"})
        assert (answer.status_code, answer.headers["Location"]) == (301, f"{SITE}/rules/?a=b")
    with site.beside(TRUSTED_PROXIES="192.0.2.1") as other, Visitor(other) as visitor:
        answer = visitor.get("/rules/")
        assert (answer.status_code, answer.headers["Location"]) == (301, f"{SITE}/rules/")


def raw(site: Server, request: str) -> str:
    """The server's whole answer to these lines."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=60) as line:
        line.sendall(request.replace("\n", "\r\n").encode("latin-1"))
        said = b""
        while part := line.recv(65_536):
            said += part
    return said.decode("latin-1")


@pytest.mark.parametrize(
    "target", ["http://evil.example/", "//evil.example/", "/%2fevil.example/..", "/\\evil.example"]
)
def test_an_odd_target_leads_nowhere(site: Server, target: str) -> None:
    said = raw(
        site, f"GET {target} HTTP/1.1\nHost: robots.example\nX-Forwarded-Proto: https\nConnection: close\n\n"
    )
    head = said.partition("\r\n\r\n")[0]
    assert " 200 " not in head.splitlines()[0]
    assert not re.search(r'(?:href|action|src|Location: )"?(?:https?:)?//evil', said)


PACKS = {"Accept-Encoding": "gzip, br, deflate, zstd"}


def test_no_answer_of_the_api_is_compressed(site: Server) -> None:
    """The length of an answer tells nothing of its secrets."""
    with Visitor(site, **PACKS) as visitor:
        made = visitor.post("/api/v1/matches", json={"game": "pigs", "name": "Ann", "seats": 2})
        key, token = made.json()["match"], made.json()["token"]
        own = {"Authorization": f"Bearer {token}"}
        answers = [
            made,
            visitor.get(f"/api/v1/matches/{key}"),
            visitor.get(f"/api/v1/matches/{key}", headers=own),
            visitor.get(f"/api/v1/matches/{key}?legal=1", headers=own),
            visitor.get(f"/api/v1/matches/{key}/record", headers=own),
            visitor.get("/api/v1/games"),
            visitor.get("/api/v1/matches/nothing"),
            visitor.put(f"/api/v1/matches/{key}/order", headers=own, json={"turn": 0, "order": "F" * 300}),
        ]
        with visitor.stream("GET", f"/api/v1/matches/{key}/events") as stream:
            answers.append(stream)
        for answer in answers:
            assert "Content-Encoding" not in answer.headers, answer.url
        page = visitor.get(f"/m/{key}/")
        assert page.headers["Content-Encoding"] == "gzip", "and pages are"


@pytest.mark.parametrize("packs", [{}, PACKS], ids=["plain", "compressed"])
def test_what_is_promised_of_answers_is_served(site: Server, packs: dict[str, str]) -> None:
    with Visitor(site, **packs) as visitor:
        made = visitor.post("/api/v1/matches", json={"game": "pigs", "name": "Ann", "seats": 2}).json()
        invite, seat, match = (urlsplit(made[name]).path for name in ("join_url", "seat_url", "url"))
        for path in (invite, seat):
            answer = visitor.get(path)
            assert "no-store" in answer.headers["Cache-Control"], path
            if path.startswith("/s/"):
                assert answer.headers["Referrer-Policy"] == "strict-origin"
                assert "noindex" in answer.text
        for path in (match, "/", "/rules/pigs/", "/mine/"):
            answer = visitor.get(path)
            assert {"Accept-Encoding", "Accept-Language", "Cookie"} <= set(
                answer.headers["Vary"].split(", ")
            ), path
            assert "public" not in answer.headers.get("Cache-Control", "")
        told = visitor.get(f"/api/v1/matches/{made['match']}")
        assert "Authorization" in told.headers["Vary"]
        assert told.headers["Cache-Control"] == "private, no-cache"
        for answer in (told, visitor.get("/nothing/"), visitor.get(match)):
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Strict-Transport-Security"]


def test_monitoring_asks_the_process_itself(site: Server) -> None:
    """As Prometheus does: by the address of the machine, without a proxy."""
    with httpx.Client(base_url=site.url, timeout=60, verify=False) as near:
        assert near.get("/healthz").text == "ok\n"
        assert near.get("/readyz").text.startswith("ready\n")
        shown = near.get("/metrics")
        assert shown.status_code == 200 and "robosite_version" in shown.text
        assert near.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 404
        assert near.get("/rules/").status_code == 301
        assert near.get("/rules/", headers={"X-Forwarded-Proto": "https"}).status_code == 400


@pytest.mark.parametrize(
    "path", ["/s/invite/LINK/", "/s/seat/LINK/", "/s/none/LINK/", "/s//seat/LINK/", "/S/x"]
)
def test_pages_whose_address_is_a_secret_send_it_to_nobody(table: Table, path: str) -> None:
    for secret in (table.invite, "no-such-link"):
        answer = Client().get(path.replace("LINK", quote(secret)))
        assert answer["Referrer-Policy"] == NO_PATH == "strict-origin"
    assert Client().get("/")["Referrer-Policy"] == "same-origin"


def test_the_page_of_a_league_that_shows_its_links_is_kept_nowhere(alice: Browser) -> None:
    league, _invite = make(alice)
    page = league.get_absolute_url()
    for answer in (alice.get(page), alice.post(f"{page}start/"), alice.get(f"{page}record/")):
        assert re.search("/s/(place|organiser|league)/", text(answer))
        assert "no-store" in answer["Cache-Control"]


def test_so_do_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    for status, answer in (
        (404, client.get("/nothing/")),
        (404, client.get("/m/aaaaaaaaaaaa/")),
        (405, client.post("/")),
        (302, client.get("/admin/")),
        (200, client.get("/admin/login/")),
        (400, client.get("/", headers={"Host": "evil.example"})),
        (403, Client(enforce_csrf_checks=True).post("/matches/")),
    ):
        assert answer.status_code == status
        keeps_the_promises(answer, answer.request["PATH_INFO"])
    monkeypatch.setattr("robosite.play.decorators.match_of", lambda key: 1 / 0)
    answer = client.get("/m/aaaaaaaaaaaa/")
    assert answer.status_code == 500 and "Something went wrong" in text(answer)
    keeps_the_promises(answer, "/m/aaaaaaaaaaaa/")


def test_with_the_pages_token_the_form_is_taken() -> None:
    strict = Browser("Alice", enforce_csrf_checks=True)
    token = re.findall(r'"X-CSRFToken": "(\w+)"', text(strict.get("/")))[0]
    given = {"game": "pigs", "seats": 2, "name": "Alice"}
    assert strict.post("/matches/", given).status_code == 403
    assert strict.post("/matches/", given | {"csrfmiddlewaretoken": token}).status_code == 302
    assert strict.post("/matches/", given, headers={"X-CSRFToken": token}).status_code == 302
    for origin in ("null", "http://evil.example"):
        answer = strict.post("/matches/", given | {"csrfmiddlewaretoken": token}, headers={"Origin": origin})
        assert answer.status_code == 403


def test_a_form_from_another_address_says_where_the_site_is(settings: Any) -> None:
    settings.PUBLIC_URL = "https://robots.example.org"
    strict = Browser("", enforce_csrf_checks=True)
    page = strict.post("/matches/", headers={"Origin": "http://10.0.0.7:8000/<b>"}).content.decode()
    assert (
        "from http://10.0.0.7:8000/&lt;b&gt;, but this site’s address is https://robots.example.org." in page
    )
    assert 'href="https://robots.example.org/"' in page
    for origin in ("null", settings.PUBLIC_URL):
        page = text(strict.post("/matches/", headers={"Origin": origin}))
        assert "open too long" in page and "robots.example.org" not in page


def test_a_page_renews_the_cookie_of_forms_and_a_part_of_it_does_not(table: Table) -> None:
    strict = Browser("", enforce_csrf_checks=True)
    strict.cookies = table.alice.cookies
    path, htmx = table.a.get_absolute_url(), {"HX-Request": "true"}
    strict.cookies.pop("csrftoken", None)
    assert "csrftoken" in strict.get(path, headers=htmx).cookies, "the first one is always sent"
    assert "csrftoken" in strict.get(path).cookies
    part = strict.get(path, headers=htmx)
    assert "csrftoken" not in part.cookies
    token = re.findall(r'csrfmiddlewaretoken" value="(\w+)"', text(part))[0]
    given = {"turn": 0, "choose": "F"}
    assert strict.post(f"{path}plan/", given, headers=htmx).status_code == 403
    answer = strict.post(f"{path}plan/", given | {"csrfmiddlewaretoken": token}, headers=htmx)
    assert answer.status_code == 200 and "csrftoken" not in answer.cookies


def test_pages_with_links_are_stored_nowhere_and_others_ask_again(table: Table) -> None:
    link, page = table.alice.own_links(table.a)["seat"], table.a.get_absolute_url()
    for path in (page, f"/s/seat/{link}/"):
        assert "no-store" in table.alice.get(path)["Cache-Control"], path
    for path in (f"{page}more/", f"/s/invite/{table.invite}/"):
        answer = table.alice.get(path)
        assert LINK.search(text(answer)) and "no-store" in answer["Cache-Control"]
    for path in (f"/m/{table.key}/", f"/m/{table.key}/record/", f"/m/{table.key}/version/", "/mine/"):
        assert set(table.alice.get(path)["Cache-Control"].split(", ")) == {"private", "no-cache"}, path
    assert "private" in table.charlie.get(page)["Cache-Control"]
    for path in (f"/m/{table.key}/?public", page, "/mine/", f"/s/seat/{link}/"):
        assert '<meta name="robots" content="noindex">' in text(table.alice.get(path)), path


def test_readyz_wants_the_database_and_its_tables_and_healthz_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").content == b"ok\n"
    assert client.get("/readyz").content == b"ready\n"
    monkeypatch.setattr("robosite.web.views._migrations", lambda: frozenset({("matches", "9999_next")}))
    assert client.get("/readyz").status_code == 503

    def gone(*args: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("robosite.web.views.MigrationRecorder.applied_migrations", gone)
    answer = client.get("/readyz")
    assert answer.status_code == 503 and answer["Retry-After"]
    assert answer.content == b"the database does not answer\n"


def test_the_log_has_the_reason_of_readyz_once_when_it_turns(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "last_logged", health.LastLogged())
    wrong = {"needed": "", "watched": ""}
    monkeypatch.setattr(health, "needed", [lambda: wrong["needed"]])
    monkeypatch.setattr(health, "watched", [lambda: wrong["watched"]])

    def said(**now: str) -> list[str]:
        wrong.update(now)
        caplog.clear()
        for _ in range(3):
            client.get("/readyz")
        return [one.getMessage() for one in caplog.records if one.name == "robosite"]

    assert said() == []
    assert said(needed="A key is missing.") == ["/readyz answers 503: A key is missing."]
    assert said(needed="Another is missing.") == ["/readyz answers 503: Another is missing."]
    assert said(needed="") == ["/readyz answers 200 again"]
    assert said(watched="nothing heard of the bots for 180 s") == [
        "/readyz warns: nothing heard of the bots for 180 s"
    ]
    assert said(watched="nothing heard of the bots for 190 s") == []
    assert said(watched="") == ["/readyz warns: of nothing any more"]


def test_a_full_disk_is_a_503_too(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any, **more: Any) -> None:
        raise OperationalError("database or disk is full")

    replace_in_flow(monkeypatch, "write", full)
    answer = table.alice.seal(table.a, FIRST)
    assert answer.status_code == 503 and answer["Retry-After"] and "Nothing is lost" in text(answer)
    assert flow.owing(table.match) == ["A", "B"]
