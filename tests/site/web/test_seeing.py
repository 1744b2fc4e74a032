"""Figures, logs and the security contact, for whoever hosts the site; nothing in them is secret."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from robosite import __version__
from robosite.matches import gauges
from robosite.web import metrics
from robosite.web.logs import AsJson, NoSecrets, request_id
from tests.faults.programs import FIRST, Site
from tests.servers import ROOT, Server
from tests.site.browsers import Browser, Table

# Figures


def figures(answer: Any) -> dict[str, float]:
    """Each figure by its name and labels; every line is checked for Prometheus' text format."""
    lines = answer.content.decode().splitlines()
    named = {line.split()[2] for line in lines if line.startswith("# TYPE ")}
    found = {}
    for line in lines:
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))", line), line
            continue
        name, labels, value = re.fullmatch(r'([a-z_]+)(\{(?:[a-z]+="[^"\n]*",?)+\})? (\S+)', line).groups()
        assert re.sub(r"_(bucket|sum|count)$", "", name) in named or name in named
        found[name + (labels or "")] = float(value)
    return found


def test_figures_are_for_who_may_see_them_only(alice: Browser, settings: Any) -> None:
    assert alice.get("/metrics").status_code == 404
    settings.METRICS_FOR = ["127.0.0.0/8", "::1"]
    assert alice.get("/metrics").status_code == 200
    assert alice.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404
    assert alice.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 404
    settings.METRICS_FOR, settings.METRICS_TOKEN = [], "a long token"
    assert alice.get("/metrics").status_code == 404
    for wrong in ("Bearer ", "Bearer another", "a long toke"):
        assert alice.get("/metrics", headers={"Authorization": wrong}).status_code == 404
    answer = alice.get("/metrics", headers={"Authorization": "Bearer a long token"})
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"


