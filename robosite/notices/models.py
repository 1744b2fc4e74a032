"""Notices, the channels through which they are sent, and the outcome of each sending."""

import secrets
from typing import Any, ClassVar
from uuid import UUID

from django.db import models

from robosite.leagues.models import League
from robosite.matches.models import Match, Seat
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret, encrypted
from robosite.people.models import Guest


class Kind(models.TextChoices):
    """The kinds of notices, most urgent first."""

    ASKED = "asked", "a seat is asked for"
    PASSED = "passed", "a seat has passed"
    DEADLINE = "deadline", "the deadline is near"
    NUDGE = "nudge", "somebody nudges"
    PROPOSED = "proposed", "something is proposed"
    TURN = "turn", "your turn"
    OVER = "over", "the match is over"
    MESSAGE = "message", "a message"
    SAT = "sat", "somebody sat down"
    REVEALED = "revealed", "a turn was revealed"


IN_LEAGUE = "league message "
"""The prefix of facts about messages in a league; `LEAGUE.MESSAGE` follows, both as primary keys."""
NEXT_SEASON = "next season "
"""The prefix of facts about next seasons; the season's primary key follows."""
USUAL = [Kind.TURN, Kind.DEADLINE, Kind.NUDGE, Kind.PROPOSED, Kind.MESSAGE, Kind.SAT, Kind.OVER]
"""The kinds that a new channel sends, besides ALWAYS; not REVEALED, which usually comes with another."""

ALWAYS = (Kind.ASKED, Kind.PASSED)
"""The kinds that every channel sends, since a seat may be lost; in no digest, but after quiet hours."""

STEPS = (48, 24, 12, 6, 3, 1)
"""The hours before a deadline at which guests may choose to be warned."""


def new_number() -> UUID:
    return UUID(bytes=secrets.token_bytes(16), version=4)


class Wishes(models.Model):
    """A guest's preferences for notices on all channels, in full hours of their own zone."""

    guest = models.OneToOneField(Guest, models.CASCADE, related_name="wishes")
    steps = models.JSONField("hours before a deadline", default=list)
    quiet_from = models.PositiveSmallIntegerField(null=True)
    quiet_until = models.PositiveSmallIntegerField(null=True)
    digest_hour = models.PositiveSmallIntegerField(default=18)
    sound = models.BooleanField(default=False)
    origin = models.CharField("the site's address as he knows it", max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "wishes"

    def __str__(self) -> str:
        return f"wishes of {self.guest}"


class KeepsSecret(models.Model):
    """A row with an address and keys in `secret`, encrypted and bound to its `number`."""

    secret: Any
    number: Any
    place: ClassVar[str]

    class Meta:
        abstract = True

    def store_secret(self, text: str) -> None:
        """Encrypts the address and keys into `secret`, without saving the row."""
        self.secret = encrypt_secret(f"{self.place} {self.number.hex}", Secret(text))

    def open(self) -> str:
        """The decrypted secret; "" if there is none, or no key decrypts it any more."""
        try:
            return decrypt_secret(f"{self.place} {self.number.hex}", self.secret).text if self.secret else ""
        except KeyMissing:
            return ""


@encrypted("secret")
class Channel(KeepsSecret):
    """A guest's channel: a way over which notices are sent, or a feed or calendar that is fetched.

    `secret` has the address and keys, encrypted; None for a feed, a calendar, and mail, which goes to the
    guest's own address. `link_hash` is that of the secret link, or of a push's endpoint; `session_key` the
    session of a push's browser. `fault` is a word for a failure since the last success.
    """

    place = "channel"

    class Kind(models.TextChoices):
        MAIL = "mail", "e-mail"
        PUSH = "push", "push"
        ATOM = "atom", "feed"
        CALENDAR = "calendar", "calendar"
        WEBHOOK = "webhook", "webhook"
        NTFY = "ntfy", "ntfy"

    class When(models.TextChoices):
        AT_ONCE = "now", "at once"
        SOON = "soon", "after five minutes, if it still waits"
        DAILY = "daily", "once a day"

    guest = models.ForeignKey(Guest, models.CASCADE, related_name="channels")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    label = models.CharField("what its owner calls it", max_length=60, blank=True)
    secret = models.BinaryField(null=True)
    link_hash = models.CharField(max_length=64, blank=True, db_index=True)
    session_key = models.CharField(max_length=40, blank=True, default="", db_default="", db_index=True)
    tells = models.JSONField("kinds of notices", default=list)
    when = models.CharField(max_length=8, choices=When.choices, default=When.AT_ONCE)
    on = models.BooleanField(default=True)
    number = models.UUIDField(default=new_number, unique=True, editable=False)
    made_at = models.DateTimeField(auto_now_add=True)
    succeeded_at = models.DateTimeField("last success", null=True)
    failed_at = models.DateTimeField("last failure", null=True)
    fault = models.CharField("what failed", max_length=40, blank=True)
    failures = models.PositiveSmallIntegerField("failures since the last success", default=0)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.kind} of {self.guest}"

    @property
    def sends(self) -> bool:
        return self.kind in SENDING


