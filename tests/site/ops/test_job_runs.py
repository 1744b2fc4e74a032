"""The metrics tell when each daily job last succeeded, and the alerts ask for metrics that are there."""

from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from robosite.ops import job_runs
from robosite.ops.models import JobRun
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
