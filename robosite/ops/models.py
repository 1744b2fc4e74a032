from django.db import models
from django.utils import timezone


class JobRun(models.Model):
    """The last time at which a daily job succeeded, for the metrics."""

    job = models.CharField(max_length=16, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.job}, {self.at:%F %T}"

    @classmethod
    def note(cls, job: str) -> None:
        cls.objects.update_or_create(job=job, defaults={"at": timezone.now()})

    @classmethod
    def ages(cls) -> dict[str, float]:
        """Seconds since each job last succeeded, by the job's name."""
        now = timezone.now()
        return {run.job: max((now - run.at).total_seconds(), 0.0) for run in cls.objects.order_by("job")}
