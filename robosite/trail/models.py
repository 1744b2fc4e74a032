"""The tables of the audit trail. The hash of each entry depends on all entries before it."""

import hashlib
from datetime import UTC
from typing import Any, ClassVar, Never, Self

from django.db import models

NOTHING = "0" * 64
"""The hash that stands for an empty trail, in `before` of the first entry and in the first head."""


class AppendOnly(TypeError):
    """Raised by an attempt to change or delete an entry of the audit trail, or to write several at once."""

    def __init__(self) -> None:
        super().__init__("The audit trail is append-only: nothing in it is changed or deleted.")


class Entries(models.QuerySet["Entry"]):
    """A queryset of audit entries that refuses to change, delete or bulk-create them."""

    def delete(self, *args: Any, **given: Any) -> Never:
        raise AppendOnly

    update = bulk_create = bulk_update = delete


class Entry(models.Model):
    """One entry of the trail; `before` is the hash of the entry before it.

    `who` is such as `staff:7 mia`, `the site`, `command:prune`; `subject` such as `match:k3v9…`.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    at = models.DateTimeField(db_index=True)
    who = models.CharField(max_length=200)
    action = models.SlugField(max_length=32)
    subject = models.CharField(max_length=200, db_index=True)
    facts = models.TextField(default="{}")
    before = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = Entries.as_manager()

    is_stored = False
    """A flag: True if this entry is saved, and so can no longer be changed."""

    class Meta:
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"{self.number}: {self.who}, {self.action} {self.subject}"

    def save(self, *args: Any, **given: Any) -> None:
        if self.is_stored:
            raise AppendOnly
        super().save(*args, **{**given, "force_insert": True})
        self.is_stored = True

    def delete(self, *args: Any, **given: Any) -> Never:
        raise AppendOnly

    @classmethod
    def from_db(cls, *given: Any) -> Self:
        entry = super().from_db(*given)
        entry.is_stored = True
        return entry

    @property
    def text(self) -> str:
        """The text that is hashed: eight lines, of which the first names the format (docs/security.md)."""
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        lines = (self.number, at, self.who, self.action, self.subject, self.facts, self.before)
        return "\n".join(["robosite-trail/1", *map(str, lines)])

    def hashed(self) -> str:
        """Computes the hash of the entry's fields: the SHA-256 of `text` in UTF-8, in lower-case hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Head(models.Model):
    """The number and hash of the trail's last entry, in a single row that is locked to add an entry."""

    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default=NOTHING)

    def __str__(self) -> str:
        return f"{self.number}: {self.hash}"


class Telling(models.Model):
    """The time at which the next mail with the trail's head is due, in a single row."""

    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"the head at {self.due_at}"


class Tally(models.Model):
    """The number of events of one kind on one day of the site's time zone."""

    day = models.DateField()
    what = models.CharField(max_length=16)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "what"], name="one_tally_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.count} {self.what}"