SENDING = [kind for kind in Channel.Kind if kind not in (Channel.Kind.ATOM, Channel.Kind.CALENDAR)]
"""The kinds of channels over which notices are sent; feeds and calendars are fetched instead."""


class Notice(models.Model):
    """A fact about a match that concerns a guest at a seat, stored once for its kind; `who` has caused it."""

    guest = models.ForeignKey(Guest, models.CASCADE, related_name="notices")
    match = models.ForeignKey(Match, models.CASCADE, related_name="notices")
    seat = models.ForeignKey(Seat, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    fact = models.CharField(max_length=64)
    turn = models.PositiveIntegerField()
    who = models.CharField(max_length=200, blank=True)
    hours = models.PositiveSmallIntegerField("hours before the deadline", null=True)
    noted_at = models.DateTimeField()
    done_at = models.DateTimeField("dealt with", null=True)
    only_by: int | None = None
    """The primary key of the only channel over which a new notice is sent; None: over all."""

    class Meta:
        ordering = ("-pk",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["guest", "seat", "kind", "fact"], name="one_notice_a_fact")
        ]
        indexes: ClassVar = [models.Index(fields=["match", "done_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.fact}, {self.match.key} {self.seat.letter}"

    @property
    def key(self) -> tuple[Any, ...]:
        return self.guest_id, self.seat_id, self.kind, self.fact


class Parcel(models.Model):
    """One message over a channel: a match's notices, a day's digest, a test, or another thing.

    Until `claimed_until`, only the sender that has claimed it may send it. `unclear` counts the claims since
    the last stored outcome; at two the parcel is given up. Parcels whose `what` is DONE are never sent.
    """

    class What(models.TextChoices):
        NOTICES = "notices", "notices"
        TEST = "test", "a test"
        DONE = "done", "what was told is dealt with"
        INVITED = "invited", "a program is invited to a match"
        LAPSES = "lapses", "a match or league that never began will be deleted"
        SEASON = "season", "a season that somebody has waited for is announced"

    class State(models.TextChoices):
        WAITS = "waits", "waits"
        SENT = "sent", "sent"
        WITHDRAWN = "gone", "withdrawn"
        GIVEN_UP = "given up", "given up"

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="parcels")
    what = models.CharField(max_length=8, choices=What.choices, default=What.NOTICES)
    match = models.ForeignKey(Match, models.CASCADE, null=True, related_name="+")
    league = models.ForeignKey(League, models.CASCADE, null=True, related_name="+")
    number = models.UUIDField(default=new_number, unique=True, editable=False)
    due_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITS)
    tries = models.PositiveSmallIntegerField(default=0)
    unclear = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["state", "due_at"])]

    def __str__(self) -> str:
        return f"{self.what} by {self.channel.kind}, {self.state}"


class Delivery(models.Model):
    """The entry of a notice in a parcel; a channel gets each notice in at most one parcel."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="deliveries")
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="deliveries")
    parcel = models.ForeignKey(Parcel, models.CASCADE, related_name="deliveries")

    class Meta:
        verbose_name_plural = "deliveries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notice", "channel"], name="one_delivery_a_channel")
        ]

    def __str__(self) -> str:
        return f"{self.notice} by {self.channel.kind}"


@encrypted("secret")
class GroupChannel(KeepsSecret):
    """A channel of a match, league or cup: an address in a chat that holds one living message.

    `secret` has the address and the token, encrypted; nobody is told them. `made_by` is its maker's name, and
    `guest` None for a program. `message` is the message's number at the service; `version` and `digest` are
    of what it tells. Before `due_at` nothing is sent.
    """

    place = "group channel"

    match = models.OneToOneField(Match, models.CASCADE, null=True, related_name="group_channel")
    league = models.OneToOneField(League, models.CASCADE, null=True, related_name="group_channel")
    kind = models.CharField(max_length=8)
    host = models.CharField(max_length=255)
    secret = models.BinaryField()
    number = models.UUIDField(default=new_number, unique=True, editable=False)
    guest = models.ForeignKey(Guest, models.CASCADE, null=True, related_name="group_channels")
    made_by = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=8)
    site = models.CharField("the site's address as its maker knows it", max_length=200)
    made_at = models.DateTimeField(auto_now_add=True)
    message = models.CharField(max_length=255, blank=True)
    version = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    looked_at = models.DateTimeField("when the message was last compared", auto_now_add=True)
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    failures = models.PositiveSmallIntegerField("failures since the last success", default=0)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["due_at"], name="due_group_channels")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.match or self.league}"