def test_figures_count_what_happens(
    table: Table, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    before = figures(table.alice.get("/metrics"))
    with django_capture_on_commit_callbacks(execute=True):
        assert table.alice.seal(table.a, FIRST).status_code == 302
    after = figures(table.alice.get("/metrics"))
    assert after["robosite_seals_total"] == before["robosite_seals_total"] + 1
    sent = 'robosite_pushes_total{result="sent"}'
    assert after[sent] > before.get(sent, 0)
    assert after['robosite_matches{status="playing"}'] == 1
    redirects, took = 'robosite_answers_total{status="3xx"}', 'robosite_answer_seconds_count{kind="m"}'
    assert after[redirects] == before.get(redirects, 0) + 1
    assert after[took] == before.get(took, 0) + 1
    assert after['robosite_answer_seconds_bucket{kind="m",le="+Inf"}'] == after[took]
    assert after['robosite_answer_seconds_bucket{kind="m",le="0.005"}'] <= after[took]


def test_matches_whose_count_takes_long_are_not_counted_at_every_look(
    table: Table, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    counts = gauges.MatchCounts()
    with django_assert_num_queries(2):
        assert counts()["playing"] == counts()["playing"] == 1
    monkeypatch.setattr(gauges, "QUICK_COUNT_SECONDS", 0)
    monkeypatch.setattr(gauges, "PAUSE_FACTOR", 10**6)
    with django_assert_num_queries(1):
        assert counts()["playing"] == counts()["playing"] == 1


def test_figures_tell_nothing_of_anybody(table: Table, settings: Any) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    table.alice.seal(table.a, FIRST)
    shown = table.alice.get("/metrics").content.decode()
    for secret in (table.key, FIRST, "Alice", table.invite):
        assert secret not in shown


def test_a_figure_of_another_part_that_fails_hides_no_other(alice: Browser, settings: Any) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    added = [
        metrics.gauge("robosite_test_waiting", "Notices that wait.", lambda: {"": 7}),
        metrics.gauge("robosite_test_broken", "Broken.", lambda: {"": 1 / 0}),
    ]
    try:
        found = figures(alice.get("/metrics"))
    finally:
        for one in added:
            metrics.registry.unregister(one)
    assert found["robosite_test_waiting"] == 7 and "robosite_test_broken" not in found
    assert 'robosite_matches{status="open"}' in found


def test_a_line_of_the_log_is_json_without_secrets() -> None:
    secret = "/s/seat/0123456789abcdef/"
    record = logging.makeLogRecord(
        {"msg": "asked for %s\nand more", "args": (secret,), "name": "robosite", "levelname": "WARNING"}
    )
    try:
        raise ValueError(f"nothing at {secret}")
    except ValueError as fault:
        record.exc_info = (ValueError, fault, fault.__traceback__)
    NoSecrets().filter(record)
    token = request_id.set("abc")
    try:
        (line,) = AsJson().format(record).splitlines()
    finally:
        request_id.reset(token)
    told = json.loads(line)
    assert (told["level"], told["logger"], told["request"]) == ("WARNING", "robosite", "abc")
    assert told["message"] == "asked for /s/…"
    assert "0123456789abcdef" not in line and "ValueError" in told["trace"]


@pytest.mark.integration
def test_a_server_logs_json_with_the_number_of_each_request(tmp_path: Path) -> None:
    with Server(tmp_path, LOG_FORMAT="json") as server:
        with Site(server.url) as site:
            match = site.make()
            site.seal(match, "A", FIRST)
        for path in (f"/s/seat/{match.tokens['A']}/", "/s/invite/nothing-but-a-secret/", "/nothing"):
            httpx.get(f"{server.url}{path}", trust_env=False, verify=False, timeout=60)
    lines = [json.loads(line) for line in server.logged().splitlines()]  # every one, the greeting too
    assert lines[0]["message"] == f"Robosite is at {server.url}/"
    asked = [line for line in lines if line["logger"] == "robosite.requests"]
    assert len({line["request"] for line in asked}) == len(asked) > 5
    assert any(re.fullmatch(r"PUT /api/v1/matches/\w+/order 200 \d+ ms", line["message"]) for line in asked)
    assert any(line["message"].startswith("GET /s/… 200") for line in asked)
    for secret in (*match.tokens.values(), "nothing-but-a-secret", FIRST):
        assert secret not in server.logged()


@pytest.mark.integration
@pytest.mark.parametrize("process", ["clock", "bots"])
def test_clock_and_bots_log_first_that_they_run(tmp_path: Path, process: str) -> None:
    server = Server(tmp_path, LOG_FORMAT="json")
    server.fill()
    running = subprocess.Popen(
        [sys.executable, "manage.py", process],
        cwd=ROOT,
        env=server.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert running.stdout
    try:
        first = json.loads(running.stdout.readline())
    finally:
        running.kill()
        running.communicate()
    assert first["level"] == "INFO" and first["message"] == (
        f"Robosite {__version__} runs: {'clock and notices' if process == 'clock' else 'bots'}, "
        f"process {running.pid}, with SQLite and no Redis."
    )


def test_an_answer_that_failed_has_the_number_that_the_log_has(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    from robosite.play import views

    def busy(*_: Any, **__: Any) -> None:
        raise OperationalError("locked")

    monkeypatch.setattr(views, "respond", busy)
    answer = table.charlie.get(f"/m/{table.key}/")
    assert answer.status_code == 503 and re.fullmatch("[0-9a-f]{16}", answer["X-Request-ID"])
    assert "X-Request-ID" not in table.charlie.get("/")


def test_security_txt_says_whom_to_tell_if_the_host_has_said_it(
    alice: Browser, settings: Any, time: Any
) -> None:
    at = "/.well-known/security.txt"
    assert alice.get(at).status_code == 404
    settings.SECURITY_CONTACT, settings.PUBLIC_URL = "mailto:host@example.org", "https://robots.example.org"
    answer = alice.get(at)
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    told = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert told["Contact"] == "mailto:host@example.org"
    assert told["Canonical"] == f"https://robots.example.org{at}"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT00:00:00Z", told["Expires"])


def test_a_database_that_is_busy_outside_of_a_view_is_no_fault(
    alice: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a session is to be kept: the middleware does that, after the view."""
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import OperationalError

    def locked(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    alice.raise_request_exception = False
    monkeypatch.setattr(SessionStore, "save", locked)
    answer = alice.post("/matches/", {"game": "pigs", "seats": 2, "name": "Alice"})
    assert (
        answer.status_code == 503 and answer["Retry-After"] and "Nothing is lost" in answer.content.decode()
    )
