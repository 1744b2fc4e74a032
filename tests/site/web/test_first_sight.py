"""What is seen first, fetched early, told to robots."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

import httpx
import pytest
from django.urls import reverse

from robosite.matches.models import Hold
from robosite.play.decorators import TOO_EARLY
from robosite.web.views import FETCHED_EARLY
from tests.servers import Server
from tests.site.browsers import SHOTS, Browser, Table
from tests.site.play.test_hot_seat import at, device, share, take
from tests.site.promises import STRICT
from tests.site.web.test_served import KEYS, NAMES, OUTSIDE, THROUGH_PROXY

__all__ = ["device"]


FILES = re.compile(r'<(?P<kind>style|script) data-file="(?P<url>[^"]+)">(?P<text>.*?)</(?P=kind)>', re.DOTALL)
LINKS = re.compile(r'<link rel="stylesheet"|<script src="[^"]*theme')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """In production, where style sheets have been collected."""
    with Server(tmp_path_factory.mktemp("first"), **OUTSIDE, **KEYS, ALLOWED_HOSTS=NAMES) as running:
        yield running


@pytest.fixture
def browser(site: Server) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=site.url, headers=THROUGH_PROXY, timeout=60, trust_env=False, verify=False
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


@pytest.mark.parametrize("coding", ["identity", "gzip", "br"])
def test_a_first_page_comes_whole_whatever_its_reader_unpacks(browser: httpx.Client, coding: str) -> None:
    browser.headers["Accept-Encoding"] = coding
    for path in ("/", "/rules/pigs/", "/privacy/"):
        assert browser.get(path).text.endswith("</html>"), path
        browser.cookies.clear()


def test_files_that_a_style_sheet_names_are_found_from_any_page(browser: httpx.Client) -> None:
    named = re.findall(r"""url\("?([^")]+)""", head(browser.get("/rules/pigs/")))
    fonts = [one for one in named if not one.startswith("data:")]
    assert fonts and all(browser.get(one).status_code == 200 for one in fonts)


def test_the_next_page_leads_to_the_files(browser: httpx.Client) -> None:
    first = browser.get("/")
    (cookie,) = [one for one in first.headers.get_list("Set-Cookie") if "styles=" in one]
    assert cookie.startswith("__Host-styles=") and "HttpOnly" in cookie and "Secure" in cookie
    page = browser.get("/", headers={"Cookie": cookie.partition(";")[0]})
    assert LINKS.search(head(page)) and not FILES.search(page.text)
    assert policy(page) == STRICT
    older = browser.get("/", headers={"Cookie": "__Host-styles=000000000000"})
    assert FILES.search(older.text)


@pytest.mark.parametrize("path", ["/nothing/", "/api/v1/", "/admin/login/", "/early.json"])
def test_nothing_else_has_them(browser: httpx.Client, path: str) -> None:
    answer = browser.get(path)
    assert not FILES.search(answer.text)
    assert "styles=" not in answer.headers.get("Set-Cookie", "")


def test_a_part_of_a_page_has_none(browser: httpx.Client) -> None:
    assert not FILES.search(browser.get("/mine/", headers={"HX-Request": "true"}).text)


EARLY = {"Sec-Purpose": "prefetch"}


def test_pages_lead_to_the_rules_and_parts_of_them_do_not(client: Any, db: Any, table: Table) -> None:
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


def test_they_name_pages_alone_that_only_show() -> None:
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
    path = at(match, "A").get_absolute_url()
    take(device, at(match, "A"))
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
    f"/m/{KEY}/1.svg",
    f"/m/{KEY}/comic.gif",
    f"/m/{KEY}/record/",
]


@pytest.mark.integration
def test_previews_feeds_and_calendars_may_be_fetched_and_are_not_indexed(tmp_path: Path) -> None:
    with (
        Server(tmp_path, LIMITS="on") as server,
        httpx.Client(base_url=server.url, timeout=60, verify=False) as client,
    ):
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
