"""Promises of every answer: headers, cookies, forms, and pages of errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import OperationalError
from django.test import Client

from robosite.matches import flow
from robosite.web import health
from tests.servers import ROOT, Server
from tests.site.browsers import FIRST, Browser, Table, text
from tests.site.promises import keeps_the_promises
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
    link = table.alice.own_links(table.a)["seat"]
    for path in (table.a.get_absolute_url(), f"/s/seat/{link}/", f"/s/invite/{table.invite}/"):
        assert "no-store" in table.alice.get(path)["Cache-Control"], path
    for path in (f"/m/{table.key}/", f"/m/{table.key}/record/", f"/m/{table.key}/version/", "/mine/"):
        assert set(table.alice.get(path)["Cache-Control"].split(", ")) == {"private", "no-cache"}, path
    assert "private" in table.charlie.get(table.a.get_absolute_url())["Cache-Control"]
    for path in (f"/m/{table.key}/?public", table.a.get_absolute_url(), "/mine/", f"/s/seat/{link}/"):
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


KEYS = {
    "SECRET_KEY": "k" * 25 + "abcdefghijklmnopqrstuvwxyz0123456789",
    "SEAL_KEYS": "s" * 25 + "zyxwvutsrqponmlkjihgfedcba",
    "ALLOWED_HOSTS": "robots.example,www.robots.example",
    "PUBLIC_URL": "https://robots.example",
}
SEEN = """
import django; django.setup()
from django.test import Client
client = Client(headers={"host": "robots.example"})
plain = client.get("/")
assert (plain.status_code, plain["Location"]) == (301, "https://robots.example/"), plain
assert "frame-ancestors 'none'" in plain["Content-Security-Policy"]
assert client.get("/healthz").status_code == 200
safe = Client(headers={"host": "robots.example"}).post(
    "/matches/", {"game": "pigs", "seats": 2, "name": "Alice"}, secure=True)
assert safe.status_code == 302, safe.status_code
client = Client(headers={"host": "robots.example"})
page = client.get("/", secure=True)
assert int(page["Strict-Transport-Security"].split(";")[0].partition("=")[2]) >= 31536000
cookies = [*safe.cookies.values(), *page.cookies.values()]
kept = {"session", "csrf", "links", "chosen", "styles"}
assert {cookie.key for cookie in cookies} == {f"__Host-{name}" for name in kept}, cookies
for cookie in cookies:
    assert cookie["secure"] and cookie["httponly"] and cookie["samesite"] == "Lax", cookie
    assert cookie["path"] == "/" and not cookie["domain"], cookie
