"""Reports, the measures taken on them, and the moderators' notes to each other."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from robosite.matches.models import Match, Seat
from robosite.people.models import Guest
from robosite.talk.models import Message


def new_number() -> int:
    """Twelve digits that nobody guesses one after the other."""
    return 10**11 + secrets.randbelow(9 * 10**11)


def spaced(number: int) -> str:
    """A number as people read it out: 4821 9331 7042."""
    digits = str(number)
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


class Report(models.Model):
    """Somebody says that a name, a message, a match or a seat needs a moderator; or objects to a measure.

    `guest` is who it is about, as far as a browser is known; `by` who reports, which is told to moderators
    alone. `shown` is what was reported, as it stood then. `subject` is one for all reports of the same thing.
    """

    class What(models.TextChoices):
        MATCH = "match", "a match"
        SEAT = "seat", "a seat"
        NAME = "name", "a name"
        MESSAGE = "message", "a message"
        OBJECTION = "objection", "an objection"

    class Reason(models.TextChoices):
        INSULT = "insult", _("It insults, threatens or harasses somebody")
        SPAM = "spam", _("Advertising, or the same thing again and again")
        PRIVATE = "private", _("It reveals something private about somebody")
        UNFAIR = "unfair", _("Unfair play")
        OTHER = "other", _("Something else")

    class Status(models.TextChoices):
        OPEN = "open", "open"
        DEALT = "dealt", "dealt with"
        DISMISSED = "dismissed", "nothing was done"

    number = models.BigIntegerField(unique=True, default=new_number, editable=False)
    what = models.CharField("what is reported", max_length=9, choices=What.choices)
    subject = models.CharField(max_length=32, db_index=True)
    shown = models.TextField("as it stood", blank=True)
    match = models.ForeignKey(Match, models.SET_NULL, null=True, related_name="reports")
    seat = models.ForeignKey(Seat, models.SET_NULL, null=True, related_name="reports")
    message = models.ForeignKey(Message, models.SET_NULL, null=True, related_name="reports")
    guest = models.ForeignKey(Guest, models.SET_NULL, null=True, related_name="reported")
    by = models.ForeignKey(Guest, models.SET_NULL, null=True, related_name="reports")
    reason = models.CharField(max_length=8, choices=Reason.choices, default=Reason.OTHER)
    words = models.TextField("what the reporter says", blank=True)
    made_at = models.DateTimeField(db_index=True)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.OPEN, db_index=True)
    closed_at = models.DateTimeField(null=True)
    measure = models.ForeignKey(
        "Measure", models.SET_NULL, null=True, related_name="objections", verbose_name="objects to"
    )

    def __str__(self) -> str:
        return f"{self.get_what_display()}, {self.said_number}"

    def get_absolute_url(self) -> str:
        return reverse("report-received", args=[self.number])

    @property
    def said_number(self) -> str:
        return spaced(self.number)


class Salt(models.Model):
    """The salt of a week's codes for addresses (`traces`); they go with it."""

    secret = models.CharField(max_length=64)
    made_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"salt {self.pk}"


class Trace(models.Model):
    """A code for the address from which a guest last did something that one can be banned from."""

    guest = models.OneToOneField(Guest, models.CASCADE, related_name="trace")
    salt = models.ForeignKey(Salt, models.CASCADE, related_name="traces")
    code = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"trace {self.pk}"


class Measure(models.Model):
    """A moderator's measure: about a guest, a seat, a match, a message, or a range of addresses (`network`).

    A ban may hold for the address too from which the guest last came: `code` stands for it, made with `salt`.

    `reason` and `why` are told to the guest, on every page until the guest has read it (`read_at`). A
    mute and a ban hold until `ends_at` (None: for good), or until a moderator lifts them; the rest is done at
    once.
    `objected_at` is when the guest objected, `objection` in which words.
    """

    class Kind(models.TextChoices):
        WARN = "warn", "a warning"
        RENAME = "rename", "another name"
        HIDE = "hide", "a message hidden"
        MUTE = "mute", "a mute"
        UNLIST = "unlist", "off the open tables"
        CLOSE = "close", "a match closed"
        REVOKE = "revoke", "a seat's link revoked"
        BAN = "ban", "a ban"

    LASTING: ClassVar = (Kind.MUTE, Kind.BAN)

    number = models.BigIntegerField(unique=True, default=new_number, editable=False)
    kind = models.CharField(max_length=6, choices=Kind.choices)
    guest = models.ForeignKey(Guest, models.CASCADE, null=True, related_name="measures")
    network = models.CharField("range of addresses", max_length=50, blank=True)
    code = models.CharField(max_length=64, blank=True)
    salt = models.ForeignKey(Salt, models.SET_NULL, null=True, related_name="measures")
    match = models.ForeignKey(Match, models.SET_NULL, null=True, related_name="measures")
    seat = models.ForeignKey(Seat, models.SET_NULL, null=True, related_name="measures")
    message = models.ForeignKey(Message, models.SET_NULL, null=True, related_name="measures")
    report = models.ForeignKey(Report, models.SET_NULL, null=True, related_name="measures")
    reason = models.CharField(max_length=8, choices=Report.Reason.choices, default=Report.Reason.OTHER)
    why = models.TextField("what the guest is told", blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True)
    lifted_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField("confirmed by the guest", null=True)
    objected_at = models.DateTimeField(null=True)
    objection = models.TextField(blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["kind", "network"], name="banned_networks")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.said_number}"

    def get_absolute_url(self) -> str:
        return reverse("measure", args=[self.number])

    @property
    def said_number(self) -> str:
        return spaced(self.number)

    @property
    def lasting(self) -> bool:
        return self.kind in self.LASTING

    def is_in_force_at(self, now: datetime) -> bool:
        """Whether it still keeps somebody from something."""
        return self.lasting and self.lifted_at is None and (self.ends_at is None or self.ends_at > now)

    @property
    def is_in_force(self) -> bool:
        return self.is_in_force_at(timezone.now())


def measures_in_force(now: datetime, **about: Any) -> models.QuerySet[Measure]:
    """The mutes and bans that hold, of those that `about` names."""
    ends = models.Q(ends_at=None) | models.Q(ends_at__gt=now)
    lasting = Measure.objects.filter(kind__in=Measure.LASTING, lifted_at=None)
    return lasting.filter(ends, **about)


class TakenName(models.Model):
    """A name that a moderator has taken away, by a code of how it looks: from a guest, or at a table.

    It stays away until the measure is lifted; then the row goes.
    """

    measure = models.ForeignKey(Measure, models.CASCADE, related_name="taken_names")
    guest = models.ForeignKey(Guest, models.CASCADE, null=True, related_name="taken_names")
    match = models.ForeignKey(Match, models.CASCADE, null=True, related_name="taken_names")
    code = models.CharField(max_length=64)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["guest", "code"], name="taken_from_guests"),
            models.Index(fields=["match", "code"], name="taken_at_tables"),
        ]

    def __str__(self) -> str:
        return f"taken name {self.pk}"


class Note(models.Model):
    """A moderator's note to the others about a report; nobody else ever reads it."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="notes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    text = models.TextField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"note {self.pk}"
