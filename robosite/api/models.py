"""Named programs, their invitations, and the stored answers and receipts of calls."""

from typing import ClassVar

from django.db import models

from robosite.matches.models import Match, Seat
from robosite.matches.seals import encrypted
from robosite.people.models import Guest


class NamedProgram(models.Model):
    """A program that plays over the API under its own name; its `guest` has the name and the seats.

    `next_hash` is that of a new token not used yet; `alike` is equal for names that look alike. `takes`
    has slugs (`pigs`) and presets (`pigs/standard`), each between spaces. A match without a deadline
    exceeds any `most_hours`.
    """

    guest = models.OneToOneField(Guest, models.CASCADE, related_name="program")
    about = models.CharField("what it says of itself", max_length=300, blank=True)
    url = models.URLField("where there is more about it", max_length=200, blank=True)
    takes = models.CharField("the games to which people may invite it", max_length=800, blank=True)
    least_hours = models.FloatField(null=True)
    most_hours = models.FloatField(null=True)
    alike = models.CharField(max_length=64, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    next_hash = models.CharField(max_length=64, blank=True, db_index=True)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField("day on which it was last used", db_index=True)

    def __str__(self) -> str:
        return f"program of {self.guest}"

    @property
    def games(self) -> list[str]:
        """The games (`pigs`) and presets (`pigs/standard`) to which people may invite the program."""
        return self.takes.split()


class Challenge(models.Model):
    """The invitation of a program by a match's creator; deleted when the program sits down."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="challenges")
    program = models.ForeignKey(NamedProgram, models.CASCADE, related_name="challenges")
    declined = models.BooleanField(default=False)
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "program"], name="one_challenge_a_program"),
        ]

    def __str__(self) -> str:
        return f"{self.program} invited to {self.match}"


class KeptAnswer(models.Model):
    """The answer to a write with an Idempotency-Key, encrypted under key and token."""

    found_by = models.CharField(max_length=64, unique=True)
    locked = models.BinaryField()
    last = models.BooleanField("its token opens nothing any more", default=False)
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"answer of {self.made_at:%F %T}"


@encrypted("order")
class KeptReceipt(models.Model):
    """The receipt for a sealed order; returned again for that order while the seat's link is the same."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="+")
    link_hash = models.CharField(max_length=64)
    turn = models.PositiveIntegerField()
    order = models.BinaryField()
    seal = models.CharField(max_length=64)
    sealed_at = models.DateTimeField()
    revealed = models.BooleanField()
    version = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["seat", "turn"], name="one_receipt_a_turn"),
        ]

    def __str__(self) -> str:
        return f"{self.seat.letter}, turn {self.turn}"
