"""The app configuration of `ops`, which adds the ages of the daily jobs to the metrics."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "robosite.ops"

    def ready(self) -> None:
        from robosite.ops.models import JobRun
        from robosite.web.metrics import gauge

        gauge(
            "robosite_job_age_seconds",
            "Seconds since each daily job (backup, prune, verify, audit) last succeeded.",
            JobRun.ages,
            "job",
        )
