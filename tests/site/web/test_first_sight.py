"""The first page of a browser has its styles in it, under a policy that allows these very texts."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.servers import Server
from tests.site.promises import STRICT
from tests.site.web.test_served import KEYS, NAMES, OUTSIDE, THROUGH_PROXY

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
