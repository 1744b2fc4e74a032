"""Records when each daily job last succeeded, so that a job that never runs is noticed."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils import timezone

from robosite.ops.models import JobRun


def note(job: str) -> None:
    """Records that a daily job, such as the backup, has just succeeded; `job` is its name."""
    JobRun.objects.update_or_create(job=job, defaults={"at": timezone.now()})


def ages() -> Mapping[str, float]:
    """Maps the name of each daily job to the number of seconds since it last succeeded."""
    now = timezone.now()
    return {run.job: max((now - run.at).total_seconds(), 0.0) for run in JobRun.objects.order_by("job")}
