"""Guests, and tickets that lead back to them once."""

from __future__ import annotations

from enum import IntFlag
from typing import ClassVar

from django.db import models
from django.db.models import F
from django.db.models.functions import Upper

from robosite.web.written_names import Name


class GuestExtra(IntFlag):
    """Flags for what only some guests have: other tables are queried only if the guest's row has the flag."""

    MEASURES = 1
    """A moderator has taken a measure."""
    SOUND = 2
    """They have asked for sounds, at some time."""
    NOTICES_LOST = 4
    """One of their ways to be told was switched off, since nothing arrived by it."""
    PLACES = 8
    """They have, or have had, a place in a competition."""
    INTRODUCED = 16
    """They have closed the speech bubbles of a first turn, or planned without them; each game has a flag."""
    GUIDED_1 = 32
    """They have closed the bubbles in the first turn of a game that explains several turns
    (`Game.guided`)."""
    GUIDED_2 = 64
    GUIDED_3 = 128
    TOLD_1 = 256
    """They have seen the bubble on the first thing that a game explains once (`State.novelties`)."""
    TOLD_2 = 512
    UNSEEN = 1024
    """They do not want others at their tables to see that they have a match open."""
    INTRODUCED_2 = 2048
    """They have closed the bubbles in another game (`first_round.introduced_flag`)."""
    INTRODUCED_3 = 4096
    TOLD_3 = 8192
    TOLD_4 = 16384
    """The last flag that fits the column."""


class Guest(models.Model):
    """A person with a name, known by one or several browsers. Rights depend on the row, never on the name.

    `email` is an address that the guest has confirmed, or "", so it can be written to without further checks.
    `language` is the one in which the guest read last, for what is sent later. A guest who `became` another
    one is only a pointer to that one, for browsers that still have the old one. `round` counts how often the
    other browsers were signed out. `leaving_at`: since then the guest is being forgotten and belongs to no
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
        """Tell whether this guest may have what the flag stands for, so that it is worth a query."""
        return bool(self.extras & extra)

    def note_extra(self, extra: int) -> None:
        """Sets this flag, or several."""
        if self.extras | extra != self.extras:
            self.extras |= extra
            Guest.objects.filter(pk=self.pk).update(extras=F("extras").bitor(extra))

    def clear_extra(self, extra: int) -> None:
        """Clears this flag, or several."""
        if self.extras & extra:
            self.extras &= ~extra
            Guest.objects.filter(pk=self.pk).update(extras=F("extras").bitand(~extra))


class Ticket(models.Model):
    """A secret link that works once and not for long; only the hash of its secret is kept.

    `device`: another browser becomes this guest. `back`: so does the browser of the person who reads mails to
    `email` (an empty one leads to nobody). `confirm`: `email` is the guest's address from now on.
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
    """The mail that brings a ticket's link (`letters.py`); it is deleted with its ticket.

    The link's secret follows from `number` and SECRET_KEY. A closed letter without a `fault` was sent, one
    with a fault never will be. It is claimed with a lease, so that two senders do not send it at once.
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
    """The outcome of a form, in case it is sent again (`sent_forms.py`); only its sender can open it."""

    found_by = models.CharField(max_length=64, unique=True)
    locked = models.BinaryField()
    made_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"form of {self.made_at:%F %T}"
