from __future__ import annotations

from django.db import models


class Guest(models.Model):
    """A browser with a name. What it may do hangs on it, never on the name."""

    name = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name or f"guest {self.pk}"
