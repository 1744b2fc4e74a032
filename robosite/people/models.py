"""Guests, the tickets and letters that sign them in again, and the outcomes of forms that were sent."""

from collections.abc import Iterable
from enum import IntFlag
from typing import ClassVar

from django.db import models
from django.db.models import F
from django.db.models.functions import Upper

from robosite.web.written_names import Name


class GuestFlag(IntFlag):
    """Flags for rare things, so that other tables are queried only if one is set.

    Releases up to 2026.11.28 write the bits that are missing here (`Guest.seen` has what they said).
    """

    MEASURES = 1
    SOUND = 2
    """The guest has switched sounds on at some time."""
    NOTICES_LOST = 4
    """One of the guest's channels was switched off, since nothing could be delivered over it."""
    PLACES = 8
    UNSEEN = 1024
    """The guest has chosen that others do not see when the guest has a match open."""
    WAITS = 512
    """The guest has waited for a league's season at some time; an old release's bit costs only a query."""


class Guest(models.Model):
    """A person with a name, known by one or several browsers. Rights depend on the row, never on the name.

    `language` is that of notices. `became` is whom they were merged into: the row only redirects
    browsers. `round` voids the sessions of an older one. From `leaving_at` on, they belong to no browser,
    and are erased in steps.
    """

    name = models.CharField(max_length=200, blank=True)
    zone = models.CharField("time zone", max_length=64, blank=True)
    email = models.EmailField(max_length=254, blank=True, db_index=True)
    email_confirmed_at = models.DateTimeField(null=True)
    language = models.CharField(max_length=8, blank=True)
    phrase_lookup = models.CharField(max_length=64, blank=True, db_index=True)
    phrase_hash = models.CharField(max_length=200, blank=True)
    phrase_made_at = models.DateTimeField(null=True)
    became = models.ForeignKey("self", models.CASCADE, null=True, related_name="earlier")
    round = models.PositiveIntegerField(default=0)
    leaving_at = models.DateTimeField(null=True, db_index=True)
    flags = models.PositiveSmallIntegerField("flags of rare things", default=0, db_column="extras")
    seen = models.JSONField("explanations read, by game", default=dict, db_default={})
    """The names of the explanations (speech bubbles) that the guest has read, by the slug of their game."""
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField("day on which they were last here", null=True)

    class Meta:
        indexes: ClassVar = [models.Index(Upper("name"), name="guests_by_name")]
        permissions: ClassVar = [
            ("export_guest", "Can download what is kept about a guest who has asked for it"),
            ("erase_guest", "Can erase a guest who has asked for it"),
        ]

    def __str__(self) -> str:
        return str(Name(self.name)) or f"guest {self.pk}"

    def may_have(self, flag: GuestFlag) -> bool:
        """Returns True if the flag is set; if not, the guest certainly has nothing of the flag's kind."""
        return bool(self.flags & flag)

    def set_flag(self, flag: int, *, on: bool = True) -> None:
        """Sets one or several flags, or clears them if not `on`, in the database and in this instance."""
        flags, stored = self.flags, F("flags")
        self.flags = flags | flag if on else flags & ~flag
        if self.flags != flags:
            Guest.objects.filter(pk=self.pk).update(flags=stored.bitor(flag) if on else stored.bitand(~flag))

    def note_seen(self, slug: str, names: Iterable[str]) -> None:
        """Stores which explanations of a game the guest has read, besides those that are stored."""
        known = self.seen.get(slug, [])
        if new := [name for name in names if name not in known]:
            self.seen = {**self.seen, slug: [*known, *new]}
            self.save(update_fields=["seen"])


class Ticket(models.Model):
    """A secret link that works once and for a short time; only the hash of its secret is stored.

    `device` signs another browser in as `guest`, `back` as a guest with the address `email` (nobody if
    ""), `confirm` makes `email` the address of `guest`.
    """

    class Kind(models.TextChoices):
        DEVICE = "device"
        BACK = "back"
        CONFIRM = "confirm"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    secret_hash = models.CharField(max_length=64, unique=True)
    guest = models.ForeignKey(Guest, models.CASCADE, null=True, related_name="tickets")
    email = models.EmailField(max_length=254, blank=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} until {self.expires_at:%Y-%m-%d %H:%M}"


class Letter(models.Model):
    """A mail with the link of a ticket (`letters.py`), sent at `due_at` and tried again.

    The sending process claims it until `claimed_until`. `closed_at` is when it was sent or given up;
    `fault` is why the latest attempt failed.
    """

    ticket = models.OneToOneField(Ticket, models.CASCADE, related_name="letter")
    number = models.CharField(max_length=32)
    origin = models.CharField("the site's address as its reader knows it", max_length=200)
    language = models.CharField(max_length=8)
    due_at = models.DateTimeField(db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    fault = models.CharField("what failed last", max_length=40, blank=True)
    code_tries = models.PositiveSmallIntegerField("tries of its code", default=0, db_default=0)

    def __str__(self) -> str:
        return f"letter of {self.ticket}"


class SentForm(models.Model):
    """The outcome of a form, or a browser's new guest, for the sender's browser alone (`sent_forms.py`)."""

    found_by = models.CharField(max_length=64, unique=True)
    locked = models.BinaryField()
    made_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"form of {self.made_at:%F %T}"
