"""Guests, the tickets and letters that sign them in again, and the outcomes of forms that were sent."""

from __future__ import annotations

from enum import IntFlag
from typing import ClassVar

from django.db import models
from django.db.models import F
from django.db.models.functions import Upper

from robosite.web.written_names import Name


class GuestExtra(IntFlag):
    """Flags for rare things that guests have or have done: other tables are queried only if a flag is set."""

    MEASURES = 1
    """A moderator has taken a measure about them."""
    SOUND = 2
    """They have switched sounds on at some time."""
    NOTICES_LOST = 4
    """One of their channels for notices was switched off, since nothing could be delivered over it."""
    PLACES = 8
    """They have, or have had, a place in a competition."""
    INTRODUCED = 16
    """They have closed the speech bubbles of a game's first turn, or planned without reading them.

    Each such game has its own flag (`first_round.introduced_flag`)."""
    GUIDED_1 = 32
    """They have closed the first turn's bubbles in a game that explains several turns (`Game.guided`)."""
    GUIDED_2 = 64
    GUIDED_3 = 128
    TOLD_1 = 256
    """They have seen the bubble for the first of the things that a game explains once (`State.novelties`)."""
    TOLD_2 = 512
    UNSEEN = 1024
    """They do not want others at their tables to see that they have a match open."""
    INTRODUCED_2 = 2048
    """They have closed the bubbles of another game's first turn (`first_round.introduced_flag`)."""
    INTRODUCED_3 = 4096
    TOLD_3 = 8192
    TOLD_4 = 16384
    """The same for the fourth of these things. The column has no room for a further flag."""


class Guest(models.Model):
    """A person with a name, known by one or several browsers. Rights depend on the row, never on the name.

    `email` is an address that the guest has confirmed, or "". `language` is the one in which the guest last
    read pages; notices use it. A guest who `became` another one was merged into that one: the row only
    redirects browsers that still have it. `round` counts how often other browsers were signed out; sessions
    of an older round are void. A guest with `leaving_at` is being forgotten since then, and belongs to no
    browser; the row is deleted once the last seat is given up.
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
    extras = models.PositiveSmallIntegerField("what he has that few have", default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [models.Index(Upper("name"), name="guests_by_name")]
        permissions: ClassVar = [
            ("export_guest", "Can download what is kept about a guest who has asked for it"),
            ("erase_guest", "Can erase a guest who has asked for it"),
        ]

    def __str__(self) -> str:
        return str(Name(self.name)) or f"guest {self.pk}"

    def may_have(self, extra: GuestExtra) -> bool:
        """Tell whether the flag is set: without it, the guest has nothing of that kind."""
        return bool(self.extras & extra)

    def note_extra(self, extra: int) -> None:
        """Sets one or several flags, in the database and in this instance."""
        if self.extras | extra != self.extras:
            self.extras |= extra
            Guest.objects.filter(pk=self.pk).update(extras=F("extras").bitor(extra))

    def clear_extra(self, extra: int) -> None:
        """Clears one or several flags, in the database and in this instance."""
        if self.extras & extra:
            self.extras &= ~extra
            Guest.objects.filter(pk=self.pk).update(extras=F("extras").bitand(~extra))


class Ticket(models.Model):
    """A secret link that works once and for a short time; only the hash of its secret is stored.

    `device` signs another browser in as `guest`. `back` signs a browser in as a guest whose address is
    `email`; an empty one is nobody's. `confirm` makes `email` the address of `guest`.
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
    """The mail with a ticket's link (`letters.py`); it is deleted with its ticket.

    The link's secret follows from `number` and SECRET_KEY. A closed letter without a `fault` was sent, one
    with a fault never will be. A sender claims a letter until `claimed_until`, so that no other sends it.
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

    def __str__(self) -> str:
        return f"letter of {self.ticket}"


class SentForm(models.Model):
    """The stored outcome of a form, in case it is sent again (`sent_forms.py`).

    Only its sender can open it.
    """

    found_by = models.CharField(max_length=64, unique=True)
    locked = models.BinaryField()
    made_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"form of {self.made_at:%F %T}"
