"""The numbers of matches that are counted (`robosite/metrics.py`)."""

from __future__ import annotations

import time
from collections.abc import Mapping

from django.db.models import Count

from robosite.matches.live import push
from robosite.matches.models import Match
from robosite.metrics import gauge

SOON, RESTS = 0.25, 100
"""Matches are counted at every look, unless it took longer than SOON seconds: then only after RESTS times as
long. With a million of them it does, and everybody waits meanwhile."""


class MatchCounts:
    """Counts matches by how they stand, or says what it counted last."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}
        self.again = 0.0

    def __call__(self) -> Mapping[str, float]:
        began = time.monotonic()
        if began >= self.again:
            found = dict(Match.objects.order_by().values_list("status").annotate(Count("pk")))
            self.found = {status: found.get(status, 0) for status in Match.Status.values}
            took = time.monotonic() - began
            self.again = began + (RESTS * took if took > SOON else 0)
        return self.found


def register() -> None:
    gauge("robosite_matches", "Matches by how they stand.", MatchCounts(), "status")
    gauge("robosite_open_pages", "Sockets and event streams open in this process.", _open_pages)


def _open_pages() -> Mapping[str, float]:
    return {"": push.listening()}
