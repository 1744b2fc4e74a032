from __future__ import annotations

from django.db import models


class JobRun(models.Model):
    """The last time at which a daily job succeeded, for the metrics (`job_runs.py`)."""

    job = models.CharField(max_length=16, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.job}, {self.at:%F %T}"
