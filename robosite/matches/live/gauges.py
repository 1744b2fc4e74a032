"""The numbers of matches that are counted (`robosite/metrics.py`)."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count

from robosite.matches.live import push
from robosite.matches.models import Match
from robosite.metrics import gauge


def register() -> None:
    gauge("robosite_matches", "Matches by how they stand.", _matches, "status")
    gauge("robosite_open_pages", "Sockets and event streams open in this process.", _open_pages)


def _matches() -> Mapping[str, float]:
    found = dict(Match.objects.values_list("status").annotate(Count("pk")))
    return {status: found.get(status, 0) for status in Match.Status.values}


def _open_pages() -> Mapping[str, float]:
    return {"": push.listening()}