assert client.get("/", headers={"host": "evil.example"}, secure=True).status_code == 400
print("seen")
"""


def in_production(data: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {
        k: v
        for k, v in os.environ.items()
        if k not in (*KEYS, "DEBUG", "LIMITS", "DATABASE_URL", "REDIS_URL")
    }
    return subprocess.run(
        [sys.executable, *args],
        cwd=ROOT,
        env={
            **kept,
            "PRODUCTION": "1",
            "DATA_DIR": str(data),
            "DJANGO_SETTINGS_MODULE": "robosite.settings",
            **env,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.integration
@pytest.mark.parametrize("missing", KEYS)
def test_production_does_not_start_without_its_keys_and_names(tmp_path: Path, missing: str) -> None:
    given = {name: value for name, value in KEYS.items() if name != missing}
    done = in_production(tmp_path, "manage.py", "check", **given)
    assert done.returncode != 0 and missing in done.stderr
    assert not list(tmp_path.iterdir())  # and makes no key of its own


@pytest.mark.parametrize("more", [{"DEBUG": "1"}, {"LIMITS": "off"}])
def test_production_does_not_start_with_what_is_for_tests(tmp_path: Path, more: dict[str, str]) -> None:
    done = in_production(tmp_path, "manage.py", "check", **KEYS, **more)
    assert done.returncode != 0 and next(iter(more)) in done.stderr


@pytest.mark.integration
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"SECRET_KEY": "abc"}, "SECRET_KEY: the newest key has fewer than 32 characters"),
        ({"SEAL_KEYS": "abc"}, "SEAL_KEYS: the newest key has fewer than 32 characters"),
        ({"SEAL_KEYS": KEYS["SECRET_KEY"]}, "SEAL_KEYS is the same as SECRET_KEY"),
        ({"TRUSTED_PROXIES": "127.0.0.1,rubbish"}, "TRUSTED_PROXIES: “rubbish” is neither"),
        ({"METRICS_FOR": "rubbish"}, "METRICS_FOR: “rubbish” is neither"),
        ({"REACHABLE_NETWORKS": "192.168.1.0/99"}, "REACHABLE_NETWORKS: “192.168.1.0/99” is neither"),
        ({"VAPID_KEY": "rubbish"}, "VAPID_KEY is 32 bytes in base64url"),
        ({"HOLIDAY_DAYS": "many"}, "HOLIDAY_DAYS"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(
    tmp_path: Path, wrong: dict[str, str], says: str
) -> None:
    done = in_production(tmp_path, "manage.py", "check", **{**KEYS, **wrong})
    assert done.returncode != 0 and says in done.stderr
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


@pytest.mark.integration
def test_an_empty_setting_is_one_that_is_not_there(tmp_path: Path) -> None:
    """The settings that `.env.example` names, but for what production needs."""
    names = re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    empty = {name: "" for name in names if name not in (*KEYS, "PRODUCTION", "DATA_DIR")}
    assert len(empty) > 25
    done = in_production(tmp_path, "manage.py", "check", **KEYS, **empty)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "hsts", [*[pytest.param(one, marks=pytest.mark.more) for one in ("", "subdomains")], "preload"]
)
def test_djangos_own_check_finds_nothing(tmp_path: Path, hsts: str) -> None:
    check = ("manage.py", "check", "--deploy", "--fail-level", "INFO")
    done = in_production(tmp_path, *check, **KEYS, HSTS=hsts)
    assert done.returncode == 0, done.stderr


@pytest.mark.integration
def test_in_production_cookies_are_for_https_and_this_host_only(tmp_path: Path) -> None:
    Server(tmp_path).fill()
    done = in_production(tmp_path, "-c", SEEN, **KEYS)
    assert (done.returncode, done.stdout.strip()) == (0, "seen"), done.stderr


def test_the_keys_that_the_site_makes_are_for_its_owner_only(tmp_path: Path) -> None:
    env = {"DATA_DIR": str(tmp_path / "new"), "DJANGO_SETTINGS_MODULE": "robosite.settings"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", "import robosite.settings as s; print(s.SECRET_KEY, *s.SEAL_KEYS)"],
            cwd=ROOT,
            env={**{k: v for k, v in os.environ.items() if k not in KEYS}, **env},
            capture_output=True,
            text=True,
            check=True,
        )
        env.setdefault("made", done.stdout)
        assert done.stdout == env["made"]
    kept = {path.name: path for path in (tmp_path / "new").iterdir()}
    assert kept.keys() == {"secret_key", "seal_keys", "vapid_key"}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept.values())
    assert len({path.read_text() for path in kept.values()}) == 3


def test_healthz_asks_the_database_nothing(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"  # without the db fixture a query would fail


def test_readyz_wants_the_database_and_its_tables(
    client: Client, db: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.more
def test_a_locked_database_is_a_503_that_says_when_to_come_back_and_nothing_is_lost(tmp_path: Path) -> None:
    import sqlite3

    with (
        Server(tmp_path) as server,
        httpx.Client(base_url=server.url, timeout=60, trust_env=False, verify=False) as client,
    ):
        given = {"game": "pigs", "seats": "2", "name": "Alice"}

        def make() -> httpx.Response:
            client.get("/")
            page = client.get("/").text
            token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
            return client.post("/matches/", data=given | {"csrfmiddlewaretoken": token})

        assert make().status_code == 302
        lock = sqlite3.connect(tmp_path / "robosite.sqlite3", isolation_level=None)
        try:
            lock.execute("BEGIN IMMEDIATE")
            refused = make()
            assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0
            assert "Nothing is lost" in refused.text
            keeps_the_promises(refused)
            assert client.get("/mine/").status_code == 200  # reading goes on
            assert client.get("/readyz").status_code == 200
            lock.execute("COMMIT")
            assert make().status_code == 302
            assert lock.execute("SELECT count(*) FROM matches_match").fetchone() == (2,)
        finally:
            lock.close()


def test_a_full_disk_is_a_503_too(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any, **more: Any) -> None:
        raise OperationalError("database or disk is full")

    replace_in_flow(monkeypatch, "write", full)
    answer = table.alice.seal(table.a, FIRST)
    assert answer.status_code == 503 and answer["Retry-After"]
    assert flow.owing(table.match) == ["A", "B"]
