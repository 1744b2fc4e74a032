"""Heartbeats of the parts beside requests, and the check of the keys at the start."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from robosite.matches import flow, key_check
from robosite.matches.site_models import KeyCheck, ProcessHeartbeat
from robosite.matches.time import process_heartbeats
from tests.receivers import until
from tests.servers import DATABASE, Server, manage
from tests.site.browsers import FIRST, Table
from tests.site.web.test_seeing import figures

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_beat_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_heartbeats, "_last", {})


def alive(part: str) -> tuple[int, str]:
    """The status with which the command ends, and what it says."""
    out = StringIO()
    try:
        call_command("alive", part, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def test_a_part_that_falls_silent_is_told_and_takes_nobody_from_those_who_can_play() -> None:
    for part in process_heartbeats.PARTS:
        process_heartbeats.beat(part)
        assert alive(part) == (0, f"Alive: {part}.\n")
    assert Client().get("/readyz").content == b"ready\n"
    ProcessHeartbeat.objects.filter(part="bots").update(at=timezone.now() - timedelta(minutes=3))
    answer = Client().get("/readyz")
    assert answer.status_code == 200 and b"nothing heard of the bots for 180 s" in answer.content
    assert alive("bots")[0] == 1 and alive("clock")[0] == 0


def test_a_part_that_never_ran_is_not_alive_and_no_warning() -> None:
    assert alive("clock") == (1, "Nothing heard of the clock.\n")
    assert Client().get("/readyz").content == b"ready\n"


def test_a_part_writes_its_row_now_and_then(django_assert_num_queries: Any) -> None:
    process_heartbeats.beat("clock")
    with django_assert_num_queries(0):
        process_heartbeats.beat("clock")


def test_figures_tell_ages_version_and_keys(settings: Any) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    process_heartbeats.beat("clock")
    shown = figures(Client().get("/metrics"))
    assert 0 <= shown['robosite_part_age_seconds{part="clock"}'] < 60
    assert shown[f'robosite_seal_key{{fingerprint="{key_check.fingerprint()}"}}'] == 1
    assert shown["robosite_keys_fit"] == 1 and shown["robosite_oldest_due_notice_seconds"] == 0
    assert any(name.startswith("robosite_version{") for name in shown)


def test_wrong_keys_are_told_by_readyz_verify_and_figures(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    assert key_check.fits() and KeyCheck.objects.count() == 2  # of earlier releases, and by fingerprint
    kept, settings.SEAL_KEYS = settings.SEAL_KEYS, ["a key of another site, long enough to be one"]
    answer = Client().get("/readyz")
    assert answer.status_code == 503 and b"SEAL_KEYS" in answer.content
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify", stdout=out)
    assert key_check.WRONG in out.getvalue() and "1 secrets that no key opens" in out.getvalue()
    settings.SEAL_KEYS = [*settings.SEAL_KEYS, *kept]  # a new key in front of the right one
    assert Client().get("/readyz").status_code == 200
    call_command("rotate_keys", stdout=out)
    settings.SEAL_KEYS = settings.SEAL_KEYS[:1]
    assert Client().get("/readyz").status_code == 200
    call_command("verify", stdout=out)


def test_keys_that_are_lost_for_good_fit_once_that_was_said(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    assert key_check.fits()
    settings.SEAL_KEYS = ["a key of another site, long enough to be one"]
    assert not key_check.fits()
    call_command("rotate_keys", "--give-up-lost", stdout=StringIO())
    assert key_check.fits()


def test_wrong_keys_at_the_first_start_of_this_version_are_noted_as_wrong(
    table: Table, settings: Any
) -> None:
    flow.seal(table.a, 0, FIRST)
    KeyCheck.objects.all().delete()
    kept, settings.SEAL_KEYS = settings.SEAL_KEYS, ["a key of another site, long enough to be one"]
    assert not key_check.fits() and not KeyCheck.objects.exists()
    settings.SEAL_KEYS = kept
    assert key_check.fits() and KeyCheck.objects.exists()


@pytest.mark.integration
@pytest.mark.django_db(transaction=True)
def test_a_server_with_clock_and_bots_writes_their_heartbeats(server: Server) -> None:
    with closing(sqlite3.connect(server.data / DATABASE, timeout=60)) as database:
        written = "SELECT part FROM matches_processheartbeat"
        until(lambda: {part for (part,) in database.execute(written)} >= set(process_heartbeats.PARTS))
    assert "Alive" in manage("alive", "bots", env=server.env)
