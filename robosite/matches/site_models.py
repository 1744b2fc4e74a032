"""More tables of matches: reactions, holidays, requests for lost seats, notes of the site about itself."""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import ClassVar

from django.db import models
from django.utils import timezone

from robosite.people.models import Guest


class Holiday(models.Model):
    """A guest's holiday: days on which no deadline comes nearer in matches in which they owe an order.

    `first` and `last` are days in the guest's own zone; `begins` and `ends` the moments, which may lie within
    them. A competition may limit the days that count (`timekeeping.allowances`).
    """

    guest = models.ForeignKey(Guest, models.CASCADE, related_name="holidays")
    first = models.DateField("first day")
    last = models.DateField("last day")
    begins = models.DateTimeField()
    ends = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.guest}: {self.first} to {self.last}"


class Recount(models.Model):
    """A note that deadlines of a guest's matches, from `after` on, must be recomputed (`pauses.py`)."""

    guest = models.OneToOneField(Guest, models.CASCADE, related_name="recount")
    at = models.DateTimeField()
    after = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"clocks of {self.guest}, after match {self.after}"


class Heartbeat(models.Model):
    """The time at which the clock process last stored that the site is up, in a single row (`heartbeat.py`).

    `boot` is the boot of the machine on which `at` was read, and `booted_at` the time at which its monotonic
    clock was at zero. `agreed_at` is the last beat by a process whose wall clock agreed with the
    site's time.
    """

    at = models.DateTimeField()
    boot = models.CharField(max_length=36, blank=True, default="", db_default="")
    booted_at = models.DateTimeField(null=True)
    agreed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.at)


class ProcessHeartbeat(models.Model):
    """The time at which a background part was last known to be alive; several clocks share one row."""

    PARTS = ("clock", "bots", "sender")
    EVERY = 10.0
    """The least seconds between two stored heartbeats of a part."""
    LATE = timedelta(minutes=2)
    """The time without a heartbeat after which a part counts as dead."""
    last: ClassVar[dict[str, float]] = {}

    part = models.CharField(max_length=16, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.part}, {self.at:%F %T}"

    @classmethod
    def beat(cls, part: str) -> None:
        """Stores that a background part is alive, unless this process did so in the last EVERY seconds."""
        now = monotonic()
        if now - cls.last.get(part, -cls.EVERY) < cls.EVERY:
            return
        cls.objects.update_or_create(part=part, defaults={"at": timezone.now()})
        cls.last[part] = now

    @classmethod
    def ages(cls) -> dict[str, float]:
        """The seconds since each background part that has ever run was last known to be alive."""
        now = timezone.now()
        return {row.part: max((now - row.at).total_seconds(), 0.0) for row in cls.objects.order_by("part")}

    @classmethod
    def fault(cls) -> str:
        """A sentence that names background parts whose heartbeat is late; "" if none is."""
        silent = {part: age for part, age in cls.ages().items() if age > cls.LATE.total_seconds()}
        return "; ".join(f"nothing heard of the {part} for {age:.0f} s" for part, age in silent.items())


class KeyCheck(models.Model):
    """A known text, encrypted under a key that the database needs (`key_check.py`)."""

    locked = models.BinaryField()

    def __str__(self) -> str:
        return "what the site's keys open"


class Figures(models.Model):
    """Statistics of finished matches (`figures.py`): “told” has the last counts, “walk” those under way."""

    name = models.CharField(max_length=8, unique=True)
    data = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "figures"

    def __str__(self) -> str:
        return self.name


class Asking(models.Model):
    """A guest's request to get a seat that they say is theirs, such as "I am Ben" (`seat_requests.py`).

    It lapses unanswered after LAPSES. After a yes, the seat passes at `due`, unless its holder acts. `origin`
    is a hash of the address from which it came, "" once the request was declined or ended.
    """

    LAPSES: ClassVar = timedelta(days=7)

    class Answer(models.TextChoices):
        OPEN = "", "open"
        YES = "yes", "somebody at the table said yes"
        NO = "no", "somebody at the table said no"
        OBJECTED = "objected", "who sits there objects"

    seat = models.ForeignKey("Seat", models.CASCADE, related_name="askings")
    guest = models.ForeignKey(Guest, models.CASCADE, related_name="askings")
    asked_at = models.DateTimeField()
    answer = models.CharField(max_length=8, choices=Answer.choices, blank=True)
    answered_by = models.ForeignKey("Seat", models.SET_NULL, null=True, related_name="+")
    agreed = models.CharField("seats that have said yes", max_length=8, blank=True, default="", db_default="")
    due = models.DateTimeField(null=True)
    origin = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["seat", "guest"], name="one_asking_a_guest")]

    def __str__(self) -> str:
        return f"{self.guest} asks for {self.seat}"

    @property
    def stands(self) -> bool:
        """Returns True if another player has said yes, or if it is unanswered and not too old."""
        if self.answer == self.Answer.OPEN:
            return self.asked_at > timezone.now() - self.LAPSES
        return self.answer == self.Answer.YES

    @classmethod
    def open(cls) -> models.QuerySet[Asking]:
        """Requests to which another player has said yes, or that are unanswered and not too old."""
        lately = models.Q(answer=cls.Answer.OPEN, asked_at__gt=timezone.now() - cls.LAPSES)
        return cls.objects.filter(lately | models.Q(answer=cls.Answer.YES))


class Reaction(models.Model):
    """A player's sign (`flow/signs.py: REACTIONS`) on a step of a played turn; turns from 0, steps from 1."""

    seat = models.ForeignKey("Seat", models.CASCADE, related_name="reactions")
    turn = models.PositiveIntegerField()
    step = models.PositiveIntegerField()
    sign = models.CharField(max_length=8)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["seat", "turn", "step"], name="one_reaction_a_step")
        ]

    def __str__(self) -> str:
        return f"{self.sign} of {self.seat_id}, turn {self.turn}, step {self.step}"
