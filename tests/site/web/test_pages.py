"""Promises of every answer: headers, cookies, forms, and pages of errors."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from robosite.matches import flow
from robosite.web import health
from tests.site.browsers import FIRST, Browser, Table, text
from tests.site.promises import LINK, keeps_the_promises
from tests.site.replaced import replace_in_flow


def test_so_do_errors(db: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_with_the_pages_token_the_form_is_taken(alice: Browser) -> None:
    strict = Browser("Alice", enforce_csrf_checks=True)
    token = re.findall(r'"X-CSRFToken": "(\w+)"', text(strict.get("/")))[0]
    given = {"game": "pigs", "seats": 2, "name": "Alice"}
    assert strict.post("/matches/", given).status_code == 403
    assert strict.post("/matches/", given | {"csrfmiddlewaretoken": token}).status_code == 302
    assert strict.post("/matches/", given, headers={"X-CSRFToken": token}).status_code == 302
    for origin in ("null", "http://evil.example"):
        answer = strict.post("/matches/", given | {"csrfmiddlewaretoken": token}, headers={"Origin": origin})
        assert answer.status_code == 403


def test_a_form_from_another_address_says_where_the_site_is(db: Any, settings: Any) -> None:
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


def test_cookies_are_hidden_from_scripts_and_other_sites(alice: Browser) -> None:
    alice.get("/")
    alice.make_by_page()
    assert alice.cookies.keys() == {"sessionid", "csrftoken", "links", "chosen"}
    for cookie in alice.cookies.values():
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        assert cookie["path"] == "/"
        assert not cookie["domain"]


def test_readyz_wants_the_database_and_its_tables(
    client: Client, db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    client: Client, db: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
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
    keeps_the_promises(answer)
    assert flow.owing(table.match) == ["A", "B"]
