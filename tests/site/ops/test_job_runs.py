"""Jobs that run, and what they collect."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from robosite.ops import job_runs
from robosite.ops.models import JobRun
from robosite.web import minifying
from robosite.web.metrics import registry
from tests.servers import ROOT
from tests.site.web.test_seeing import figures

pytestmark = pytest.mark.django_db


def test_the_age_of_the_last_success_of_each_job_is_a_metric(settings: Any) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    assert not [name for name in figures(Client().get("/metrics")) if "robosite_job" in name]
    job_runs.note("backup")
    job_runs.note("verify")
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


def test_nothing_is_written_again_where_nothing_has_changed(collected: Path) -> None:
    assert set(names(collected)) == {"css/own.css", "plain.txt"}
    before = written(collected)
    collect()
    assert written(collected) == before


def test_a_changed_file_is_collected(collected: Path, tmp_path: Path) -> None:
    before = names(collected)
    (tmp_path / "source" / "css" / "own.css").write_text("a { color: blue }")
    collect()
    assert names(collected)["css/own.css"] != before["css/own.css"]
    assert (collected / names(collected)["css/own.css"]).read_text() == "a{color:#00f}"


def test_what_is_missing_is_collected(collected: Path) -> None:
    (collected / "staticfiles.json").unlink()
    collect()
    assert set(names(collected)) == {"css/own.css", "plain.txt"}


def test_another_maker_makes_them_anew(
    collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "minifying.py"
    other.write_text((ROOT / "robosite" / "web" / "minifying.py").read_text() + "# changed\n")
    monkeypatch.setattr(minifying, "__file__", str(other))
    before = written(collected)
    collect()
    assert written(collected)["staticfiles.json"] > before["staticfiles.json"]


def test_a_run_that_breaks_off_is_not_taken_for_a_whole_one(
    collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    css = tmp_path / "source" / "css" / "own.css"
    good = css.read_text()
    css.write_text("a { background: url(missing.png) }")
    with pytest.raises(ValueError, match=r"missing\.png"):
        collect()
    css.write_text(good)
    before = written(collected)
    collect()
    assert written(collected)["staticfiles.json"] > before["staticfiles.json"]


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
