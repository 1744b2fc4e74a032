"""Addresses, `next` and texts with odd values in them: refused or passed over, and never a fault."""

from __future__ import annotations

from typing import Any

import pytest

from robosite.moderation import measures
from robosite.web.url_input import split_url
from tests.site.browsers import Browser, Table
from tests.site.garbage import ADDRESSES, quoted
from tests.site.notices.test_notices import guest

pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "address", ["http://[", "http://[::1", "http://x:y/", "//[", "http://x:99999/", "\0"]
)
def test_what_is_no_address_has_no_parts(address: str) -> None:
    parts = split_url(address)
    assert not parts.netloc and parts.port is None


def test_oembed_of_what_is_no_address_is_not_found(alice: Browser) -> None:
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
    for to, lands in (("1", "/mine/"), ("//evil.example/", "/mine/"), ("/rules/pigs/", "/rules/pigs/")):
        answer = table.alice.post(made.get_absolute_url(), {"read": "1", "next": to})
        assert (answer.status_code, answer["Location"]) == (302, lands)


@pytest.mark.parametrize(
    "path",
    [
        "/?x=%00",
        "/me/?said=%00",
        "/admin/matches/match/?q=%00",
        "/new/pigs/?seats=%00",
        "/rules/%00/",
        "/?%00=1",
    ],
)
def test_nul_in_an_address_is_no_text(alice: Browser, path: str) -> None:
    assert alice.get(path).status_code == 400


def test_nul_in_a_form_is_no_text(table: Table) -> None:
    for given in ({"name": "A\0da"}, {"n\0ame": "Ada"}):
        assert table.alice.post("/me/name/", given).status_code == 400
    assert table.alice.post("/me/name/", {"name": "Ada"}).status_code == 302


@pytest.mark.parametrize(
    "path", ["programs?game=%00", "programs?after=%00", "matches?open=1&game=%00", "matches?open=1&after=%00"]
)
def test_nul_in_an_address_of_the_api_is_a_problem(alice: Browser, path: str) -> None:
    answer = alice.get(f"/api/v1/{path}")
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
