"""Daily counts of failed requests (500 and above): in memory, and every EVERY seconds in the database."""

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

_waiting: Counter[date] = Counter()
_not_before = 0.0


def count_answer(status: int) -> None:
    """Counts a failed response, and stores all counts now and then, but not at a 503."""
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
