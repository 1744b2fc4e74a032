"""Models of moderation: reports, measures, moderators' notes, and staff's second factors."""

from __future__ import annotations

import secrets
from binascii import hexlify, unhexlify
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_otp.models import Device, TimestampMixin
from django_otp.oath import TOTP

from robosite.leagues.models import League
from robosite.matches.models import Match, Seat
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret, encrypted
from robosite.people.models import Guest
from robosite.talk.models import Message
from robosite.web.link_secrets import hash_secret


def new_number() -> int:
    return 10**11 + secrets.randbelow(9 * 10**11)


def spaced(number: int) -> str:
    """A number as text in groups of four digits, such as “4821 9331 7042”."""
    digits = str(number)
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


class Report(models.Model):
    """A report of a name, message, match, seat or league, or an objection to a measure.

    `by` is the reporter, whom only moderators see; `shown` the text as it was. Reports of the same thing
    have the same `subject`.
    """

    class What(models.TextChoices):
        MATCH = "match", "a match"
        SEAT = "seat", "a seat"
        NAME = "name", "a name"
        MESSAGE = "message", "a message"
        LEAGUE = "league", "a league"
        OBJECTION = "objection", "an objection"

    class Reason(models.TextChoices):
        INSULT = "insult", _("It insults, threatens or harasses someone")
        SPAM = "spam", _("Advertising, or the same thing again and again")
        PRIVATE = "private", _("It reveals something private about someone")
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
    league = models.ForeignKey(League, models.SET_NULL, null=True, related_name="reports")
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
    """A salt, used for a week for the codes that stand for addresses (`traces.py`); its traces go with it."""

    secret = models.CharField(max_length=64)
    made_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"salt {self.pk}"


class Trace(models.Model):
    """A code for the address of a guest's last act, by which a ban covers an address that is not stored."""

    guest = models.OneToOneField(Guest, models.CASCADE, related_name="trace")
    salt = models.ForeignKey(Salt, models.CASCADE, related_name="traces")
    code = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"trace {self.pk}"


class Measure(models.Model):
    """A moderator's measure about a guest, a seat, a match, a message or a range of addresses (`network`).

    Mutes and bans last until `ends_at` (None: for good) or until they are lifted; the others act at once.
    `code` and `salt` stand for the guest's last address, if a ban covers it. Every page tells the guest
    until `read_at`.
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

    @property
    def is_in_force(self) -> bool:
        """Returns True if this is a mute or a ban that is not lifted and has not ended."""
        if not self.lasting or self.lifted_at:
            return False
        return self.ends_at is None or self.ends_at > timezone.now()


def measures_in_force(now: datetime, **about: Any) -> models.QuerySet[Measure]:
    """Returns the mutes and bans that are in force at the time `now`."""
    ends = models.Q(ends_at=None) | models.Q(ends_at__gt=now)
    lasting = Measure.objects.filter(kind__in=Measure.LASTING, lifted_at=None)
    return lasting.filter(ends, **about)


class TakenName(models.Model):
    """A name taken away from a guest or in a match; `code` hashes what look-alikes have in common."""

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
    """A moderator's note about a report, which only moderators can read."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="notes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    text = models.TextField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"note {self.pk}"


@encrypted("secret")
class SecondFactor(TimestampMixin, Device):
    """A staff member's authenticator app (TOTP, RFC 6238), with its backup codes, of which hashes are stored.

    The key is encrypted under SEAL_KEYS, bound to its user. No code is accepted twice (`last_step`).
    """

    number: models.UUIDField[Any, Any] = models.UUIDField(default=uuid4, editable=False)
    secret: models.BinaryField[Any, Any] = models.BinaryField()
    last_step: models.BigIntegerField[Any, Any] = models.BigIntegerField(default=-1)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "confirmed"], name="one_second_factor"),
        ]

    def __str__(self) -> str:
        return f"second factor {self.pk}"

    @property
    def key(self) -> bytes:
        """The secret shared with the user's authenticator app; raises KeyMissing if no key decrypts it."""
        return unhexlify(decrypt_secret(self._place, self.secret).text)

    @key.setter
    def key(self, key: bytes) -> None:
        self.secret = encrypt_secret(self._place, Secret(hexlify(key).decode()), room=len(key) * 2)

    @property
    def _place(self) -> str:
        number: UUID = self.number
        return f"second factor of user {self.user_id}, {number.hex}"

    def verify_token(self, token: str) -> bool:
        """Returns True if an app's or backup code is right and unused; uses it up. The row must be locked."""
        code = "".join(sign for sign in token.lower() if sign.isalnum())
        if len(code) == DIGITS and code.isdecimal():
            right = self._takes(code)
        else:
            right = bool(self.backup_codes.filter(code_hash=hash_secret(code)).delete()[0])
        if right:
            self.last_used_at = timezone.now()
            self.save(update_fields=["last_step", "last_used_at"])
        return right

    def _takes(self, code: str) -> bool:
        try:
            app = TOTP(self.key, digits=DIGITS)
        except KeyMissing:  # a backup code works even then
            return False
        app.time = timezone.now().timestamp()
        right: bool = app.verify(int(code), tolerance=1, min_t=self.last_step + 1)
        if right:
            self.last_step = app.t()
        return right


DIGITS = 6


class BackupCode(models.Model):
    """A code that works once instead of a code of the authenticator app; only its hash is stored."""

    factor = models.ForeignKey(SecondFactor, models.CASCADE, related_name="backup_codes")
    code_hash = models.CharField(max_length=64, db_index=True)

    def __str__(self) -> str:
        return f"backup code {self.pk}"
