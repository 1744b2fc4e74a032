"""Jobs that run, what they collect, rotate and verify."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.apps import apps
from django.core.management import call_command
from django.db import models
from django.test import Client
from django.utils import timezone

from games import GAMES
from games.record import seal as seal_of
from robosite.matches import flow, seals
from robosite.matches.flow import takeback
from robosite.matches.models import Match, Program, TakenBack
from robosite.matches.seals import Secret, encrypt_secret, new_nonce
from robosite.ops.management.commands import rotate_keys
from robosite.ops.management.commands.rotate_keys import rotate
from robosite.ops.models import JobRun
from robosite.ops.verification import Found, faults
from robosite.web import minifying
from robosite.web.metrics import registry
from tests.servers import ROOT
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down
from tests.site.web.test_seeing import figures


def test_the_age_of_the_last_success_of_each_job_is_a_metric(settings: Any) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    assert not [name for name in figures(Client().get("/metrics")) if "robosite_job" in name]
    JobRun.note("backup")
    JobRun.note("verify")
    JobRun.objects.filter(job="backup").update(at=timezone.now() - timedelta(days=2))
    shown = figures(Client().get("/metrics"))
    assert 172_800 <= shown['robosite_job_age_seconds{job="backup"}'] < 172_900
    assert 0 <= shown['robosite_job_age_seconds{job="verify"}'] < 60


def test_a_daily_job_that_fails_is_noted_as_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OSError("no room")

    jobs = {"backup": fails, "prune": lambda: None}
    monkeypatch.setattr("robosite.ops.management.commands.daily._jobs", lambda keep: jobs)
    with pytest.raises(SystemExit):
        call_command("daily", stdout=StringIO(), stderr=StringIO())
    assert {run.job for run in JobRun.objects.all()} == {"prune"}


def test_alerts_ask_for_metrics_that_are_there() -> None:
    rules = yaml.safe_load((ROOT / "docs" / "alerts.yml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    there = {family.name for family in registry.collect()} | {"robosite_redis_up"}
    there |= {f"{name}_{part}" for name in there for part in ("total", "bucket")}
    for rule in rules:
        named = set(re.findall(r"robosite_\w+", rule["expr"]))
        assert named <= there, rule["alert"]
        assert rule["annotations"]["summary"]
    assert "robosite_job_age_seconds" in str(rules)


@pytest.fixture
def collected(tmp_path: Path, settings: Any) -> Path:
    """The folder of a site of two small static files, collected once."""
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "css").mkdir(parents=True)
    (source / "css" / "own.css").write_text("a { color: red }")
    (source / "plain.txt").write_text("plain")
    settings.STATICFILES_DIRS = [source]
    settings.STATIC_ROOT = target
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "robosite.web.minifying.MinifyingStorage"},
    }
    collect()
    return target


def collect() -> None:
    call_command("collectstatic", interactive=False, verbosity=0)


def names(target: Path) -> dict[str, str]:
    told: dict[str, str] = json.loads((target / "staticfiles.json").read_text())["paths"]
    return told


def written(target: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in target.rglob("*") if path.is_file()}


def test_what_has_changed_or_is_missing_is_collected_and_nothing_else_written(
    collected: Path, tmp_path: Path
) -> None:
    assert set(names(collected)) == {"css/own.css", "plain.txt"}
    before, named = written(collected), names(collected)
    collect()
    assert written(collected) == before
    (tmp_path / "source" / "css" / "own.css").write_text("a { color: blue }")
    collect()
    assert names(collected)["css/own.css"] != named["css/own.css"]
    assert (collected / names(collected)["css/own.css"]).read_text() == "a{color:#00f}"
    (collected / "staticfiles.json").unlink()
    collect()
    assert set(names(collected)) == {"css/own.css", "plain.txt"}


def test_another_maker_makes_them_anew_and_a_run_that_breaks_off_is_not_taken_for_a_whole_one(
    collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_written_anew() -> bool:
        before = written(collected)
        collect()
        return written(collected)["staticfiles.json"] > before["staticfiles.json"]

    css = tmp_path / "source" / "css" / "own.css"
    good = css.read_text()
    css.write_text("a { background: url(missing.png) }")
    with pytest.raises(ValueError, match=r"missing\.png"):
        collect()
    css.write_text(good)
    assert is_written_anew()
    other = tmp_path / "minifying.py"
    other.write_text((ROOT / "robosite" / "web" / "minifying.py").read_text() + "# changed\n")
    monkeypatch.setattr(minifying, "__file__", str(other))
    assert is_written_anew() and not is_written_anew()


def test_files_of_an_older_version_stay_for_a_week(collected: Path, tmp_path: Path) -> None:
    source = tmp_path / "source" / "css" / "own.css"
    first = collected / names(collected)["css/own.css"]
    os.utime(first, (0, 0))  # collected long ago, and in use until now
    source.write_text("a { color: blue }")
    collect()
    second = collected / names(collected)["css/own.css"]
    assert first.exists() and second.exists()
    os.utime(first, (0, 0))
    source.write_text("a { color: green }")
    collect()
    assert not first.exists() and second.exists()
    assert (collected / "plain.txt").exists()


@pytest.fixture
def over(table: Table) -> Table:
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == "over"
    return table


def found() -> list[str]:
    return list(faults(Found()))


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_is_as_it_was_played(alice: Browser, bob: Browser, charlie: Browser, slug: str) -> None:
    for turns in (3, 12):
        sit_down(alice, bob, charlie, slug).play_some(turns, seed=turns)
    last = Match.objects.get(pk=Match.objects.latest("pk").pk)
    flow.resign(last.seats.select_related("match").get(letter="A"))
    seen = Found()
    assert list(faults(seen)) == []
    assert (seen.over >= 1, seen.over + seen.others, seen.lost) == (True, 2, 0)
    assert seen.turns > 12 and seen.seals > 12


def test_a_turn_taken_back_is_checked_too(robble: Table) -> None:
    robble.play_some(2)
    before = robble.match
    takeback.ask(robble.b, before.turn, before.taken_back)
    takeback.answer_takeback(robble.a, before.turn, before.taken_back, accept=True)
    assert not found()
    TakenBack.objects.update(order="a1" if TakenBack.objects.get().order != "a1" else "g7")
    (fault,) = found()
    assert "taken back" in fault


@pytest.mark.parametrize(
    ("model", "rows", "change"),
    [
        (Program, {"turn": 0, "seat__letter": "B"}, {"order": FIRST}),
        (Program, {"turn": 0, "seat__letter": "B"}, {"seal": ""}),
        (Program, {"turn": 0}, None),
        (Match, {}, {"outcome_json": {"scores": {"A": 0, "B": 1}, "reason": "destroyed"}}),
        (Match, {}, {"given_options": {"board": "no such board"}}),
    ],
)
def test_what_was_changed_in_the_database_is_found(over: Table, model: Any, rows: Any, change: Any) -> None:
    assert not found()
    changed = model.objects.filter(**rows)
    assert changed.update(**change) if change else changed.delete()
    assert found() and all(over.key in fault for fault in found())


def test_an_order_that_was_changed_with_its_seal_is_found(over: Table) -> None:
    one = Program.objects.get(turn=0, seat__letter="A")
    one.order = OTHER
    one.seal = seal_of(over.key, 0, "A", one.nonce, one.order)
    one.save()
    assert found() and all(over.key in fault for fault in found())


def test_a_sealed_order_that_was_exchanged_is_found_before_it_is_played(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    assert not found()
    kept, settings.SEAL_KEYS = settings.SEAL_KEYS, ["another"]
    seen = Found()
    assert list(faults(seen)) == [] and seen.lost == 1, "what no key opens is counted and no fault"
    settings.SEAL_KEYS = kept
    Program.objects.update(secret=encrypt_secret(f"{table.key}/0/A", Secret(OTHER, new_nonce())))
    (fault,) = found()
    assert "turn 1, seat A" in fault


def test_the_command_says_what_it_found_and_fails_where_something_is_wrong(table: Table) -> None:
    table.play(SHOTS)
    flow.seal(table.a, 1, FIRST)
    flow.resign(table.a)  # who resigns after sealing has played nothing else
    out = StringIO()
    call_command("verify", stdout=out)
    assert "1 matches that are over and 0 others, 2 turns, 2 seals: no faults." in out.getvalue()
    Program.objects.filter(turn=0, seat__letter="B").update(order=FIRST)
    with pytest.raises(SystemExit) as fault:
        call_command("verify", stdout=out)
    assert fault.value.code == 1
    assert f"{table.key}: turn 1, seat B" in out.getvalue()


def test_only_a_few_matches_are_in_memory_at_once(
    table: Table, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr("robosite.ops.verification.AT_A_TIME", 2)
    pigs = GAMES["pigs"][1]
    for _ in range(4):
        flow.create(pigs, pigs.read_options({}), 2, "Alice")
    seen = Found()
    with django_assert_max_num_queries(5 * 3 + 4):
        assert list(faults(seen)) == []
    assert seen.others == 5


def command(*args: str) -> str:
    out = StringIO()
    call_command("rotate_keys", *args, stdout=out)
    return out.getvalue()


def test_every_encrypted_column_is_known() -> None:
    """Every column of bytes is locked (`seals.encrypted`), or listed here with the reason why not."""
    # under the caller's own key and token, and under what was sent, for a day
    not_ours = {("KeptAnswer", "locked"), ("SentForm", "locked")}
    not_ours |= {("KeyCheck", "locked")}  # a text under each key: it tells which of them are needed
    found = {
        (model.__name__, field.name)
        for model in apps.get_models()
        if model.__module__.startswith("robosite")
        for field in model._meta.get_fields()
        if isinstance(field, models.BinaryField)
    }
    assert found - not_ours == {(model.__name__, column) for model, column in seals.ENCRYPTED}


def test_all_is_under_the_newest_key_and_reads_the_same(table: Table, settings: Any) -> None:
    settings.SEAL_KEYS = ["old"]
    table.play((FIRST, OTHER))
    receipt = flow.seal(table.a, 1, FIRST)
    flow.draft(table.b, 1, OTHER)
    settings.SEAL_KEYS = ["new", "old"]
    said = command()
    assert "2 encrypted anew, 0 were" in said and "the first of SEAL_KEYS is enough" in said
    assert "0 encrypted anew, 2 were" in command()  # again: nothing to do
    settings.SEAL_KEYS = ["new"]
    assert flow.order_of(table.match, table.a).order == FIRST
    assert flow.draft_of(table.match, table.b) == OTHER
    flow.seal(table.b, 1, OTHER)
    played = Program.objects.get(seat=table.a, turn=1)
    assert (played.seal, played.order) == (receipt.seal, FIRST)
    assert seal_of(table.key, 1, "A", played.nonce, FIRST) == receipt.seal


def test_receipts_of_the_api_are_under_the_newest_key_and_a_missing_one_stops_it(
    table: Table, settings: Any
) -> None:
    settings.SEAL_KEYS = ["old"]
    token = table.alice.own_links(table.a)["seat"]
    ask: dict[str, Any] = {
        "path": f"/api/v1/matches/{table.key}/order",
        "data": {"turn": 0, "order": FIRST},
        "content_type": "application/json",
        "headers": {"Authorization": f"Bearer {token}"},
    }
    first = table.alice.put(**ask).json()
    settings.SEAL_KEYS = ["another"]
    with pytest.raises(SystemExit):
        command()
    settings.SEAL_KEYS = ["new", "old"]
    command()
    settings.SEAL_KEYS = ["new"]
    assert table.alice.put(**ask).json() == first
    assert flow.order_of(table.match, table.a).order == FIRST, "nothing is given up"


def test_it_can_be_stopped_anywhere_and_run_again(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SEAL_KEYS = ["old"]
    pigs = table.match.game
    for _ in range(6):
        _match, taken, _invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
        flow.draft(taken.seat, 0, FIRST)
    settings.SEAL_KEYS = ["new", "old"]
    monkeypatch.setattr(rotate_keys, "AT_A_TIME", 2)
    relock = rotate_keys._relock

    calls = count()

    def stops(model: Any, column: str, pk: int, **more: Any) -> None:
        if next(calls) == 3:
            raise KeyboardInterrupt
        relock(model, column, pk, **more)

    with monkeypatch.context() as broken:
        broken.setattr(rotate_keys, "_relock", stops)
        with pytest.raises(KeyboardInterrupt):
            rotate()
    found = rotate()
    assert found.anew and found.new and found.anew + found.new == 6 and not found.old
    settings.SEAL_KEYS = ["new"]
    drafts = {
        flow.draft_of(match, match.seats.get(letter="A")) for match in Match.objects.exclude(key=table.key)
    }
    assert drafts == {FIRST}


def test_a_process_with_the_old_keys_alone_is_noticed(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SEAL_KEYS = ["old"]
    flow.draft(table.a, 0, FIRST)
    relock = rotate_keys._relock

    def then_writes(*args: Any, **more: Any) -> None:
        relock(*args, **more)
        settings.SEAL_KEYS = ["old"]
        flow.draft(table.a, 0, OTHER)
        settings.SEAL_KEYS = ["new", "old"]

    settings.SEAL_KEYS = ["new", "old"]
    monkeypatch.setattr(rotate_keys, "_relock", then_writes)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("rotate_keys", stdout=out)
    assert "restart every process" in out.getvalue()
