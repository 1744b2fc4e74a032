"""Daily counts of failed requests (those answered with a status of 500 or above), for all processes.

The counts are stored in the database. A process counts failures in memory. When a process answers a request
with a status other than 503, it writes its counts if its last write was at least EVERY seconds ago. A process
that dies loses the counts that it has not written.
"""

from __future__ import annotations

import logging
from collections import Counter
from datetime import date
from time import monotonic

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from robosite.trail.models import Tally

log = logging.getLogger("robosite")

ERRORS = "errors"
EVERY = 10.0
"""The minimum number of seconds between two writes of the counts."""

_waiting: Counter[date] = Counter()
_not_before = 0.0


def count_answer(status: int) -> None:
    """Counts a response in memory if its status is 500 or above, and stores all counts now and then.

    Counts are stored if the last attempt was at least EVERY seconds ago, unless the status is 503. Counts
    that are stored in the database are removed from memory; the others stay.
    """
    global _not_before  # noqa: PLW0603 - a process has one
    if status >= 500:
        _waiting[today()] += 1
    if not _waiting or status == 503 or monotonic() < _not_before:
        return
    _not_before = monotonic() + EVERY
    for day, count in list(_waiting.items()):
        try:
            _add(day, count)
        except Exception as fault:
            log.warning("what failed could not be counted: %s", type(fault).__name__)
        else:
            del _waiting[day]


def _add(day: date, count: int) -> None:
    with transaction.atomic():
        Tally.objects.get_or_create(day=day, what=ERRORS)
        Tally.objects.filter(day=day, what=ERRORS).update(count=F("count") + count)


def today() -> date:
    """The present date in the site's time zone, even if another time zone is active."""
    return timezone.localdate(timezone=timezone.get_default_timezone())
