"""Functions that add entries to the audit trail and read them, and the check of its whole chain."""

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from time import monotonic
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import models, transaction
from django.db.models import F
from django.utils import timezone

from robosite.trail.models import NOTHING, Entry, Head, Tally
from robosite.web.logs import without_secrets
from robosite.web.transactions import lock_rows

MOST = 8_000
"""The maximum length of an entry's facts, in characters of JSON."""

THE_SITE = "the site"

Who = User | AnonymousUser | str | None


def note(who: Who, action: str, subject: str, /, **facts: Any) -> Entry:
    """Adds an entry in the transaction of the change that it reports, and returns it.

    Until the transaction ends, no other entry can be added: take all other locks first. `who` is a user,
    None for the site, or a text such as `command:prune`; `subject` is of `subject_of`; `facts` contain
    nothing sealed and no guest's name. Secret links are removed.
    """
    with transaction.atomic():
        head, _ = lock_rows(Head.objects.all()).get_or_create(pk=1)
        entry = Entry(
            number=head.number + 1,
            at=timezone.now(),
            who=_line(_name(who)),
            action=_line(action),
            subject=_line(subject),
            facts=canonical(facts),
            before=head.hash,
        )
        entry.hash = entry.hashed()
        entry.save()
        head.number, head.hash = entry.number, entry.hash
        head.save()
    return entry


def subject_of(thing: models.Model) -> str:
    """The text that names a row of a model in the audit trail, such as `match:k3v9…`."""
    key = getattr(thing, "key", None)
    return f"{thing._meta.model_name}:{key if isinstance(key, str) and key else thing.pk}"


def canonical(facts: Mapping[str, Any]) -> str:
    """An entry's facts as canonical JSON, without secret links; raises ValueError if longer than MOST."""
    text = json.dumps(
        _plain(facts), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    if len(text) > MOST:
        raise ValueError(f"The facts of an entry have at most {MOST} characters.")
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes | bytearray):
        return [_plain(one) for one in (sorted(value) if isinstance(value, set | frozenset) else value)]
    return value


def _name(who: Who) -> str:
    if who is None:
        return THE_SITE
    if isinstance(who, AnonymousUser):
        return "nobody"
    return who if isinstance(who, str) else f"staff:{who.pk} {who.get_username()}"


def _line(text: str) -> str:
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return without_secrets(text)[:200]


class ChainCheck:
    """A check of the trail's chain of hashes: `count` right entries, their `head`, the first `fault`.

    `found` is the number of the entry with the hash `seeks`, or None.
    """

    def __init__(self, seeks: str = "") -> None:
        self.seeks = seeks
        self.found = 0 if seeks == NOTHING else None
        self.count, self.head, self.fault = 0, NOTHING, ""
        try:
            self._go()
        except (ValueError, AttributeError):  # SQLite keeps anything in a column of times
            self.fault = f"{self.count + 1}: cannot be read"

    def _go(self) -> None:
        while not self.fault:
            for entry in Entry.objects.filter(number__gt=self.count).order_by("number").iterator():
                if fault := self._fault_of(entry):
                    self.fault = fault
                    return
                self.count, self.head = entry.number, entry.hash
                if entry.hash == self.seeks:
                    self.found = entry.number
            head = Head.objects.filter(pk=1).first() or Head()
            if head.number <= self.count:  # else some were written meanwhile, or are missing
                if (head.number, head.hash) != (self.count, self.head):
                    self.fault = f"{self.count}: is the last entry, and the head says {head}"
                return
            if not Entry.objects.filter(number__gt=self.count).exists():
                self.fault = f"{self.count + 1}: is missing, as the head says {head}"

    def _fault_of(self, entry: Entry) -> str:
        if entry.number != self.count + 1:
            return f"{self.count + 1}: is missing"
        if entry.before != self.head:
            return f"{entry.number}: does not follow from the entry before it"
        if entry.hash != entry.hashed():
            return f"{entry.number}: is not as it was written"
        return ""


def newest(count: int) -> Iterator[Entry]:
    """Yields the last `count` entries of the audit trail, the oldest first."""
    yield from reversed(Entry.objects.order_by("-number")[:count])


log = logging.getLogger("robosite")

ERRORS = "errors"
EVERY = 10.0

_waiting: Counter[date] = Counter()
_not_before = 0.0


def count_answer(status: int) -> None:
    """Counts a response with a status of 5xx; stores the counts every EVERY seconds, but not at a 503."""
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
